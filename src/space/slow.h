// SPDX-License-Identifier: Apache-2.0
// Labels that cannot be compiled, run by the reference evaluator: slow, but the same answers.
#ifndef SPACE_SLOW_H
#define SPACE_SLOW_H

#include "model/eval.h"
#include "space/layout.h"

typedef struct slow slow;  // of one thread

slow *slow_new(const layout *l);
void slow_free(slow *x);

void slow_state(slow *x, const uint64_t *state);
// Which conditions are false or fault, as bits.
void slow_check(slow *x, const uint64_t *state, const expr *checks, uint32_t nchecks, uint64_t *failed);
// What a label does in the state; a successor is packed into `next`.
eval_end slow_fire(slow *x, rule r, const value *args, uint64_t *next);

#endif
