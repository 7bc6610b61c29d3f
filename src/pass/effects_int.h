// SPDX-License-Identifier: Apache-2.0
// Inside the effects of a round: effects.c walks statements, effects_read.c expressions.
#ifndef PASS_EFFECTS_INT_H
#define PASS_EFFECTS_INT_H

#include "pass/effects.h"
#include "pass/slot_use.h"

enum {
    EFFECTS_MOST_STEPS = 1 << 23,  // expressions looked at in one loop
    EFFECTS_MOST_PARTS = 32,       // written cells of local arrays that are remembered
    EFFECTS_MOST_KNOWN = 32,       // cells that are known to have a value
    EFFECTS_LONGEST_CHECK = 512,   // touches between counting a multiset's elements and adding one
    EFFECTS_DEEPEST_FACT = 8       // more facts about v are dropped
};

// What a round knows of a local.
typedef struct {
    bool is_written, is_defined;  // all its cells, by this round
    effect_index is;              // its value, if it has no arguments
    expr from;                    // what was assigned to it, if it has no arguments…
    uint32_t since;               // …and the first touch after that
} effect_local;

// A cell of a local array that the round wrote; its arguments are constants and variables.
typedef struct {
    func f;
    const expr *args;
    bool is_defined;
} effect_part;

// The slot x has v as its value of g: g(args) = v with x at `position`, the last. No other argument comes behind it:
// rounds could look at different ones and take the same slot.
typedef struct {
    var x;
    func g;
    const expr *args;
    uint32_t position;
    func test;   // asked before g: a slot for which it is false has no key; id 0: none
    func asked;  // g, if the conditions ask whether it has a value before they read it; id 0: they do not
    const expr *test_args, *asked_args;
    uint32_t freed;  // the region in which the slot was set free, plus one; 0: none
} effect_key;

// Slots that lose their value of g: at once (test 0), or after `test` became false. Or a condition that reads g after
// `test`, without asking whether it has a value.
typedef struct {
    func g, test;
} effect_keyless;

// The number of elements of a multiset was limited, and none was added since.
typedef struct {
    func taken;  // id 0: there is no such check
    const expr *args;
    expr limit;
    uint32_t region, since;  // since: the first touch after it
} effect_check;

typedef struct {
    func f;
    effect_local before;
} effects_undo;

// Of a multiset: checks of the number of elements, elements that are added, and those added after a check of their own.
typedef struct {
    func taken;
    expr limit;
    uint32_t nchecks, nadds, nmatched;
} effects_limit;

struct effects_work {
    arena *memory;
    var v;
    const bits *around;
    const slot_use *slots;
    uint32_t number;   // of the loop's statement
    bool is_parallel;  // the loop is below a parallel statement
    uint32_t nparallel;
    uint32_t loop_number, stamp, last_stamp, steps;
    uint32_t *seen, *fixed, *fixed_first;  // by expression: stamps; 2 * loop_number + answer
    uint32_t nopaque;                      // definitions around: their variables say nothing
    bits bound;                            // variables inside the loop that are in scope here
    var fresh;
    func fresh_taken;      // what says that a slot is free
    effect_local *locals;  // by function
    VEC(effects_undo) trail;
    uint32_t *joined, join_mark;  // by function: the mark of the last join that it was part of
    VEC(effect_part) parts;
    VEC(expr) known;  // E_DEFINED of cells that have a value here
    VEC(effect_key) keys;
    VEC(effect_keyless) dropped, unasked;
    uint32_t fact, region;
    effect_check check;
    VEC(effects_limit) limits;
};

// Everything that grows, and is empty when a loop is begun.
// clang-format off
#define EFFECTS_LISTS(X, fx, w)                                                                                \
    X(&(fx)->touches); X(&(fx)->indices); X(&(fx)->facts); X(&(fx)->regions); X(&(w)->trail); X(&(w)->parts);  \
    X(&(w)->known); X(&(w)->keys); X(&(w)->dropped); X(&(w)->unasked); X(&(w)->limits)
#define EFFECTS_SETS(X, fx, w) \
    X(&(fx)->written); X(&(fx)->exposed); X(&(fx)->keyed); X(&(fx)->unkeyed); X(&(fx)->slots); X(&(w)->bound)
// clang-format on

// What is known in a branch and forgotten after it.
typedef struct {
    uint32_t nknown, fact, stamp, nkeys;
} effects_scope;

// effects_read.c
bool effects_same_args(const expr *a, const expr *b, uint32_t n);
void effects_read(effects *fx, expr e);
effect_index effects_resolve(effects *fx, expr e);
// Is e the same in every round, or in every round that finds the state as the loop found it?
bool effects_is_fixed(effects *fx, expr e, bool is_first);
bool effects_faults(effects *fx, expr e);  // may evaluating e here fail?
void effects_new_stamp(effects *fx);
bool effects_bind(effects *fx, var v);  // false, with a refusal, if the variable is in scope already
effects_scope effects_enter(effects *fx);
void effects_leave(effects *fx, effects_scope was);
// From here on e is true, or false. In a statement, cells that the loop writes may lose their value again.
void effects_learn(effects *fx, expr e, bool is_true, bool in_statement);
// Slots x that the conditions select are those with v as the value of a function.
bool effects_find_key(effects *fx, expr cond, expr then, var x, effect_key *out);

// effects.c
void effects_add_touch(effects *fx, effect_touch t, const expr *args, uint32_t nargs);
const effect_part *effects_part_of(const effects *fx, func f, const expr *args, uint32_t nargs);
bool effects_is_outside(const model *m, expr e, type t);

#endif
