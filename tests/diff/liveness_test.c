// SPDX-License-Identifier: Apache-2.0
// Loops that break a promise of liveness, against a naive twin on random small graphs: a loop can be made of
// a set of edges iff they are strongly connected, so the twin tries every set of edges.
#include "oracle/unit.h"

#include "base/rng.h"
#include "language/liveness.h"

#include <stdlib.h>

enum { MOST_STATES = 5, MOST_EDGES = 10 };

static live_graph random_graph(rng *r) {
    live_graph g = {.nstates = 1 + rng_below(r, MOST_STATES), .nthreads = 1 + rng_below(r, 3), .ninitial = 1};
    uint32_t n = rng_below(r, MOST_EDGES + 1);
    for (uint32_t i = 0; i < n; i++) {
        live_kind kind = (live_kind[]){LIVE_STEP, LIVE_DONE, LIVE_ABORT, LIVE_COMMIT}[rng_below(r, 4)];
        uint32_t thread = rng_below(r, 8) ? rng_below(r, g.nthreads) : UINT32_MAX;
        vec_push(&g.edges, (live_edge){rng_below(r, g.nstates), rng_below(r, g.nstates), thread, kind, i});
    }
    return g;
}

// The states reachable from `from` by edges of a set.
static uint32_t reach(const live_graph *g, uint32_t edges, uint32_t from) {
    uint32_t set = 1u << from, before;
    do {
        before = set;
        for (uint32_t e = 0; e < g->edges.len; e++)
            if ((edges >> e & 1) && (set >> g->edges.data[e].from & 1)) set |= 1u << g->edges.data[e].to;
    } while (set != before);
    return set;
}

static bool is_loop(const live_graph *g, uint32_t edges) {
    uint32_t all = reach(g, ~0u, 0);
    for (uint32_t e = 0; e < g->edges.len; e++) {
        if (!(edges >> e & 1)) continue;
        if (!(all >> g->edges.data[e].from & 1)) return false;
        uint32_t there = reach(g, edges, g->edges.data[e].to);
        for (uint32_t d = 0; d < g->edges.len; d++)
            if ((edges >> d & 1) && !(there >> g->edges.data[d].from & 1)) return false;
    }
    return edges != 0;
}

static bool naive_breaks(const live_graph *g, live_promise promise) {
    for (uint32_t edges = 1; edges < 1u << g->edges.len; edges++) {
        uint32_t loop[MOST_EDGES], n = 0;
        for (uint32_t e = 0; e < g->edges.len; e++)
            if (edges >> e & 1) loop[n++] = e;
        if (liveness_breaks(g, promise, loop, n) && is_loop(g, edges)) return true;
    }
    return false;
}

static void check_lasso(const live_graph *g, live_promise promise, const live_answer *a) {
    uint32_t at = 0, head;
    for (uint32_t i = 0; i < a->stem.len; i++) {
        assert_int_equal(g->edges.data[a->stem.data[i]].from, at);
        at = g->edges.data[a->stem.data[i]].to;
    }
    head = at;
    for (uint32_t i = 0; i < a->loop.len; i++) {
        assert_int_equal(g->edges.data[a->loop.data[i]].from, at);
        at = g->edges.data[a->loop.data[i]].to;
    }
    assert_int_equal(at, head);
    assert_true(liveness_breaks(g, promise, a->loop.data, a->loop.len));
}

static void check_promise(rng *r, live_promise promise, uint32_t *held) {
    live_graph g = random_graph(r);
    live_answer a = liveness_check(&g, promise, NULL);
    assert_int_equal(a.holds, !naive_breaks(&g, promise));
    if (!a.holds) check_lasso(&g, promise, &a);
    *held += a.holds;
    liveness_free(&a);
    vec_free(&g.edges);
}

static void promise_agrees(live_promise promise, uint64_t seed) {
    rng r = {seed};
    uint32_t held = 0, rounds = getenv("PARVIS_LONG") ? 60000 : 4000;
    for (uint32_t i = 0; i < rounds; i++) check_promise(&r, promise, &held);
    assert_in_range(held, rounds / 10, rounds * 9 / 10);
}

static void obstruction_agrees(void **state) { (void)state, promise_agrees(LIVE_OBSTRUCTION_FREE, 51); }
static void livelock_agrees(void **state) { (void)state, promise_agrees(LIVE_LIVELOCK_FREE, 52); }
static void wait_agrees(void **state) { (void)state, promise_agrees(LIVE_WAIT_FREE, 53); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obstruction_agrees),
        cmocka_unit_test(livelock_agrees),
        cmocka_unit_test(wait_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
