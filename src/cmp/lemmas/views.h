// SPDX-License-Identifier: Apache-2.0
// Could others be as a step takes them to be? Views tell: what is known of some elements, kept ones and others, must be
// what a view shows, for as many of them at a time as a view has. If it is, no lemma that holds in all views excludes
// the step.
#ifndef CMP_LEMMAS_VIEWS_H
#define CMP_LEMMAS_VIEWS_H

#include "base/bits.h"
#include "cmp/abstract/abstract.h"
#include "cmp/lemmas/survey.h"
#include "model/eval.h"

typedef struct views views;

views *views_new(survey *s);
void views_free(views *v);

// Views by *site*: all with the same shared cells, where of cells that hold elements only counts whether they have a
// value. The newest view of a site, and the one before a view; UINT32_MAX: none.
void views_catch_up(views *v, uint32_t count);                          // so many views are looked up from now on
const value *views_shared(views *v, const value *cells, size_t *size);  // these cells, until it is asked again
uint32_t views_site(views *v, const value *cells);
uint32_t views_newest(const views *v, uint32_t site);
uint32_t views_older(const views *v, uint32_t view);
// The shared cells that hold kept element 0, as bits (the first 64 of them).
uint64_t views_held(const views *v, const value *cells);
// The cell of kept element 0 that the key of an unknown means for an other, whose number goes to *other; UINT32_MAX if
// that depends on the state.
uint32_t views_cell(const views *v, expr key, uint32_t *other);

// The case's unknowns have values in `ev`, as far as they are in `bound` (by variable).
bool views_allow(views *v, const abstract_case *c, const value *before, eval *ev, const bits *bound);

#endif
