// SPDX-License-Identifier: Apache-2.0
// parvis recheck: discharges every obligation of a certificate again.
#include "cli/certify/cmp.h"
#include "certificate/proofs.h"
#include "cli/command.h"
#include "cli/levels/levels.h"
#include "cli/certify/claims.h"
#include "cli/certify/source.h"
#include "logic/external.h"

#include "base/progress.h"
#include "base/units.h"
#include "infer/recheck.h"
#include "report/object.h"

#include <string.h>

enum { RECHECK_QUERY_SECONDS = 60 };

typedef struct {
    session *s;
    certfile *c;
    loaded model;
    recheck_options options;
    json_t *list;
    bool all_proved, has_refuted;
} rechecking;

static bool choose_prover(session *s, external_prover *out) {
    const char *name = s->opt.prover ? s->opt.prover : "z3";
    if (!external_find(name, out)) session_error(s, "unknown prover '%s': there are z3, cvc5, spass and eprover", name);
    else if (!external_is_installed(*out))
        session_error(s, "the prover '%s' is not installed: no such command on the PATH", name);
    return !diag_failed(s->messages);
}

// What was put to the prover: texts that were found to say what the lemmas are.
static json_t *recheck_texts(const json_t *entry) {
    const json_t *lemmas = json_object_get(entry, "lemmas");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(lemmas); i++)
        json_array_append(list, json_object_get(json_array_get(lemmas, i), "formula"));
    return list;
}

static void recheck_report(rechecking *x, const char *name, const json_t *entry, const recheck_result *r) {
    const char *given = proofs_given(entry);
    bool ok = r->obligations > 0 && r->proved == r->obligations;
    x->all_proved &= ok;
    x->has_refuted |= r->refuted > 0;
    progress_clear(x->options.line);
    if (session_wants_answer(x->s)) {
        json_t *j = json_pack("{s:s, s:b, s:i, s:i, s:i, s:i, s:i, s:f}", "property", name, "confirmed", ok,
                              "obligations", r->obligations, "proved", r->proved, "refuted", r->refuted, "unanswered",
                              r->unanswered, "assumed", r->assumed, "seconds", r->seconds);
        json_object_set_new(j, "prover", json_string(external_name(x->options.prover)));
        json_object_set_new(j, "lemmas", recheck_texts(entry));
        if (given) json_object_set_new(j, "follows_from", object_string(given));
        if (!ok) json_object_set_new(j, "first_failure", object_string(str_get(&r->first)));
        json_array_append_new(x->list, j);
    }
    str text = {0};
    style_verdict(&x->s->style, name, ok ? ROLE_GOOD : ROLE_BAD, ok ? "confirmed" : "not confirmed", &text);
    if (given) str_printf(&text, " given %s", given);
    str_printf(&text, ", %u of %u obligations proved in ", r->proved, r->obligations);
    units_seconds_text(r->seconds, &text);
    if (!ok && r->first.len) str_printf(&text, "; first failure: %s", str_get(&r->first));
    str_char(&text, '\n');
    session_say(x->s, &text);
}

static bool recheck_one(rechecking *x, const json_t *entry) {
    proofs_lemmas lemmas = {0};
    recheck_result r = {0};
    prop p;
    bool ok = proofs_read(entry, x->model.m, x->s->messages, &p, &lemmas);
    if (ok) progress_title(x->options.line, prop_of(x->model.m, p)->name);
    ok = ok && recheck_proof(x->model.m, p, &lemmas, &x->options, &r);
    if (ok) recheck_report(x, prop_of(x->model.m, p)->name, entry, &r);
    recheck_free(&r);
    vec_free(&lemmas);
    return ok;
}

static int recheck_all(rechecking *x) {
    const json_t *proofs = json_object_get(certfile_header(x->c), "proofs");
    size_t n = json_array_size(proofs);
    if (!n) certfile_complain(x->c, "there is no proof in it");
    x->all_proved = true;
    bool ok = n > 0 && proofs_are_complete(proofs, x->s->messages);
    for (size_t i = 0; ok && i < n && !limits_met(&x->s->limits); i++) ok = recheck_one(x, json_array_get(proofs, i));
    if (!ok) return EXIT_BAD_INPUT;
    if (session_say_limit(x->s)) x->all_proved = false;
    session_answer(x->s, json_pack("{s:b, s:O}", "confirmed", x->all_proved, "proofs", x->list));
    return x->all_proved ? EXIT_HOLDS : x->has_refuted ? EXIT_VIOLATED : EXIT_UNKNOWN;
}

static int recheck_proofs(session *s, certfile *file) {
    rechecking x = {.s = s, .c = file, .list = json_array()};
    certfile_model c;
    x.options = (recheck_options){.query_seconds = RECHECK_QUERY_SECONDS, .limits = s->limits};
    x.options.others_help = !s->opt.prover;
    x.options.line = session_line(s);
    bool ok = choose_prover(s, &x.options.prover) && certfile_get_model(certfile_header(file), s->messages, &c) &&
              source_read(s, &c, &x.model);
    int code = ok ? recheck_all(&x) : EXIT_BAD_INPUT;
    progress_free(x.options.line);
    json_decref(x.list);
    return code;
}

static const struct {
    const char *name;
    int (*recheck)(session *s, certfile *file);
} kinds[] = {{"proof", recheck_proofs},   {"cmp", cmp_certificate_recheck}, {"check", recheck_claims},
             {"compare", recheck_claims}, {"timed", recheck_claims},        {"views", recheck_claims},
             {"history", levels_recheck}};

static bool is_model_of(session *s, const json_t *object, uint32_t argument) {
    certfile_model c;
    if (s->opt.arguments.len <= argument) return true;
    return certfile_get_model(object, s->messages, &c) && source_is_of_file(s, &c, s->opt.arguments.data[argument]);
}

// Two systems of one file may be there as two models.
static bool is_other_model(const json_t *a, const json_t *b) {
    return b && !(json_equal(json_object_get(a, "model"), json_object_get(b, "model")) &&
                  json_equal(json_object_get(a, "options"), json_object_get(b, "options")));
}

// With further arguments the certificate must be about those very models, all of them.
static bool recheck_is_about(session *s, certfile *file) {
    const json_t *header = certfile_header(file), *right = json_object_get(header, "right");
    uint32_t given = s->opt.arguments.len - 2;
    if (given > 1 && !right) certfile_complain(file, "it is about one model, and two are given");
    if (given == 1 && is_other_model(header, right))
        certfile_complain(file, "it is about two models, and one is given");
    return !certfile_is_broken(file) && is_model_of(s, header, 2) && is_model_of(s, right, 3);
}

static void recheck_add_name(const json_t *all, const char *name, str *out) {
    const char *text = json_string_value(json_object_get(all, name));
    if (text) str_printf(out, " --%s %s", name, text);
}

// What a model was read with, which another run need not have been: a definition or a manager makes it another model.
static void say_options(session *s, const json_t *object, const char *member, const char *which) {
    const json_t *all = json_object_get(object, "options");
    json_t *number, *defines = json_object_get(all, "defines");
    const char *name, *semantics = json_string_value(json_object_get(all, "semantics"));
    str text = {0};
    json_object_foreach(defines, name, number)
        str_printf(&text, " --define %s=%" JSON_INTEGER_FORMAT, name, json_integer_value(number));
    if (str_same(semantics ? semantics : "", "rumur")) str_add(&text, " --semantics rumur");
    recheck_add_name(all, "manager", &text);
    recheck_add_name(all, "spec", &text);
    if (text.len) {
        session_answer(s, json_pack("{s:o}", member, object_string(str_get(&text) + 1)));
        str line = {0};
        str_printf(&line, "the %smodel is read with%s\n", which, str_get(&text));
        session_say(s, &line);
    }
    str_free(&text);
}

static int recheck_run(session *s) {
    session_phase(s, "rechecking");
    certfile *file = certfile_open(s->file, s->messages);
    int code = EXIT_BAD_INPUT;
    size_t k = 0, n = sizeof kinds / sizeof *kinds;
    while (file && k < n && strcmp(kinds[k].name, certfile_kind(file)) != 0) k++;
    if (file && k == n) certfile_complain(file, "there is no kind of certificate '%s'", certfile_kind(file));
    else if (file && kinds[k].recheck == levels_recheck) code = levels_recheck(s, file);
    else if (file && recheck_is_about(s, file)) {
        say_options(s, certfile_header(file), "read_with", "");
        say_options(s, json_object_get(certfile_header(file), "right"), "right_read_with", "second ");
        code = kinds[k].recheck(s, file);
    }
    certfile_close(file);
    return code;
}

static const char recheck_details[] =
    "Reads a certificate that `check`, `compare` or `prove` wrote with --certificate and checks it without the\n"
    "engine that made it (doc/certificates.md):\n"
    "  check      the set of states has the initial ones, no step leaves it, the properties hold in it;\n"
    "             liveness by ranks along the steps: all with the reference evaluator; for a model with\n"
    "             clocks the same for its zones, without any abstraction\n"
    "  compare    the pairs of states, or of states and sets, are closed under steps of the first system\n"
    "  prove      each obligation (the lemmas hold initially, every rule preserves them, they imply the\n"
    "             property) is put to another prover; for a proof by the compositional method the abstract\n"
    "             model is explored again, both as printed and as it follows from the model; for a model\n"
    "             with clocks the set of views of two processes is closed under all steps of three\n"
    "  check      of a history: the order of its transactions is replayed, from the history in the certificate\n"
    "The model is the one in the certificate; if MODEL is given, it must be the one in that file\n"
    "(a second one for the other side of a comparison).\n"
    "Exit code 0: confirmed; 1: refused; 2: not a certificate, or for another model; 3: not decided.\n"
    "\n"
    "Examples:\n"
    "  parvis recheck tl2.cert models/tm/tl2.pv\n"
    "  parvis recheck tl2.cert --limit-memory 8G --threads 2\n"
    "  parvis recheck tl2.json --prover cvc5 --json\n";

const command recheck_command = {
    .name = "recheck",
    .arguments = "CERTIFICATE [MODEL [MODEL]]",
    .least = 1,
    .most = 3,
    .takes_timed = true,
    .summary = "check a certificate again, by other means",
    .details = recheck_details,
    .takes = OPTIONS_LIMITS | OPTION_BIT(PROVER) | OPTION_BIT(ALLOW) | OPTION_BIT(THREADS) | OPTION_BIT(LIMIT_STATES) |
             OPTION_BIT(REPORT),
    .run = recheck_run,
};
