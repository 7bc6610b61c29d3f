// SPDX-License-Identifier: Apache-2.0
// Private to the refinement: what refine.c, candidates.c, block.c and closure.c share.
#ifndef CMP_REFINE_INT_H
#define CMP_REFINE_INT_H

#include "cmp/refine.h"
#include "cmp/witness.h"

typedef VEC(const lemma *) lemma_list;

// candidates.c
prop candidates_check(refinement *r, const char *name, expr cond);  // an invariant of the abstraction
uint32_t candidates_add(refinement *r, candidate c);
expr candidates_literal(const lexicon *v, uint32_t literal);
lemma candidates_lemma(const refinement *r, const clause *k);
uint32_t candidates_find(const refinement *r, const clause *k);  // UINT32_MAX: not considered so far
candidate *candidates_of(refinement *r, const clause *k);
void candidates_used(const refinement *r, lemma_list *out);
void candidates_drop(refinement *r, uint32_t number);  // it is false

// Do the formulas that were made take too much memory?
bool refine_is_full(const refinement *r);

// block.c
typedef enum {
    BLOCK_NOTHING,     // no candidate says anything about the step
    BLOCK_IN_PART,     // some say something about what it leaves open
    BLOCK_DONE,        // some exclude it, as it was found to be possible
    BLOCK_NO_WITNESS,  // it was not possible
    BLOCK_ALREADY,     // a lemma that came in since the draft was made excludes it
    BLOCK_REAL         // views show that no lemma excludes it
} block_outcome;

// Brings in candidates that exclude a step of others from `before`, by a case with the lemmas used (its draft).
block_outcome block_drafted(refinement *r, eval *ev, const instance *in, abstract_case *c, const draft *d,
                            const value *before, const value *args);
// The same from scratch; false if nothing can be said.
bool block_step(refinement *r, const instance *in, abstract_case *c, const value *before, const value *args);

#endif
