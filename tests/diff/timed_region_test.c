// SPDX-License-Identifier: Apache-2.0
// The timed engine against the region graph: random networks (oracle/random_timed.h) with queries of every kind,
// decided with symmetry (the default), without, now and then by two threads or with every state stored, and by the
// oracle (oracle/region.h). A case on which they differ is shrunk and printed.
#include "model/expr.h"
#include "oracle/part.h"
#include "oracle/random_timed.h"
#include "oracle/region.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    QUERIES = 8000,
    LONG_QUERIES = 200000,
    EACH = 6,        // queries of a network
    REGIONS = 6000,  // more: the network is left out
    HORIZON = 5,
    SCALE = 100,  // above what the engine tells apart at first when it looks for an extreme
    SHOWN = 4     // cases that differ, before the test gives up
};

typedef struct {
    bool symmetry, stores_all, counts_idle;
    uint32_t threads;
} manner;

typedef struct {
    uint32_t networks, refused, large, asked, unknown, reduced, faulty, holds, wrong;
} tally;

static const region_options how_far = {.most = REGIONS, .horizon = HORIZON};

// ---- the engine

typedef struct {
    verdict v;
    bool is_there, is_reduced, has_error;
    char reason[256];
} answer;

static void ask_all(const region_reading *x, const prop *props, uint32_t n, manner how, answer *out) {
    result *r = result_new();
    bool has_error = false;
    explore_options o = {.engine = ENGINE_BYTECODE,
                         .threads = how.threads,
                         .taken_apart = how.symmetry && !how.stores_all ? SPACE_APART : SPACE_ALL_APART,
                         .symmetry = how.symmetry ? SYMMETRY_EXACT : SYMMETRY_OFF,
                         .stores_all = how.stores_all,
                         .counts_idle = how.counts_idle,
                         .parallel_least = 1,
                         .self_check = how.threads > 1 ? SELF_CHECK_SAMPLE : SELF_CHECK_OFF,
                         .limit_states = 100000};
    for (uint32_t k = 0; k < n; k++) out[k] = (answer){.v = VERDICT_UNKNOWN};
    zone_run(x->in, props, n, &o, NULL, r);
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const result_property *is = &r->properties.data[i];
        has_error |= !is->property.id;
        for (uint32_t k = 0; k < n; k++) {
            if (is->property.id != props[k].id) continue;
            out[k] = (answer){is->verdict, true, is->stats.is_reduced, false, ""};
            if (is->reason) snprintf(out[k].reason, sizeof out[k].reason, "%s", is->reason);
        }
    }
    for (uint32_t k = 0; k < n; k++) out[k].has_error = has_error;
    result_free(r);
}

static answer ask(const region_reading *x, prop p, manner how) {
    answer a;
    ask_all(x, &p, 1, how, &a);
    return a;
}

// ---- are they the same?

static bool extreme_agrees(const answer *a, const region_answer *b) {
    const char *is = strchr(a->reason, ':');
    if (!is) return false;
    is += 2;
    if (!b->has_extreme) return strcmp(is, "no such state is reachable") == 0;
    bool is_strict = *is == '<' || *is == '>', is_infinite = strcmp(is, "infinity") == 0;
    int64_t v = is_infinite ? INT64_MAX : atoll(is + 2 * is_strict);
    if (b->is_beyond) return v >= b->extreme && (v > b->extreme || is_strict);
    return !is_infinite && v == b->extreme && is_strict == b->is_strict;
}

// An answer that nothing was found needs a search that saw everything; `unknown` needs a reason.
static bool agrees(const region_reading *x, prop p, const answer *a, const region_answer *b) {
    query_kind k = prop_of(x->m, p)->query;
    bool fails = region_facts_of(x->g).has_faults || b->faults;
    bool found_is_bad = k == QUERY_ALWAYS || k == QUERY_EVENTUALLY || k == QUERY_LEADS_TO;
    if (!a->is_there) return false;
    if (a->has_error && !region_facts_of(x->g).has_faults) return false;
    if (a->v == VERDICT_UNKNOWN)
        return fails || strstr(a->reason, "limit") || (b->is_beyond && strstr(a->reason, "it is larger than"));
    if (k >= QUERY_SUP) return !fails && extreme_agrees(a, b);
    bool found = (a->v == VERDICT_VIOLATED) == found_is_bad;
    return found ? b->is_found : !b->is_found && !fails;
}

static void print_answer(const char *who, const answer *a, str *out) {
    str_printf(out, "%s: %s%s%s%s\n", who, a->is_there ? verdict_text(a->v) : "no answer", *a->reason ? ": " : "",
               a->reason, a->has_error ? " (and a run-time error)" : "");
}

static void print_oracle(const region_reading *x, const region_answer *b, str *out) {
    region_facts f = region_facts_of(x->g);
    str_printf(out, "regions: found %d", b->is_found);
    if (b->has_extreme)
        str_printf(out, ", extreme %s%lld%s", b->is_strict ? "(strict) " : "", (long long)b->extreme,
                   b->is_beyond ? " or beyond" : "");
    str_printf(out, "%s%s; %u regions, %u states\n", b->faults ? ", the query fails somewhere" : "",
               f.has_faults ? ", a run-time error is reachable" : "", f.regions, f.states);
}

// Asks in all manners; false, with what was said, if one of them differs from the oracle.
static bool compare(const region_reading *x, prop p, const manner *how, tally *t, str *said) {
    region_answer b = region_ask(x->g, p, how->counts_idle);
    manner plain = {.counts_idle = how->counts_idle, .threads = 1, .stores_all = !how->stores_all};
    answer on = ask(x, p, *how), off = ask(x, p, plain);
    bool ok = agrees(x, p, &on, &b) && agrees(x, p, &off, &b);
    t->asked++;
    t->unknown += on.v == VERDICT_UNKNOWN;
    t->reduced += on.is_reduced;
    t->holds += on.v == VERDICT_HOLDS;
    if (ok) return true;
    print_answer("with symmetry", &on, said);
    print_answer("without", &off, said);
    print_oracle(x, &b, said);
    return false;
}

// ---- shrinking

typedef struct {
    const char *query;
    manner how;
} suspect;

static bool still_differs(const char *text, void *context) {
    const suspect *c = context;
    region_reading x;
    str said = {0};
    tally t = {0};
    bool differs = region_read(text, &c->query, 1, &how_far, &x);
    region_facts f = differs ? region_facts_of(x.g) : (region_facts){0};
    differs = f.is_supported && f.is_complete && f.has_start && !compare(&x, (prop){1}, &c->how, &t, &said);
    region_close(&x);
    str_free(&said);
    return differs;
}

static void show(timed_case *c, const char *query, manner how, const str *said) {
    suspect s = {query, how};
    str text = {0}, shrunk = {0};
    timed_shrink(c, still_differs, &s);
    timed_print(c->network, &text);
    region_reading x;
    tally t = {0};
    if (region_read(str_get(&text), &query, 1, &how_far, &x)) compare(&x, (prop){1}, &how, &t, &shrunk);
    region_close(&x);
    printf("# differs on the query\n%s\n# with%s%s, %u threads\n%s# said, shrunk:\n%s# said first:\n%s\n", query,
           how.stores_all ? " all states stored" : "", how.counts_idle ? " idle steps counted" : "", how.threads,
           str_get(&text), str_get(&shrunk), str_get(said));
    str_free(&text);
    str_free(&shrunk);
}

// ---- the same in other units

// All constants that clocks are compared with or set to, this many times as large: so are all times. The regions would
// be too many for the oracle, but what they say is known.
static expr scaled(model *m, expr e) {
    return e.id ? expr_arith(m, E_MUL, e, expr_const(m, model_range(m, SCALE, SCALE, (span){0}), SCALE)) : e;
}

static void scale_bounds(model *m, const clock_bound **list, uint32_t n) {
    clock_bound *copy = arena_copy(m->memory, *list, n * sizeof *copy);
    for (uint32_t i = 0; i < n; i++) copy[i].bound = scaled(m, copy[i].bound);
    *list = copy;
}

static void scale_times(model *m, sys system) {
    timed_info *t = m->systems.data[system.id].timed;
    for (uint32_t i = 1; i < m->rules.len; i++) {
        rule_info *r = &m->rules.data[i];
        clock_reset *resets = arena_copy(m->memory, r->resets, r->nresets * sizeof *resets);
        for (uint32_t k = 0; k < r->nresets; k++) resets[k].value = scaled(m, resets[k].value);
        r->resets = resets;
        scale_bounds(m, &r->bounds, r->nbounds);
    }
    for (uint32_t i = 0; i < t->invariants.len; i++)
        t->invariants.data[i].bound = scaled(m, t->invariants.data[i].bound);
    for (uint32_t i = 1; i < t->clocks.len; i++) t->clocks.data[i].initial *= SCALE;
    for (uint32_t i = 0; i < t->atoms.len; i++) t->atoms.data[i].is.bound = scaled(m, t->atoms.data[i].is.bound);
}

static bool compare_scaled(region_reading *x, const timed_case *c, bool counts_idle, tally *t) {
    uint32_t n = x->m->props.len;
    region_answer *known = mem_zero(n, sizeof *known);
    manner how = {.symmetry = true, .threads = 1, .counts_idle = counts_idle};
    bool ok = true;
    for (uint32_t i = 1; i < n; i++) {
        known[i] = region_ask(x->g, (prop){i}, counts_idle);
        if (prop_of(x->m, (prop){i})->clock) known[i].extreme *= SCALE;
    }
    scale_times(x->m, x->in->system);
    for (uint32_t i = 1; ok && i < n; i++) {
        answer a = ask(x, (prop){i}, how);
        str said = {0}, text = {0};
        t->asked++;
        ok = agrees(x, (prop){i}, &a, &known[i]);
        if (!ok) {
            print_answer("with times in other units", &a, &said);
            print_oracle(x, &known[i], &said);
            timed_print(c->network, &text);
            printf("# differs on the query\n%s\n# with all times %d times as large\n%s%s", c->queries.data[i - 1],
                   SCALE, str_get(&text), str_get(&said));
        }
        str_free(&said);
        str_free(&text);
    }
    t->wrong += !ok;
    free(known);
    return ok;
}

// ---- all

// All queries in one search: what is alike for some need not be for others, and what decides one ends no other's
// search.
static bool compare_together(const region_reading *x, const timed_case *c, const manner *how, tally *t) {
    prop props[EACH];
    answer answers[EACH];
    uint32_t n = x->m->props.len - 1;
    bool ok = n <= EACH;
    for (uint32_t i = 0; ok && i < n; i++) props[i] = (prop){i + 1};
    if (ok) ask_all(x, props, n, *how, answers);
    for (uint32_t i = 0; ok && i < n; i++) {
        region_answer b = region_ask(x->g, props[i], how->counts_idle);
        str said = {0}, text = {0};
        t->asked++;
        t->unknown += answers[i].v == VERDICT_UNKNOWN;
        t->holds += answers[i].v == VERDICT_HOLDS;
        t->reduced += answers[i].is_reduced;
        ok = agrees(x, props[i], &answers[i], &b);
        if (!ok) {
            print_answer("together with others", &answers[i], &said);
            print_oracle(x, &b, &said);
            timed_print(c->network, &text);
            printf("# differs on query %u of these\n", i);
            for (uint32_t k = 0; k < n; k++) printf("%s\n", c->queries.data[k]);
            printf("%s%s", str_get(&text), str_get(&said));
        }
        str_free(&said);
        str_free(&text);
    }
    t->wrong += !ok;
    return ok;
}

static void try_case(rng *r, timed_case *c, tally *t) {
    str text = {0};
    region_reading x;
    timed_print(c->network, &text);
    t->networks++;
    if (!region_read(str_get(&text), c->queries.data, c->queries.len, &how_far, &x)) {
        str complaint = {0};
        diag_print(x.messages, &complaint, false);
        if (getenv("SHOW_REFUSED")) printf("%s\n%s\n", str_get(&text), str_get(&complaint));
        str_free(&complaint);
        t->refused++;
        region_close(&x);
        str_free(&text);
        return;
    }
    region_facts f = region_facts_of(x.g);
    bool ok = f.is_supported && f.is_complete && f.has_start;
    t->large += !ok;
    t->faulty += f.has_faults;
    for (uint32_t i = 1; ok && i < x.m->props.len; i++) {
        manner how = {.symmetry = true, .threads = rng_below(r, 8) ? 1 : 2, .stores_all = rng_below(r, 2)};
        how.counts_idle = rng_below(r, 3) == 0;
        str said = {0};
        ok = compare(&x, (prop){i}, &how, t, &said);
        if (!ok) {
            t->wrong++;
            show(c, c->queries.data[i - 1], how, &said);
        }
        str_free(&said);
    }
    manner together = {.symmetry = true, .threads = 1, .counts_idle = rng_below(r, 2)};
    if (ok && rng_below(r, 3) == 0) ok = compare_together(&x, c, &together, t);
    if (ok && rng_below(r, 2) == 0) compare_scaled(&x, c, rng_below(r, 2), t);
    region_close(&x);
    str_free(&text);
}

static void test_random(void **state) {
    rng r = {part_seed(131)};
    tally t = {0};
    const uint64_t wanted = part_rounds(QUERIES, LONG_QUERIES);
    (void)state;
    while (t.asked < wanted && t.wrong < SHOWN) {
        timed_case c;
        random_timed_hearing(&r, EACH, &c);
        try_case(&r, &c, &t);
        timed_case_free(&c);
    }
    printf("# %u networks: %u refused, %u left out, %u with run-time errors; %u answers: %u hold, %u "
           "unknown, %u with "
           "symmetry\n",
           t.networks, t.refused, t.large, t.faulty, t.asked, t.holds, t.unknown, t.reduced);
    printf("# tally: timed queries against the region graph | %u cases | %u wrong\n", t.asked, t.wrong);
    // Most of them must be worth the comparison.
    assert_int_equal(t.wrong, 0);
    assert_true(t.refused + t.large < t.networks / 3);
    assert_true(t.unknown < t.asked / 10);
    assert_true(t.reduced > t.asked / 10);
    assert_true(t.holds > t.asked / 5 && t.holds < t.asked * 4 / 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
