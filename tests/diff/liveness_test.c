// SPDX-License-Identifier: Apache-2.0
// Loops that break a promise of liveness, against naive twins on random small graphs: a loop can be made of a set of
// edges iff they are strongly connected, so one twin tries every set of edges, and what it means to break a promise is
// said by oracle/naive_words.h; the other is the twin of whole files there. And the ranks of certificates: those of a
// promise that is kept prove it, and no ranks prove one that is broken.
#include "oracle/unit.h"

#include "base/rng.h"
#include "certificate/ranking.h"
#include "language/liveness.h"
#include "oracle/naive_words.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_STATES = 5, MOST_EDGES = 10 };

static live_graph random_graph(rng *r) {
    live_graph g = {.nstates = 1 + rng_below(r, MOST_STATES), .nthreads = 1 + rng_below(r, 3)};
    g.ninitial = rng_below(r, 3) ? 1 : rng_below(r, g.nstates + 1);  // none: no run at all
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

static uint32_t reachable(const live_graph *g) {
    uint32_t all = 0;
    for (uint32_t q = 0; q < g->ninitial; q++) all |= reach(g, ~0u, q);
    return all;
}

static bool is_loop(const live_graph *g, uint32_t edges) {
    uint32_t all = reachable(g);
    for (uint32_t e = 0; e < g->edges.len; e++) {
        if (!(edges >> e & 1)) continue;
        if (!(all >> g->edges.data[e].from & 1)) return false;
        uint32_t there = reach(g, edges, g->edges.data[e].to);
        for (uint32_t d = 0; d < g->edges.len; d++)
            if ((edges >> d & 1) && !(there >> g->edges.data[d].from & 1)) return false;
    }
    return edges != 0;
}

static const prop_kind kinds[] = {PROP_OBSTRUCTION_FREE, PROP_LIVELOCK_FREE, PROP_WAIT_FREE};

// What is reachable of it, edges with the same numbers: one that is not begins and ends nowhere.
static naive_graph twin_of(const live_graph *g) {
    static const naive_kind as[] = {
        [LIVE_STEP] = NAIVE_STEP, [LIVE_DONE] = NAIVE_DONE, [LIVE_COMMIT] = NAIVE_COMMIT, [LIVE_ABORT] = NAIVE_ABORT};
    naive_graph twin = {.nstates = g->nstates + 2, .nthreads = g->nthreads};
    uint32_t all = reachable(g);
    for (uint32_t q = 0; q < g->ninitial; q++) naive_set_add(&twin.initial, q);
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const live_edge *e = &g->edges.data[i];
        uint32_t thread = e->thread < g->nthreads ? e->thread : NAIVE_NOBODY;
        naive_edge same = {e->from, NAIVE_SILENT, e->to, thread, as[e->kind]};
        if (!(all >> e->from & 1)) same.from = g->nstates, same.to = g->nstates + 1;
        vec_push(&twin.edges, same);
    }
    return twin;
}

static bool breaks_somehow(const naive_graph *twin, live_promise promise) {
    if (promise == LIVE_OBSTRUCTION_FREE) return naive_obstructed(twin);
    return promise == LIVE_LIVELOCK_FREE ? naive_livelocked(twin) : naive_waits(twin);
}

static bool naive_breaks(const live_graph *g, const naive_graph *twin, live_promise promise) {
    for (uint32_t edges = 1; edges < 1u << g->edges.len; edges++) {
        uint32_t loop[MOST_EDGES], n = 0;
        for (uint32_t e = 0; e < g->edges.len; e++)
            if (edges >> e & 1) loop[n++] = e;
        if (naive_run_breaks(twin, kinds[promise], loop, n) && is_loop(g, edges)) return true;
    }
    return false;
}

static void check_lasso(const live_graph *g, const naive_graph *twin, live_promise promise, const live_answer *a) {
    uint32_t at = g->edges.data[a->stem.len ? a->stem.data[0] : a->loop.data[0]].from, head;
    assert_true(at < g->ninitial);
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
    assert_true(naive_run_breaks(twin, kinds[promise], a->loop.data, a->loop.len));
    assert_true(liveness_breaks(g, promise, a->loop.data, a->loop.len));
}

// ---- ranks

typedef struct {
    uint32_t cases, wrong;
} tally;

static bool ranks_prove(const live_graph *g, live_promise promise, const live_tables *tables) {
    uint32_t all = reachable(g);
    ranking_edges edges = {0};
    str why = {0};
    for (uint32_t i = 0; i < g->edges.len; i++) {
        const live_edge *e = &g->edges.data[i];
        if (all >> e->from & 1) vec_push(&edges, (ranking_edge){e->from, e->to, e->thread, (ranking_kind)e->kind});
    }
    bool ok =
        ranking_check(kinds[promise], g->nthreads, &edges, (const uint32_t *const *)tables->data, tables->len, &why);
    assert_true(ok || why.len);
    vec_free(&edges);
    str_free(&why);
    return ok;
}

// What breaks the promise is proved by no ranks at all.
static void try_forgeries(rng *r, const live_graph *g, live_promise promise, tally *t) {
    uint32_t n = 2 * g->nthreads + (promise == LIVE_LIVELOCK_FREE ? 1 + rng_below(r, 3) : 0);
    for (uint32_t k = 0; k < 10; k++, t->cases++) {
        live_tables tables = {0};
        for (uint32_t i = 0; i < n; i++) {
            uint32_t *rank = mem_zero(g->nstates + 1, sizeof *rank);
            for (uint32_t q = 0; q < g->nstates; q++) rank[q] = rng_below(r, 1 + k / 2);
            vec_push(&tables, rank);
        }
        t->wrong += ranks_prove(g, promise, &tables);
        liveness_free_tables(&tables);
    }
}

static void check_promise(rng *r, live_promise promise, uint32_t *held, tally *t) {
    live_graph g = random_graph(r);
    live_tables tables = {0};
    live_answer a = liveness_check(&g, promise, &tables);
    if (a.holds) t->cases++, t->wrong += !ranks_prove(&g, promise, &tables);
    else try_forgeries(r, &g, promise, t);
    liveness_free_tables(&tables);
    naive_graph twin = twin_of(&g);
    assert_int_equal(a.holds, !naive_breaks(&g, &twin, promise));
    assert_int_equal(a.holds, !breaks_somehow(&twin, promise));
    if (!a.holds) check_lasso(&g, &twin, promise, &a);
    *held += a.holds;
    naive_graph_free(&twin);
    liveness_free(&a);
    vec_free(&g.edges);
}

static void promise_agrees(live_promise promise, uint64_t seed) {
    rng r = {seed};
    uint32_t held = 0, rounds = getenv("PARVIS_LONG") ? 60000 : 4000;
    tally t = {0};
    for (uint32_t i = 0; i < rounds; i++) check_promise(&r, promise, &held, &t);
    static const char *const names[] = {"obstruction freedom", "livelock freedom", "wait freedom"};
    printf("# tally: ranks on random graphs, %s | %u cases | %u wrong\n", names[promise], t.cases, t.wrong);
    assert_int_equal(t.wrong, 0);
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
