// SPDX-License-Identifier: Apache-2.0
// Private to the trials: what trial.c (symmetry, zones, how often) and trial_code.c (code, packing) share.
#ifndef ZONE_TRIAL_INT_H
#define ZONE_TRIAL_INT_H

#include "base/rng.h"
#include "model/eval.h"
#include "zone/dbm.h"
#include "zone/expand.h"
#include "zone/net.h"
#include "zone/passed.h"
#include "zone/search.h"
#include "zone/trial.h"

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
    arena *memory;
    net_steps steps;       // of the state that is tried
    VEC(net_steps) rooms;  // for states passed through from it, by how many came before
    value *image, *after, *moved;
    uint64_t *packed;
};

// What the evaluator says that a label does; a step leads to c->after.
eval_end trial_step(zone_trial *c, const value *cells, const net_label *l);
// Notes what failed in the state that is tried; false.
bool trial_fail(zone_trial *c, trial_kind kind, const char *what);
// The state that is tried, with a zone that was kept for it (trial_code.c).
bool trial_packing(zone_trial *c, const passed *p, const bound *d);
bool trial_code(zone_trial *c);
bool trial_bounds(zone_trial *c);  // trial_bounds.c

#endif
