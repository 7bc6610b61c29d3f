// SPDX-License-Identifier: Apache-2.0
// See same_writes.h. What a round writes, and where, must not depend on the round: on the loop's variables, on what
// rounds write, on locals.
#include "pass/same_writes.h"

#include "base/bits.h"
#include "model/expr.h"
#include "model/walk.h"

static bool depends_on_round(const model *m, const stmt *loop, const bits *written, expr e) {
    for (uint32_t i = 0; i < loop->nvars; i++)
        if (expr_has_var(m, e, loop->vars[i])) return true;
    walk w = walk_expr(m, e, 0);
    while (walk_next(&w))
        if ((w.x->kind == E_APP || w.x->kind == E_DEFINED) &&
            (bits_has(written, w.x->ref) || func_of(m, (func){w.x->ref})->is_scratch))
            return walk_found(&w);
    return false;
}

static bool is_same_writing(const stmt *a, const stmt *b) {
    bool same = expr_same(a->value, b->value);
    for (uint32_t i = 0; i < a->nargs && same; i++) same = expr_same(a->args[i], b->args[i]);
    return same;
}

bool same_writes(const model *m, const stmt *loop, func f) {
    const stmt *first = NULL;
    bits written = {0};
    walk w = walk_stmt(m, loop, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN) bits_add(&written, w.s->target.id);
    bool ok = true;
    w = walk_stmt(m, loop, 0);
    while (walk_next(&w)) {
        if (w.x) ok &= !((w.x->kind == E_APP || w.x->kind == E_DEFINED) && w.x->ref == f.id);
        if (!w.s || w.s->kind != S_ASSIGN || w.s->target.id != f.id) continue;
        if (!first) first = w.s;
        ok &= is_same_writing(first, w.s) && !(w.s->value.id && depends_on_round(m, loop, &written, w.s->value));
        for (uint32_t i = 0; i < w.s->nargs; i++) ok &= !depends_on_round(m, loop, &written, w.s->args[i]);
    }
    bits_free(&written);
    return ok;
}
