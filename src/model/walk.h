// SPDX-License-Identifier: Apache-2.0
// One way to ask about the model: visit everything below an expression or a statement, each part once.
//
// Parts are shared, so an expression of a hundred lines may be a tree of 2^100 nodes; a walk remembers what it has
// seen, and takes time linear in the parts. It goes from left to right, a node before what is below it:
//
//     walk w = walk_expr(m, e, 0);
//     while (walk_next(&w))
//         if (w.x->kind == E_NEXT) return walk_found(&w);
//     return false;
//
// Where the context of a part matters (polarity, scope), contexts get numbers: tags. A part has the tag
// of what it was reached from, or that which walk_add() gives it, and is seen once for each.
// The body of the loop may add to the model (w.x is then no longer valid, w.e is), and begin walks of its own.
#ifndef MODEL_WALK_H
#define MODEL_WALK_H

#include "model/model.h"

enum {
    WALK_CALLS = 1,  // bodies of the definitions that are called too
    WALK_STMTS = 2,  // statements only, without their expressions
    WALK_KEEPS = 4   // at the end more can be added; what was seen is not seen again; walk_found() ends it
};

enum { WALK_SMALL = 16 };  // a power of two; that many need no memory of their own

typedef struct {
    expr e;              // where we are: an expression…
    const expr_info *x;  // …and what it is, or NULL: then it is the statement
    const stmt *s;       // NULL: it is an expression
    uint32_t tag;        // of the expression, below 2^31
    const model *m;
    unsigned how;
    bool is_inside;  // what is below it comes next
    uint32_t ntodo, todo_cap, nseen, seen_cap;
    uint64_t *todo, *seen;  // NULL: the small ones
    uint64_t small_todo[WALK_SMALL], small_seen[WALK_SMALL];
} walk;

// Id 0 and NULL have no parts.
walk walk_expr(const model *m, expr e, unsigned how);
walk walk_stmt(const model *m, const stmt *s, unsigned how);
bool walk_next(walk *w);  // false: there is no more, and (without WALK_KEEPS) nothing left to free
static inline void walk_skip(walk *w) { w->is_inside = false; }  // nothing below this one
// One more, seen before what is still to come.
void walk_add(walk *w, expr e, uint32_t tag);
void walk_add_stmt(walk *w, const stmt *s);
void walk_add_rule(walk *w, rule r);   // guard, body, relation, requirements
void walk_add_system(walk *w, sys s);  // its rules and starts
bool walk_found(walk *w);              // ends it before that; true

// A number of e made from those of its arguments, each made once.
typedef uint32_t (*walk_join)(const model *m, expr e, const uint32_t *parts, void *context);
uint32_t walk_fold(const model *m, expr e, walk_join join, void *context);

#endif
