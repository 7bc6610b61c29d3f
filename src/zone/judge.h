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
// Is no step possible, now or after a delay? Steps that change neither the state nor a clock may not count, but where
// they have priority others must wait.
bool judge_is_dead(const judge_moment *m, bool counts_idle);
// May time pass for ever?
bool judge_is_endless(const judge_moment *m);
// Does the formula hold at every moment from now on, for so many units, or as long as time may pass? It must not
// ask for deadlocks.
bool judge_holds_for(const judge_moment *m, uint32_t formula, int64_t delay);
bool judge_keeps(const judge_moment *m, uint32_t formula);

#endif
