// SPDX-License-Identifier: Apache-2.0
// See candidates.h.
#include "cmp/lemmas/candidates.h"

#include "model/expr.h"

candidates *candidates_new(abstraction *a, const survey *s) {
    candidates *x = mem_zero(1, sizeof *x);
    *x = (candidates){.a = a, .s = s, .by_clause = map_new()};
    return x;
}

void candidates_free(candidates *x) {
    if (!x) return;
    vec_free(&x->list);
    vec_free(&x->fresh);
    vec_free(&x->used);
    map_free(x->by_clause);
    free(x);
}

static uint32_t candidates_add(candidates *x, candidate c) {
    model *m = x->a->m;
    c.title = c.l.name ? c.l.name : arena_printf(m->memory, "lemma %u", x->list.len + 1);
    c.claim = abstract_formula(x->a, expr_forall(m, c.l.formals, c.l.nformals, c.l.body));
    vec_push(&x->list, c);
    return x->list.len - 1;
}

void candidates_add_users(candidates *x, const lemma *l) {
    candidates_add(x, (candidate){.l = *l, .is_users = true, .is_used = true});
}

expr candidates_literal(const lemma_vocabulary *v, uint32_t literal) {
    if (literal / 2 == v->atoms.len) return v->m->false_expr;
    expr e = v->atoms.data[literal / 2];
    return literal % 2 ? expr_not(v->m, e) : e;
}

lemma candidates_lemma(const candidates *x, const clause *k) {
    const lemma_vocabulary *v = x->s->v;
    model *m = v->m;
    const point *p = &v->points.data[k->point];
    expr then = m->false_expr, premise = p->premise;
    for (uint32_t i = 0; i < k->n; i++) then = expr_or(m, then, candidates_literal(v, k->literals[i]));
    lemma l = {.formals = v->formals, .nformals = v->nformals, .only = p->r, .at = p->params};
    bool has_second = v->nformals > 1 && expr_has_var(m, then, v->formals[1]);
    if (!has_second) l.nformals = 1;
    else {
        expr same = expr_eq(m, expr_var(m, v->formals[0]), expr_var(m, v->formals[1]));
        premise = expr_and(m, expr_not(m, same), premise);
    }
    l.body = expr_implies(m, premise, then);
    return l;
}

void candidates_bring(candidates *x, const clause *k, uint32_t against) {
    uint32_t number = map_get(x->by_clause, k, sizeof *k, UINT32_MAX);
    if (number == UINT32_MAX) {
        number = candidates_add(x, (candidate){.l = candidates_lemma(x, k)});
        map_put(x->by_clause, k, sizeof *k, number);
    }
    x->list.data[number].is_used = true;
    x->list.data[number].against = against;
    vec_push(&x->fresh, number);
    x->brought++;
}

bool candidates_is_settled(const candidates *x, const clause *k) {
    uint32_t known = map_get(x->by_clause, k, sizeof *k, UINT32_MAX);
    return known != UINT32_MAX && (x->list.data[known].is_false || x->list.data[known].is_used);
}

const lemma_list *candidates_used(candidates *x) {
    x->used.len = 0;
    for (uint32_t i = 0; i < x->list.len; i++)
        if (x->list.data[i].is_used) vec_push(&x->used, &x->list.data[i].l);
    return &x->used;
}

void candidates_drop(candidates *x, uint32_t number) {
    x->list.data[number].is_used = false;
    x->list.data[number].is_false = true;
    x->dropped++;
}

void candidates_begin_anew(candidates *x) {
    for (uint32_t i = 0; i < x->list.len; i++) x->list.data[i].is_used &= x->list.data[i].is_users;
}
