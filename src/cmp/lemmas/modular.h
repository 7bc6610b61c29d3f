// SPDX-License-Identifier: Apache-2.0
// Closes a set of views with one kept element under all that elements do whose views fit together: what an
// element does in its own view is done to every view that agrees with that on the shared state (C. Flanagan, S.
// Qadeer, SPIN 2003). Lemmas about single elements cannot say more than the views that come out.
#ifndef CMP_LEMMAS_MODULAR_H
#define CMP_LEMMAS_MODULAR_H

#include "base/limits.h"
#include "cmp/lemmas/survey.h"

// Adds to the survey's views, which begin with those of instances of one element. False if they are not closed:
// more than one kept element, a run-time error, another sort whose elements are alike, a union with the sort (views do
// not tell its elements apart from its other values), or a limit.
bool modular_join(survey *s, uint64_t most_views, const limits *until);

#endif
