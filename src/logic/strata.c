// SPDX-License-Identifier: Apache-2.0
// Everything a logic may be asked, put to fragment.h: lemmas assumed, lemmas violated after each step,
// guards, relations, axioms, requirements and invariants.
//
// The variables of a violated lemma are constants, so its literals do not depend on each other: each
// different literal is examined once for each rule, however many lemmas have it.
#include "logic/after.h"
#include "logic/fragment.h"

typedef struct {
    logic *l;
    fragment f;
    map *seen;  // literals: (expression, negated)
} survey;

static void strata_add_formula(survey *s, expr e, bool negated) {
    if (e.id) fragment_add(&s->f, expr_inline(s->l->m, e), negated, NULL, 0);
}

static void add_task(survey *s, const task *t) {
    if (!t->r.id) return;
    rule_info info = *rule_of(s->l->m, t->r);
    after_step step = after_of(t);
    strata_add_formula(s, info.guard, false);
    if (info.relation.id) strata_add_formula(s, after_relation(s->l->m, &step, info.relation), false);
    for (uint32_t i = 0; i < info.nrequires; i++) strata_add_formula(s, info.requires[i].cond, true);
}

static void strata_add_goal(survey *s, const task *t, const matrix_literal *lit) {
    after_step step = after_of(t);
    strata_add_formula(s, after_lemma(s->l->m, &step, lit->e), !lit->is_negated);
}

static void strata_add_literal(survey *s, const matrix_literal *lit) {
    uint32_t key[2] = {lit->e.id, lit->is_negated};
    if (!map_put(s->seen, key, sizeof key, 1)) return;
    if (lit->kind == LITERAL_FORMULA) fragment_add(&s->f, lit->e, lit->is_negated, lit->frees, lit->nargs);
    for (uint32_t i = 0; i < s->l->rules.len; i++) strata_add_goal(s, &s->l->rules.data[i], lit);
    for (uint32_t i = 0; i < s->l->starts.len; i++) strata_add_goal(s, &s->l->starts.data[i], lit);
}

static void strata_add_lemma(survey *s, const matrix *x) {
    for (uint32_t c = 0; c < x->nclauses; c++)
        for (uint32_t i = 0; i < x->clauses[c].nlits; i++) strata_add_literal(s, &x->clauses[c].lits[i]);
}

static void add_system(survey *s) {
    const logic *l = s->l;
    for (uint32_t i = 0; i < sys_of(l->m, l->system)->funcs.len; i++)
        fragment_add_func(&s->f, sys_of(l->m, l->system)->funcs.data[i]);
    for (uint32_t i = 0; i < sys_of(l->m, l->system)->axioms.len; i++)
        strata_add_formula(s, sys_of(l->m, l->system)->axioms.data[i].cond, false);
    for (uint32_t i = 0; i < sys_of(l->m, l->system)->invariants.len; i++)
        strata_add_formula(s, prop_of(l->m, sys_of(l->m, l->system)->invariants.data[i])->cond, true);
    for (uint32_t i = 0; i < l->rules.len; i++) add_task(s, &l->rules.data[i]);
    for (uint32_t i = 0; i < l->starts.len; i++) add_task(s, &l->starts.data[i]);
}

bool logic_leads(logic *l, type from, type to) {
    survey s = {.l = l, .seen = map_new()};
    fragment_init(&s.f, l->m);
    add_system(&s);
    bool yes = fragment_leads(&s.f, from, to);
    fragment_done(&s.f);
    map_free(s.seen);
    return yes;
}

bool logic_is_stratified(logic *l, str *why) {
    survey s = {.l = l, .seen = map_new()};
    fragment_init(&s.f, l->m);
    add_system(&s);
    for (uint32_t i = 0; i < l->lemmas.len; i++)
        if (!l->lemmas.data[i].is_retired) strata_add_lemma(&s, &l->lemmas.data[i].x);
    bool yes = fragment_is_stratified(&s.f, why);
    fragment_done(&s.f);
    map_free(s.seen);
    return yes;
}
