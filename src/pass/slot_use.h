// SPDX-License-Identifier: Apache-2.0
// Is the slot of a multiset that a rule chose still the same when it is used?
#ifndef PASS_SLOT_USE_H
#define PASS_SLOT_USE_H

#include "model/model.h"

// Into which free slot an element is put makes no difference, unless the rule goes on to use a slot that it chose, set
// free, and may have filled again. Statements that are in one outermost loop may follow each other in any order.
typedef struct {
    const model *m;
    sys system;
    const rule_info *rule;
    type sort;             // of the slots
    bool is_chosen;        // a parameter of the rule is one
    uint32_t first_freed;  // number of the first statement that may set one free (UINT32_MAX: none), and one behind…
    uint32_t last_use;     // …the last that uses a parameter
} slot_use;

slot_use slot_use_find(const model *m, sys system, const rule_info *r, type sort);
// The sort of the slot that the statement sets free, or may: taken(…, slot, …) := anything but true. Where that is not
// `false` either, one multiset becomes another, and its slots are others. Id 0: of none.
type slot_use_changed(const model *m, sys system, const stmt *s);
// May the statement, or what it is part of, numbers begin to end (one behind its last), fill such a slot?
bool slot_use_is_stale(const slot_use *u, uint32_t begin, uint32_t end);
uint32_t slot_use_count(const stmt *s);  // statements in s

#endif
