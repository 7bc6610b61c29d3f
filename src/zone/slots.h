// SPDX-License-Identifier: Apache-2.0
// Which values of a timed system flow into each other: a *slot* is the result or an argument of a state
// function, a parameter of a rule, or an index of an array of clocks. Slots whose values are compared, copied
// or used for the same index are one class. A class in which some value takes part in arithmetic, or is
// compared by order with something that is not constant, is the class of plain numbers.
#ifndef ZONE_SLOTS_H
#define ZONE_SLOTS_H

#include "model/instance.h"
#include "zone/member.h"

// What queries ask: formulas, numbers and clocks whose extremes are wanted.
typedef struct {
    const expr *formulas, *measured;
    const uint32_t *clocks;
    uint32_t nformulas, nmeasured, nclocks;
} asked;

typedef struct {
    int64_t lo, hi;
    bool is_number;
} slot_range;

typedef struct {
    arena *memory;
    const model *m;
    const members *all;
    uint32_t *func_slot;   // by function: its result, then its arguments
    uint32_t *var_slot;    // by variable
    uint32_t *clock_slot;  // by group of clocks: their indices
    uint32_t nvars;
    uint8_t *seen;  // expressions that are evaluated
    uint32_t *own;  // by expression: a slot of its class, or SLOT_NONE
    uint32_t nexprs;
    VEC(uint32_t) up;  // union-find
    VEC(slot_range)
    range;  // of a root: values that every slot of the class can have; are all of them numbers?
} slots;

enum { SLOT_NUMBER = 0 };
#define SLOT_NONE UINT32_MAX  // of a constant: it has the class of what it is used with

slots *slots_new(const instance *in, const members *all, const asked *a);
void slots_free(slots *s);
uint32_t slots_root(const slots *s, uint32_t slot);
uint32_t slots_of(const slots *s, expr e);  // root, SLOT_NUMBER or SLOT_NONE
// Can values of the slot's class change places? Those of locations and truth values never do: images leave such
// constants as they are.
static inline bool slots_may_move(const slots *s, uint32_t root) {
    return root != SLOT_NONE && root != SLOT_NUMBER && s->range.data[root].is_number;
}
static inline uint32_t slots_result(const slots *s, uint32_t f) { return slots_root(s, s->func_slot[f]); }
static inline uint32_t slots_argument(const slots *s, uint32_t f, uint32_t i) {
    return slots_root(s, s->func_slot[f] + 1 + i);
}

#endif
