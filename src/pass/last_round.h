// SPDX-License-Identifier: Apache-2.0
// Loops over elements that are alike, whose last round counts: a system in which that may be the round of any element.
//
// `for i : NODE do head := i; end` leaves the last element in head, which tells that element apart. A system that may
// leave any element there has all steps of the other one, and treats elements alike; an invariant of it is one of the
// other one, too. What it violates may be its own doing.
#ifndef PASS_LAST_ROUND_H
#define PASS_LAST_ROUND_H

#include "model/model.h"

typedef VEC(rule) last_round_list;

// The rules and starts that have such a loop, and choose the element by a parameter more from now on, are added to
// `out`. The model is on top of the user's (model/overlay.h).
void last_round_choose(model *m, sys s, last_round_list *out);

#endif
