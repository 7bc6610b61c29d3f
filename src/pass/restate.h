// SPDX-License-Identifier: Apache-2.0
// A system with other functions in the place of some of its own, or with none: what passes that make a system smaller
// share. The model is on top of the user's (model/overlay.h).
#ifndef PASS_RESTATE_H
#define PASS_RESTATE_H

#include "model/model.h"

typedef struct {
    model *m;
    sys system;
    uint32_t nold;  // functions there were at the beginning, and one more
    func *now;      // by function, of those: what stands for it, itself at the beginning; id 0: it is left out
} restating;

// Is it a system whose rules are plain guards and bodies that run in order, and short enough to be written anew?
bool restate_can(const model *m, sys s);
restating restate_begin(model *m, sys s);
// Writes the system, its properties and lemmas anew. What stands for another function is of the same type, and the
// other one always has a value. Nothing but assignments to what is left out may depend on it; of properties that read
// it nothing is said any more.
void restate_apply(restating *r);
void restate_free(restating *r);

#endif
