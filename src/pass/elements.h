// SPDX-License-Identifier: Apache-2.0
// What a formula says of the elements of a sort.
#ifndef PASS_ELEMENTS_H
#define PASS_ELEMENTS_H

#include "model/model.h"

// Does e read a cell of an element by anything but a variable?
bool elements_by_value(const model *m, type sort, expr e);
// How many elements a closed formula in negation normal form speaks of at once: its universal quantifiers over the sort
// that are below each other, or on both sides of a disjunction.
uint32_t elements_at_once(const model *m, type sort, expr e);
// The same with the elements that values are which it compares or reads cells of, as in `next[i] != next[j]` (one: if
// they are the same, or if not, it is enough to look at one of them) and `owner[want[i]] = i` (one).
uint32_t elements_with_values(const model *m, type sort, expr e);
bool elements_read_by_value(const model *m, type sort, expr e, uint32_t i);  // argument i of e itself
// Does e count elements?
bool elements_counted(const model *m, type sort, expr e);
// Of a comparison of sums, one of them with a number of elements: from how many elements on do more of them make no
// difference? -1: e is something else.
int32_t elements_that_matter(const model *m, type sort, expr e);

#endif
