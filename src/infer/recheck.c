// SPDX-License-Identifier: Apache-2.0
// Rechecking: see recheck.h. Nothing of the search for the proof is used: lemmas come from the certificate,
// obligations go as text to an external prover, in batches, so that an SMT solver starts once for many of them.
#include "infer/recheck.h"

#include "base/clock.h"
#include "model/compose.h"

#include <string.h>

enum { BATCH = 64 };

static void recheck_count(recheck_result *r, const char *name, answer a, const char *why) {
    if (a == ANSWER_PROVED) r->proved++;
    else if (a == ANSWER_REFUTED) r->refuted++;
    else r->unanswered++;
    if (a == ANSWER_PROVED || r->first.len) return;
    bool has_reason = a == ANSWER_UNKNOWN && *why;
    str_printf(&r->first, "%s%s%s", name, has_reason ? ": " : "", has_reason ? why : "");
}

// What a prover leaves open, another may answer.
static answer recheck_with_others(const obligations *all, const obligation_set *s, uint32_t goal,
                                  const recheck_options *o, const external_limits *each, str *why) {
    answer a = ANSWER_UNKNOWN;
    for (int p = 0; p < EXTERNAL_PROVERS && a == ANSWER_UNKNOWN && !limits_met(&o->limits); p++)
        if (p != (int)o->prover && external_is_installed((external_prover)p))
            external_ask((external_prover)p, all, s, goal, 1, each, &a, why);
    return a;
}

static void recheck_batch(const obligations *all, const obligation_set *s, uint32_t first, uint32_t n,
                          const recheck_options *o, recheck_result *r) {
    answer answers[BATCH];
    str why = {0}, text = {0};
    external_limits each = {.seconds = o->query_seconds, .limits = o->limits};
    external_ask(o->prover, all, s, first, n, &each, answers, &why);
    for (uint32_t i = 0; o->others_help && i < n; i++)
        if (answers[i] == ANSWER_UNKNOWN) answers[i] = recheck_with_others(all, s, first + i, o, &each, &why);
    for (uint32_t i = 0; i < n; i++) recheck_count(r, s->goals[first + i].name, answers[i], str_get(&why));
    str_printf(&text, "%u of %u obligations", r->proved + r->refuted + r->unanswered, r->obligations);
    progress_note(o->line, str_get(&text));
    str_free(&why);
    str_free(&text);
}

static void recheck_sets(const obligations *all, const recheck_options *o, recheck_result *r) {
    uint32_t size = o->prover == EXTERNAL_Z3 || o->prover == EXTERNAL_CVC5 ? BATCH : 1;
    for (uint32_t i = 0; i < all->sets.len; i++) r->obligations += all->sets.data[i].ngoals;
    for (uint32_t i = 0; i < all->sets.len; i++) {
        const obligation_set *s = &all->sets.data[i];
        for (uint32_t at = 0; at < s->ngoals && !limits_met(&o->limits); at += size)
            recheck_batch(all, s, at, s->ngoals - at < size ? s->ngoals - at : size, o, r);
    }
}

// The model's assumption of this name; id 0: none.
static expr assumption(model *m, sys s, const char *name) {
    for (uint32_t i = 0; name && i < sys_of(m, s)->assumes.len; i++)
        if (strcmp(sys_of(m, s)->assumes.data[i].name, name) == 0) return sys_of(m, s)->assumes.data[i].cond;
    return (expr){0};
}

// A lemma that is taken for granted is what the model says, whatever the certificate says.
static expr granted_lemma(model *m, sys s, const proofs_lemma *l) {
    expr e = assumption(m, s, l->name);
    if (!e.id)
        diag_error(m->messages, (span){0}, "certificate: '%s' is not an assumption of the model",
                   l->name ? l->name : "a lemma");
    return e;
}

bool recheck_proof(model *m, prop p, const proofs_lemmas *lemmas, const recheck_options *o, recheck_result *out) {
    double start = clock_seconds();
    sys system = compose_for(m, p);
    *out = (recheck_result){0};
    if (!system.id) return false;
    if (!compose_has_start(m, p))
        return diag_error(m->messages, prop_of(m, p)->at, "certificate: the specification may have no initial state");
    VEC(expr) invariant = {0};
    bits granted = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < lemmas->len; i++) {
        const proofs_lemma *l = &lemmas->data[i];
        expr e = l->is_assumed ? granted_lemma(m, system, l) : l->formula;
        if (l->is_assumed) bits_add(&granted, i);
        out->assumed += l->is_assumed;
        vec_push(&invariant, e);
        ok = e.id;
    }
    obligations all = {0};
    if (ok && obligations_of(m, system, invariant.data, invariant.len, &granted, p, &all)) recheck_sets(&all, o, out);
    if (ok) obligations_free(&all);
    vec_free(&invariant);
    bits_free(&granted);
    out->seconds = clock_seconds() - start;
    return ok && !diag_failed(m->messages);
}

void recheck_free(recheck_result *r) { str_free(&r->first); }
