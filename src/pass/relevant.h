// SPDX-License-Identifier: Apache-2.0
// Variables that only tell elements apart and that nothing depends on: a system without them.
#ifndef PASS_RELEVANT_H
#define PASS_RELEVANT_H

#include "model/model.h"

typedef VEC(func) relevant_list;

// Leaves out of the system what loops over the sort set to what their last round says, if neither the property nor a
// lemma, nor a guard, nor another variable that stays depends on it, and what depends on that. The rest has the same
// steps and the same run-time errors. What was left out is added to `out`. The model is on top of the user's
// (model/overlay.h).
void relevant_leave_out(model *m, sys s, prop p, type sort, relevant_list *out);

#endif
