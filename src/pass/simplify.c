// SPDX-License-Identifier: Apache-2.0
// See simplify.h. One pass forward: which functions without arguments certainly have a value here.
#include "pass/simplify.h"

#include "base/bits.h"
#include "model/expr.h"
#include "model/walk.h"

typedef struct {
    model *m;
    bits defined;
} simplifier;

static void simplify_stmt(simplifier *t, const stmt *s, stmt_list *out);

// A comparison that the types decide.
static expr simplify_compare(model *m, expr e, const expr_info *x) {
    int64_t lo[2], hi[2];
    bool is_numeric = type_is_number(m, expr_type(m, x->args[0])) && type_is_number(m, expr_type(m, x->args[1]));
    if (!is_numeric || x->can_fault) return e;
    for (uint32_t i = 0; i < 2; i++) expr_bounds(m, x->args[i], &lo[i], &hi[i]);
    bool is_strict = x->kind == E_LT;
    if (is_strict ? hi[0] < lo[1] : hi[0] <= lo[1]) return m->true_expr;
    return (is_strict ? lo[0] >= hi[1] : lo[0] > hi[1]) ? m->false_expr : e;
}

static expr simplify_visit(model *m, expr e, void *context) {
    const simplifier *t = context;
    const expr_info x = *expr_of(m, e);
    if (x.kind == E_LT || x.kind == E_LE) return simplify_compare(m, e, &x);
    bool is_known = x.kind == E_DEFINED && !x.nargs && bits_has(&t->defined, x.ref);
    return is_known ? m->true_expr : e;
}

static expr simplify_rewrite(simplifier *t, expr e) { return e.id ? expr_rewrite(t->m, e, simplify_visit, t) : e; }

static void note_defined(simplifier *t, expr e) {
    uint32_t n;
    const expr *parts = expr_conjuncts(t->m, &e, &n);
    for (uint32_t i = 0; i < n; i++) {
        const expr_info *x = expr_of(t->m, parts[i]);
        if (x->kind == E_DEFINED && !x->nargs) bits_add(&t->defined, x->ref);
    }
}

static void forget_undefined(simplifier *t, const stmt *s) {
    walk w = walk_stmt(t->m, s, WALK_STMTS);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN && !w.s->value.id) bits_remove(&t->defined, w.s->target.id);
}

static void simplify_all(simplifier *t, const stmt *const *body, uint32_t n, stmt_list *out) {
    for (uint32_t i = 0; i < n; i++) simplify_stmt(t, body[i], out);
}

static void simplify_assign(simplifier *t, const stmt *s, stmt_list *out) {
    expr args[MODEL_MOST_ARGS];
    for (uint32_t i = 0; i < s->nargs; i++) args[i] = simplify_rewrite(t, s->args[i]);
    vec_push(out, model_assign(t->m, s->target, args, s->nargs, simplify_rewrite(t, s->value), s->at));
    if (s->value.id && !s->nargs) bits_add(&t->defined, s->target.id);
    if (!s->value.id) bits_remove(&t->defined, s->target.id);
}

static void simplify_if(simplifier *t, const stmt *s, stmt_list *out) {
    expr cond = simplify_rewrite(t, s->cond);
    if (expr_is_true(t->m, cond) || expr_is_false(t->m, cond)) {
        bool is_taken = expr_is_true(t->m, cond);
        simplify_all(t, is_taken ? s->body : s->orelse, is_taken ? s->nbody : s->norelse, out);
        return;
    }
    stmt_list then = {0}, orelse = {0};
    bits before = {0}, after = {0};
    bits_copy(&before, &t->defined);
    simplify_all(t, s->body, s->nbody, &then);
    bits_copy(&after, &t->defined);
    bits_copy(&t->defined, &before);
    simplify_all(t, s->orelse, s->norelse, &orelse);
    bits_intersect(&t->defined, &after);
    if (then.len || orelse.len || expr_can_fault(t->m, cond))
        vec_push(out, model_if(t->m, cond, then.data, then.len, orelse.data, orelse.len, s->at));
    bits_free(&before);
    bits_free(&after);
    vec_free(&then);
    vec_free(&orelse);
}

static void simplify_loop(simplifier *t, const stmt *s, stmt_list *out) {
    stmt_list body = {0};
    bits before = {0};
    forget_undefined(t, s);
    bits_copy(&before, &t->defined);
    expr cond = simplify_rewrite(t, s->cond);
    simplify_all(t, s->body, s->nbody, &body);
    bits_copy(&t->defined, &before);
    bits_free(&before);
    if (s->kind == S_WHILE) vec_push(out, model_while(t->m, cond, body.data, body.len, s->at));
    else if (body.len || (cond.id && expr_can_fault(t->m, cond))) {
        stmt *loop = model_forall(t->m, s->vars, s->nvars, cond, body.data, body.len, s->at);
        loop->any_order = s->any_order;
        vec_push(out, loop);
    }
    vec_free(&body);
}

static void simplify_stmt(simplifier *t, const stmt *s, stmt_list *out) {
    switch (s->kind) {
    case S_ASSIGN: simplify_assign(t, s, out); return;
    case S_IF: simplify_if(t, s, out); return;
    case S_FORALL:
    case S_WHILE: simplify_loop(t, s, out); return;
    case S_SEQ: simplify_all(t, s->body, s->nbody, out); return;
    case S_ASSUME: {
        expr cond = simplify_rewrite(t, s->cond);
        note_defined(t, cond);
        if (expr_is_true(t->m, cond)) return;
        stmt *kept = model_assume(t->m, cond, s->at);
        kept->is_guard = s->is_guard;
        vec_push(out, kept);
        return;
    }
    case S_PAR:
    case S_FAIL: vec_push(out, s);
    }
}

const stmt *simplify_body(model *m, const stmt *s) {
    simplifier t = {.m = m};
    stmt_list out = {0};
    simplify_stmt(&t, s, &out);
    s = model_block(m, S_SEQ, out.data, out.len, s->at);
    bits_free(&t.defined);
    vec_free(&out);
    return s;
}

void simplify_system(model *m, sys s) {
    const sys_info *info = sys_of(m, s);
    for (uint32_t i = 0; i < info->rules.len + info->inits.len; i++) {
        rule r = i < info->rules.len ? info->rules.data[i] : info->inits.data[i - info->rules.len];
        rule_info *own = &m->rules.data[r.id];
        if (own->body) own->body = simplify_body(m, own->body);
    }
}
