// SPDX-License-Identifier: Apache-2.0
// Rechecking: see recheck.h. Nothing of the search for the proof is used: lemmas come from the certificate,
// the questions are put one by one.
#include "infer/recheck.h"

#include "base/clock.h"
#include "infer/guarded.h"
#include "model/compose.h"
#include "model/expr.h"

#include <string.h>

typedef struct {
    model *m;
    prop property;
    sys system;
    logic *l;
    bits all;
    const recheck_options *o;
    recheck_result *out;
    uint32_t total;
} rechecker;

static void count(rechecker *x, answer a, const char *what, const char *name, const char *rule_name) {
    x->out->obligations++;
    if (a == ANSWER_PROVED) x->out->proved++;
    else if (a == ANSWER_REFUTED) x->out->refuted++;
    else x->out->unanswered++;
    if (a != ANSWER_PROVED && !x->out->first.len)
        str_printf(&x->out->first, "%s %s %s", name, what, rule_name);
    if (x->o->progress) x->o->progress(x->out->obligations, x->total, x->o->progress_context);
}

static bool stopped(const rechecker *x) { return x->o->interrupted && *x->o->interrupted; }

static void check_lemma(rechecker *x, uint32_t i, const char *name) {
    bits one = {0}, failed = {0};
    bits_add(&one, i);
    count(x, stopped(x) ? ANSWER_UNKNOWN : logic_initially(x->l, &one, &failed), "holds", name, "initially");
    for (uint32_t r = 0; r < sys_of(x->m, x->system)->rules.len; r++) {
        answer a = stopped(x) ? ANSWER_UNKNOWN : logic_preserved(x->l, r, &x->all, &one, &failed);
        count(x, a, "is preserved by", name, rule_of(x->m, sys_of(x->m, x->system)->rules.data[r])->name);
    }
    bits_free(&one);
    bits_free(&failed);
}

static void check_goals(rechecker *x) {
    const prop_info *p = prop_of(x->m, x->property);
    if (p->kind == PROP_INVARIANT)
        count(x, logic_implied(x->l, UINT32_MAX, &x->all, expr_inline(x->m, p->cond)), "implies",
              "the invariant", p->name);
    for (uint32_t r = 0; r < sys_of(x->m, x->system)->rules.len; r++) {
        rule_info info = *rule_of(x->m, sys_of(x->m, x->system)->rules.data[r]);
        for (uint32_t k = 0; k < info.nrequires; k++) {
            expr e = guarded_allowed(x->m, x->system, r, k);
            count(x, logic_implied(x->l, UINT32_MAX, &x->all, e), "allows", "the specification", info.name);
        }
    }
}

static bool is_assumption(const rechecker *x, const certificate_lemma *l) {
    const sys_info *s = sys_of(x->m, x->system);
    for (uint32_t i = 0; i < s->assumes.len; i++)
        if (l->name && strcmp(s->assumes.data[i].name, l->name) == 0) return true;
    return false;
}

// A lemma that is taken for granted is what the model says, whatever the certificate says.
static bool add_lemmas(rechecker *x, const certificate_lemmas *lemmas) {
    for (uint32_t i = 0; i < lemmas->len; i++) {
        const certificate_lemma *l = &lemmas->data[i];
        expr e = l->formula;
        if (l->is_assumed && !is_assumption(x, l)) {
            diag_error(x->m->messages, (span){0}, "certificate: '%s' is no assumption of the model",
                       l->name ? l->name : "a lemma");
            return false;
        }
        for (uint32_t k = 0; l->is_assumed && k < sys_of(x->m, x->system)->assumes.len; k++)
            if (strcmp(sys_of(x->m, x->system)->assumes.data[k].name, l->name) == 0)
                e = expr_inline(x->m, sys_of(x->m, x->system)->assumes.data[k].cond);
        bits_add(&x->all, logic_add_lemma(x->l, e));
        x->out->assumed += l->is_assumed;
    }
    return true;
}

static void check_all(rechecker *x, const certificate_lemmas *lemmas) {
    uint32_t nrules = sys_of(x->m, x->system)->rules.len;
    x->total = (lemmas->len - x->out->assumed) * (1 + nrules) + 1;
    for (uint32_t i = 0; i < lemmas->len; i++)
        if (!lemmas->data[i].is_assumed)
            check_lemma(x, i, lemmas->data[i].name ? lemmas->data[i].name : "a lemma");
    check_goals(x);
}

bool recheck_proof(model *m, prop p, const certificate_lemmas *lemmas, const recheck_options *o,
                   recheck_result *out) {
    double start = clock_seconds();
    rechecker x = {.m = m, .property = p, .system = compose_for(m, p), .o = o, .out = out};
    *out = (recheck_result){0};
    if (!x.system.id) return false;
    logic_options options = {o->backend, o->query_seconds, o->interrupted};
    x.l = logic_new(m, guarded_system(m, x.system), &options);
    bool ok = x.l && add_lemmas(&x, lemmas);
    if (ok) check_all(&x, lemmas);
    bits_free(&x.all);
    if (x.l) logic_free(x.l);
    out->seconds = clock_seconds() - start;
    return ok;
}

void recheck_free(recheck_result *r) { str_free(&r->first); }
