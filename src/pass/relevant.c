// SPDX-License-Identifier: Apache-2.0
// See relevant.h. A function is needed if the property, a lemma or a guard reads it, or an assignment to a needed one
// does, or a condition around such an assignment; or if an assignment to it may be a run-time error: what may fail
// stays. What is not needed depends on nothing that could be missed, so any part of it may be left out with whatever
// reads that part.
#include "pass/relevant.h"

#include "base/mem.h"
#include "model/expr.h"
#include "model/stmt.h"
#include "model/walk.h"
#include "pass/restate.h"
#include "model/welldefined.h"

typedef struct {
    model *m;
    sys system;
    type sort;
    bool *is_needed;  // by function
    bool *is_out;     // by function: it is left out
    expr_list facts;  // cells that have a value here
    bool has_changed;
} relevance;

// ---- what is needed

static void relevant_need(relevance *x, expr e) {
    walk w = walk_expr(x->m, e, WALK_CALLS);
    while (walk_next(&w)) {
        bool is_cell = w.x->kind == E_APP || w.x->kind == E_DEFINED || w.x->kind == E_NEXT;
        if (!is_cell || x->is_needed[w.x->ref]) continue;
        x->is_needed[w.x->ref] = x->has_changed = true;
    }
}

static bool is_fact(const relevance *x, expr e) {
    for (uint32_t i = 0; i < x->facts.len; i++)
        if (expr_same(x->facts.data[i], e)) return true;
    return expr_is_true(x->m, e);
}

static bool relevant_may_fail(relevance *x, expr e) {
    if (!e.id) return false;
    expr where = welldefined_where(x->m, e);
    uint32_t n;
    const expr *parts = expr_conjuncts(x->m, &where, &n);
    for (uint32_t i = 0; i < n; i++)
        if (!is_fact(x, parts[i])) return true;
    return false;
}

static bool relevant_has_plain_args(const model *m, const expr *args, uint32_t n, func f) {
    for (uint32_t i = 0; i < n; i++) {
        bool is_plain = expr_kind_of(m, args[i]) == E_VAR || expr_kind_of(m, args[i]) == E_CONST;
        if (!is_plain || !type_same(expr_type(m, args[i]), func_of(m, f)->args[i])) return false;
    }
    return true;
}

// Of the conjuncts of a condition, that cells have a value which the statements below it do not write.
static void add_facts(relevance *x, const stmt *s) {
    uint32_t n;
    if (!s->cond.id) return;
    const expr *parts = expr_conjuncts(x->m, &s->cond, &n);
    for (uint32_t i = 0; i < n; i++) {
        const expr_info *e = expr_of(x->m, parts[i]);
        func f = {e->ref};
        if (e->kind == E_DEFINED && !stmt_writes(s, f) && relevant_has_plain_args(x->m, e->args, e->nargs, f))
            vec_push(&x->facts, parts[i]);
    }
}

static bool relevant_look_at(relevance *x, const stmt *s);

static bool relevant_look_at_all(relevance *x, const stmt *const *body, uint32_t n) {
    bool any = false;
    for (uint32_t i = 0; i < n; i++) any |= relevant_look_at(x, body[i]);
    return any;
}

static bool relevant_look_at_assign(relevance *x, const stmt *s) {
    bool fails = relevant_may_fail(x, s->value) || !relevant_has_plain_args(x->m, s->args, s->nargs, s->target);
    if (s->value.id) fails |= !expr_is_true(x->m, welldefined_as(x->m, func_of(x->m, s->target)->result, s->value));
    if (fails && !x->is_needed[s->target.id]) x->is_needed[s->target.id] = x->has_changed = true;
    if (!x->is_needed[s->target.id]) return false;
    for (uint32_t i = 0; i < s->nargs; i++) relevant_need(x, s->args[i]);
    relevant_need(x, s->value);
    return true;
}

// Is the statement needed? Statements are a tree here (restate_can), and what is known depends on what is around them.
static bool relevant_look_at(relevance *x, const stmt *s) {
    if (s->kind == S_ASSIGN) return relevant_look_at_assign(x, s);
    bool is_needed = s->kind == S_FAIL || s->kind == S_ASSUME || s->kind == S_WHILE;
    is_needed |= relevant_may_fail(x, s->cond);
    uint32_t known = x->facts.len;
    if (s->kind == S_IF || s->kind == S_FORALL) add_facts(x, s);
    is_needed |= relevant_look_at_all(x, s->body, s->nbody);
    x->facts.len = known;
    is_needed |= relevant_look_at_all(x, s->orelse, s->norelse);
    if (is_needed) relevant_need(x, s->cond);
    return is_needed;
}

static void relevant_find_needed(relevance *x, prop p) {
    const sys_info s = *sys_of(x->m, x->system);
    relevant_need(x, prop_of(x->m, p)->cond);
    for (uint32_t i = 0; i < s.lemmas.len; i++) relevant_need(x, s.lemmas.data[i].cond);
    for (uint32_t i = 0; i < s.assumes.len; i++) relevant_need(x, s.assumes.data[i].cond);
    for (uint32_t i = 0; i < s.axioms.len; i++) relevant_need(x, s.axioms.data[i].cond);
    do {
        x->has_changed = false;
        for (uint32_t i = 0; i < s.rules.len + s.inits.len; i++) {
            const rule_info r = *rule_of(x->m, i < s.rules.len ? s.rules.data[i] : s.inits.data[i - s.rules.len]);
            relevant_need(x, r.guard);
            if (r.body) relevant_look_at(x, r.body);
        }
    } while (x->has_changed);
}

// ---- what is left out

static bool has_arg(const model *m, const stmt *s, var v) {
    for (uint32_t i = 0; i < s->nargs; i++)
        if (expr_has_var(m, s->args[i], v)) return true;
    return false;
}

static void relevant_drop(relevance *x, func f) {
    if (x->is_needed[f.id] || x->is_out[f.id]) return;
    x->is_out[f.id] = x->has_changed = true;
}

// In a loop over the sort: what every round writes, and the last one says.
static void look_at_loop(relevance *x, const stmt *loop) {
    for (uint32_t k = 0; k < loop->nvars; k++) {
        if (!type_same(var_of(x->m, loop->vars[k])->ty, x->sort)) continue;
        walk w = walk_stmt(x->m, loop, WALK_STMTS);
        while (walk_next(&w))
            if (w.s->kind == S_ASSIGN && !has_arg(x->m, w.s, loop->vars[k])) relevant_drop(x, w.s->target);
    }
}

static bool reads_out(const relevance *x, expr e) {
    walk w = walk_expr(x->m, e, WALK_CALLS);
    while (walk_next(&w)) {
        bool is_cell = w.x->kind == E_APP || w.x->kind == E_DEFINED;
        if (is_cell && x->is_out[w.x->ref]) return walk_found(&w);
    }
    return false;
}

// With what depends on it: assigned from it, or below a condition about it.
static void leave_out_dependents(relevance *x, const stmt *s, bool is_below) {
    bool depends = is_below || (s->cond.id && reads_out(x, s->cond));
    if (s->kind == S_ASSIGN && (depends || (s->value.id && reads_out(x, s->value)))) relevant_drop(x, s->target);
    for (uint32_t i = 0; i < s->nbody; i++) leave_out_dependents(x, s->body[i], depends);
    for (uint32_t i = 0; i < s->norelse; i++) leave_out_dependents(x, s->orelse[i], depends);
}

static void find_last_rounds(relevance *x) {
    walk w = walk_expr(x->m, (expr){0}, WALK_STMTS);
    walk_add_system(&w, x->system);
    while (walk_next(&w))
        if (w.s && w.s->kind == S_FORALL) look_at_loop(x, w.s);
}

static void find_left_out(relevance *x) {
    const sys_info *s = sys_of(x->m, x->system);
    find_last_rounds(x);
    do {
        x->has_changed = false;
        for (uint32_t i = 0; i < s->rules.len + s->inits.len; i++) {
            rule r = i < s->rules.len ? s->rules.data[i] : s->inits.data[i - s->rules.len];
            if (rule_of(x->m, r)->body) leave_out_dependents(x, rule_of(x->m, r)->body, false);
        }
    } while (x->has_changed);
}

void relevant_leave_out(model *m, sys s, prop p, type sort, relevant_list *out) {
    if (!restate_can(m, s)) return;
    relevance x = {.m = m, .system = s, .sort = sort};
    x.is_needed = mem_zero(m->funcs.len + 1, sizeof *x.is_needed);
    x.is_out = mem_zero(m->funcs.len + 1, sizeof *x.is_out);
    relevant_find_needed(&x, p);
    find_left_out(&x);
    restating r = restate_begin(m, s);
    for (uint32_t i = 1; i < r.nold; i++) {
        if (!x.is_out[i]) continue;
        r.now[i] = (func){0};
        vec_push(out, (func){i});
    }
    if (out->len) restate_apply(&r);
    restate_free(&r);
    vec_free(&x.facts);
    free(x.is_needed);
    free(x.is_out);
}
