// SPDX-License-Identifier: Apache-2.0
// mutate: see mutate.h.
#include "oracle/mutate.h"

#include "model/expr.h"

static rule_info *rule_at(model *m, sys s, uint32_t i) { return &m->rules.data[sys_of(m, s)->rules.data[i].id]; }

// ---- guards

static uint32_t conjuncts(const model *m, expr guard) {
    if (!guard.id) return 0;
    return expr_kind_of(m, guard) == E_AND ? expr_of(m, guard)->nargs : 1;
}

static expr without_conjunct(model *m, expr guard, uint32_t k) {
    VEC(expr) rest = {0};
    expr_info x = *expr_of(m, guard);
    for (uint32_t i = 0; x.kind == E_AND && i < x.nargs; i++)
        if (i != k) vec_push(&rest, x.args[i]);
    expr e = expr_and_all(m, rest.data, rest.len);
    vec_free(&rest);
    return e;
}

// ---- assignments

static uint32_t assignments(const stmt *s) {
    if (!s) return 0;
    if (s->kind == S_ASSIGN) return 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->nbody; i++) n += assignments(s->body[i]);
    for (uint32_t i = 0; i < s->norelse; i++) n += assignments(s->orelse[i]);
    return n;
}

static const stmt *without_assignment(model *m, const stmt *s, uint32_t *k);

static stmt_list list_without(model *m, const stmt *const *body, uint32_t n, uint32_t *k) {
    stmt_list out = {0};
    for (uint32_t i = 0; i < n; i++) {
        const stmt *left = without_assignment(m, body[i], k);
        if (left) vec_push(&out, left);
    }
    return out;
}

// s without its assignment number *k, which is counted down; NULL when that is all of s.
static const stmt *without_assignment(model *m, const stmt *s, uint32_t *k) {
    if (s->kind == S_ASSIGN) return (*k)-- == 0 ? NULL : s;
    stmt_list body = list_without(m, s->body, s->nbody, k), orelse = list_without(m, s->orelse, s->norelse, k);
    const stmt *built = s;
    if (s->kind == S_IF) built = model_if(m, s->cond, body.data, body.len, orelse.data, orelse.len, s->at);
    else if (s->kind == S_FORALL) built = model_forall(m, s->vars, s->nvars, s->cond, body.data, body.len, s->at);
    else if (s->kind == S_PAR || s->kind == S_SEQ) built = model_block(m, s->kind, body.data, body.len, s->at);
    vec_free(&body);
    vec_free(&orelse);
    return built;
}

// ---- steps

static bool same_parameters(const model *m, const rule_info *a, const rule_info *b) {
    if (a->nparams != b->nparams || a->guard.id == b->guard.id) return false;
    for (uint32_t i = 0; i < a->nparams; i++)
        if (!type_same(var_of(m, a->params[i])->ty, var_of(m, b->params[i])->ty)) return false;
    return true;
}

static expr guard_for(model *m, const rule_info *from, const rule_info *to) {
    VEC(expr) with = {0};
    for (uint32_t i = 0; i < to->nparams; i++) vec_push(&with, expr_var(m, to->params[i]));
    expr e = from->guard.id ? expr_subst(m, from->guard, from->params, with.data, from->nparams) : m->true_expr;
    vec_free(&with);
    return e;
}

static void exchange_guards(model *m, rule_info *a, rule_info *b) {
    expr for_a = guard_for(m, b, a), for_b = guard_for(m, a, b);
    a->guard = for_a;
    b->guard = for_b;
}

static bool mutate_guard(model *m, sys s, uint32_t *k, str *what) {
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) {
        uint32_t n = conjuncts(m, rule_at(m, s, i)->guard);
        if (*k < n) {
            str_printf(what, "%s without conjunct %u of its guard", rule_at(m, s, i)->name, *k + 1);
            expr left = without_conjunct(m, rule_at(m, s, i)->guard, *k);
            rule_at(m, s, i)->guard = left;
            return true;
        }
        *k -= n;
    }
    return false;
}

static bool mutate_body(model *m, sys s, uint32_t *k, str *what) {
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) {
        uint32_t n = assignments(rule_at(m, s, i)->body);
        if (*k < n) {
            str_printf(what, "%s without assignment %u", rule_at(m, s, i)->name, *k + 1);
            const stmt *left = without_assignment(m, rule_at(m, s, i)->body, k);
            rule_at(m, s, i)->body = left;
            return true;
        }
        *k -= n;
    }
    return false;
}

static bool mutate_steps(model *m, sys s, uint32_t *k, str *what) {
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++)
        for (uint32_t j = i + 1; j < sys_of(m, s)->rules.len; j++) {
            if (!same_parameters(m, rule_at(m, s, i), rule_at(m, s, j)) || (*k)-- > 0) continue;
            str_printf(what, "%s and %s with each other's guard", rule_at(m, s, i)->name, rule_at(m, s, j)->name);
            exchange_guards(m, rule_at(m, s, i), rule_at(m, s, j));
            return true;
        }
    return false;
}

bool mutate_system(model *m, sys s, uint32_t k, str *what) {
    return mutate_guard(m, s, &k, what) || mutate_body(m, s, &k, what) || mutate_steps(m, s, &k, what);
}
