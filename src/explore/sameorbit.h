// SPDX-License-Identifier: Apache-2.0
// Is one state a renaming of another? Decided on cells, apart from src/space, whose representatives are tested with it.
#ifndef EXPLORE_SAMEORBIT_H
#define EXPLORE_SAMEORBIT_H

#include "model/instance.h"
#include "model/renaming.h"

typedef enum { ORBIT_SAME, ORBIT_OTHER, ORBIT_TOO_HARD } sameorbit_answer;

// Does a permutation of these sorts' elements lead from a to b? A look at a cell takes three of the `*steps`, which are
// counted down; without any left it gives up.
sameorbit_answer sameorbit(const instance *in, const type_list *sorts, const value *a, const value *b, uint64_t *steps);

#endif
