// SPDX-License-Identifier: Apache-2.0
// The subset construction on demand: numbers for sets of states of an automaton, closed under silent steps,
// and their successors, computed when first asked for. Sets of one deterministic automaton are single states.
#ifndef LANGUAGE_SUBSETS_H
#define LANGUAGE_SUBSETS_H

#include "language/automaton.h"

#define SUBSETS_EMPTY UINT32_MAX

typedef struct subsets subsets;

subsets *subsets_new(const automaton *a);  // `a` must outlive it
void subsets_free(subsets *s);

uint32_t subsets_initial(subsets *s);                              // SUBSETS_EMPTY: no initial state
uint32_t subsets_next(subsets *s, uint32_t set, uint32_t letter);  // SUBSETS_EMPTY: nowhere
bool subsets_within(const subsets *s, uint32_t x, uint32_t y);     // is x a subset of y?
// The members of a set in ascending order; valid until the next set is met.
const uint32_t *subsets_members(const subsets *s, uint32_t set, uint32_t *n);
uint32_t subsets_count(const subsets *s);  // sets met so far

#endif
