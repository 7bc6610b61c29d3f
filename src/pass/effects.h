// SPDX-License-Identifier: Apache-2.0
// What one round of a loop may do: which cells it may read and write, and how it may fail.
//
// A cell is known by its function and, for each argument, by what is known of the argument in a round for the
// element v. Everything is an over-approximation: what a round does is among the touches, with an index that says no
// more than what is true.
#ifndef PASS_EFFECTS_H
#define PASS_EFFECTS_H

#include "base/bits.h"
#include "model/model.h"
#include "pass/slot_use.h"

typedef enum {
    INDEX_ANY,    // nothing is known
    INDEX_OWN,    // v
    INDEX_FIXED,  // the value of an expression that is the same in every round
    INDEX_FRESH,  // a slot of a multiset that was free until this round took it: the function e.id was false there
    INDEX_KEYED   // a slot of a multiset in which the function e.id has v as its value
} index_kind;

typedef struct {
    index_kind kind;
    expr e;     // INDEX_FIXED; INDEX_KEYED, INDEX_FRESH: the function's id
    func held;  // INDEX_FIXED: a slot for which this function is true as long as the loop goes on; id 0: not known
} effect_index;

typedef enum {
    TOUCH_READ,
    TOUCH_WRITE,
    TOUCH_ADD,       // f(a) := f(a) + e with e >= 0
    TOUCH_SUBTRACT,  // the same with e <= 0
    TOUCH_OR,        // f(a) := f(a) | e, where e cannot fault
    TOUCH_AND
} touch_kind;

typedef struct {
    touch_kind kind;
    func f;
    uint32_t indices;  // the first of its arguments in effects.indices
    uint32_t fact;     // what is known of v here: in effects.facts, 0: nothing
    uint32_t region;   // of the text, in effects.regions
    // TOUCH_WRITE: the value, id 0: none. is_same: every round writes this value. is_same_first: every round that
    // finds the state as the loop found it does.
    expr value;
    bool is_same, is_same_first;
    bool is_unkeyed;  // of a multiset's slot: it may leave the slot with a key that is not v
} effect_touch;

// v = e or v != e, and what was known before it. e is the same in every round.
typedef struct {
    uint32_t before;
    bool is_equal;
    expr e;
} effect_fact;

// A list of statements that are done all or not at all, unless the round fails.
typedef struct {
    uint32_t parent;
    bool is_loop,
        sets_flag;  // is_loop: may be done several times; sets_flag: a statement of it ends the loop
} effect_region;

enum { ABORT_FAULT = 1, ABORT_LIMIT = 2, ABORT_GUARD = 4, ABORT_ASSUMPTION = 8 };

typedef struct effects_work effects_work;

typedef struct {
    const model *m;
    VEC(effect_touch) touches;
    VEC(effect_index) indices;
    VEC(effect_fact) facts;
    VEC(effect_region) regions;  // [0] is the whole round
    bits written;                // functions that the loop writes
    bits exposed;                // locals that a round may read before it wrote them
    bits keyed, unkeyed;         // functions that have v as their value in all new slots; in which some have not
    bits slots;                  // sorts of slots of which a round takes free ones
    uint32_t aborts;             // ABORT_*: how a round may fail
    func flag;                   // a local that ends the loop when a round sets it; id 0: none
    bool is_flag_plain;          // nothing but `true` is assigned to it
    const char *refusal;         // NULL, or why nothing is known
    effects_work *work;
} effects;

effects *effects_new(const model *m);
void effects_free(effects *fx);
// A loop of a rule's body.
typedef struct {
    const stmt *loop;
    uint32_t number;        // of the statement, in the order of the text
    const bits *around;     // variables bound outside the loop
    const slot_use *slots;  // that the rule chose; NULL: not known
    bool is_parallel;       // below a parallel statement: rounds read what was there before all of them
} effects_loop;

// The effects of a round for v. Reads of a parallel loop are left out.
void effects_find(effects *fx, const effects_loop *loop, var v);

// May two rounds for different elements touch the same cell with a and b?
bool effects_meet(const effects *fx, const effect_touch *a, const effect_touch *b);
// f := g, also where g has no value: if defined(g) { f := g } else { undefine f }.
bool effects_is_copy(const model *m, const stmt *s);
// The functions of which the loop writes every cell, whatever happens in it.
void effects_covers(const model *m, const stmt *loop, func_list *out);

#endif
