// SPDX-License-Identifier: Apache-2.0
// What is true at a moment of a concrete run, according to the reference evaluator and without matrices: whether a
// query's formula holds, whether a step is possible now or later, whether time can pass for ever.
#ifndef ZONE_JUDGE_H
#define ZONE_JUDGE_H

#include "zone/net.h"

typedef struct {
    const net *x;
    int64_t unit;  // clocks are multiples of 1 / unit
    const int64_t *clocks;
    const value *cells;
} judge_moment;

bool judge_holds(const judge_moment *m, uint32_t formula);
// Where it applies.
bool judge_bound_holds(const judge_moment *m, const clock_bound *b);
bool judge_invariants_hold(const judge_moment *m);
bool judge_is_still(const judge_moment *m);
// So many units pass in the moment's state, for clocks that run there.
void judge_let_pass(const judge_moment *m, int64_t units, int64_t *clocks);
// The clocks that a rule sets, now; is_set says which. False: none.
bool judge_set_clocks(const judge_moment *m, const rule_info *r, int64_t *clocks, bool *is_set);
// Is a step of higher priority than the label's possible?
bool judge_is_blocked(const judge_moment *m, const net_label *l);
// Is no step possible, now or after a delay? Steps that change neither the state nor a clock may not count, but where
// they have priority others must wait.
bool judge_is_dead(const judge_moment *m, bool counts_idle);
// May time pass for ever?
bool judge_is_endless(const judge_moment *m);
// How long time may pass; in halves, as below.
int64_t judge_longest(const judge_moment *m);

// From when until when a step is possible, as delays in halves of a unit: an even number is that delay, an odd one
// every delay between the two around it, so that intervals are exact. INT64_MAX: for ever.
typedef struct {
    uint32_t label;
    int64_t first, last;
    bool fails;  // the step is a run-time error
} judge_chance;

typedef VEC(judge_chance) judge_chances;

// The steps that are possible now or after a delay, by label; with priorities a step may be there several times.
void judge_find_chances(const judge_moment *m, judge_chances *out);
// Does the formula hold at every moment from now on, for so many units, or as long as time may pass? It must not
// ask for deadlocks.
bool judge_holds_for(const judge_moment *m, uint32_t formula, int64_t delay);
bool judge_keeps(const judge_moment *m, uint32_t formula);

#endif
