// SPDX-License-Identifier: Apache-2.0
// Rechecking: see recheck.h. Nothing of the search for the proof is used: lemmas come from the certificate,
// obligations go as text to an external prover (logic/recheck.h).
#include "infer/recheck.h"

#include "base/clock.h"
#include "logic/recheck.h"
#include "model/compose.h"

#include <string.h>

typedef struct {
    const recheck_options *o;
    recheck_result *out;
} counter;

static void show_step(progress *line, const recheck_step *step) {
    str text = {0};
    str_printf(&text, "%u of %u obligations", step->number, step->total);
    progress_note(line, str_get(&text));
    str_free(&text);
}

static bool recheck_count(const recheck_step *step, void *context) {
    counter *c = context;
    c->out->obligations = step->total;
    if (step->a == ANSWER_PROVED) c->out->proved++;
    else if (step->a == ANSWER_REFUTED) c->out->refuted++;
    else c->out->unanswered++;
    if (step->a != ANSWER_PROVED && !c->out->first.len)
        str_printf(&c->out->first, "%s%s%s", step->name, step->why[0] ? ": " : "", step->why);
    show_step(c->o->line, step);
    return !limits_met(&c->o->limits);
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
    counter c = {o, out};
    external_limits each = {.seconds = o->query_seconds, .limits = o->limits};
    if (ok)
        recheck_obligations(m, system, invariant.data, invariant.len, &granted, p, o->prover, &each, recheck_count, &c);
    vec_free(&invariant);
    bits_free(&granted);
    out->seconds = clock_seconds() - start;
    return ok && !diag_failed(m->messages);
}

void recheck_free(recheck_result *r) { str_free(&r->first); }
