// SPDX-License-Identifier: Apache-2.0
// What is shown where no proof was found: see unknown.c.
#ifndef INFER_UNKNOWN_H
#define INFER_UNKNOWN_H

#include "infer/prover.h"

typedef VEC(uint32_t) lemma_numbers;

// The lemmas of `all` that say something beside the others, the most general first.
void unknown_order(prover *x, const bits *all, lemma_numbers *out);
// A lemma that would exclude the obstacle, where there is one: x->out->proposal.
void unknown_propose(prover *x);

// Of the lemmas of all tries those that are inductive together with what stands, the most general first, as far as the
// time suffices.
void unknown_join_noted(prover *x);

#endif
