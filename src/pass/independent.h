// SPDX-License-Identifier: Apache-2.0
// Systems that are independent copies of one, one copy for each element of a sort (an address, a lock).
#ifndef PASS_INDEPENDENT_H
#define PASS_INDEPENDENT_H

#include "model/model.h"

// Does every variable belong to one element of the sort, every step to one, and does the property speak of one at a
// time? Then what holds with one element holds with any number, and the other way round. One-sided.
bool independent_copies(const model *m, sys s, prop p, type sort);

#endif
