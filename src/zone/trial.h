// SPDX-License-Identifier: Apache-2.0
// What the search relies on, tried on states of its own while it runs.
//
// Symmetry: for a state s that was reached and a random permutation g, the steps of g(s), by the reference evaluator
// and by plain steps of the net, are g of the steps of s; invariants, where time stands still and the formulas of
// all queries agree. Zones: what a node leads to without abstraction is within a zone that was kept for it.
//
// How many states are tried is counted in steps, not by a clock, so that answers do not depend on the machine: some
// at the start, then as many as take one or two hundredths of the time. After a failure the search is given up and
// starts again without what failed (search.c).
#ifndef ZONE_TRIAL_H
#define ZONE_TRIAL_H

#include "zone/expand.h"

typedef struct zone_trial zone_trial;

zone_trial *trial_new(zone_search *s);
void trial_free(zone_trial *c);
// After the nodes were expanded and what they lead to was taken. False: something failed.
bool trial_block(zone_trial *c, const uint32_t *nodes, uint32_t count);

// "symmetry" or "zones", and how it failed; NULL: nothing did.
const char *trial_failed(const zone_trial *c);
const char *trial_failure(const zone_trial *c);
void trial_count(const zone_trial *c, uint64_t *symmetry, uint64_t *zones);

#endif
