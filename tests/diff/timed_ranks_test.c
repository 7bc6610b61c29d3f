// SPDX-License-Identifier: Apache-2.0
// One search of zones on several ranks (zone/divide.h) against the same search on one, on random networks of timed
// automata: counts, verdicts, reasons, runs with all their times, doubts, how often each edge was taken; with and
// without symmetry, with every state stored or not, at limits of states too. Ranks are threads (oracle/thread_ranks.h),
// each with a model of its own, that divide the work from a few nodes on. PARVIS_LONG=1 runs twenty times as many.
#include "front/xta/xta.h"
#include "oracle/part.h"
#include "oracle/random_timed.h"
#include "oracle/thread_ranks.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <stdio.h>
#include <string.h>

enum { NETWORKS = 900, LONG_NETWORKS = 18000, MOST_RANKS = 7, QUERIES = 3 };

typedef struct {
    uint64_t seed;
    const char *text;
    const char *const *queries;
    uint32_t nqueries;
    str said[MOST_RANKS];  // by rank
    uint32_t divided;      // on how many ranks it was, says rank 0
    uint64_t states;
} timed_search;

static void put_run(const trace *t, str *out) {
    for (uint32_t i = 0; i < t->steps.len; i++) {
        const trace_step *step = &t->steps.data[i];
        trace_label_text(t->in, step->r, step->args, out);
        str_printf(out, " after %s at %s:", step->delay ? step->delay : "-", step->time ? step->time : "-");
        for (uint32_t c = 0; step->after && c < t->in->ncells; c++) str_printf(out, " %d", (int)step->after[c]);
        str_char(out, '\n');
    }
    str_printf(out, "to the end %s\n", t->end_delay ? t->end_delay : "-");
}

static void put_result(const result *r, str *out) {
    const result_stats *st = &r->stats;
    str_printf(out, "%llu states, %llu transitions, depth %u, %d %d\n", (unsigned long long)st->states,
               (unsigned long long)st->transitions, st->depth, st->is_reduced, st->is_heuristic);
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const result_property *p = &r->properties.data[i];
        str_printf(out, "%s %s %s\n", p->name, verdict_text(p->verdict), p->reason ? p->reason : "");
        if (p->trace) put_run(p->trace, out);
    }
    for (uint32_t i = 0; i < r->rules.len; i++)
        str_printf(out, "%s %llu times\n", r->rules.data[i].name, (unsigned long long)r->rules.data[i].fired);
    for (uint32_t i = 0; i < r->doubts.len; i++) str_printf(out, "doubt: %s\n", r->doubts.data[i].text);
    for (uint32_t i = 0; i < r->self_checks.len; i++)
        if (r->self_checks.data[i].failure) str_printf(out, "failed: %s\n", r->self_checks.data[i].failure);
}

static explore_options options_of(uint64_t x, ranks_job *with) {
    return (explore_options){.threads = 1 + (uint32_t)(x / 7 % 2),
                             .symmetry = x % 2,
                             .engine = x % 11 ? ENGINE_MACHINE : ENGINE_BYTECODE,
                             .stores_all = x % 3 == 0,
                             .parallel_least = 1,
                             .self_check = x % 4 ? SELF_CHECK_ALL : SELF_CHECK_SAMPLE,
                             .finds_doubts = true,
                             .limit_states = x % 5 ? 3000 : 1 + x % 100,
                             .ranks = with->count > 1 ? with : NULL,
                             .share_least = 1 + x % 12};
}

static void search_on_rank(ranks_job *with, void *search) {
    timed_search *s = search;
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys system;
    xta_options how = {.queries = s->queries, .nqueries = s->nqueries};
    bool is_read = xta_read_text(m, "random.xta", s->text, strlen(s->text), &how, &system);
    instance *in = is_read ? instance_new(m, system, NULL, 0) : NULL;
    explore_options o = options_of(s->seed, with);
    prop props[QUERIES];
    for (uint32_t i = 0; i < s->nqueries; i++) props[i] = (prop){i + 1};
    if (in && zone_is_divisible(m, props, s->nqueries, &o)) {
        result *r = result_new();
        zone_run(in, props, s->nqueries, &o, NULL, r);
        put_result(r, &s->said[with->mine]);
        if (!with->mine) s->divided = r->stats.ranks;
        s->states = r->stats.states;
        result_free(r);
    }
    instance_free(in);
    model_free(m);
    diag_free(messages);
}

static bool are_same(uint64_t seed, const char *text, const char *const *queries, uint32_t n, uint32_t *divided) {
    static const uint32_t ranks[] = {2, 3, 4, 7};
    uint32_t count = ranks[seed % 4];
    timed_search alone = {.seed = seed, .text = text, .queries = queries, .nqueries = n}, many = alone;
    thread_ranks_run(1, search_on_rank, &alone);
    thread_ranks_run(count, search_on_rank, &many);
    bool same = str_same(str_get(&alone.said[0]), str_get(&many.said[0]));
    if (!same)
        print_error("seed %llu on %u ranks:\n%s\nalone:\n%s\n", (unsigned long long)seed, count, str_get(&many.said[0]),
                    str_get(&alone.said[0]));
    assert_true(!many.divided || many.divided == count);
    *divided += many.divided > 0;
    for (uint32_t i = 0; i < MOST_RANKS; i++) str_free(&alone.said[i]), str_free(&many.said[i]);
    return same;
}

// Queries that can be divided are the first in the list.
static uint32_t choose_queries(const timed_case *c, const char **out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->queries.len && n < QUERIES; i++)
        if (strncmp(c->queries.data[i], "A[]", 3) == 0 || strncmp(c->queries.data[i], "E<>", 3) == 0)
            out[n++] = c->queries.data[i];
    return n;
}

static void compare_many(uint64_t first, bool hears) {
    uint64_t count = part_rounds(NETWORKS, LONG_NETWORKS) / 2, seed = part_seed(first);
    uint32_t wrong = 0, divided = 0;
    for (uint64_t end = seed + count; seed < end; seed++) {
        rng r = {seed};
        timed_case c = {0};
        const char *queries[QUERIES];
        str text = {0};
        if (hears) random_timed_hearing(&r, 4 * QUERIES, &c);
        else random_timed(&r, 4 * QUERIES, &c);
        timed_print(c.network, &text);
        bool same = are_same(seed, str_get(&text), queries, choose_queries(&c, queries), &divided);
        if (!same && wrong++ < 3) print_error("%s\n", str_get(&text));
        str_free(&text);
        timed_case_free(&c);
    }
    printf("# tally: random timed networks on several ranks and on one | %llu cases | %u wrong\n",
           (unsigned long long)count, wrong);
    printf("# %u of them were divided\n", divided);
    assert_int_equal(wrong, 0);
    assert_true(divided > count / 10);
}

static void networks(void **state) {
    (void)state;
    compare_many(1, false);
}

static void networks_that_hear(void **state) {
    (void)state;
    compare_many(100001, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(networks), cmocka_unit_test(networks_that_hear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
