// SPDX-License-Identifier: Apache-2.0
// Private to the trials: what trial.c (symmetry, zones, how often) and trial_code.c (code, packing) share.
#ifndef ZONE_TRIAL_INT_H
#define ZONE_TRIAL_INT_H

#include "base/rng.h"
#include "zone/search.h"

// Steps of a check, and of the search, by what they cost: one is about a nanosecond.
enum { COST_LABEL = 400, COST_STEP = 3000, COST_TRANSITION = 600, COST_BOUND = 12 };

struct zone_trial {
    zone_search *s;
    rng r;
    uint64_t spent, average;  // steps of checks so far, and of one
    uint64_t count[TRIAL_KINDS];
    uint64_t starts;   // initial states so far
    uint32_t chained;  // states passed through from a node
    bool is_all;       // in each state everything is tried
    bool has_failed;
    trial_kind failed;
    str failure;
    value *cells, *image, *after, *moved, *from;
    uint64_t *state, *packed, *next;
    uint32_t *labels;
    int64_t *clocks, *moved_clocks;  // in halves
};

// Notes what failed in the state of c->cells; false.
bool trial_fail(zone_trial *c, trial_kind kind, const char *what);
// The state packed in c->state, c->cells, with a zone that was kept for it (trial_code.c).
bool trial_packing(zone_trial *c, const passed *p, const bound *d);
bool trial_code(zone_trial *c);

#endif
