// SPDX-License-Identifier: Apache-2.0
// parvis recheck: discharges every obligation of a certificate again.
#include "cli/cmp_certificate.h"
#include "cli/command.h"

#include "base/progress.h"
#include "base/units.h"
#include "front/pv.h"
#include "infer/recheck.h"

#include <string.h>

enum { RECHECK_QUERY_SECONDS = 60 };

typedef struct {
    session *s;
    certificate *c;
    model *m;
    progress *line;
    recheck_options options;
    json_t *list;
    bool all_proved;
} rechecking;

static bool choose_prover(session *s, external_prover *out) {
    const char *name = s->opt.prover ? s->opt.prover : "z3";
    if (!external_find(name, out))
        diag_error(s->messages, (span){0}, "unknown prover '%s': there are z3, cvc5, spass and eprover",
                   name);
    else if (!external_is_installed(*out))
        diag_error(s->messages, (span){0}, "the prover '%s' is not installed: no such command on the PATH",
                   name);
    return !diag_failed(s->messages);
}

static void show(uint32_t done, uint32_t all, void *context) {
    str text = {0};
    str_printf(&text, "%u of %u obligations", done, all);
    progress_note(((rechecking *)context)->line, str_get(&text));
    str_free(&text);
}

static bool read_model(rechecking *x) {
    const char *text = certificate_model(x->c);
    pv_options how = {.text = text, .size = strlen(text), .alone = true};
    x->m = model_new(x->s->messages);
    vec_push(&x->s->models, x->m);
    return pv_read(x->m, x->s->file, &how, NULL);
}

static void report(rechecking *x, const char *name, const recheck_result *r) {
    bool ok = r->obligations > 0 && r->proved == r->obligations;
    x->all_proved &= ok;
    progress_clear(x->line);
    if (session_is_json(x->s)) {
        json_t *j = json_pack("{s:s, s:b, s:i, s:i, s:i, s:i, s:i, s:f}", "property", name, "confirmed", ok,
                              "obligations", r->obligations, "proved", r->proved, "refuted", r->refuted,
                              "unanswered", r->unanswered, "assumed", r->assumed, "seconds", r->seconds);
        if (!ok) json_object_set_new(j, "first_failure", json_string(str_get(&r->first)));
        json_array_append_new(x->list, j);
        return;
    }
    str text = {0};
    style_add(&x->s->style, ROLE_STRONG, name, &text);
    str_add(&text, ": ");
    style_add(&x->s->style, ok ? ROLE_GOOD : ROLE_BAD, ok ? "confirmed" : "not confirmed", &text);
    str_printf(&text, ", %u of %u obligations proved in ", r->proved, r->obligations);
    units_seconds_text(r->seconds, &text);
    if (!ok) str_printf(&text, "; first failure: %s", str_get(&r->first));
    str_char(&text, '\n');
    session_say(x->s, &text);
    str_free(&text);
}

static bool recheck_one(rechecking *x, uint32_t i) {
    const char *name = certificate_property(x->c, i);
    prop p = model_find_prop(x->m, name);
    certificate_lemmas lemmas = {0};
    recheck_result r = {0};
    if (!p.id) diag_error(x->s->messages, (span){0}, "certificate: the model has no property '%s'", name);
    progress_title(x->line, name);
    bool ok = p.id && certificate_read(x->c, i, x->m, x->s->messages, &lemmas) &&
              recheck_proof(x->m, p, &lemmas, &x->options, &r);
    if (ok) report(x, name, &r);
    recheck_free(&r);
    vec_free(&lemmas);
    return ok;
}

static int recheck_all(rechecking *x) {
    uint32_t n = certificate_proofs(x->c);
    if (!n) diag_error(x->s->messages, (span){0}, "'%s' has no proof in it", x->s->file);
    x->all_proved = true;
    bool ok = n > 0;
    for (uint32_t i = 0; ok && i < n; i++) ok = recheck_one(x, i);
    if (!ok) return EXIT_BAD_INPUT;
    session_answer(x->s, json_pack("{s:b, s:O}", "confirmed", x->all_proved, "proofs", x->list));
    return x->all_proved ? EXIT_HOLDS : EXIT_UNKNOWN;
}

static int run(session *s) {
    if (cmp_certificate_is(s->file)) return cmp_certificate_recheck(s, s->file);
    rechecking x = {.s = s, .list = json_array()};
    x.options =
        (recheck_options){.query_seconds = RECHECK_QUERY_SECONDS, .limits = s->limits};
    x.line = progress_new(s->is_live ? stderr : NULL, 100);
    if (s->is_live) x.options.progress = show;
    x.options.progress_context = &x;
    int code = EXIT_BAD_INPUT;
    if (choose_prover(s, &x.options.prover) && (x.c = certificate_open(s->file, s->messages)) &&
        read_model(&x))
        code = recheck_all(&x);
    progress_free(x.line);
    json_decref(x.list);
    certificate_free(x.c);
    return code;
}

const command recheck_command = {
    .name = "recheck",
    .arguments = "CERTIFICATE",
    .least = 1,
    .most = 1,
    .summary = "discharge every obligation of a certificate again",
    .details = "Reads a certificate that `parvis prove --certificate` wrote, and puts each of its "
               "obligations (that the\n"
               "lemmas hold initially, that every rule preserves them, that they imply the property) to "
               "another prover.\n"
               "Nothing of the search for the proof is used again, and none of its encoding. The certificate of a\n"
               "proof by the compositional method has the abstract model: that is explored afresh, as it is printed\n"
               "and as it follows from the model and the lemmas.\n"
               "\n"
               "Examples:\n"
               "  parvis recheck tl2.json\n"
               "  parvis recheck tl2.json --prover cvc5 --json\n",
    .takes = OPTIONS_LIMITS | OPTION_BIT(PROVER),
    .run = run,
};
