// SPDX-License-Identifier: Apache-2.0
// reach: the reached states of an instance, by the reference evaluator, for tests that need the states themselves.
#ifndef ORACLE_REACH_H
#define ORACLE_REACH_H

#include "model/eval.h"

typedef struct {
    const instance *in;
    VEC(value *) states;  // in breadth-first order
    bool is_complete;
    bool is_violated;  // a step was refused by a requirement
} reached;

// At most `most` states; steps that fault or are refused lead nowhere.
reached reach_states(const instance *in, uint32_t most);
void reach_free(reached *r);

#endif
