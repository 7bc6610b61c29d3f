// SPDX-License-Identifier: Apache-2.0
// What small instances tell: which literals hold at each point, and which abstract states are views of real ones.
#ifndef CMP_LEMMAS_SURVEY_H
#define CMP_LEMMAS_SURVEY_H

#include "base/bits.h"
#include "base/tuples.h"
#include "cmp/abstract/abstract.h"
#include "cmp/lemmas/vocabulary.h"
#include "explore/explore.h"
#include "model/instance.h"
#include "space/space.h"

enum { SURVEY_MOST_ROWS = 20000 };  // of a point

typedef struct {
    abstraction *a;
    lemma_vocabulary *v;
    bits *holds;        // by point: literal 2 * atom (+ 1: negated) held wherever the premise did
    map **rows;         // by point: the combinations of literals seen there
    bool *is_met;       // by point: the premise held somewhere
    instance *view_in;  // of the abstraction without rules: how views are packed
    space *view_space;
    space_run *view_run;
    tuples *views;  // packed, canonical
} survey;

survey *survey_new(abstraction *a, lemma_vocabulary *v);
void survey_free(survey *s);
// Adds the views of what was reached of an instance of the original system.
void survey_add(survey *s, const instance *in, const explored *x);
// Finds out what holds in the views.
void survey_look(survey *s);
// Is an abstract state (cells of view_in) the view of a state looked at?
bool survey_has_view(survey *s, const value *cells);

#endif
