// SPDX-License-Identifier: Apache-2.0
// Bounds on time, fastest runs and orders of search against the region graph: random networks (oracle/random_timed.h)
// whose E<> and A[] queries are asked within a number of time units (E<>[<=2] p), for the fastest run, and depth first
// or at random. The oracle knows none of this: its network declares a clock of its own, which is never set, and is
// asked `E<> never_set <= 2 and p` and `inf{p}: never_set`.
#include "oracle/part.h"
#include "oracle/random_timed.h"
#include "oracle/region.h"
#include "oracle/unit.h"
#include "zone/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 15000, LONG_CASES = 60000, EACH = 6, REGIONS = 30000, HORIZON = 8, SHOWN = 4 };

typedef struct {
    uint32_t asked, fastest, later, unknown, wrong;
} tally;

// What is asked about one formula, by the oracle and by the engine.
typedef struct {
    const char *network, *bound;
    bool is_always;
    uint32_t deadline;
    bool is_before;
    char oracle[3][1024], ours[2][1024];  // within the deadline, inf, (A[] only: the same negated); within, plain
} question;

static bool make_question(rng *r, const char *network, const char *query, question *q) {
    q->network = network;
    q->is_always = strncmp(query, "A[] ", 4) == 0;
    if (!q->is_always && strncmp(query, "E<> ", 4) != 0) return false;
    const char *formula = query + 4, *op;
    q->deadline = rng_below(r, 5);
    q->is_before = rng_below(r, 3) == 0;
    op = q->is_before ? "<" : "<=";
    const char *close = q->is_always ? "imply" : "and", *sign = q->is_always ? "not " : "";
    int n = snprintf(q->oracle[0], sizeof q->oracle[0], "%.4s(never_set %s %u) %s (%s)", query, op, q->deadline, close,
                     formula);
    snprintf(q->oracle[1], sizeof q->oracle[1], "inf{%s(%s)}: never_set", sign, formula);
    snprintf(q->ours[0], sizeof q->ours[0], "%.3s[%s%u] %s", query, op, q->deadline, formula);
    snprintf(q->ours[1], sizeof q->ours[1], "%s", query);
    return n < (int)sizeof q->oracle[0];
}

// ---- the engine

typedef struct {
    verdict v;
    char reason[256], end[64];
    bool has_run;
} answer;

static answer ask(const region_reading *x, prop p, search_order order, bool finds_fastest, bool symmetry) {
    result *r = result_new();
    answer a = {.v = VERDICT_UNKNOWN};
    explore_options o = {.engine = ENGINE_BYTECODE,
                         .threads = 1,
                         .symmetry = symmetry ? SYMMETRY_EXACT : SYMMETRY_OFF,
                         .order = order,
                         .finds_fastest = finds_fastest,
                         .self_check = SELF_CHECK_SAMPLE,
                         .limit_states = 100000};
    zone_run(x->in, &p, 1, &o, NULL, r);
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const result_property *is = &r->properties.data[i];
        if (is->property.id != p.id) continue;
        a.v = is->verdict;
        a.has_run = is->trace;
        if (is->reason) snprintf(a.reason, sizeof a.reason, "%s", is->reason);
        if (is->trace) snprintf(a.end, sizeof a.end, "%s", is->trace->end_time);
    }
    result_free(r);
    return a;
}

// ---- are they the same?

static bool agrees(const question *q, const region_reading *x, const answer *a, const region_answer *b, tally *t) {
    bool fails = region_facts_of(x->g).has_faults || b->faults;
    t->unknown += a->v == VERDICT_UNKNOWN;
    if (a->v == VERDICT_UNKNOWN) return fails || strstr(a->reason, "limit");
    bool found = (a->v == VERDICT_VIOLATED) == q->is_always;
    return found ? b->is_found : !b->is_found && !fails;
}

// Where the oracle knows the least time, it is that of the run.
static bool is_fastest(const answer *a, const region_answer *b, tally *t) {
    if (!a->has_run || !b->has_extreme || b->is_beyond || b->faults) return true;
    char wanted[128], time[32];
    t->fastest++;
    t->later += b->extreme > 0;
    snprintf(time, sizeof time, "%lld", (long long)b->extreme);
    snprintf(wanted, sizeof wanted,
             b->is_strict ? "runs take more than %s, as little more as one likes" : "the fastest run takes %s", time);
    return strcmp(a->reason, wanted) == 0 && (b->is_strict || strcmp(a->end, time) == 0);
}

static bool compare(rng *r, const question *q, tally *t, str *said) {
    str text = {0};
    region_reading x, y;
    const char *oracle[] = {q->oracle[0], q->oracle[1], q->ours[1]}, *ours[] = {q->ours[0], q->ours[1]};
    str_printf(&text, "clock never_set;\n%s", q->network);
    bool ok = true, read = region_read(str_get(&text), oracle, 3, &(region_options){REGIONS, HORIZON}, &x);
    region_facts f = read ? region_facts_of(x.g) : (region_facts){0};
    bool is_usable = read && f.is_supported && f.is_complete && f.has_start;
    read = is_usable && region_read(q->network, ours, 2, &(region_options){1, 1}, &y);
    if (is_usable && !read) ok = false, str_add(said, "it is not read\n");
    if (read) {
        region_answer in_time = region_ask(x.g, (prop){1}, false), least = region_ask(x.g, (prop){2}, false),
                      any = region_ask(x.g, (prop){3}, false);
        bool symmetry = rng_below(r, 2);
        search_order order = rng_below(r, 2) ? SEARCH_DEPTH : SEARCH_RANDOM;
        answer bounded = ask(&y, (prop){1}, SEARCH_BREADTH, false, symmetry),
               other = ask(&y, (prop){2}, order, false, symmetry),
               fast = ask(&y, (prop){2}, SEARCH_BREADTH, true, symmetry);
        t->asked += 3;
        ok = agrees(q, &x, &bounded, &in_time, t) && agrees(q, &x, &other, &any, t) && agrees(q, &x, &fast, &any, t) &&
             is_fastest(&fast, &least, t);
        if (!ok)
            str_printf(said,
                       "within: %s (%s), oracle %d; order %d: %s (%s), oracle %d; fastest: %s, %s, oracle %lld%s%s\n",
                       verdict_text(bounded.v), bounded.reason, in_time.is_found, order, verdict_text(other.v),
                       other.reason, any.is_found, fast.reason, fast.end, (long long)least.extreme,
                       least.is_strict ? " strict" : "", least.is_beyond ? " or beyond" : "");
    }
    if (is_usable) region_close(&y);
    region_close(&x);
    str_free(&text);
    return ok;
}

static void try_query(rng *r, const char *network, const char *query, tally *t) {
    question q;
    str said = {0};
    if (make_question(r, network, query, &q) && !compare(r, &q, t, &said)) {
        t->wrong++;
        printf("# differs on the queries\n%s\n%s\n%s\n%s\n", q.ours[0], q.ours[1], network, str_get(&said));
    }
    str_free(&said);
}

static void test_random(void **state) {
    rng r = {part_seed(277)};
    tally t = {0};
    const uint64_t wanted = part_rounds(CASES, LONG_CASES);
    (void)state;
    while (t.asked < wanted && t.wrong < SHOWN) {
        timed_case c;
        str text = {0};
        random_timed(&r, EACH, &c);
        timed_print(c.network, &text);
        for (uint32_t i = 0; i < c.queries.len && t.wrong < SHOWN; i++)
            try_query(&r, str_get(&text), c.queries.data[i], &t);
        str_free(&text);
        timed_case_free(&c);
    }
    printf("# %u fastest runs, %u of them later than at once; %u unknown\n", t.fastest, t.later, t.unknown);
    printf("# tally: timed queries within a time, by other orders and for the fastest run | %u cases | %u wrong\n",
           t.asked, t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.later > t.asked / 200);
    assert_true(t.unknown < t.asked / 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
