// SPDX-License-Identifier: Apache-2.0
// Guards with lemmas, and fewer unknowns: see strengthen.h.
#include "cmp/abstract/strengthen.h"

#include "model/expr.h"
#include "model/overlay.h"
#include "model/stmt.h"

// ---- cases

static bool strengthens(const lemma *l, const abstract_case *c) {
    return c->nothers && (!l->only.id || l->only.id == c->origin.id);
}

// A guard over the state of others must not fail: wrong guesses of unknowns are no steps, and they are all tried.
static draft draft_case(model *m, abstraction *a, abstract_case *c, const lemma_list *lemmas, bool quantifies) {
    draft d = {.e = {.m = m, .body = c->body}};
    eliminate_add(&d.e, c->guard, c->nothers);
    for (uint32_t i = 0; i < lemmas->len; i++)
        if (strengthens(lemmas->data[i], c)) eliminate_add_new(&d.e, abstract_lemma(a, c, lemmas->data[i]), true);
    for (uint32_t i = 0; i < d.e.conjuncts.len; i++) vec_push(&d.stated, d.e.conjuncts.data[i]);
    for (uint32_t i = 0; i < c->unknowns.len; i++) vec_push(&d.e.open, c->unknowns.data[i].v);
    eliminate_solve(&d.e);
    if (quantifies) eliminate_quantify(&d.e);
    for (uint32_t i = 0; i < c->params.len; i++) vec_push(&d.params, c->params.data[i]);
    for (uint32_t i = 0; i < d.e.open.len; i++) vec_push(&d.params, d.e.open.data[i]);
    return d;
}

draft strengthen_case(abstraction *a, abstract_case *c, const lemma_list *lemmas) {
    return draft_case(a->m, a, c, lemmas, true);
}

void draft_free(draft *d) {
    eliminate_free(&d->e);
    vec_free(&d->stated);
    vec_free(&d->params);
}

// ---- systems

static strengthened open_system(const abstraction *a, model *m) {
    strengthened s = {.m = m, .is_own = m != a->m};
    s.system = model_add_system(m, sys_of(m, a->system)->name, sys_of(m, a->system)->at);
    for (uint32_t i = 0; i < a->state.len; i++) vec_push(&sys_of(m, s.system)->funcs, a->state.data[i]);
    return s;
}

// Takes over the draft.
static void strengthen_add_rule(strengthened *s, abstract_case *c, draft d) {
    const rule_info *origin = rule_of(s->m, c->origin);
    rule_info info = {.name = c->name, .at = origin->at, .body = d.e.body, .is_visible = origin->is_visible};
    info.params = d.params.data;
    info.nparams = d.params.len;
    info.guard = expr_and_all(s->m, d.e.conjuncts.data, d.e.conjuncts.len);
    bool is_possible = !expr_is_false(s->m, info.guard);
    rule r = is_possible ? model_add_rule(s->m, info) : (rule){0};
    if (is_possible && c->is_init) vec_push(&sys_of(s->m, s->system)->inits, r);
    if (is_possible && !c->is_init) {
        vec_push(&sys_of(s->m, s->system)->rules, r);
        vec_push(&s->rules, ((case_rule){r, c, d}));
    } else draft_free(&d);
}

static void strengthen_add_case(abstraction *a, strengthened *s, abstract_case *c, const lemma_list *lemmas) {
    strengthen_add_rule(s, c, draft_case(s->m, a, c, lemmas, true));
}

// Instances of lemmas stay with the abstraction: they are made before a model is put on top of it.
strengthened strengthen(abstraction *a, const lemma_list *lemmas) {
    for (uint32_t i = 0; i < a->cases.len * lemmas->len; i++) {
        abstract_case *c = &a->cases.data[i / lemmas->len];
        const lemma *l = lemmas->data[i % lemmas->len];
        if (c->body && strengthens(l, c)) abstract_lemma(a, c, l);
    }
    strengthened s = open_system(a, overlay_new(a->m));
    for (uint32_t i = 0; i < a->cases.len; i++)
        if (a->cases.data[i].body || !a->cases.data[i].nothers) strengthen_add_case(a, &s, &a->cases.data[i], lemmas);
    return s;
}

strengthened strengthen_kept(abstraction *a) {
    strengthened s = open_system(a, a->m);
    for (uint32_t i = 0; i < a->cases.len; i++) {
        abstract_case *c = &a->cases.data[i];
        if (!c->is_init && !c->nothers) strengthen_add_case(a, &s, c, &(lemma_list){0});
    }
    return s;
}

bool strengthen_is_others(const abstract_case *c, rule origin) {
    return !c->is_init && c->nothers && c->body && c->origin.id == origin.id;
}

strengthened strengthen_others(abstraction *a, rule origin, const lemma_list *lemmas) {
    strengthened s = open_system(a, a->m);
    for (uint32_t i = 0; i < a->cases.len; i++)
        if (strengthen_is_others(&a->cases.data[i], origin)) strengthen_add_case(a, &s, &a->cases.data[i], lemmas);
    return s;
}

// A function of the system stands for the parameter.
static void replace_by_input(elimination *e, const strengthened *s, input_list *inputs, var v) {
    const var_info info = *var_of(e->m, v);
    func_info f = {.name = info.name, .result = info.ty, .owner = s->system, .at = info.at};
    input in = {model_add_func(e->m, f), v};
    expr with = expr_app(e->m, in.f, NULL);
    for (uint32_t i = 0; i < e->conjuncts.len; i++)
        e->conjuncts.data[i] = expr_subst(e->m, e->conjuncts.data[i], &v, &with, 1);
    e->body = stmt_subst(e->m, e->body, &v, &with, 1);
    vec_push(inputs, in);
}

strengthened strengthen_plain(abstraction *a, rule origin, input_list *inputs) {
    strengthened s = open_system(a, a->m);
    for (uint32_t i = 0; i < a->cases.len; i++) {
        if (!strengthen_is_others(&a->cases.data[i], origin)) continue;
        draft d = draft_case(a->m, a, &a->cases.data[i], &(lemma_list){0}, false);
        for (uint32_t k = 0; k < d.params.len; k++) replace_by_input(&d.e, &s, inputs, d.params.data[k]);
        d.params.len = 0;
        strengthen_add_rule(&s, &a->cases.data[i], d);
    }
    return s;
}

void strengthened_free(strengthened *s) {
    for (uint32_t i = 0; i < s->rules.len; i++) draft_free(&s->rules.data[i].d);
    vec_free(&s->rules);
    if (s->is_own) model_free(s->m);
    s->is_own = false;
}

const case_rule *strengthened_rule(const strengthened *s, rule r) {
    for (uint32_t i = 0; i < s->rules.len; i++)
        if (s->rules.data[i].r.id == r.id) return &s->rules.data[i];
    return NULL;
}
