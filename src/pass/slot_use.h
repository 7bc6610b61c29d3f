// SPDX-License-Identifier: Apache-2.0
// Is the slot of a multiset that a rule chose still the same when it is used?
//
// Into which free slot an element is put makes no difference, unless the rule goes on to use a slot that it chose, set
// free, and may have filled again. And as long as a chosen slot was not set free, new elements go to other slots.
#ifndef PASS_SLOT_USE_H
#define PASS_SLOT_USE_H

#include "base/bits.h"
#include "model/model.h"

// A parameter of the rule that is a slot.
typedef struct {
    var slot;
    type sort;
    func taken;  // the rule's guard asks for taken(args), of which the slot is the last; id 0: for nothing of the kind
    const expr *args;
    uint32_t nargs;
    bits freed;            // numbers of statements, in the order of the text, at whose end it may have been set free
    const stmt *refilled;  // NULL, or after this one the slot is used though it may hold another element
} slot_chosen;

typedef struct {
    const model *m;
    sys system;
    const rule_info *rule;
    VEC(slot_chosen) chosen;
} slot_use;

void slot_use_look_at(slot_use *u, const model *m, sys system, const rule_info *r);
void slot_use_free(slot_use *u);
// The sort of the slot that the statement sets free, or may: taken(…, slot, …) := anything but true. Where that is not
// `false` either, one multiset becomes another, and its slots are others. Id 0: of none.
type slot_use_changed(const model *m, sys system, const stmt *s);
// Is a chosen slot of the sort used after s, which may have put another element into it?
bool slot_use_is_stale(const slot_use *u, const stmt *s, type sort);
// The function `taken` of the multiset of which args[0..n-1] name a cell of the function f, if its last one is a chosen
// slot that is not set free before the end of statement `number`; else id 0.
func slot_use_held(const slot_use *u, uint32_t number, func f, const expr *args, uint32_t n);

#endif
