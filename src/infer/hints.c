// SPDX-License-Identifier: Apache-2.0
// Lemmas that the user offers (`lemma` in a system, --lemmas), and those of properties of the same system that were
// proved before. They are candidates, and nothing more: what is not true initially, false in a sampled state or not
// preserved is not relied on, and the user is told why.
#include "infer/prover.h"

#include "model/expr.h"
#include "model/walk.h"

static bool hint_is_known(const prover *x, expr e) {
    for (uint32_t i = 0; i < x->hints.len; i++)
        if (x->hints.data[i].e.id == e.id) return true;
    return false;
}

static void hint_add(prover *x, const char *name, expr shown, span at) {
    expr e = expr_inline(x->m, shown);
    bool can_fault = expr_can_fault(x->m, e);
    if (can_fault && name) diag_warning(x->m->messages, at, "lemma '%s' is not tried: it can fail", name);
    if (!expr_is_true(x->m, e) && !hint_is_known(x, e) && !can_fault)
        vec_push(&x->hints, (hint){.name = name, .e = e, .shown = shown, .at = at});
}

// A lemma of a system may speak of one of its specifications: in a product with another one it means nothing.
static bool hint_is_about(const prover *x, expr e) {
    bits known = {0};
    bool ok = true;
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->funcs.len; i++)
        bits_add(&known, sys_of(x->m, x->system)->funcs.data[i].id);
    walk w = walk_expr(x->m, e, 0);
    while (walk_next(&w)) ok &= w.x->kind != E_APP || bits_has(&known, w.x->ref);
    bits_free(&known);
    return ok;
}

// Of a relation that is not a proof by itself, what is right of it.
static void hints_of_relation(prover *x) {
    const prop_info *p = prop_of(x->m, x->property);
    for (uint32_t i = 0; p->kind == PROP_REFINES && i < prop_of(x->m, x->property)->nrelation; i++) {
        named_expr h = prop_of(x->m, x->property)->relation[i];
        if (hint_is_about(x, expr_inline(x->m, h.cond))) hint_add(x, h.name, h.cond, h.at);
    }
}

static void hints_gather(prover *x) {
    hints_of_relation(x);
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->hints.len; i++) {
        named_expr h = sys_of(x->m, x->system)->hints.data[i];
        if (hint_is_about(x, expr_inline(x->m, h.cond))) hint_add(x, h.name, h.cond, h.at);
    }
    for (uint32_t i = 0; i < x->o->nbefore; i++) {
        const proof *p = x->o->before[i];
        if (p->verdict != VERDICT_HOLDS || p->system.id != x->system.id || p->method) continue;
        for (uint32_t k = 0; k < p->nneeded; k++)
            if (!p->lemmas.data[k].is_assumed) hint_add(x, NULL, p->lemmas.data[k].formula, (span){0});
    }
}

bool hints_load(prover *x) {
    bits fresh = {0};
    hints_gather(x);
    for (uint32_t i = 0; i < x->hints.len; i++) {
        hint *h = &x->hints.data[i];
        h->is_false = prover_is_false(x, h->e);
        if (!h->is_false) {
            h->lemma = prover_add_lemma(x, h->e, (lemma){.kind = LEMMA_FOUND, .name = h->name, .shown = h->shown});
            bits_add(&fresh, h->lemma);
        }
    }
    bool some = !bits_is_empty(&fresh);
    prover_check_initially(x, &fresh);
    for (uint32_t i = 0; i < x->hints.len; i++)
        x->hints.data[i].is_late = !x->hints.data[i].is_false && !bits_has(&x->stands, x->hints.data[i].lemma);
    bits_free(&fresh);
    return some;
}

// ---- what became of them

// The rule that breaks it, given what stands; UINT32_MAX: none.
static uint32_t breaking_rule(prover *x, const hint *h) {
    bits assumed = {0}, asked = {0}, failed = {0};
    uint32_t n = logic_add_lemma(x->logic, h->e), found = UINT32_MAX;
    bits_copy(&assumed, &x->stands);
    bits_add(&assumed, n);
    bits_add(&asked, n);
    for (uint32_t r = 0; r < x->nrules && found == UINT32_MAX; r++)
        if (logic_preserved(x->logic, r, &assumed, &asked, &failed) != ANSWER_PROVED) found = r;
    logic_retire(x->logic, n);
    bits_free(&assumed);
    bits_free(&asked);
    bits_free(&failed);
    return found;
}

void hints_report(prover *x) {
    diag *to = x->m->messages;
    for (uint32_t i = 0; i < x->hints.len; i++) {
        const hint *h = &x->hints.data[i];
        if (!h->name) continue;
        if (h->is_false) diag_warning(to, h->at, "lemma '%s' is false in a state that was reached", h->name);
        else if (h->is_late) diag_warning(to, h->at, "lemma '%s' is not shown to be true initially", h->name);
        else if (!bits_has(&x->stands, h->lemma)) {
            uint32_t r = breaking_rule(x, h);
            if (r == UINT32_MAX || logic_is_over(x->logic)) continue;
            const char *rule_name = rule_of(x->m, sys_of(x->m, x->system)->rules.data[r])->name;
            diag_warning(to, h->at, "lemma '%s' is not shown to be preserved by %s, given the lemmas found", h->name,
                         rule_name);
        }
    }
}
