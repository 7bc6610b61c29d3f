// SPDX-License-Identifier: Apache-2.0
// What a system and a property say of the number of elements of a sort.
#ifndef PASS_SIZE_USE_H
#define PASS_SIZE_USE_H

#include "model/model.h"

// Do they depend on it in other places than the sort: in a constant, or in ranges that something has values of?
bool size_use_matters(const model *m, sys s, prop p, type sort);
// Is there a number of elements that was read with a known size? Then checks that it stays in a range may have been
// left out as superfluous, which they are not with more elements.
bool size_use_counts(const model *m, sys s, prop p, type sort);

#endif
