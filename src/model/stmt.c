// SPDX-License-Identifier: Apache-2.0
// Statements: see stmt.h.
#include "model/stmt.h"

#include "model/expr.h"
#include "model/walk.h"

typedef struct {
    const var *vars;
    const expr *with;
    uint32_t n;
} replacing;

// What a statement becomes, with everything below it.
typedef const stmt *(*change)(model *m, const stmt *s, const replacing *r);

static const stmt *const *change_all(model *m, const stmt *const *body, uint32_t n, change to, const replacing *r) {
    const stmt **out = arena_alloc(m->memory, n * sizeof *out);
    for (uint32_t i = 0; i < n; i++) out[i] = to(m, body[i], r);
    return n ? out : NULL;
}

// A copy in which everything below is changed.
static stmt *change_below(model *m, const stmt *s, change to, const replacing *r) {
    stmt *t = arena_copy(m->memory, s, sizeof *s);
    t->body = change_all(m, s->body, s->nbody, to, r);
    t->orelse = change_all(m, s->orelse, s->norelse, to, r);
    return t;
}

static expr replaced(model *m, expr e, const replacing *r) {
    return e.id ? expr_subst(m, e, r->vars, r->with, r->n) : e;
}

static const stmt *stmt_replace(model *m, const stmt *s, const replacing *r) {
    stmt *t = change_below(m, s, stmt_replace, r);
    expr *args = arena_alloc(m->memory, (s->nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < s->nargs; i++) args[i] = replaced(m, s->args[i], r);
    t->args = args;
    t->value = replaced(m, s->value, r);
    t->cond = replaced(m, s->cond, r);
    return t;
}

const stmt *stmt_subst(model *m, const stmt *s, const var *vars, const expr *with, uint32_t n) {
    return s && n ? stmt_replace(m, s, &(replacing){vars, with, n}) : s;
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

static const stmt *in_text_order(model *m, const stmt *s, const replacing *none) {
    if (s->kind == S_ASSIGN) return s;
    return s->kind == S_PAR ? ordered_parallel(m, s) : change_below(m, s, in_text_order, none);
}

// Where nothing is parallel, statements that are shared stay so.
static bool has_parallel(const stmt *s) {
    walk w = walk_stmt(NULL, s, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_PAR) return walk_found(&w);
    return false;
}

const stmt *stmt_in_text_order(model *m, const stmt *s) { return has_parallel(s) ? in_text_order(m, s, NULL) : s; }

// ---- how large a statement is

static uint32_t stmt_count_tree(map *known, const stmt *s, uint32_t most) {
    uint32_t n = map_get(known, &s, sizeof s, 0);
    if (n) return n;
    n = 1;
    for (uint32_t i = 0; i < s->nbody && n <= most; i++) n += stmt_count_tree(known, s->body[i], most);
    for (uint32_t i = 0; i < s->norelse && n <= most; i++) n += stmt_count_tree(known, s->orelse[i], most);
    if (n > most) n = most + 1;
    map_put(known, &s, sizeof s, n);
    return n;
}

uint32_t stmt_tree(const stmt *s, uint32_t most) {
    map *known = map_new();
    uint32_t n = s ? stmt_count_tree(known, s, most) : 0;
    map_free(known);
    return n;
}
