// SPDX-License-Identifier: Apache-2.0
// Which rules need a lemma of a proof: those that, without it, no longer preserve the others, or take a step that the
// property does not allow. Asked for reports only: a question for each lemma and rule.
#include "infer/prover.h"

enum { NEEDS_SECONDS = 10 };

// Whether what is left of the lemmas is enough for a rule (nrules: for the property itself).
static answer is_enough(prover *x, uint32_t r, const bits *assumed, const bits *asked) {
    bits failed = {0};
    answer a = ANSWER_PROVED;
    if (r < x->nrules) a = logic_preserved(x->logic, r, assumed, asked, &failed);
    bits_free(&failed);
    uint32_t of = r < x->nrules ? r : UINT32_MAX;
    for (uint32_t i = 0; i < x->goals.len && a == ANSWER_PROVED; i++)
        if (x->goals.data[i].rule == of) a = logic_implied(x->logic, UINT32_MAX, assumed, x->goals.data[i].cond);
    return a;
}

static void find_needs(prover *x, uint32_t number, proof_lemma *out) {
    const sys_info *s = sys_of(x->m, x->system);
    bits assumed = {0}, asked = {0};
    VEC(rule) rules = {0};
    bits_copy(&assumed, &x->stands);
    bits_copy(&asked, &x->asked);
    bits_remove(&assumed, number);
    bits_remove(&asked, number);
    bool is_known = true;
    for (uint32_t r = 0; r <= x->nrules && is_known; r++) {
        answer a = is_enough(x, r, &assumed, &asked);
        is_known = a != ANSWER_UNKNOWN;
        if (a == ANSWER_REFUTED && r < x->nrules) vec_push(&rules, s->rules.data[r]);
        if (a == ANSWER_REFUTED && r == x->nrules) out->is_for_property = true;
    }
    out->is_examined = is_known;
    vec_keep(x->out->memory, &rules, &out->rules, &out->nrules);
    bits_free(&assumed);
    bits_free(&asked);
}

void needs_find(prover *x) {
    limits some = limits_within(&x->look, NEEDS_SECONDS);
    uint32_t k = 0;
    prover_report(x, "which rules need which lemmas");
    logic_set_limits(x->logic, &some);
    BITS_EACH(i, &x->stands) {
        if (k == x->out->nneeded || limits_met(&some)) break;
        find_needs(x, i, &x->out->lemmas.data[k++]);
    }
    logic_set_limits(x->logic, &x->look);
}
