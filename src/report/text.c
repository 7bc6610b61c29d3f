// SPDX-License-Identifier: Apache-2.0
// Results as text: see text.h.
#include "report/text.h"

#include "base/units.h"
#include "report/lanes.h"
#include "report/table.h"
#include "report/timed.h"
#include "result/doubt.h"

#include <string.h>

style_role text_verdict_role(verdict v) {
    return v == VERDICT_HOLDS ? ROLE_GOOD : v == VERDICT_VIOLATED ? ROLE_BAD : ROLE_UNSURE;
}

// "opaque: violated for Thread=2, Loc=2"
static void text_verdict(const result *r, const result_property *p, const style *s, str *out) {
    style_verdict(s, p->name, text_verdict_role(p->verdict), verdict_text(p->verdict), out);
    if (r->scope && *r->scope) str_printf(out, " for %s", r->scope);
    if (p->reason && (p->verdict == VERDICT_UNKNOWN || !p->trace)) str_printf(out, ": %s", p->reason);
    str_char(out, '\n');
}

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

// How the figures came about: " (native, 2 threads)".
static void stats_origin(const result_stats *st, str *out) {
    const char *comma = "";
    str text = {0};
    if (st->engine && *st->engine) str_add(&text, st->engine), comma = ", ";
    if (st->ranks) str_printf(&text, "%s%u ranks", comma, st->ranks), comma = " of ";
    if (st->threads > 1) str_printf(&text, "%s%u threads", comma, st->threads);
    if (text.len) str_printf(out, " (%s)", str_get(&text));
    str_free(&text);
}

void text_stats(const result_stats *st, str *out) {
    // An orbit may have several heuristic representatives: their number is not the number of orbits.
    const char *what = st->is_heuristic ? "representative" : "state";
    const char *symmetry = st->is_heuristic ? " by heuristic symmetry" : st->is_reduced ? " up to symmetry" : "";
    str_printf(out, "%s %s%s%s, ", str_count(st->states), what, plural(st->states), symmetry);
    str_printf(out, "%s transition%s, depth %u, ", str_count(st->transitions), plural(st->transitions), st->depth);
    if (st->live_states) str_printf(out, "%s visited again for liveness, ", str_count(st->live_states));
    units_seconds_text(st->seconds, out);
    str_add(out, ", ");
    units_bytes_text(st->memory_bytes, out);
    if (st->disk_bytes) str_add(out, " and "), units_bytes_text(st->disk_bytes, out), str_add(out, " on disk");
    stats_origin(st, out);
}

// Properties decided by one exploration share its figures, which are then said once, after the last.
static bool same_exploration(const result_stats *a, const result_stats *b) {
    return a->exploration == b->exploration && a->live_states == b->live_states;
}

static void put_stats(const result_stats *st, bool is_last, const style *s, str *out) {
    str line = {0};
    text_stats(st, &line);
    style_detail(s, ROLE_DIM, str_get(&line), out);
    str_clear(&line);
    str_printf(&line, "symmetry: %s", st->symmetry ? st->symmetry : "");
    if (st->symmetry && is_last) style_detail(s, ROLE_DIM, str_get(&line), out);
    str_free(&line);
}

static void put_timed(const result_property *p, const style *s, const text_options *o, str *out) {
    str end = {0};
    timed_end(p, &end);
    timed_text(p->trace, s, str_get(&end), o->full_states, out);
    str_free(&end);
}

static void put_trace(const result_property *p, const style *s, const text_options *o, str *out) {
    if (!p->trace) return;
    str_char(out, '\n');
    if (p->trace->end_time) put_timed(p, s, o, out);
    else lanes_text(p->trace, s, &(lanes_options){.full_states = o->full_states, .reason = p->reason}, out);
    str_char(out, '\n');
}

// ---- doubts

enum { MOST_NAMED = 6 };

// "never happened: commit, abort and 3 more"
static void put_named(const doubt *all, uint32_t n, doubt_kind kind, const char *title, const style *s, str *out) {
    str line = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (all[i].kind == kind && count++ < MOST_NAMED)
            str_printf(&line, "%s%s", line.len ? ", " : title, all[i].subject);
    if (count > MOST_NAMED) str_printf(&line, " and %u more", count - MOST_NAMED);
    if (count) style_detail(s, ROLE_UNSURE, str_get(&line), out);
    str_free(&line);
}

// Rules of a kind in one line, all else a line each.
static void put_doubts(const doubt *all, uint32_t n, const style *s, str *out) {
    for (uint32_t i = 0; i < n; i++)
        if (all[i].kind != DOUBT_RULE && all[i].kind != DOUBT_EXCLUDED) style_detail(s, ROLE_UNSURE, all[i].text, out);
    put_named(all, n, DOUBT_RULE, "never happened: ", s, out);
    put_named(all, n, DOUBT_EXCLUDED, "can never happen: ", s, out);
}

void text_doubts(const result *r, const style *s, str *out) { put_doubts(r->doubts.data, r->doubts.len, s, out); }

static void put_rules(const result *r, const style *s, str *out) {
    table *t = table_new();
    table_column(t, "rule", false);
    table_column(t, "fired", true);
    for (uint32_t i = 0; i < r->rules.len; i++) {
        table_add(t, ROLE_PLAIN, r->rules.data[i].name);
        table_add(t, r->rules.data[i].fired ? ROLE_PLAIN : ROLE_UNSURE, str_count(r->rules.data[i].fired));
    }
    if (r->rules.len) table_print(t, s, 4, out);
    table_free(t);
}

// Some answers rest on no exploration.
static bool text_has_explored(const result_stats *s) { return s->exploration || s->states || s->threads; }

void text_result(const result *r, const style *s, const text_options *o, str *out) {
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const result_property *p = &r->properties.data[i];
        bool is_last = i + 1 == r->properties.len || !same_exploration(&p->stats, &p[1].stats);
        text_verdict(r, p, s, out);
        if (o->quiet) continue;
        if ((is_last || p->trace) && text_has_explored(&p->stats)) put_stats(&p->stats, is_last, s, out);
        put_trace(p, s, o, out);
    }
    if (!o->quiet) text_doubts(r, s, out);
    if (o->statistics) put_rules(r, s, out);
}

// ---- a range of sizes

static void add_figures(table *t, const result_stats *st) {
    str seconds = {0}, bytes = {0};
    str_printf(&seconds, "%.2f", st->seconds);
    units_bytes_text(st->memory_bytes, &bytes);
    const char *const figures[] = {str_count(st->states), str_count(st->transitions), str_count(st->depth),
                                   str_get(&seconds), str_get(&bytes)};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) table_add(t, ROLE_PLAIN, figures[i]);
    str_free(&seconds);
    str_free(&bytes);
}

static void text_add_row(table *t, const result *r, const char *name, verdict v, const result_stats *st) {
    for (uint32_t i = 0; i < r->sizes.len; i++) table_add(t, ROLE_PLAIN, str_count(r->sizes.data[i].size));
    if (name) table_add(t, ROLE_PLAIN, name);
    table_add(t, text_verdict_role(v), verdict_text(v));
    add_figures(t, st);
}

// One row per size and property; the property is named only where there are several.
static void add_rows(table *t, const result *r, bool has_names) {
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const result_property *p = &r->properties.data[i];
        text_add_row(t, r, has_names ? p->name : NULL, p->verdict, &p->stats);
    }
    if (!r->properties.len) text_add_row(t, r, has_names ? "" : NULL, r->verdict, &r->stats);
}

static void put_table(const result *const *runs, uint32_t count, const style *s, str *out) {
    table *t = table_new();
    bool has_names = false;
    for (uint32_t i = 0; i < count; i++) has_names |= runs[i]->properties.len > 1;
    for (uint32_t i = 0; i < runs[0]->sizes.len; i++) table_column(t, runs[0]->sizes.data[i].sort, true);
    if (has_names) table_column(t, "property", false);
    table_column(t, "verdict", false);
    const char *const numbers[] = {"states", "transitions", "depth", "seconds", "memory"};
    for (unsigned i = 0; i < 5; i++) table_column(t, numbers[i], true);
    for (uint32_t i = 0; i < count; i++) add_rows(t, runs[i], has_names);
    table_print(t, s, 0, out);
    table_free(t);
}

static bool is_violated_before(const result *const *runs, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < runs[i]->properties.len; j++) {
            const result_property *p = &runs[i]->properties.data[j];
            if (p->verdict == VERDICT_VIOLATED && str_same(p->name, name)) return true;
        }
    return false;
}

static void put_first_traces(const result *const *runs, uint32_t count, const style *s, const text_options *o,
                             str *out) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < runs[i]->properties.len; j++) {
            const result_property *p = &runs[i]->properties.data[j];
            if (p->verdict != VERDICT_VIOLATED || is_violated_before(runs, i, p->name)) continue;
            str_char(out, '\n');
            text_verdict(runs[i], p, s, out);
            put_trace(p, s, o, out);
        }
}

// Why a row says unknown, once for each reason.
static void put_reasons(const result *const *runs, uint32_t count, const style *s, str *out) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < runs[i]->properties.len; j++)
            if (runs[i]->properties.data[j].verdict == VERDICT_UNKNOWN)
                text_verdict(runs[i], &runs[i]->properties.data[j], s, out);
}

// What is in doubt at every size.
static void put_common_doubts(const result *const *runs, uint32_t count, const style *s, str *out) {
    VEC(doubt) common = {0};
    for (uint32_t i = 0; i < runs[0]->doubts.len; i++) {
        uint32_t n = 0;
        while (n < count && doubt_has(runs[n], &runs[0]->doubts.data[i])) n++;
        if (n == count) vec_push(&common, runs[0]->doubts.data[i]);
    }
    put_doubts(common.data, common.len, s, out);
    vec_free(&common);
}

void text_table(const result *const *runs, uint32_t count, const style *s, const text_options *o, str *out) {
    put_table(runs, count, s, out);
    if (o->quiet) return;
    put_common_doubts(runs, count, s, out);
    put_reasons(runs, count, s, out);
    put_first_traces(runs, count, s, o, out);
}
