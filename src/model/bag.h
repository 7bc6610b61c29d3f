// SPDX-License-Identifier: Apache-2.0
// Multisets in a state: two states that differ in the slots in which elements lie are the same state.
//
// So a state has a normal form, and every state that the evaluator or a space returns is in it. Each multiset is in
// order by itself: taken slots before free ones, taken ones by their content, where the first part of an element counts
// most and "no value" is the least; free slots hold what they held before the start. A step from a state in normal
// form may meet slots in any order while it runs; for bodies that depend on this, explore does without symmetry.
#ifndef MODEL_BAG_H
#define MODEL_BAG_H

#include "model/instance.h"

// Brings a state into normal form.
void bag_order(const instance *in, value *cells);

// Are the slots that the sort numbers put into order in states of this system?
bool bag_orders(const model *m, sys s, type sort);

#endif
