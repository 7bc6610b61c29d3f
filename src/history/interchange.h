// SPDX-License-Identifier: Apache-2.0
// Sets of admissible interchanges, given by what they forbid: formulas of past temporal logic that hold at
// the second of two neighbouring events when these must not be swapped (Cohen, Pnueli and Zuck, CAV 2008,
// section 2.2).
//
// front/ix reads them; shape.c says which of their rules are about pairs of events.
#ifndef HISTORY_INTERCHANGE_H
#define HISTORY_INTERCHANGE_H

#include "base/map.h"
#include "history/past.h"

typedef struct {
    const char *name;
    span at;
    past formula;
} forbidden;

typedef struct {
    arena *memory;  // names and formulas; not owned
    const char *name;
    VEC(const forbidden *) rules;
    map *names;               // of the rules
    VEC(const char *) texts;  // paths of what was read
} interchange;

// The memory must outlive messages about the texts, which quote them.
void interchange_begin(interchange *x, arena *memory);
void interchange_free(interchange *x);

// ---- shapes

// A rule whose truth depends only on the two events and their transactions, wherever they are: whoever
// reorders events without swapping such a pair may do so freely. p != q; `last` is q's event, `previous`
// p's.
typedef enum { SHAPE_OTHER, SHAPE_SAME_CLIENT, SHAPE_STRICT_ORDER, SHAPE_PAIR } shape_kind;

typedef struct {
    shape_kind kind;
    uint8_t last, previous;  // bits of event kinds
    bool by_address;         // the pair shares an address: that of `previous`, and…
    uint8_t inside;          // …if not 0, of an event of these kinds that q's transaction has before `last`,
                             // else that of `last`
} shape;

shape shape_of(const past *f);
// All rules have a shape, and the events of one client and the order of commits are kept: then the order of
// the transactions is known, and serializability is a matter of pairs.
bool shape_all_pairs(const interchange *x);

#endif
