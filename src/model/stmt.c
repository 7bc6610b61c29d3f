// SPDX-License-Identifier: Apache-2.0
// Statements: see stmt.h.
#include "model/stmt.h"

#include "model/expr.h"
#include "model/walk.h"

typedef VEC(const stmt *) stmt_list;

static stmt_list subst_list(model *m, const stmt *const *body, uint32_t nbody, const var *vars, const expr *with,
                            uint32_t n) {
    stmt_list out = {0};
    for (uint32_t i = 0; i < nbody; i++) vec_push(&out, stmt_subst(m, body[i], vars, with, n));
    return out;
}

static const stmt *subst_assign(model *m, const stmt *s, const var *vars, const expr *with, uint32_t n) {
    VEC(expr) args = {0};
    for (uint32_t i = 0; i < s->nargs; i++) vec_push(&args, expr_subst(m, s->args[i], vars, with, n));
    const stmt *built = model_assign(m, s->target, args.data, args.len,
                                     s->value.id ? expr_subst(m, s->value, vars, with, n) : s->value, s->at);
    vec_free(&args);
    return built;
}

static const stmt *subst_assume(model *m, const stmt *s, expr cond) {
    stmt *built = model_assume(m, cond, s->at);
    built->is_guard = s->is_guard;
    return built;
}

static const stmt *subst_forall(model *m, const stmt *s, expr cond, const stmt_list *body) {
    stmt *built = model_forall(m, s->vars, s->nvars, cond, body->data, body->len, s->at);
    built->any_order = s->any_order;
    return built;
}

const stmt *stmt_subst(model *m, const stmt *s, const var *vars, const expr *with, uint32_t n) {
    if (!s || n == 0) return s;
    if (s->kind == S_ASSIGN) return subst_assign(m, s, vars, with, n);
    stmt_list body = subst_list(m, s->body, s->nbody, vars, with, n);
    stmt_list orelse = subst_list(m, s->orelse, s->norelse, vars, with, n);
    expr cond = s->cond.id ? expr_subst(m, s->cond, vars, with, n) : s->cond;
    const stmt *built;
    if (s->kind == S_IF) built = model_if(m, cond, body.data, body.len, orelse.data, orelse.len, s->at);
    else if (s->kind == S_FORALL) built = subst_forall(m, s, cond, &body);
    else if (s->kind == S_WHILE) built = model_while(m, cond, body.data, body.len, s->at);
    else if (s->kind == S_ASSUME) built = subst_assume(m, s, cond);
    else if (s->kind == S_FAIL) built = s;
    else built = model_block(m, s->kind, body.data, body.len, s->at);
    vec_free(&body);
    vec_free(&orelse);
    return built;
}

static void add_parallel(stmt_list *out, const stmt *s) {
    for (uint32_t i = 0; i < s->nbody; i++) vec_push(out, s->body[i]);
}

const stmt *stmt_both(model *m, const stmt *s1, const stmt *s2) {
    if (!s1) return s2;
    if (!s2) return s1;
    if (s1->kind != S_PAR || s2->kind != S_PAR) return model_block(m, S_SEQ, (const stmt *[]){s1, s2}, 2, s1->at);
    stmt_list body = {0};
    add_parallel(&body, s1);
    add_parallel(&body, s2);
    const stmt *both = model_block(m, S_PAR, body.data, body.len, s1->at);
    vec_free(&body);
    return both;
}

bool stmt_writes(const stmt *s, func f) {
    walk w = walk_stmt(NULL, s, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN && w.s->target.id == f.id) return walk_found(&w);
    return false;
}

bool stmt_changes(const model *m, const stmt *s, expr e) {
    walk w = walk_stmt(m, s, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN && expr_reads(m, e, w.s->target)) return walk_found(&w);
    return false;
}

// ---- parallel loops in the order of their text

static uint64_t places_of(const model *m, const stmt *s, var v) {
    uint64_t here = 0;
    for (uint32_t i = 0; i < s->nargs && i < 64; i++) {
        const expr_info *x = expr_of(m, s->args[i]);
        if (x->kind == E_VAR && x->ref == v.id) here |= UINT64_C(1) << i;
    }
    return here;
}

// Is there no argument at which all writes of f have the variable? Then rounds may meet in a cell.
static bool may_meet(const model *m, const stmt *loop, func f, var v) {
    uint64_t common = UINT64_MAX;
    walk w = walk_stmt(m, loop, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN && w.s->target.id == f.id) common &= places_of(m, w.s, v);
    return !common;
}

bool stmt_rounds_meet(const model *m, const stmt *loop) {
    walk w = walk_stmt(m, loop, WALK_STMTS);
    while (walk_next(&w))
        for (uint32_t k = 0; w.s->kind == S_ASSIGN && k < loop->nvars; k++)
            if (may_meet(m, loop, w.s->target, loop->vars[k])) return walk_found(&w);
    return false;
}

static bool has_meeting_loop(const model *m, const stmt *s) {
    walk w = walk_stmt(m, s, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_FORALL && stmt_rounds_meet(m, w.s)) return walk_found(&w);
    return false;
}

static void take_apart(model *m, const stmt *s, stmt_list *out);

// s once more around each single assignment below it.
static void around_each(model *m, const stmt *s, const stmt *const *body, uint32_t n, bool is_else, stmt_list *out) {
    stmt_list leaves = {0};
    for (uint32_t i = 0; i < n; i++) take_apart(m, body[i], &leaves);
    for (uint32_t i = 0; i < leaves.len; i++) {
        const stmt **leaf = &leaves.data[i];
        if (s->kind == S_FORALL) vec_push(out, model_forall(m, s->vars, s->nvars, s->cond, leaf, 1, s->at));
        else if (is_else) vec_push(out, model_if(m, s->cond, NULL, 0, leaf, 1, s->at));
        else vec_push(out, model_if(m, s->cond, leaf, 1, NULL, 0, s->at));
    }
    vec_free(&leaves);
}

static void take_apart(model *m, const stmt *s, stmt_list *out) {
    switch (s->kind) {
    case S_PAR:
        for (uint32_t i = 0; i < s->nbody; i++) take_apart(m, s->body[i], out);
        return;
    case S_IF:
        around_each(m, s, s->body, s->nbody, false, out);
        around_each(m, s, s->orelse, s->norelse, true, out);
        return;
    case S_FORALL: around_each(m, s, s->body, s->nbody, false, out); return;
    default: vec_push(out, s); return;
    }
}

static const stmt *ordered_parallel(model *m, const stmt *s) {
    if (!has_meeting_loop(m, s)) return s;
    stmt_list body = {0};
    for (uint32_t i = 0; i < s->nbody; i++) {
        if (has_meeting_loop(m, s->body[i])) take_apart(m, s->body[i], &body);
        else vec_push(&body, s->body[i]);
    }
    const stmt *built = model_block(m, S_PAR, body.data, body.len, s->at);
    vec_free(&body);
    return built;
}

static stmt_list in_text_order(model *m, const stmt *const *body, uint32_t n) {
    stmt_list out = {0};
    for (uint32_t i = 0; i < n; i++) vec_push(&out, stmt_in_text_order(m, body[i]));
    return out;
}

const stmt *stmt_in_text_order(model *m, const stmt *s) {
    if (!s || s->kind == S_ASSIGN) return s;
    if (s->kind == S_PAR) return ordered_parallel(m, s);
    stmt_list body = in_text_order(m, s->body, s->nbody), orelse = in_text_order(m, s->orelse, s->norelse);
    stmt *built = arena_copy(m->memory, s, sizeof *s);
    built->body = body.len ? arena_copy(m->memory, body.data, body.len * sizeof *body.data) : NULL;
    built->orelse = orelse.len ? arena_copy(m->memory, orelse.data, orelse.len * sizeof *orelse.data) : NULL;
    vec_free(&body);
    vec_free(&orelse);
    return built;
}
