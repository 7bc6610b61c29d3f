// SPDX-License-Identifier: Apache-2.0
// What the search relies on, tried on states of its own while it runs, with the reference evaluator as the judge.
//
//   symmetry  for a state s that was reached and a random permutation g, the steps of g(s), by the evaluator and by
//             plain steps of the net, are g of the steps of s; invariants, where time stands still and the formulas of
//             all queries agree
//   code      discrete steps, conditions, bounds and values of clocks are what the evaluator says
//   packing   a state packed and unpacked is the same, and is found again with its zone
//   zones     what a node leads to without abstraction is covered by a zone that was kept for it, by bounds of clocks
//             that are tried too; of a search for runs
//             that found none, within one of lower rank, so that no run goes on for ever
//
// How many states are tried is counted in steps, not by a clock, so that answers do not depend on the machine: as many
// as take one or two hundredths of the time, and after a search of few nodes all of them. After a failure the search
// is given up and starts again without what failed (search.c).
#ifndef ZONE_TRIAL_H
#define ZONE_TRIAL_H

#include "zone/expand.h"

typedef enum { TRIAL_SYMMETRY, TRIAL_CODE, TRIAL_PACKING, TRIAL_ZONES, TRIAL_KINDS } trial_kind;

typedef struct zone_trial zone_trial;

zone_trial *trial_new(zone_search *s);
void trial_free(zone_trial *c);
// An initial state was taken. After the nodes were expanded and what they lead to was taken. After a search that
// expanded all nodes.
bool trial_start(zone_trial *c, const value *cells);  // false: something failed
void trial_block(zone_trial *c, const uint32_t *nodes, uint32_t count);
void trial_whole(zone_trial *c);

// On several ranks (divide.h): what was tried so far is forgotten, as another rank did the same; a zone of this state
// that another rank promised to be covered is not; what a rank says at the end, and what all said.
typedef struct {
    trial_kind failed;
    char text[1000];
    uint64_t count[TRIAL_KINDS];
} trial_told;
void trial_forget(zone_trial *c);
void trial_break_promise(zone_trial *c, const uint64_t *state);
void trial_tell(const zone_trial *c, trial_told *out);
void trial_hear(zone_trial *c, const trial_told *all, bool has_failed);

bool trial_failed(const zone_trial *c);  // NULL: nothing was tried
trial_kind trial_failed_kind(const zone_trial *c);
const char *trial_failure(const zone_trial *c);
uint64_t trial_count(const zone_trial *c, trial_kind k);

#endif
