// SPDX-License-Identifier: Apache-2.0
// A rule's body as one expression per function: f'(y1..yk) = e(y1..yk), by symbolic execution.
// This is what the logic works on; the frame is implied (functions not listed do not change).
#ifndef MODEL_UPDATE_H
#define MODEL_UPDATE_H

#include "model/model.h"

typedef struct {
    func target;
    const var *formals;  // as many as the function has arguments
    expr value;          // over the formals, the rule's parameters and the state before; definitions inlined
} update;

typedef VEC(update) update_list;

// The updates of a body, in order of first write, appended to `out`. NULL body: none. False, with a message, for a
// loop in a sequence whose rounds depend on each other.
bool update_of(model *m, const stmt *body, update_list *out);
// NULL: there is none.
const update *update_find(const update_list *l, func f);
// The value that e has after the updates, as an expression over the state before them.
expr update_apply(model *m, const update_list *updates, expr e);

#endif
