// SPDX-License-Identifier: Apache-2.0
// Timed networks from their text to the verdict, against a twin that has neither the reader nor the evaluator
// (oracle/automata.h): 1 to 9 alike processes and one other, broadcasts and urgent channels, also in arrays, with
// clock guards of receivers and selects, committed and urgent locations, priorities, clocks set by functions. Each
// query is asked with symmetry and without it.
#include "front/xta/xta.h"
#include "oracle/automata.h"
#include "oracle/part.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 4, REGIONS = 3000, QUICK = 200, LONG = 100000, SHOWN = 3 };

typedef struct {
    uint32_t networks, refused, large, asked, holds, unknown, reduced, wrong, by_ids[AUTO_IDS + 1];
} tally;

typedef struct {
    diag *messages;
    model *m;
    instance *in;
    bool is_read;
} reading;

static reading read_text(const char *text, const char *const *queries) {
    xta_options how = {.queries = queries, .nqueries = QUERIES};
    reading x = {.messages = diag_new()};
    sys system;
    x.m = model_new(x.messages);
    x.is_read = xta_read_text(x.m, "random.xta", text, strlen(text), &how, &system);
    if (x.is_read) x.in = instance_new(x.m, system, NULL, 0);
    return x;
}

static void close_reading(reading *x) {
    instance_free(x->in);
    model_free(x->m);
    diag_free(x->messages);
}

static verdict decide(const reading *x, uint32_t query, bool symmetry, bool counts_idle, bool stores_all, tally *t) {
    result *r = result_new();
    prop p = {query + 1};
    explore_options o = {.engine = stores_all ? ENGINE_MACHINE : ENGINE_BYTECODE,
                         .threads = 1,
                         .taken_apart = symmetry ? SPACE_APART : SPACE_ALL_APART,
                         .symmetry = symmetry ? SYMMETRY_EXACT : SYMMETRY_OFF,
                         .stores_all = stores_all,
                         .counts_idle = counts_idle,
                         .self_check = SELF_CHECK_OFF,
                         .limit_states = 50000};
    zone_run(x->in, &p, 1, &o, NULL, r);
    verdict v = VERDICT_UNKNOWN;
    for (uint32_t i = 0; i < r->properties.len; i++) {
        if (r->properties.data[i].property.id != p.id) continue;
        v = r->properties.data[i].verdict;
        t->reduced += r->properties.data[i].stats.is_reduced;
        if (v == VERDICT_UNKNOWN && getenv("SHOW_UNKNOWN")) printf("# %s\n", r->properties.data[i].reason);
    }
    result_free(r);
    return v;
}

static bool agrees(verdict v, bool holds) { return v == VERDICT_UNKNOWN || (v == VERDICT_HOLDS) == holds; }

static void compare(auto_network *n, const auto_graph *g, const reading *x, const auto_query *q,
                    const char *const *texts, const char *text, tally *t) {
    for (uint32_t i = 0; i < QUERIES && t->wrong < SHOWN; i++) {
        bool counts_idle = rng_below(&n->r, 2), stores_all = rng_below(&n->r, 2);
        bool holds;
        if (!auto_ask(g, &q[i], counts_idle, &holds)) continue;
        verdict on = decide(x, i, true, counts_idle, stores_all, t);
        verdict off = decide(x, i, false, counts_idle, !stores_all, t);
        t->asked++;
        t->by_ids[n->ids]++;
        t->holds += holds;
        t->unknown += on == VERDICT_UNKNOWN || off == VERDICT_UNKNOWN;
        if (agrees(on, holds) && agrees(off, holds)) continue;
        t->wrong++;
        printf("# differs: %s\n# twin: %s, with symmetry: %s, without: %s (idle steps %s, %u regions)\n%s", texts[i],
               holds ? "holds" : "violated", verdict_text(on), verdict_text(off), counts_idle ? "count" : "ignored",
               auto_regions(g), text);
    }
}

static void show_refused(const reading *x, const char *text) {
    str said = {0};
    diag_print(x->messages, &said, false);
    if (getenv("SHOW_REFUSED")) printf("%s\n%s\n", text, str_get(&said));
    str_free(&said);
}

static void try_network(uint64_t seed, tally *t) {
    auto_network n;
    auto_query q[QUERIES];
    const char *texts[QUERIES];
    str text = {0}, asked[QUERIES] = {{0}};
    auto_random(&n, seed);
    auto_graph *g = auto_explore(&n, REGIONS);
    auto_text(&n, &text);
    for (uint32_t i = 0; i < QUERIES; i++) {
        auto_random_query(&n, &q[i]);
        auto_query_text(&n, &q[i], &asked[i]);
        texts[i] = str_get(&asked[i]);
    }
    t->networks++;
    t->large += !g;
    if (g) {
        reading x = read_text(str_get(&text), texts);
        if (x.is_read) compare(&n, g, &x, q, texts, str_get(&text), t);
        else show_refused(&x, str_get(&text));
        t->refused += !x.is_read;
        close_reading(&x);
        auto_free(g);
    }
    for (uint32_t i = 0; i < QUERIES; i++) str_free(&asked[i]);
    str_free(&text);
}

static void test_text(void **state) {
    (void)state;
    tally t = {0};
    const uint64_t wanted = part_rounds(QUICK, LONG);
    for (uint64_t seed = part_seed(77); t.asked < wanted && t.wrong < SHOWN; seed++) try_network(seed, &t);
    printf("# %u networks, %u refused, %u left out; %u answers, %u hold, %u unknown, %u with symmetry; by processes:",
           t.networks, t.refused, t.large, t.asked, t.holds, t.unknown, t.reduced);
    for (int i = 1; i <= AUTO_IDS; i++) printf(" %u", t.by_ids[i]);
    printf("\n# tally: timed queries against a twin with no reader | %u cases | %u wrong\n", t.asked, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.refused < t.networks / 4);
    assert_true(t.unknown < t.asked / 20);
    assert_true(t.reduced > t.asked / 20);
    assert_true(t.holds > t.asked / 5 && t.holds < t.asked * 4 / 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
