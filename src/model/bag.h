// SPDX-License-Identifier: Apache-2.0
// Multisets in a state: two states that differ in the slots in which elements lie are the same state.
//
// So a state has a normal form, in which every state that the evaluator or a space gives is. Each multiset is in
// order on its own: taken slots before free ones, taken ones by what is in them, the first part of an element counting
// most and no value being the least one; free slots hold what they held before the start. A step from a state in normal
// form may find slots in any order while it runs; bodies that depend on it are for explore to refuse symmetry to.
#ifndef MODEL_BAG_H
#define MODEL_BAG_H

#include "model/instance.h"

// Brings a state into normal form.
void bag_order(const instance *in, value *cells);

// Are the slots that the sort numbers put into order in states of this system?
bool bag_orders(const model *m, sys s, type sort);

#endif
