// SPDX-License-Identifier: Apache-2.0
// Loops over a symmetric sort whose rounds may be done in any order.
#ifndef PASS_LOOP_ORDER_H
#define PASS_LOOP_ORDER_H

#include "pass/effects.h"
#include "pass/local_use.h"
#include "pass/slot_use.h"

typedef struct {
    const model *m;
    effects *fx;            // work space; holds the effects of the last loop that was asked about
    const local_use *uses;  // of locals in the rule's body
    const slot_use *slots;  // that the rule chose; NULL: not known
    const bits *around;     // variables bound outside the loop
    bool is_parallel;       // the loop is below a parallel statement
} loop_order;

// Does the loop over v, statement `number` of the body, come to the same end for every order of its rounds: the same
// state up to a permutation of the slots of multisets (the sorts fx->slots), or none? One-sided. Where false, `why`
// says what may depend on the order.
bool loop_order_is_any(const loop_order *o, const stmt *loop, uint32_t number, var v, str *why);

#endif
