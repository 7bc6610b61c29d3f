// SPDX-License-Identifier: Apache-2.0
// parvis prove of timed automata: A[] for every number of alike processes. The file is read with 2, 3, 4 and 5 of them:
// the first two are searched for a run that violates the property, the others show it for every number (zone/every.h).
#include "cli/prove.h"

#include "certificate/certfile.h"
#include "certificate/views.h"
#include "certificate/zones.h"
#include "cli/certify/certify.h"
#include "cli/load.h"
#include "cli/certify/timed.h"
#include "cli/watch.h"
#include "report/object.h"
#include "report/text.h"
#include "zone/every.h"
#include "zone/zone.h"

#include <string.h>

enum { LEAST_SIZE = 2, SEARCHED_SIZE = 3, MOST_SIZE = EVERY_LARGE };

typedef struct {
    session *s;
    const char *size;  // the constant that says how many processes there are
    watch w;
    loaded models[MOST_SIZE + 1];  // by size
    instance *in[MOST_SIZE + 1];
    result *found[MOST_SIZE + 1];  // by search
    result *out;
    certify *certificate;  // NULL: none is wanted
} timed_proving;

static bool load_size(timed_proving *v, uint32_t n) {
    session *s = v->s;
    loaded *l = &v->models[n];
    vec_push(&s->opt.defines, (model_define){.name = v->size, .value = (int32_t)n});
    s->timed_size = v->size;
    bool ok = load_file(s, s->file, l);
    s->opt.defines.len--;
    v->in[n] = ok ? instance_new(l->m, l->systems[0], NULL, 0) : NULL;
    watch_keep(&v->w, v->in[n]);
    return v->in[n];
}

static bool is_defined(const session *s, const char *name) {
    for (uint32_t i = 0; i < s->opt.defines.len; i++)
        if (strcmp(s->opt.defines.data[i].name, name) == 0) return true;
    return false;
}

static bool load_sizes(timed_proving *v) {
    if (is_defined(v->s, v->size))
        return session_error(v->s, "%s is any number here: --over NAME says which constant is", v->size);
    bool ok = true;
    for (uint32_t n = LEAST_SIZE; ok && n <= MOST_SIZE; n++) ok = load_size(v, n);
    return ok;
}

// ---- answers

static result_property *searched(const timed_proving *v, uint32_t i, uint32_t n) {
    const char *name = prop_of(v->models[n].m, v->models[n].props[i])->name;
    for (uint32_t k = 0; v->found[n] && k < v->found[n]->properties.len; k++)
        if (strcmp(v->found[n]->properties.data[k].name, name) == 0) return &v->found[n]->properties.data[k];
    return NULL;
}

static void search_size(timed_proving *v, uint32_t n) {
    const loaded *l = &v->models[n];
    VEC(prop) asked = {0};
    v->found[n] = result_new();
    for (uint32_t i = 0; i < l->nprops; i++)
        if (prop_of(l->m, l->props[i])->query == QUERY_ALWAYS) vec_push(&asked, l->props[i]);
    if (asked.len) zone_run(v->in[n], asked.data, asked.len, &v->w.options, NULL, v->found[n]);
    vec_free(&asked);
}

// A run of a small system is the answer; it goes with it.
static bool answer_violated(timed_proving *v, uint32_t i) {
    for (uint32_t n = LEAST_SIZE; n <= SEARCHED_SIZE; n++) {
        result_property *p = searched(v, i, n);
        if (!p || p->verdict == VERDICT_HOLDS) continue;
        result_property copy = *p;
        if (p->verdict == VERDICT_VIOLATED) copy.reason = result_text(v->out, "with %s=%u", v->size, n);
        p->trace = NULL;
        result_add(v->out, copy);
        return true;
    }
    return false;
}

// A run-time error of a small system is one: then nothing is shown.
static bool has_trouble(const timed_proving *v) {
    for (uint32_t n = LEAST_SIZE; n <= SEARCHED_SIZE; n++)
        for (uint32_t k = 0; k < v->found[n]->properties.len; k++)
            if (!v->found[n]->properties.data[k].property.id) return true;
    return false;
}

// The header has all queries: which of them are claimed, the claims say.
static void certify_views(timed_proving *v, prop p, const every_views *kept) {
    const instance *in = v->in[EVERY_SMALL];
    const loaded *l = &v->models[EVERY_SMALL];
    uint32_t n = sys_of(in->m, in->system)->timed->clocks.len;
    json_t *queries = json_array();
    for (uint32_t i = 0; i < l->nprops; i++) {
        const prop_info *q = prop_of(l->m, l->props[i]);
        if (str_same(q->text, q->name) && !q->refused) json_array_append_new(queries, certfile_text(q->text));
    }
    certfile_writer *w = certify_queries(v->certificate, queries);
    if (!w) return;
    views_write_claim(w, prop_of(in->m, p)->text, n, kept->count);
    for (uint64_t i = 0; i < kept->count; i++) {
        zones_write_state(w, in, kept->cells.data + i * in->ncells, 1);
        zones_write_zone(w, n, kept->zones.data + i * n * n);
    }
}

static void answer_for_all(timed_proving *v, uint32_t i) {
    prop p = v->models[EVERY_SMALL].props[i], q = v->models[EVERY_LARGE].props[i];
    result_property out = {.name = prop_of(v->models[LEAST_SIZE].m, v->models[LEAST_SIZE].props[i])->name};
    const result_property *small = searched(v, i, SEARCHED_SIZE);
    every_answer a = {0};
    every_views kept = {0};
    out.verdict = VERDICT_UNKNOWN;
    out.property = v->models[LEAST_SIZE].props[i];
    if (small) out.stats = small->stats;
    bool counts = load_counts_processes(v->s, v->models[EVERY_SMALL].m, p, &a.why);
    if (!counts && has_trouble(v)) str_add(&a.why, "runs end in a run-time error");
    else if (!counts && p.id != q.id) str_add(&a.why, "the queries depend on how many processes there are");
    else if (!counts)
        every_prove(v->in[EVERY_SMALL], v->in[EVERY_LARGE], p, &v->w.options, v->certificate ? &kept : NULL, &a);
    if (a.holds && v->certificate) certify_views(v, p, &kept);
    vec_free(&kept.cells);
    vec_free(&kept.zones);
    if (a.holds) {
        out.verdict = VERDICT_HOLDS;
        out.reason = result_text(v->out, "for every %s from 2 on, by %s views of two processes and %s of three",
                                 v->size, str_count(a.views), str_count(a.triples));
    } else {
        out.reason = result_text(v->out, "it holds with %s=2 and %s=3, but is not shown for every %s: %s", v->size,
                                 v->size, v->size, str_get(&a.why));
    }
    str_free(&a.why);
    result_add(v->out, out);
}

static void answer_other(timed_proving *v, uint32_t i) {
    result_property p = {.name = prop_of(v->models[LEAST_SIZE].m, v->models[LEAST_SIZE].props[i])->name,
                         .property = v->models[LEAST_SIZE].props[i]};
    p.verdict = VERDICT_UNKNOWN;
    p.reason = result_text(v->out, "only A[] is shown for every number of processes; `check` decides this for one");
    result_add(v->out, p);
}

static void timed_answer_all(timed_proving *v) {
    const loaded *l = &v->models[LEAST_SIZE];
    for (uint32_t n = LEAST_SIZE; n <= SEARCHED_SIZE; n++) search_size(v, n);
    for (uint32_t i = 0; i < l->nprops; i++) {
        if (prop_of(l->m, l->props[i])->query != QUERY_ALWAYS) answer_other(v, i);
        else if (!answer_violated(v, i)) answer_for_all(v, i);
    }
}

static int timed_proving_report(timed_proving *v) {
    session *s = v->s;
    text_options how = session_text_options(s);
    int code = session_exit_code(v->out->verdict);
    str text = {0};
    if (session_wants_answer(s)) session_answer(s, object_result(v->out, session_detail(s)));
    if (!session_is_json(s)) text_result(v->out, &s->style, &how, &text);
    session_say_verdict(s, &text, code);
    return code;
}

int prove_timed(session *s) {
    if (s->opt.over_also) return session_error(s, "--over: timed models have one number of processes"), EXIT_BAD_INPUT;
    timed_proving v = {.s = s, .size = s->opt.over ? s->opt.over : "N", .out = result_new()};
    v.out->scope = result_text(v.out, "%s", "");
    watch_begin(&v.w, s);
    int code = EXIT_BAD_INPUT;
    v.certificate = certify_begin_views(s, v.size);
    bool ok = load_sizes(&v);
    if (ok && !v.models[LEAST_SIZE].nprops) ok = session_error(s, "no query is stated");
    if (ok) {
        session_show_messages(s);
        session_phase(s, "looking for a proof");
        watch_next(&v.w, sys_of(v.models[LEAST_SIZE].m, v.models[LEAST_SIZE].systems[0])->name);
        timed_answer_all(&v);
        progress_clear(v.w.options.line);
        if (!diag_failed(s->messages)) code = timed_proving_report(&v);
        code = session_saved(s, certify_end(v.certificate), code);
    } else certify_abandon(v.certificate);
    for (uint32_t n = 0; n <= MOST_SIZE; n++)
        if (v.found[n]) result_free(v.found[n]);
    result_free(v.out);
    watch_end(&v.w);
    return code;
}
