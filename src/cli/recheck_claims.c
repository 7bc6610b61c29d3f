// SPDX-License-Identifier: Apache-2.0
// Rechecking the claims of `check`: see recheck_claims.h.
#include "cli/recheck_claims.h"

#include "base/clock.h"
#include "base/units.h"
#include "certificate/closed.h"
#include "certificate/relation.h"
#include "cli/source.h"
#include "report/object.h"

#include <string.h>

typedef struct {
    session *s;
    certfile *file;
    loaded model, right;  // right: the same, or of a comparison of two files
    closed_options options;
    json_t *list;
    uint32_t claims;
    closed_verdict verdict;  // the worst so far
} rechecking;

static const char *const verdict_names[] = {"confirmed", "refused", "not confirmed"};

static void join(rechecking *x, closed_verdict v) {
    if (x->verdict != CLOSED_REFUSED && v != CLOSED_CONFIRMED) x->verdict = v;
}

// ---- what was found out

static void say_name(rechecking *x, const char *name, const char *sizes, const closed_answer *a, str *out) {
    const style_role colours[] = {ROLE_GOOD, ROLE_BAD, ROLE_UNSURE};
    style_add(&x->s->style, ROLE_STRONG, name, out);
    str_add(out, ": ");
    style_add(&x->s->style, colours[a->verdict], verdict_names[a->verdict], out);
    if (*sizes) str_printf(out, " for %s", sizes);
    str_char(out, '\n');
}

static void say_details(rechecking *x, const closed_answer *a, double seconds, str *out) {
    str line = {0};
    if (a->verdict != CLOSED_CONFIRMED) str_printf(out, "    %s\n", str_get(&a->why));
    str_printf(&line, "    %s states", str_count(a->states));
    if (a->states != a->given) str_printf(&line, " (%s up to symmetry)", str_count(a->given));
    str_printf(&line, ", %s steps, ", str_count(a->steps));
    units_seconds_text(seconds, &line);
    if (!options_has(&x->s->opt, OPT_QUIET)) {
        style_add(&x->s->style, ROLE_DIM, str_get(&line), out);
        str_char(out, '\n');
    }
    str_free(&line);
}

static void answer(rechecking *x, const char *name, const char *sizes, const closed_answer *a, double seconds) {
    json_t *j = json_pack("{s:o, s:s, s:b, s:I, s:I, s:I, s:f}", "property", object_string(name), "verdict",
                          verdict_names[a->verdict], "confirmed", a->verdict == CLOSED_CONFIRMED, "given",
                          (json_int_t)a->given, "states", (json_int_t)a->states, "steps", (json_int_t)a->steps,
                          "seconds", seconds);
    json_object_set_new(j, "scope", object_string(sizes));
    if (a->verdict != CLOSED_CONFIRMED) json_object_set_new(j, "reason", object_string(str_get(&a->why)));
    json_array_append_new(x->list, j);
}

static void report(rechecking *x, const closed_read *r, const closed_answer *a, double seconds) {
    str sizes = {0}, text = {0};
    const model *m = r->in->m;
    VEC(const char *) names = {0};
    instance_sizes_text(r->in, &sizes);
    for (uint32_t i = 0; i < r->props.len; i++) vec_push(&names, prop_of(m, r->props.data[i])->name);
    if (r->claim.stuck) vec_push(&names, "deadlock");
    if (!names.len) vec_push(&names, sys_of(m, r->in->system)->name);
    for (uint32_t i = 0; i < names.len; i++) {
        say_name(x, names.data[i], str_get(&sizes), a, &text);
        answer(x, names.data[i], str_get(&sizes), a, seconds);
    }
    say_details(x, a, seconds, &text);
    session_say(x->s, &text);
    vec_free(&names);
    str_free(&sizes);
    str_free(&text);
}

// ---- claims

static bool recheck_closed(rechecking *x, const json_t *claim) {
    closed_read r;
    double started = clock_seconds();
    bool ok = closed_read_claim(x->file, claim, x->model.m, &r);
    if (ok) {
        closed_answer a = closed_check(x->file, claim, &r.claim, &x->options);
        ok = !certfile_is_broken(x->file);
        if (ok) report(x, &r, &a, clock_seconds() - started);
        join(x, a.verdict);
        ok = ok && a.verdict != CLOSED_STOPPED;
        str_free(&a.why);
    }
    closed_read_free(&r);
    return ok;
}

static void report_relation(rechecking *x, const relation_answer *a, double seconds) {
    closed_answer as = {.verdict = (closed_verdict)a->verdict};
    str text = {0}, line = {0};
    say_name(x, str_get(&a->name), str_get(&a->sizes), &as, &text);
    if (a->verdict != RELATION_CONFIRMED) str_printf(&text, "    %s\n", str_get(&a->why));
    str_printf(&line, "    %s and %s states, %s pairs, %s steps, ", str_count(a->left_states),
               str_count(a->right_states), str_count(a->pairs), str_count(a->steps));
    units_seconds_text(seconds, &line);
    if (!options_has(&x->s->opt, OPT_QUIET)) {
        style_add(&x->s->style, ROLE_DIM, str_get(&line), &text);
        str_char(&text, '\n');
    }
    json_t *j = json_pack("{s:o, s:s, s:b, s:I, s:I, s:I, s:I, s:f, s:o}", "property", object_string(str_get(&a->name)),
                          "verdict", verdict_names[a->verdict], "confirmed", a->verdict == RELATION_CONFIRMED,
                          "left_states", (json_int_t)a->left_states, "right_states", (json_int_t)a->right_states,
                          "pairs", (json_int_t)a->pairs, "steps", (json_int_t)a->steps, "seconds", seconds, "scope",
                          object_string(str_get(&a->sizes)));
    if (a->verdict != RELATION_CONFIRMED) json_object_set_new(j, "reason", object_string(str_get(&a->why)));
    json_array_append_new(x->list, j);
    session_say(x->s, &text);
    str_free(&line);
    str_free(&text);
}

static bool recheck_relation(rechecking *x, const json_t *claim) {
    double started = clock_seconds();
    relation_answer a = relation_check(x->file, claim, x->model.m, x->right.m, &x->s->limits);
    bool ok = !certfile_is_broken(x->file) && !diag_failed(x->s->messages);
    if (ok) report_relation(x, &a, clock_seconds() - started);
    join(x, (closed_verdict)a.verdict);
    ok = ok && a.verdict != RELATION_STOPPED;
    relation_answer_free(&a);
    return ok;
}

// False: nothing more can be read.
static bool recheck_claim(rechecking *x, const json_t *claim) {
    const char *kind = certfile_string(x->file, claim, "kind");
    x->claims++;
    if (kind && strcmp(kind, "closed set") == 0) return recheck_closed(x, claim);
    if (kind && (strcmp(kind, "simulation") == 0 || strcmp(kind, "inclusion") == 0)) return recheck_relation(x, claim);
    if (kind) certfile_complain(x->file, "there is no kind of claim '%s'", kind);
    return false;
}

static int exit_code(const rechecking *x) {
    if (certfile_is_broken(x->file) || diag_failed(x->s->messages)) return EXIT_BAD_INPUT;
    if (x->verdict == CLOSED_REFUSED) return EXIT_VIOLATED;
    return x->verdict == CLOSED_CONFIRMED ? EXIT_HOLDS : EXIT_UNKNOWN;
}

// A comparison of two files has a second model.
static bool read_right(rechecking *x) {
    const json_t *right = json_object_get(certfile_header(x->file), "right");
    certfile_model c;
    x->right = x->model;
    return !right || (certfile_get_model(right, x->s->messages, &c) && source_read(x->s, &c, &x->right));
}

int recheck_claims(session *s, certfile *file) {
    rechecking x = {.s = s, .file = file, .list = json_array()};
    x.options = (closed_options){.threads = s->opt.threads,
                                 .limit_states = s->opt.limit_states,
                                 .limits = s->limits};
    certfile_model c;
    const json_t *claim;
    if (certfile_get_model(certfile_header(file), s->messages, &c) && source_read(s, &c, &x.model) &&
        read_right(&x)) {
        while ((claim = certfile_next(file)) && recheck_claim(&x, claim)) continue;
        if (!x.claims) certfile_complain(file, "there is no claim in it");
    }
    int code = exit_code(&x);
    session_answer(s, json_pack("{s:b, s:O}", "confirmed", code == EXIT_HOLDS, "claims", x.list));
    json_decref(x.list);
    return code;
}
