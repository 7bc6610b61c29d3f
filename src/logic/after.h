// SPDX-License-Identifier: Apache-2.0
// Formulas about the state after a step as formulas about the state before it (weakest precondition), on
// expressions. For backends that take whole formulas; the ground engine has its own way.
#ifndef LOGIC_AFTER_H
#define LOGIC_AFTER_H

#include "logic/logic_int.h"
#include "model/update.h"

typedef struct {
    const update_list *updates;
    rule r;         // id 0: none
    bool is_start;  // the state before has the initial values
} after_step;

after_step after_of(const task *t);
// The lemma in the state after: written functions by their updates, chosen ones as E_NEXT.
expr after_lemma(model *m, const after_step *step, expr e);
// A rule's relation, with E_NEXT only for chosen functions.
expr after_relation(model *m, const after_step *step, expr relation);
// e with initial values for functions, if the step is a start.
expr after_start(model *m, const after_step *step, expr e);

#endif
