// SPDX-License-Identifier: Apache-2.0
// Results: see result.h. Properties answered by one exploration carry the same statistics; the sums of a
// result count each exploration once, by its number (result_explored).
#include "result/result.h"

const char *verdict_text(verdict v) {
    return v == VERDICT_HOLDS ? "holds" : v == VERDICT_VIOLATED ? "violated" : "unknown";
}

verdict verdict_join(verdict a, verdict b) {
    if (a == VERDICT_VIOLATED || b == VERDICT_VIOLATED) return VERDICT_VIOLATED;
    return a == VERDICT_UNKNOWN ? a : b;
}

verdict verdict_of_runs(const result *const *runs, uint32_t count) {
    verdict v = VERDICT_HOLDS;
    for (uint32_t i = 0; i < count; i++) v = verdict_join(v, runs[i]->verdict);
    return v;
}

const result_property *result_with_trace(const result *r) {
    for (uint32_t i = 0; i < r->properties.len; i++)
        if (r->properties.data[i].trace) return &r->properties.data[i];
    return NULL;
}

result *result_new(void) {
    result *r = mem_zero(1, sizeof *r);
    r->memory = arena_new();
    r->known = map_new();
    r->verdict = VERDICT_HOLDS;
    return r;
}

void result_free(result *r) {
    if (!r) return;
    for (uint32_t i = 0; i < r->properties.len; i++) trace_free(r->properties.data[i].trace);
    vec_free(&r->properties);
    vec_free(&r->sizes);
    vec_free(&r->self_checks);
    vec_free(&r->rules);
    vec_free(&r->levels);
    vec_free(&r->doubts);
    map_free(r->known);
    arena_free(r->memory);
    free(r);
}

void result_add_level(result *r, uint32_t depth, uint64_t states) {
    while (r->levels.len <= depth) vec_push(&r->levels, 0);
    r->levels.data[depth] += states;
}

static const char *join_engines(const char *a, const char *b) {
    if (!a || !b) return a ? a : b;
    return str_same(a, b) ? a : "several";
}

void result_add_stats(result *r, const result_stats *s) {
    result_stats *t = &r->stats;
    t->states += s->states;
    t->transitions += s->transitions;
    t->seconds += s->seconds;
    t->compile_seconds += s->compile_seconds;
    t->omission += s->omission;
    if (s->depth > t->depth) t->depth = s->depth;
    if (s->memory_bytes > t->memory_bytes) t->memory_bytes = s->memory_bytes;
    if (s->disk_bytes > t->disk_bytes) t->disk_bytes = s->disk_bytes;
    if (s->state_bits > t->state_bits) t->state_bits = s->state_bits;
    if (s->threads > t->threads) t->threads = s->threads;
    if (s->ranks > t->ranks) t->ranks = s->ranks;
    t->sent_bytes += s->sent_bytes;
    t->sent_states += s->sent_states;
    t->is_reduced |= s->is_reduced;
    t->is_heuristic |= s->is_heuristic;
    t->engine = join_engines(t->engine, s->engine);
}

void result_explored(result *r, result_stats *s) { s->exploration = ++r->explorations; }

void result_add_size(result *r, const char *sort, uint32_t size) {
    vec_push(&r->sizes, ((result_size){result_text(r, "%s", sort), size}));
    r->scope = result_text(r, "%s%s%s=%u", r->scope ? r->scope : "", r->sizes.len > 1 ? ", " : "", sort, size);
}

void result_add(result *r, result_property p) {
    bool is_counted = r->properties.len > 0 && vec_last(&r->properties).stats.exploration == p.stats.exploration;
    if (!is_counted) result_add_stats(r, &p.stats);
    r->verdict = verdict_join(r->verdict, p.verdict);
    vec_push(&r->properties, p);
}

void result_take_back(result *r, uint32_t first) {
    while (r->properties.len > first) trace_free(vec_pop(&r->properties).trace);
    r->verdict = VERDICT_HOLDS;
    for (uint32_t i = 0; i < r->properties.len; i++)
        r->verdict = verdict_join(r->verdict, r->properties.data[i].verdict);
}

static self_check *find_self_check(result *r, const char *what) {
    for (uint32_t i = 0; i < r->self_checks.len; i++)
        if (str_same(r->self_checks.data[i].what, what)) return &r->self_checks.data[i];
    vec_push(&r->self_checks, (self_check){.what = what});
    return &vec_last(&r->self_checks);
}

void result_add_self_check(result *r, const char *what, uint64_t samples, const char *failure) {
    self_check *c = find_self_check(r, what);
    c->samples += samples;
    if (failure && !c->failure) c->failure = arena_str(r->memory, failure);
}

void result_join_self_checks(result *r, const result *from) {
    for (uint32_t i = 0; i < from->self_checks.len; i++) {
        const self_check *c = &from->self_checks.data[i];
        result_add_self_check(r, c->what, c->samples, c->failure);
    }
}
