// SPDX-License-Identifier: Apache-2.0
// States that runs from a given state lead to. If the state satisfies an inductive invariant, so do they:
// the state after a countermodel's step speaks against more lemmas than those that are false in it, and runs
// cost less than questions.
#ifndef INFER_FOLLOW_H
#define INFER_FOLLOW_H

#include "base/vec.h"
#include "infer/sample.h"
#include "model/instance.h"

// Instances that runs were made of, each with its compiled steps.
typedef struct follower follower;
typedef VEC(follower *) follower_list;

// The state and those that a few random runs from it meet. The seed goes on.
sample *follow_state(follower_list *known, const instance *in, const value *state, uint64_t *seed);
void follow_free(follower_list *known);

#endif
