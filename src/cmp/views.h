// SPDX-License-Identifier: Apache-2.0
// Could others be as a step takes them to be? Views tell: what is known of some elements, kept ones and others, must be
// what a view shows, for as many of them at a time as a view has. If it is, no lemma that holds in all views excludes
// the step.
#ifndef CMP_VIEWS_H
#define CMP_VIEWS_H

#include "cmp/survey.h"
#include "model/eval.h"

typedef struct views views;

views *views_new(survey *s);
void views_free(views *v);
// The case's unknowns have values in `ev`, as far as they are in `bound` (by number).
bool views_allow(views *v, const abstract_case *c, const value *before, eval *ev, const bits *bound);

#endif
