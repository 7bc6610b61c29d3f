// SPDX-License-Identifier: Apache-2.0
// Loops over a symmetric sort whose rounds may be done in any order.
#ifndef EXPLORE_ROUNDS_H
#define EXPLORE_ROUNDS_H

#include "model/model.h"

// Is the result of the sequential loop over v, in the rule's body `whole`, the same for every order of its
// rounds? One-sided:
// false may also mean that it cannot be told.
bool rounds_any_order(const model *m, const stmt *whole, const stmt *loop, var v);

#endif
