// SPDX-License-Identifier: Apache-2.0
// The normal form of multisets (model/bag.h) in packed states.
#ifndef SPACE_BAGS_H
#define SPACE_BAGS_H

#include "space/layout.h"

typedef struct bags bags;

// NULL when the system has no multisets.
bags *bags_new(const layout *l);
void bags_free(bags *b);

// Brings a successor of `before`, which is in normal form, into it.
void bags_order(const bags *b, const uint64_t *before, uint64_t *state);
// The same for a state that was in normal form before elements of sorts were renamed in it.
void bags_order_renamed(const bags *b, uint64_t *state);

// Slots of all multisets, each element of an array separately, are numbered from 0. The number of the slot that
// argument i of f(args) is, or UINT32_MAX if that argument is not a slot.
uint32_t bags_slot(const bags *b, func f, const value *args, uint32_t i);
uint32_t bags_slots(const bags *b);  // how many
// The bit, in *word, that says whether the slot with this number is taken.
uint64_t bags_taken(const bags *b, uint32_t slot, uint32_t *word);

#endif
