// SPDX-License-Identifier: Apache-2.0
// Which candidates exclude a step of others: the shortest clause, of those that hold in all samples, that is false of
// the elements as the step takes them to be.
//
// A step's *witness* gives values to the unknowns of its case, also to those that the rule does not show, so that the
// guard holds. A clause that is false for it, whatever the unknowns it leaves open are, excludes the step.
#ifndef CMP_LEMMAS_EXCLUDE_H
#define CMP_LEMMAS_EXCLUDE_H

#include "cmp/abstract/abstract.h"
#include "cmp/abstract/strengthen.h"
#include "cmp/lemmas/candidates.h"
#include "cmp/lemmas/survey.h"
#include "cmp/lemmas/views.h"

// A step of others that leads out of what is known of real instances.
typedef struct {
    abstract_case *c;
    const draft *d;       // of the case, with the lemmas used but the fresh ones; NULL: to be made
    const value *before;  // a state of the abstraction
    const value *args;    // of the draft's rule
    uint32_t view;        // the number of `before` among the views, if it is one
} loose_step;

typedef struct excluder excluder;

excluder *excluder_new(candidates *lemmas, survey *s);
void excluder_free(excluder *x);
// From now on a step is left alone if views show that no lemma excludes it; NULL: not asked.
void excluder_ask(excluder *x, views *v);
// Brings in a candidate, unless one that came in lately does it already. False if nothing excludes the step.
bool exclude_step(excluder *x, const loose_step *s);
// How often a clause was looked for.
uint64_t excluder_searched(const excluder *x);

#endif
