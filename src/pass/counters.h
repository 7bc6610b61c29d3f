// SPDX-License-Identifier: Apache-2.0
// Shared variables that count elements, and a system without them.
#ifndef PASS_COUNTERS_H
#define PASS_COUNTERS_H

#include "model/model.h"

typedef struct {
    func counter;
    expr is;  // what it is in every reachable state of every instance: 2 - count(i : in(i))
} counter;

typedef VEC(counter) counter_list;

// Finds such variables and leaves them out of the system: what reads them reads what they are. The model is on top of
// the user's (model/overlay.h). Runs of the system that do not fail have the same steps without them.
void counters_leave_out(model *m, sys s, type sort, counter_list *out);

#endif
