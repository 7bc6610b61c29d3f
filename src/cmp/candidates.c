// SPDX-License-Identifier: Apache-2.0
// Candidates for lemmas that were considered, used or dropped; see refine_int.h.
#include "cmp/refine_int.h"

#include "model/expr.h"

prop candidates_check(refinement *r, const char *name, expr cond) {
    prop_info p = {.kind = PROP_INVARIANT, .name = name, .system = r->a->system, .cond = cond};
    return model_add_prop(r->a->m, p);
}

uint32_t candidates_add(refinement *r, candidate c) {
    model *m = r->a->m;
    const char *name = c.l.name ? c.l.name : arena_printf(m->memory, "lemma %u", r->candidates.len + 1);
    c.checked = candidates_check(r, name,
                                 abstract_formula(r->a, expr_forall(m, c.l.formals, c.l.nformals, c.l.body)));
    vec_push(&r->candidates, c);
    return r->candidates.len - 1;
}

void refine_add_lemma(refinement *r, const lemma *l) {
    candidates_add(r, (candidate){.l = *l, .is_users = true, .is_used = true});
}

expr candidates_literal(const lexicon *v, uint32_t literal) {
    if (literal / 2 == v->atoms.len) return v->m->false_expr;
    expr e = v->atoms.data[literal / 2];
    return literal % 2 ? expr_not(v->m, e) : e;
}

lemma candidates_lemma(const refinement *r, const clause *k) {
    lexicon *v = r->s->v;
    model *m = v->m;
    const point *p = &v->points.data[k->point];
    expr then = m->false_expr, premise = p->premise;
    for (uint32_t i = 0; i < k->n; i++) then = expr_or(m, then, candidates_literal(v, k->literals[i]));
    lemma l = {.formals = v->formals, .nformals = v->nformals, .only = p->r, .at = p->params};
    bool has_second =
        v->nformals > 1 && (expr_has_var(m, then, v->formals[1]) || expr_has_var(m, premise, v->formals[1]));
    if (!has_second) l.nformals = 1;
    else {
        expr same = expr_eq(m, expr_var(m, v->formals[0]), expr_var(m, v->formals[1]));
        premise = expr_and(m, expr_not(m, same), premise);
    }
    l.body = expr_implies(m, premise, then);
    return l;
}

uint32_t candidates_find(const refinement *r, const clause *k) {
    return map_get(r->by_clause, k, sizeof *k, UINT32_MAX);
}

candidate *candidates_of(refinement *r, const clause *k) {
    uint32_t known = candidates_find(r, k);
    if (known == UINT32_MAX) {
        known = candidates_add(r, (candidate){.l = candidates_lemma(r, k), .point = k->point});
        map_put(r->by_clause, k, sizeof *k, known);
    }
    return &r->candidates.data[known];
}

void candidates_used(const refinement *r, lemma_list *out) {
    for (uint32_t i = 0; i < r->candidates.len; i++)
        if (r->candidates.data[i].is_used) vec_push(out, &r->candidates.data[i].l);
}

void candidates_drop(refinement *r, uint32_t number) {
    r->candidates.data[number].is_used = false;
    r->candidates.data[number].is_false = true;
    r->dropped++;
}
