// SPDX-License-Identifier: Apache-2.0
// Rechecking the claims of `check` and `compare`: see claims.h.
#include "cli/certify/claims.h"

#include "base/clock.h"
#include "base/units.h"
#include "certificate/claim.h"
#include "certificate/closed.h"
#include "certificate/relation.h"
#include "certificate/views.h"
#include "certificate/zones.h"
#include "cli/load.h"
#include "cli/certify/source.h"
#include "report/object.h"
#include "zone/every.h"

#include <string.h>

typedef struct {
    session *s;
    certfile *file;
    loaded model, right;  // right: the same, or of a comparison of two files
    instance *timed;      // of a model with clocks
    claim_options options;
    json_t *list;
    str text;
    uint32_t claims;
    claim_verdict verdict;  // the worst so far
    bool is_done;           // what follows cannot be read
} rechecking;

// ---- what was found out

// One answer: what it is about, how it ends, what exactly was shown.
typedef struct {
    const char *name;
    claim_verdict verdict;
    const char *why;     // not confirmed
    const char *scope;   // sizes; may be empty
    const char *answer;  // that is confirmed, of a query: "violated"; or NULL
    const char *shown;   // what that means, or NULL
} finding;

// In the text and in the list; returns the list's entry.
static json_t *recheck_claims_tell(rechecking *x, const finding *f, double seconds) {
    static const char *const names[] = {"confirmed", "refused", "not confirmed"};
    const style_role colours[] = {ROLE_GOOD, ROLE_BAD, ROLE_UNSURE};
    bool is_good = f->verdict == CLAIM_CONFIRMED;
    style_add(&x->s->style, ROLE_STRONG, f->name, &x->text);
    str_add(&x->text, ": ");
    if (is_good && f->answer) str_printf(&x->text, "%s, ", f->answer);
    style_add(&x->s->style, colours[f->verdict], names[f->verdict], &x->text);
    if (*f->scope) str_printf(&x->text, " for %s", f->scope);
    if (is_good && f->shown) str_printf(&x->text, ": %s", f->shown);
    str_char(&x->text, '\n');
    json_t *j = json_pack("{s:o, s:s, s:b, s:o, s:f}", "property", object_string(f->name), "verdict", names[f->verdict],
                          "confirmed", is_good, "scope", object_string(f->scope), "seconds", seconds);
    if (f->answer || f->shown) json_object_set_new(j, "claim", object_string(f->answer ? f->answer : f->shown));
    if (!is_good) json_object_set_new(j, "reason", object_string(f->why));
    json_array_append_new(x->list, j);
    if (x->verdict != CLAIM_REFUSED && !is_good) x->verdict = f->verdict;
    return j;
}

// Why not, what was looked at, and how long it took: after the names that it is about.
static void tell_work(rechecking *x, const char *why, const str *work, double seconds) {
    str line = {0};
    if (why) str_printf(&x->text, "    %s\n", why);
    str_printf(&line, "%s, ", str_get(work));
    units_seconds_text(seconds, &line);
    if (!options_has(&x->s->opt, OPT_QUIET)) style_detail(&x->s->style, ROLE_DIM, str_get(&line), &x->text);
    session_say(x->s, &x->text);
    str_free(&line);
}

// ---- closed sets

// The system that it is about; of a refinement that which refines.
static const char *closed_system(const closed_read *r) {
    sys own = r->props.len ? prop_of(r->in->m, r->props.data[0])->system : r->in->system;
    return sys_of(r->in->m, own)->name;
}

static void tell_closed(rechecking *x, const closed_read *r, const char *name, const char *shown,
                        const closed_answer *a, double seconds) {
    str scope = {0};
    instance_sizes_text(r->in, &scope);
    json_t *j =
        recheck_claims_tell(x, &(finding){name, a->verdict, str_get(&a->why), str_get(&scope), NULL, shown}, seconds);
    json_object_update_new(j, json_pack("{s:o, s:I, s:I, s:I}", "system", object_string(closed_system(r)), "given",
                                        (json_int_t)a->given, "states", (json_int_t)a->states, "steps",
                                        (json_int_t)a->steps));
    str_free(&scope);
}

// "in every state something can happen": of which system is said where there are several.
static void add_goes_on(const closed_read *r, str *out) {
    str_add(out, "in every state");
    if (r->in->m->systems.len > 2) str_printf(out, " of %s", closed_system(r));
    str_add(out, " something can happen");
    if (r->claim.stuck == STUTTERING_REFUSED) str_add(out, " that changes it");
}

static void report_closed(rechecking *x, const closed_read *r, const closed_answer *a, double seconds) {
    str work = {0}, goes_on = {0};
    add_goes_on(r, &goes_on);
    for (uint32_t i = 0; i < r->props.len; i++) {
        const prop_info *p = prop_of(r->in->m, r->props.data[i]);
        tell_closed(x, r, p->name, p->kind == PROP_DEADLOCK_FREE ? str_get(&goes_on) : NULL, a, seconds);
    }
    if (r->claim.stuck) tell_closed(x, r, "deadlock", str_get(&goes_on), a, seconds);
    if (!r->props.len && !r->claim.stuck)
        tell_closed(x, r, closed_system(r), "nothing in it is a run-time error", a, seconds);
    str_printf(&work, "%s states", str_count(a->states));
    if (a->states != a->given) str_printf(&work, " (%s up to symmetry)", str_count(a->given));
    str_printf(&work, ", %s steps", str_count(a->steps));
    tell_work(x, a->verdict == CLAIM_CONFIRMED ? NULL : str_get(&a->why), &work, seconds);
    str_free(&work);
    str_free(&goes_on);
}

static void recheck_closed(rechecking *x, const json_t *claim) {
    closed_read r;
    double started = clock_seconds();
    if (closed_read_claim(x->file, claim, x->model.m, &r)) {
        closed_answer a = closed_check(x->file, claim, &r.claim, &x->options);
        if (!certfile_is_broken(x->file)) report_closed(x, &r, &a, clock_seconds() - started);
        str_free(&a.why);
    }
    closed_read_free(&r);
}

// ---- comparisons

static void report_relation(rechecking *x, const relation_answer *a, double seconds) {
    str work = {0};
    finding f = {str_get(&a->name), a->verdict, str_get(&a->why), str_get(&a->sizes), NULL, NULL};
    json_t *j = recheck_claims_tell(x, &f, seconds);
    json_object_update_new(j, json_pack("{s:I, s:I, s:I, s:I}", "left_states", (json_int_t)a->left_states,
                                        "right_states", (json_int_t)a->right_states, "pairs", (json_int_t)a->pairs,
                                        "steps", (json_int_t)a->steps));
    str_printf(&work, "%s and %s states, %s pairs, %s steps", str_count(a->left_states), str_count(a->right_states),
               str_count(a->pairs), str_count(a->steps));
    tell_work(x, a->verdict == CLAIM_CONFIRMED ? NULL : str_get(&a->why), &work, seconds);
    str_free(&work);
}

static void recheck_relation(rechecking *x, const json_t *claim) {
    double started = clock_seconds();
    relation_answer a = relation_check(x->file, claim, x->model.m, x->right.m, &x->options);
    if (!certfile_is_broken(x->file) && !diag_failed(x->s->messages)) report_relation(x, &a, clock_seconds() - started);
    relation_answer_free(&a);
}

// ---- zones

// What it is that was confirmed of a query.
static const char *query_answer(const model *m, const char *query, bool counts_idle) {
    for (uint32_t i = 1; i < m->props.len; i++) {
        if (strcmp(m->props.data[i].name, query) != 0) continue;
        query_kind k = m->props.data[i].query;
        bool is_live = k == QUERY_KEEPS || k == QUERY_EVENTUALLY || k == QUERY_LEADS_TO;
        bool holds = k != QUERY_POSSIBLY && k != QUERY_KEEPS;
        if (is_live && counts_idle) return holds ? "holds with idle steps counted" : "violated with idle steps counted";
        return holds ? "holds" : "violated";
    }
    return "";
}

static void report_zones(rechecking *x, const zones_answer *a, double seconds) {
    str work = {0};
    const char *why = NULL;
    for (uint32_t i = 0; i < a->queries.len; i++) {
        const zones_finding *f = &a->queries.data[i];
        const char *answer = f->shown ? f->shown : query_answer(x->model.m, f->query, a->counts_idle);
        json_t *j = recheck_claims_tell(x, &(finding){f->query, f->verdict, f->why, "", answer, NULL}, seconds);
        json_object_update_new(j, json_pack("{s:I, s:I, s:I}", "given", (json_int_t)a->given, "zones",
                                            (json_int_t)a->zones, "steps", (json_int_t)a->steps));
        if (f->why) why = f->why;
    }
    str_printf(&work, "%s zones", str_count(a->zones));
    if (a->zones != a->given) str_printf(&work, " (%s in the file)", str_count(a->given));
    str_printf(&work, ", %s steps", str_count(a->steps));
    tell_work(x, why, &work, seconds);
    str_free(&work);
}

static void recheck_zones(rechecking *x, const json_t *claim) {
    double started = clock_seconds();
    zones_answer a = {0};
    model *m = x->model.m;
    if (!x->timed && x->model.nsystems && sys_of(m, x->model.systems[0])->timed)
        x->timed = instance_new(m, x->model.systems[0], NULL, 0);
    if (!x->timed) certfile_complain(x->file, "a model without clocks has no zones");
    else if (zones_check(x->file, claim, x->timed, &x->options, &a)) report_zones(x, &a, clock_seconds() - started);
    zones_answer_free(&a);
}

// ---- views of two of any number of processes

// The model with so many processes. What the constant is used for besides is seen in s->timed_size_use.
static instance *read_size(rechecking *x, const char *size, uint32_t n, loaded *l) {
    certfile_model c;
    if (!certfile_get_model(certfile_header(x->file), x->s->messages, &c)) return NULL;
    json_t *with = json_deep_copy(c.options);
    json_t *defines = json_object_get(with, "defines");
    if (!defines) json_object_set_new(with, "defines", defines = json_object());
    json_object_set_new_nocheck(defines, size, json_integer(n));
    c.options = with;
    x->s->timed_size = size;
    bool ok = source_read(x->s, &c, l) && l->nsystems && sys_of(l->m, l->systems[0])->timed;
    json_decref(with);
    return ok ? instance_new(l->m, l->systems[0], NULL, 0) : NULL;
}

static prop query_of(const model *m, const char *query) {
    for (uint32_t i = 1; i < m->props.len; i++)
        if (strcmp(m->props.data[i].name, query) == 0 && m->props.data[i].query == QUERY_ALWAYS) return (prop){i};
    return (prop){0};
}

static void report_views(rechecking *x, const char *query, const char *size, const views_answer *a, double seconds) {
    str work = {0}, scope = {0};
    bool is_good = a->verdict == CLAIM_CONFIRMED;
    str_printf(&scope, "every %s from 2 on", size);
    finding f = {query, a->verdict, str_get(&a->why), str_get(&scope), "holds", NULL};
    json_t *j = recheck_claims_tell(x, &f, seconds);
    json_object_update_new(j, json_pack("{s:I, s:I, s:I}", "views", (json_int_t)a->views, "triples",
                                        (json_int_t)a->triples, "steps", (json_int_t)a->steps));
    str_printf(&work, "%s views, %s triples, %s steps", str_count(a->views), str_count(a->triples),
               str_count(a->steps));
    tell_work(x, is_good ? NULL : str_get(&a->why), &work, seconds);
    str_free(&work);
    str_free(&scope);
}

static views_parts views_parts_of(const instance *in, const every_description *d) {
    views_parts p = {.in = in,
                     .cell_of = d->cell_of,
                     .clock_of = d->clock_of,
                     .process_of = d->process_of,
                     .is_name = d->is_name,
                     .initial = d->initial,
                     .blank = d->blank,
                     .holds = d->holds};
    memcpy(p.names, d->names, sizeof p.names);
    return p;
}

// That the system says the same with any number of processes is found in the model again; the set is checked on it.
static void check_views(rechecking *x, const json_t *claim, const char *query, const char *size, const instance *in,
                        const instance *more) {
    double started = clock_seconds();
    prop p = query_of(in->m, query), q = query_of(more->m, query);
    every_description d;
    views_answer a = {.verdict = CLAIM_REFUSED};
    if (!p.id || p.id != q.id) certfile_complain(x->file, "there is no query A[] '%s'", query);
    if (certfile_is_broken(x->file)) return;
    bool counts = load_counts_processes(x->s, in->m, p, &a.why);
    every_premises *e = counts ? NULL : every_premises_new(in, more, p, &d, &a.why);
    bool ok = true;
    if (e) {
        views_parts parts = views_parts_of(in, &d);
        ok = views_check(x->file, claim, &parts, &x->options, &a);
    }
    if (ok) report_views(x, query, size, &a, clock_seconds() - started);
    x->is_done = !e;
    every_premises_free(e);
    str_free(&a.why);
}

static void recheck_views(rechecking *x, const json_t *claim) {
    certfile_model c;
    loaded small = {0}, large = {0};
    const char *query = certfile_string(x->file, claim, "query");
    if (!query || !certfile_get_model(certfile_header(x->file), x->s->messages, &c)) return;
    const char *over = json_string_value(json_object_get(c.options, "over"));
    if (!over) certfile_complain(x->file, "it does not say which constant is any number");
    if (!over) return;
    const char *size = arena_str(x->s->opt.memory, over), *asked = arena_str(x->s->opt.memory, query);
    instance *in = read_size(x, size, EVERY_SMALL, &small), *more = in ? read_size(x, size, EVERY_LARGE, &large) : NULL;
    if (in && more) check_views(x, claim, asked, size, in, more);
    else if (!diag_failed(x->s->messages)) certfile_complain(x->file, "a model without clocks has no views");
    instance_free(in);
    instance_free(more);
}

// ---- all claims

static const struct {
    const char *name;
    void (*recheck)(rechecking *x, const json_t *claim);
} claim_kinds[] = {{"closed set", recheck_closed},
                   {"simulation", recheck_relation},
                   {"inclusion", recheck_relation},
                   {"zones", recheck_zones},
                   {"views", recheck_views}};

// False: nothing more can be read.
static bool recheck_claim(rechecking *x, const json_t *claim) {
    const char *kind = certfile_string(x->file, claim, "kind");
    size_t k = 0, n = sizeof claim_kinds / sizeof *claim_kinds;
    x->claims++;
    while (kind && k < n && strcmp(kind, claim_kinds[k].name) != 0) k++;
    if (kind && k == n) certfile_complain(x->file, "there is no kind of claim '%s'", kind);
    else if (kind) claim_kinds[k].recheck(x, claim);
    return !certfile_is_broken(x->file) && !diag_failed(x->s->messages) && x->verdict != CLAIM_STOPPED && !x->is_done;
}

static int recheck_claims_exit_code(const rechecking *x) {
    if (certfile_is_broken(x->file) || diag_failed(x->s->messages)) return EXIT_BAD_INPUT;
    if (x->verdict == CLAIM_REFUSED) return EXIT_VIOLATED;
    return x->verdict == CLAIM_CONFIRMED ? EXIT_HOLDS : EXIT_UNKNOWN;
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
    x.options = (claim_options){.threads = s->opt.threads, .most_states = s->opt.limit_states, .limits = s->limits};
    certfile_model c;
    const json_t *claim;
    if (certfile_get_model(certfile_header(file), s->messages, &c) && source_read(s, &c, &x.model) && read_right(&x)) {
        while ((claim = certfile_next(file)) && recheck_claim(&x, claim)) continue;
        if (!x.claims) certfile_complain(file, "there is no claim in it");
    }
    int code = recheck_claims_exit_code(&x);
    session_answer(s, json_pack("{s:b, s:O}", "confirmed", code == EXIT_HOLDS, "claims", x.list));
    instance_free(x.timed);
    json_decref(x.list);
    str_free(&x.text);
    return code;
}
