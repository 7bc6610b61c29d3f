// SPDX-License-Identifier: Apache-2.0
// Loops that break a promise, by strongly connected components (Tarjan 1972) of parts of the graph. A part is
// the graph without the edges that a violation may not have; an edge that a violation must have closes a loop
// iff both its ends are in one component. For livelock freedom the edges a loop must have depend on those it
// has: a thread that completes commands in it must be aborted in it. So the completed commands of threads
// that are never aborted in a component are taken away and its components are looked at again, as for Streett
// conditions, until nothing changes. The loop shown is short: through one required edge and back on a
// shortest way; the stem is a shortest one to it.
#include "language/liveness.h"

#include "base/order.h"

#include <string.h>

#define NOBODY UINT32_MAX

typedef struct {
    const live_graph *g;
    arena *memory;
    order_groups out;          // edges by origin
    uint32_t *depth, *parent;  // breadth-first distance from the initial states; edge by which
    bool *is_in;               // by edge: belongs to the part
    uint32_t *component;       // by state; NOBODY: in no part
    uint32_t ncomponents;
    live_tables *tables;  // NULL: ranks are not wanted
} analysis;

// ---- the graph

static void liveness_measure(analysis *x) {
    const live_graph *g = x->g;
    uint32_t *queue = mem_alloc((g->nstates + 1) * sizeof *queue), n = 0;
    memset(x->depth, 0xff, g->nstates * sizeof *x->depth);
    for (uint32_t q = 0; q < g->ninitial; q++) {
        x->depth[q] = 0;
        x->parent[q] = NOBODY;
        queue[n++] = q;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = x->out.first[queue[i]]; k < x->out.first[queue[i] + 1]; k++) {
            uint32_t to = g->edges.data[x->out.at[k]].to;
            if (x->depth[to] != NOBODY) continue;
            x->depth[to] = x->depth[queue[i]] + 1;
            x->parent[to] = x->out.at[k];
            queue[n++] = to;
        }
    free(queue);
}

static void liveness_begin(analysis *x, const live_graph *g) {
    *x = (analysis){.g = g, .memory = arena_new()};
    x->out = order_group_by(&g->edges, from, g->nstates);
    x->depth = arena_alloc(x->memory, g->nstates * sizeof *x->depth);
    x->parent = arena_alloc(x->memory, g->nstates * sizeof *x->parent);
    x->component = arena_alloc(x->memory, g->nstates * sizeof *x->component);
    x->is_in = arena_alloc(x->memory, g->edges.len * sizeof *x->is_in);
    liveness_measure(x);
}

// ---- components of the part

typedef struct {
    uint32_t *low, *number, *stack, *call, *position;
    uint32_t nstack, ncall, next;
} tarjan;

static void liveness_enter(tarjan *t, const analysis *x, uint32_t q) {
    t->number[q] = t->low[q] = t->next++;
    t->stack[t->nstack++] = q;
    t->call[t->ncall++] = q;
    t->position[q] = x->out.first[q];
}

static void close_component(tarjan *t, analysis *x, uint32_t q) {
    uint32_t member;
    do {
        member = t->stack[--t->nstack];
        x->component[member] = x->ncomponents;
    } while (member != q);
    x->ncomponents++;
}

static void liveness_leave(tarjan *t, analysis *x, uint32_t q) {
    t->ncall--;
    if (t->ncall) {
        uint32_t up = t->call[t->ncall - 1];
        if (t->low[q] < t->low[up]) t->low[up] = t->low[q];
    }
    if (t->low[q] == t->number[q]) close_component(t, x, q);
}

static void liveness_visit(tarjan *t, analysis *x, uint32_t root) {
    liveness_enter(t, x, root);
    while (t->ncall) {
        uint32_t q = t->call[t->ncall - 1];
        if (t->position[q] == x->out.first[q + 1]) {
            liveness_leave(t, x, q);
            continue;
        }
        uint32_t e = x->out.at[t->position[q]++];
        if (!x->is_in[e]) continue;
        uint32_t to = x->g->edges.data[e].to;
        if (t->number[to] == NOBODY) liveness_enter(t, x, to);
        else if (x->component[to] == NOBODY && t->number[to] < t->low[q]) t->low[q] = t->number[to];
    }
}

// A component is closed after those that it leads to, so along edges of the part their numbers do not rise.
static void keep_ranks(const analysis *x) {
    if (!x->tables) return;
    uint32_t *copy = mem_alloc((x->g->nstates + 1) * sizeof *copy);
    memcpy(copy, x->component, x->g->nstates * sizeof *copy);
    vec_push(x->tables, copy);
}

static void find_components(analysis *x) {
    uint32_t n = x->g->nstates, *memory = mem_alloc((5 * (size_t)n + 1) * sizeof *memory);
    tarjan t = {memory, memory + n, memory + 2 * (size_t)n, memory + 3 * (size_t)n, memory + 4 * (size_t)n, 0, 0, 0};
    memset(t.number, 0xff, n * sizeof *t.number);
    memset(x->component, 0xff, n * sizeof *x->component);
    x->ncomponents = 0;
    for (uint32_t q = 0; q < n; q++)
        if (t.number[q] == NOBODY && x->depth[q] != NOBODY) liveness_visit(&t, x, q);
    free(memory);
    keep_ranks(x);
}

static bool liveness_is_inside(const analysis *x, uint32_t e) {
    const live_edge *d = &x->g->edges.data[e];
    return x->is_in[e] && x->depth[d->from] != NOBODY && x->component[d->from] == x->component[d->to];
}

// ---- the lasso

static void reverse(uint32_t *data, uint32_t n) {
    for (uint32_t i = 0; i + 1 < n - i; i++) {
        uint32_t swapped = data[i];
        data[i] = data[n - 1 - i];
        data[n - 1 - i] = swapped;
    }
}

// Appends a shortest way from `from` to `to` inside their component.
static void add_way(const analysis *x, uint32_t from, uint32_t to, live_answer *out) {
    if (from == to) return;
    uint32_t n = x->g->nstates, *by = mem_alloc((2 * (size_t)n + 1) * sizeof *by), *queue = by + n, len = 0;
    memset(by, 0xff, n * sizeof *by);
    queue[len++] = from;
    for (uint32_t i = 0; i < len && by[to] == NOBODY; i++)
        for (uint32_t k = x->out.first[queue[i]]; k < x->out.first[queue[i] + 1]; k++) {
            uint32_t e = x->out.at[k], next = x->g->edges.data[e].to;
            if (!liveness_is_inside(x, e) || by[next] != NOBODY || next == from) continue;
            by[next] = e;
            queue[len++] = next;
        }
    uint32_t begin_at = out->loop.len;
    for (uint32_t q = to; q != from; q = x->g->edges.data[by[q]].from) vec_push(&out->loop, by[q]);
    reverse(out->loop.data + begin_at, out->loop.len - begin_at);
    free(by);
}

static void add_stem(const analysis *x, uint32_t q, live_answer *out) {
    for (; x->parent[q] != NOBODY; q = x->g->edges.data[x->parent[q]].from) vec_push(&out->stem, x->parent[q]);
    reverse(out->stem.data, out->stem.len);
}

// A loop through the given edges of one component, in their order.
static void liveness_add_lasso(const analysis *x, const uint32_t *edges, uint32_t n, live_answer *out) {
    for (uint32_t i = 0; i < n; i++) {
        vec_push(&out->loop, edges[i]);
        add_way(x, x->g->edges.data[edges[i]].to, x->g->edges.data[edges[(i + 1) % n]].from, out);
    }
    add_stem(x, x->g->edges.data[edges[0]].from, out);
    out->holds = false;
}

// ---- the promises

typedef bool (*edge_test)(const live_edge *e, uint32_t thread);

static bool liveness_alone_uncommitted(const live_edge *e, uint32_t t) {
    return e->thread == t && e->kind != LIVE_COMMIT;
}
static bool liveness_uncommitted(const live_edge *e, uint32_t t) { return e->thread != t || e->kind != LIVE_COMMIT; }
static bool liveness_fruitless(const live_edge *e, uint32_t t) { return e->thread != t || e->kind == LIVE_STEP; }
static bool liveness_is_abort(const live_edge *e, uint32_t t) { return e->thread == t && e->kind == LIVE_ABORT; }
static bool is_step(const live_edge *e, uint32_t t) { return e->thread == t && e->kind == LIVE_STEP; }

// The edge of the kind asked for that lies on a loop of the part and is nearest to the start; NOBODY: none.
static uint32_t nearest_inside(const analysis *x, edge_test needed, uint32_t t) {
    uint32_t best = NOBODY;
    for (uint32_t e = 0; e < x->g->edges.len; e++) {
        const live_edge *d = &x->g->edges.data[e];
        if (!needed(d, t) || !liveness_is_inside(x, e)) continue;
        if (best == NOBODY || x->depth[d->from] < x->depth[x->g->edges.data[best].from]) best = e;
    }
    return best;
}

// A loop of allowed edges with a needed one in it?
static bool liveness_has_loop(analysis *x, edge_test allowed, edge_test needed, uint32_t t, live_answer *out) {
    for (uint32_t e = 0; e < x->g->edges.len; e++) x->is_in[e] = allowed(&x->g->edges.data[e], t);
    find_components(x);
    uint32_t e = nearest_inside(x, needed, t);
    if (e == NOBODY) return false;
    out->thread = t;
    liveness_add_lasso(x, &e, 1, out);
    return true;
}

// For some thread, a loop with an abort and without a commit of it, or one in which it takes steps and completes
// nothing.
static void find_starving(analysis *x, edge_test uncommitted, edge_test fruitless, live_answer *out) {
    for (uint32_t t = 0; t < x->g->nthreads; t++)
        if (liveness_has_loop(x, uncommitted, liveness_is_abort, t, out)) return;
    for (uint32_t t = 0; t < x->g->nthreads; t++)
        if ((out->is_spin = liveness_has_loop(x, fruitless, is_step, t, out))) return;
}

static void check_obstruction(analysis *x, live_answer *out) {
    find_starving(x, liveness_alone_uncommitted, is_step, out);
}

// By component and thread: is the thread aborted in it?
static bool *aborted_in(const analysis *x) {
    uint32_t n = x->g->nthreads;
    bool *p = mem_zero((size_t)x->ncomponents * n + 1, sizeof *p);
    for (uint32_t e = 0; e < x->g->edges.len; e++) {
        const live_edge *d = &x->g->edges.data[e];
        if (d->thread < n && d->kind == LIVE_ABORT && liveness_is_inside(x, e))
            p[(size_t)x->component[d->from] * n + d->thread] = true;
    }
    return p;
}

// Takes away the completed commands of threads that are not aborted where they complete them; false: there
// are none.
static bool prune(analysis *x) {
    bool *p = aborted_in(x), changed = false;
    for (uint32_t e = 0; e < x->g->edges.len; e++) {
        const live_edge *d = &x->g->edges.data[e];
        if (d->thread >= x->g->nthreads || d->kind != LIVE_DONE || !liveness_is_inside(x, e)) continue;
        if (p[(size_t)x->component[d->from] * x->g->nthreads + d->thread]) continue;
        x->is_in[e] = false;
        changed = true;
    }
    free(p);
    return changed;
}

static bool any_of_a_thread(const live_edge *e, uint32_t nthreads) { return e->thread < nthreads; }

// An abort of every thread that has one in the component of e, then e if there is none.
static void add_livelock(const analysis *x, uint32_t e, live_answer *out) {
    uint32_t c = x->component[x->g->edges.data[e].from], n = 0;
    uint32_t *through = mem_alloc((x->g->nthreads + 1) * sizeof *through);
    for (uint32_t t = 0; t < x->g->nthreads; t++) {
        uint32_t found = NOBODY;
        for (uint32_t k = 0; k < x->g->edges.len && found == NOBODY; k++)
            if (liveness_is_abort(&x->g->edges.data[k], t) && liveness_is_inside(x, k) &&
                x->component[x->g->edges.data[k].from] == c)
                found = k;
        if (found != NOBODY) through[n++] = found;
    }
    out->is_spin = !n;
    if (!n) through[n++] = e;
    liveness_add_lasso(x, through, n, out);
    free(through);
}

// A thread alone first: its loops are the easiest to understand.
static void check_livelock(analysis *x, live_answer *out) {
    check_obstruction(x, out);
    if (!out->holds) return;
    for (uint32_t e = 0; e < x->g->edges.len; e++)
        x->is_in[e] = x->g->edges.data[e].kind != LIVE_COMMIT || x->g->edges.data[e].thread >= x->g->nthreads;
    do find_components(x);
    while (prune(x));
    uint32_t e = nearest_inside(x, any_of_a_thread, x->g->nthreads);
    if (e != NOBODY) add_livelock(x, e, out);
}

void liveness_free_tables(live_tables *t) {
    for (uint32_t i = 0; i < t->len; i++) free(t->data[i]);
    vec_free(t);
}

live_answer liveness_check(const live_graph *g, live_promise promise, live_tables *tables) {
    live_answer out = {.holds = true, .thread = NOBODY};
    analysis x;
    liveness_begin(&x, g);
    x.tables = tables;
    if (promise == LIVE_OBSTRUCTION_FREE) check_obstruction(&x, &out);
    else if (promise == LIVE_LIVELOCK_FREE) check_livelock(&x, &out);
    else find_starving(&x, liveness_uncommitted, liveness_fruitless, &out);
    order_groups_free(&x.out);
    arena_free(x.memory);
    return out;
}

void liveness_free(live_answer *a) {
    vec_free(&a->stem);
    vec_free(&a->loop);
}

// ---- checking a loop

typedef struct {
    uint32_t steps, done, commits, aborts;
} tally;

static tally count_thread(const live_graph *g, const uint32_t *loop, uint32_t n, uint32_t t) {
    tally c = {0};
    for (uint32_t i = 0; i < n; i++) {
        const live_edge *e = &g->edges.data[loop[i]];
        if (e->thread != t) continue;
        c.steps++;
        c.done += e->kind == LIVE_DONE;
        c.commits += e->kind == LIVE_COMMIT;
        c.aborts += e->kind == LIVE_ABORT;
    }
    return c;
}

// Takes steps, commits nothing, and is aborted or completes nothing.
static bool is_starved(tally c) { return c.steps && !c.commits && (c.aborts || !c.done); }

bool liveness_breaks(const live_graph *g, live_promise promise, const uint32_t *loop, uint32_t n) {
    uint32_t starved = 0, moving = 0;
    bool alone = false;
    for (uint32_t t = 0; t < g->nthreads; t++) {
        tally c = count_thread(g, loop, n, t);
        moving += c.steps > 0;
        starved += is_starved(c);
        alone |= is_starved(c) && c.steps == n;
    }
    if (promise == LIVE_OBSTRUCTION_FREE) return alone;
    return promise == LIVE_WAIT_FREE ? starved > 0 : moving && starved == moving;
}
