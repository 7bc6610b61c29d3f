// SPDX-License-Identifier: Apache-2.0
// See restate.h. Statements are a tree here, which restate_can() has measured: they are rewritten by recursion.
#include "pass/restate.h"

#include "base/mem.h"
#include "model/expr.h"
#include "model/stmt.h"
#include "model/walk.h"

enum { LARGEST_BODY = 20000 };  // statements

typedef VEC(const stmt *) restate_list;

static bool is_plain_rule(const rule_info *r) {
    if (r->nchosen || r->relation.id || r->nrequires || r->nbounds || r->nresets || r->priority.id) return false;
    return !r->body || (r->body->kind != S_PAR && stmt_tree(r->body, LARGEST_BODY) <= LARGEST_BODY);
}

bool restate_can(const model *m, sys s) {
    const sys_info *info = sys_of(m, s);
    bool ok = info->is_imperative && !info->timed && !info->defs.len && !info->bags.len && !info->parts.len;
    for (uint32_t i = 0; ok && i < info->rules.len; i++) ok = is_plain_rule(rule_of(m, info->rules.data[i]));
    for (uint32_t i = 0; ok && i < info->inits.len; i++) ok = is_plain_rule(rule_of(m, info->inits.data[i]));
    return ok;
}

restating restate_begin(model *m, sys s) {
    restating r = {.m = m, .system = s, .nold = m->funcs.len};
    r.now = mem_alloc((r.nold + 1) * sizeof *r.now);
    for (uint32_t i = 0; i < r.nold; i++) r.now[i] = (func){i};
    return r;
}

void restate_free(restating *r) {
    free(r->now);
    r->now = NULL;
}

// ---- expressions

static expr restate_visit(model *m, expr e, void *context) {
    const restating *r = context;
    const expr_info x = *expr_of(m, e);
    if (x.kind != E_APP && x.kind != E_DEFINED) return e;
    const func_info *of = func_of(m, (func){x.ref});
    if (x.kind == E_DEFINED && !of->may_be_undefined && !of->is_scratch) return m->true_expr;
    func f = r->now[x.ref];
    return f.id == x.ref ? e : expr_app(m, f, x.args);
}

// Lemmas were found, or are to be tried, in the system as it is now: whether a cell has a value is asked of that.
static expr restate_visit_lemma(model *m, expr e, void *context) {
    const restating *r = context;
    const expr_info x = *expr_of(m, e);
    if (x.kind != E_DEFINED || r->now[x.ref].id == x.ref) return restate_visit(m, e, context);
    return expr_defined(m, r->now[x.ref], x.args);
}

static expr restate_expr(const restating *r, expr e) {
    return e.id ? expr_rewrite(r->m, e, restate_visit, (void *)r) : e;
}

static bool reads_left_out(const restating *r, expr e) {
    walk w = walk_expr(r->m, e, 0);
    while (walk_next(&w)) {
        bool is_cell = w.x->kind == E_APP || w.x->kind == E_DEFINED;
        if (is_cell && !r->now[w.x->ref].id) return walk_found(&w);
    }
    return false;
}

// ---- statements

static const stmt *restate_stmt(const restating *r, const stmt *s);

static const stmt *const *restate_body(const restating *r, const stmt *const *body, uint32_t *n) {
    restate_list out = {0};
    for (uint32_t i = 0; i < *n; i++) {
        const stmt *kept = restate_stmt(r, body[i]);
        if (kept) vec_push(&out, kept);
    }
    const stmt *const *all = arena_copy(r->m->memory, out.data, out.len * sizeof *out.data);
    *n = out.len;
    vec_free(&out);
    return all;
}

static const stmt *restate_assign(const restating *r, const stmt *s) {
    func to = r->now[s->target.id];
    expr args[MODEL_MOST_ARGS];
    if (!to.id) return NULL;
    for (uint32_t i = 0; i < s->nargs; i++) args[i] = restate_expr(r, s->args[i]);
    return model_assign(r->m, to, args, s->nargs, restate_expr(r, s->value), s->at);
}

// NULL: nothing is left of it.
static const stmt *restate_stmt(const restating *r, const stmt *s) {
    if (s->kind == S_ASSIGN) return restate_assign(r, s);
    if (s->cond.id && reads_left_out(r, s->cond)) return NULL;
    stmt *own = arena_copy(r->m->memory, s, sizeof *own);
    own->body = restate_body(r, s->body, &own->nbody);
    own->orelse = restate_body(r, s->orelse, &own->norelse);
    own->cond = restate_expr(r, s->cond);
    return own;
}

// ---- the system

static void restate_rule(const restating *r, rule which) {
    rule_info own = *rule_of(r->m, which);
    own.guard = restate_expr(r, own.guard);
    if (own.body) own.body = restate_stmt(r, own.body);
    r->m->rules.data[which.id] = own;
}

static void restate_named(const restating *r, named_expr *list, uint32_t n, expr_visit visit) {
    for (uint32_t i = 0; i < n; i++) list[i].cond = expr_rewrite(r->m, list[i].cond, visit, (void *)r);
}

static void restate_props(const restating *r) {
    for (uint32_t i = 1; i < r->m->props.len; i++) {
        const prop_info p = r->m->props.data[i];
        if (p.system.id != r->system.id || !p.cond.id) continue;
        expr now = reads_left_out(r, p.cond) ? r->m->true_expr : restate_expr(r, p.cond);
        r->m->props.data[i].cond = now;
    }
}

// In their places: the order of functions stays. Those that are new were added at the end.
static void restate_funcs(const restating *r) {
    sys_info *s = sys_of(r->m, r->system);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        func f = s->funcs.data[i];
        if (f.id < r->nold && r->now[f.id].id) s->funcs.data[kept++] = r->now[f.id];
    }
    s->funcs.len = kept;
}

void restate_apply(restating *r) {
    const sys_info s = *sys_of(r->m, r->system);
    for (uint32_t i = 0; i < s.rules.len; i++) restate_rule(r, s.rules.data[i]);
    for (uint32_t i = 0; i < s.inits.len; i++) restate_rule(r, s.inits.data[i]);
    restate_named(r, s.lemmas.data, s.lemmas.len, restate_visit_lemma);
    restate_named(r, s.assumes.data, s.assumes.len, restate_visit);
    restate_props(r);
    restate_funcs(r);
}
