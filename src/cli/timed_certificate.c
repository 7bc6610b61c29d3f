// SPDX-License-Identifier: Apache-2.0
// Certificates of timed models: see timed_certificate.h. The header has the user's file as it is, the constants defined
// on the command line, and the queries that are claimed; reading it again makes the same cells and clocks.
#include "cli/timed_certificate.h"

#include "base/clock.h"
#include "base/units.h"
#include "certificate/zones.h"
#include "cli/command.h"
#include "front/xta/xta.h"
#include "report/object.h"

#include <errno.h>
#include <string.h>

static const span nowhere = {0};

struct timed_certificate {
    session *s;
    const instance *in;
    zone_keeper keeper;
    certfile_writer *out;  // NULL until something is told
    uint32_t clocks;
    bool has_failed;
    VEC(prop) covered;
};

// ---- writing

// The query as it is written: one that is there several times has a name with a number after it.
static const char *query_text(const model *m, prop p) {
    const char *name = prop_of(m, p)->name;
    for (uint32_t i = 1; i < p.id; i++) {
        size_t n = strlen(m->props.data[i].name);
        if (strncmp(name, m->props.data[i].name, n) == 0 && str_starts(name + n, " ("))
            return m->props.data[i].name;
    }
    return name;
}

static json_t *options_object(const options *o, const model *m, const zone_kept *k) {
    json_t *defines = json_object(), *queries = json_array();
    for (uint32_t i = 0; i < o->defines.len; i++)
        json_object_set_new(defines, o->defines.data[i].name, json_integer(o->defines.data[i].value));
    for (uint32_t i = 0; i < k->nqueries; i++)
        if (query_text(m, k->queries[i].p) == prop_of(m, k->queries[i].p)->name)
            json_array_append_new(queries, json_string(query_text(m, k->queries[i].p)));
    return json_pack("{s:o, s:o}", "defines", defines, "queries", queries);
}

static char *read_text(session *s, const char *path) {
    size_t size;
    char *text = str_read_file(path, &size);
    if (text && strlen(text) == size) return text;
    if (!text) diag_error(s->messages, nowhere, "cannot read '%s': %s", path, strerror(errno));
    else diag_error(s->messages, nowhere, "'%s' has a zero byte in it", path);
    free(text);
    return NULL;
}

static bool open_file(timed_certificate *y, const zone_kept *k) {
    char *text = read_text(y->s, y->s->file);
    const char *dot = strrchr(y->s->file, '.');
    if (text) {
        json_t *header = certfile_header_new("timed"), *reading = options_object(&y->s->opt, y->in->m, k);
        certfile_put_model(header,
                           &(certfile_model){.language = dot ? dot : "", .text = text, .options = reading});
        json_decref(reading);
        y->out = certfile_create(y->s->opt.certificate, header, y->s->messages);
    }
    free(text);
    y->has_failed = !y->out;
    return y->out;
}

static void on_begin(const zone_kept *k, void *context) {
    timed_certificate *y = context;
    VEC(zones_query) queries = {0};
    y->clocks = k->clocks;
    for (uint32_t i = 0; i < k->nqueries; i++) vec_push(&y->covered, k->queries[i].p);
    if (!open_file(y, k)) return;
    for (uint32_t i = 0; i < k->nqueries; i++)
        vec_push(&queries, (zones_query){query_text(y->in->m, k->queries[i].p), k->queries[i].is_ranked,
                                         k->queries[i].states});
    zones_claim c = {k->clocks, k->swaps, k->states, y->s->opt.counts_idle, queries.data, queries.len};
    zones_write_claim(y->out, &c);
    vec_free(&queries);
}

static void on_swap(const uint32_t *cell_to, const value *a, const value *b, const uint32_t *clock_to,
                    void *context) {
    const timed_certificate *y = context;
    if (y->out) zones_write_swap(y->out, y->in, y->clocks, cell_to, a, b, clock_to);
}

static void on_state(const value *cells, uint32_t nzones, void *context) {
    const timed_certificate *y = context;
    if (y->out) zones_write_state(y->out, y->in, cells, nzones);
}

static void on_zone(const int32_t *bounds, const uint32_t *rank, void *context) {
    const timed_certificate *y = context;
    if (!y->out) return;
    if (rank) zones_write_rank(y->out, *rank);
    zones_write_zone(y->out, y->clocks, bounds);
}

timed_certificate *timed_certificate_new(session *s, const instance *in) {
    timed_certificate *y = mem_zero(1, sizeof *y);
    y->s = s;
    y->in = in;
    y->keeper = (zone_keeper){on_begin, on_swap, on_state, on_zone, y};
    return y;
}

const zone_keeper *timed_certificate_keeper(timed_certificate *y) { return &y->keeper; }

// A run is an answer that needs no certificate; `unknown` is none.
static bool lacks_cover(const timed_certificate *y, const result_property *p) {
    if (!p->property.id || p->verdict == VERDICT_UNKNOWN || p->trace) return false;
    for (uint32_t i = 0; i < y->covered.len; i++)
        if (y->covered.data[i].id == p->property.id) return false;
    return true;
}

bool timed_certificate_end(timed_certificate *y, const result *r) {
    for (uint32_t i = 0; i < r->properties.len; i++)
        if (lacks_cover(y, &r->properties.data[i]))
            diag_warning(y->s->messages, nowhere,
                         "the certificate does not cover '%s': there is none for sup and inf",
                         r->properties.data[i].name);
    bool ok = !y->has_failed && (!y->out || certfile_finish(y->out));
    if (ok && !y->out)
        diag_warning(y->s->messages, nowhere,
                     "nothing was decided by seeing everything: no certificate is written to '%s'",
                     y->s->opt.certificate);
    vec_free(&y->covered);
    free(y);
    return ok;
}

// ---- rechecking

typedef struct {
    session *s;
    certfile *file;
    model *m;
    sys system;
    str constants;  // those that were defined: ", with N=5"
    json_t *list;
    uint32_t claims;
    bool has_refused, has_stopped;
} rechecking;

static const char *const verdict_names[] = {"confirmed", "refused", "not confirmed"};

static void read_defines(rechecking *x, const json_t *from, xta_define **out, uint32_t *n) {
    const char *name;
    json_t *number, *defines = json_object_get(from, "defines");
    *out = mem_zero(json_object_size(defines) + 1, sizeof **out);
    *n = 0;
    json_object_foreach(defines, name, number) {
        json_int_t v = json_integer_value(number);
        if (!json_is_integer(number) || v < INT32_MIN || v > INT32_MAX)
            certfile_complain(x->file, "the value of a constant is no number");
        (*out)[(*n)++] = (xta_define){name, (int32_t)v};
        str_printf(&x->constants, "%s%s=%lld", *n > 1 ? ", " : ", with ", name, (long long)v);
    }
}

static bool read_model(rechecking *x) {
    certfile_model c;
    x->m = model_new(x->s->messages);
    vec_push(&x->s->models, x->m);
    if (!certfile_get_model(certfile_header(x->file), x->s->messages, &c)) return false;
    const json_t *queries = json_object_get(c.options, "queries");
    VEC(const char *) texts = {0};
    for (size_t i = 0; i < json_array_size(queries); i++) {
        const char *text = json_string_value(json_array_get(queries, i));
        if (text) vec_push(&texts, text);
    }
    xta_options o = {.queries = texts.data, .nqueries = texts.len};
    xta_define *defines;
    read_defines(x, c.options, &defines, &o.ndefines);
    o.defines = defines;
    if (!texts.len) certfile_complain(x->file, "there is no query in it");
    const char *text = arena_str(x->m->memory, c.text);  // diagnostics quote it
    const char *path = arena_printf(x->m->memory, "the model in the certificate%s", c.language);
    bool ok = !certfile_is_broken(x->file) && xta_read_text(x->m, path, text, strlen(text), &o, &x->system);
    free(defines);
    vec_free(&texts);
    return ok;
}

// What it is that was confirmed.
static const char *meaning(const model *m, const char *query, bool counts_idle) {
    for (uint32_t i = 1; i < m->props.len; i++) {
        if (strcmp(m->props.data[i].name, query) != 0) continue;
        query_kind k = m->props.data[i].query;
        bool is_live = k == QUERY_KEEPS || k == QUERY_EVENTUALLY || k == QUERY_LEADS_TO;
        bool holds = k != QUERY_POSSIBLY && k != QUERY_KEEPS;
        if (is_live && counts_idle)
            return holds ? "holds with idle steps counted" : "violated with idle steps counted";
        return holds ? "holds" : "violated";
    }
    return "";
}

static void say(rechecking *x, const zones_finding *f, const char *claim, str *out) {
    style_role colours[] = {ROLE_GOOD, ROLE_BAD, ROLE_UNSURE};
    str good = {0};
    str_printf(&good, "%s, %s", claim, verdict_names[f->verdict]);
    style_add(&x->s->style, ROLE_STRONG, f->query, out);
    str_add(out, ": ");
    style_add(&x->s->style, colours[f->verdict], f->why ? verdict_names[f->verdict] : str_get(&good), out);
    str_char(out, '\n');
    if (f->why) str_printf(out, "    %s\n", f->why);
    str_free(&good);
}

static void say_details(const rechecking *x, const zones_answer *a, double seconds, str *out) {
    str line = {0};
    str_printf(&line, "    %s zones", str_count(a->zones));
    if (a->zones != a->given) str_printf(&line, " (%s in the file)", str_count(a->given));
    str_printf(&line, ", %s steps, ", str_count(a->steps));
    units_seconds_text(seconds, &line);
    str_add(&line, str_get(&x->constants));
    if (!options_has(&x->s->opt, OPT_QUIET)) {
        style_add(&x->s->style, ROLE_DIM, str_get(&line), out);
        str_char(out, '\n');
    }
    str_free(&line);
}

static void report(rechecking *x, const zones_answer *a, double seconds) {
    str text = {0};
    for (uint32_t i = 0; i < a->queries.len; i++) {
        const zones_finding *f = &a->queries.data[i];
        x->has_refused |= f->verdict == ZONES_REFUSED;
        x->has_stopped |= f->verdict == ZONES_STOPPED;
        const char *claim = meaning(x->m, f->query, a->counts_idle);
        say(x, f, claim, &text);
        json_t *j = json_pack("{s:o, s:s, s:s, s:b, s:I, s:I, s:I, s:f}", "property", object_string(f->query),
                              "claim", claim, "verdict", verdict_names[f->verdict], "confirmed",
                              f->verdict == ZONES_CONFIRMED, "given", (json_int_t)a->given, "zones",
                              (json_int_t)a->zones, "steps", (json_int_t)a->steps, "seconds", seconds);
        if (f->why) json_object_set_new(j, "reason", object_string(f->why));
        json_array_append_new(x->list, j);
    }
    say_details(x, a, seconds, &text);
    session_say(x->s, &text);
    str_free(&text);
}

// False: nothing more can be read.
static bool recheck_claim(rechecking *x, const instance *in, const json_t *claim, const zones_options *o) {
    const char *kind = certfile_string(x->file, claim, "kind");
    double started = clock_seconds();
    zones_answer a = {0};
    x->claims++;
    if (kind && strcmp(kind, "zones") != 0)
        certfile_complain(x->file, "there is no kind of claim '%s'", kind);
    bool ok = kind && !certfile_is_broken(x->file) && zones_check(x->file, claim, in, o, &a);
    if (ok) report(x, &a, clock_seconds() - started);
    zones_answer_free(&a);
    return ok && !x->has_stopped;
}

static int exit_code(const rechecking *x) {
    if (certfile_is_broken(x->file) || diag_failed(x->s->messages)) return EXIT_BAD_INPUT;
    return x->has_refused ? EXIT_VIOLATED : x->has_stopped ? EXIT_UNKNOWN : EXIT_HOLDS;
}

int timed_certificate_recheck(session *s, certfile *file) {
    rechecking x = {.s = s, .file = file, .list = json_array()};
    zones_options o = {.limit_zones = s->opt.limit_states, .limits = s->limits};
    const json_t *claim;
    instance *in = read_model(&x) ? instance_new(x.m, x.system, NULL, 0) : NULL;
    while (in && (claim = certfile_next(file)) && recheck_claim(&x, in, claim, &o)) continue;
    if (in && !x.claims) certfile_complain(file, "there is no claim in it");
    instance_free(in);
    int code = exit_code(&x);
    session_answer(s, json_pack("{s:b, s:O}", "confirmed", code == EXIT_HOLDS, "claims", x.list));
    json_decref(x.list);
    str_free(&x.constants);
    return code;
}
