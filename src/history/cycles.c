// SPDX-License-Identifier: Apache-2.0
// Components and cycles: see points.h. Tarjan's algorithm without recursion: components come out last ones first. When
// a point is left, all that is after it has been placed, so visiting the latest of the guess first gives an order that
// differs from the guess only where edges say so.
#include "history/points.h"

#include <string.h>

typedef struct {
    points *p;
    uint32_t *index, *low;  // by point: 0 if not visited
    uint32_t count;
    VEC(uint32_t) stack;
    VEC(uint32_t) path;
    VEC(successors) open;  // beside path
    uint32_t place;        // in order, from its end
    uint32_t ncyclic;
    point_list *cyclic;
} tarjan;

enum { DONE = UINT32_MAX };

static void tarjan_enter(tarjan *t, uint32_t v) {
    t->index[v] = t->low[v] = ++t->count;
    vec_push(&t->stack, v);
    vec_push(&t->path, v);
    vec_push(&t->open, points_successors(t->p, v));
}

static void tarjan_close(tarjan *t, uint32_t v) {
    uint32_t n = 0, u;
    do { u = t->stack.data[t->stack.len - 1 - n++]; } while (u != v);
    if (n > 1) {
        t->ncyclic++;
        vec_push(t->cyclic, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        u = vec_pop(&t->stack);
        t->index[u] = DONE;
        t->p->order[--t->place] = u;
        if (n > 1) vec_push(t->cyclic, u);
    }
}

static void tarjan_visit(tarjan *t, uint32_t root) {
    tarjan_enter(t, root);
    while (t->path.len) {
        uint32_t v = vec_last(&t->path), to;
        if (successors_next(t->p, &vec_last(&t->open), &to)) {
            if (!t->index[to]) tarjan_enter(t, to);
            else if (t->index[to] != DONE && t->index[to] < t->low[v]) t->low[v] = t->index[to];
            continue;
        }
        t->path.len--;
        t->open.len--;
        if (t->path.len && t->low[v] < t->low[vec_last(&t->path)]) t->low[vec_last(&t->path)] = t->low[v];
        if (t->low[v] == t->index[v]) tarjan_close(t, v);
    }
}

uint32_t cycles_sort(points *p, const uint32_t *guess, point_list *cyclic) {
    tarjan t = {.p = p, .place = p->npoints, .cyclic = cyclic};
    t.index = mem_zero((size_t)p->npoints + 1, sizeof *t.index);
    t.low = mem_zero((size_t)p->npoints + 1, sizeof *t.low);
    points_index(p);
    for (uint32_t i = p->npoints; i-- > 0;) {
        uint32_t v = guess ? guess[i] : i;
        if (!t.index[v]) tarjan_visit(&t, v);
    }
    p->norder = p->npoints;
    free(t.index);
    free(t.low);
    vec_free(&t.stack);
    vec_free(&t.path);
    vec_free(&t.open);
    return t.ncyclic;
}

// ---- one cycle

// The edge that successors_next() just gave: its index, or POINTS_NONE for one of real time.
static uint32_t edge_given(const points *p, const successors *before) {
    return before->at < before->end ? p->out[before->at] : POINTS_NONE;
}

typedef struct {
    uint32_t point, edge;  // how it was reached
} step;

// Breadth first from `from` to `to`, within the marked points and by edges before `most`; steps, the last first.
static bool shortest_path(points *p, uint32_t from, uint32_t to, const uint32_t *within, uint32_t mark, uint32_t most,
                          point_list *edges) {
    if (!p->seen) p->seen = mem_zero((size_t)p->npoints + 1, sizeof *p->seen);
    uint32_t seen = ++p->seen_mark;
    VEC(step) queue = {0};
    VEC(uint32_t) parent = {0};
    bool found = from == to;
    vec_push(&queue, (step){from, POINTS_NONE});
    vec_push(&parent, 0);
    p->seen[from] = seen;
    uint32_t last = 0;
    for (uint32_t i = 0; i < queue.len && !found; i++) {
        successors s = points_successors(p, queue.data[i].point), was = s;
        for (uint32_t v; !found && successors_next(p, &s, &v); was = s) {
            uint32_t e = edge_given(p, &was);
            if ((e != POINTS_NONE && e >= most) || (within && within[v] != mark)) continue;
            if (p->seen[v] == seen) continue;
            p->seen[v] = seen;
            vec_push(&queue, (step){v, e});
            vec_push(&parent, i);
            found = v == to;
            last = queue.len - 1;
        }
    }
    for (uint32_t i = last; found && i; i = parent.data[i])
        if (queue.data[i].edge != POINTS_NONE) vec_push(edges, queue.data[i].edge);
    vec_free(&queue);
    vec_free(&parent);
    return found;
}

void cycles_through(points *p, uint32_t e, const uint32_t *within, uint32_t mark, point_list *out) {
    vec_clear(out);
    if (shortest_path(p, p->edges.data[e].to, p->edges.data[e].from, within, mark, UINT32_MAX, out)) vec_push(out, e);
}

// ---- suspects

typedef struct {
    points *p;
    map *txs, *edges;  // seen
    point_list *out, *reads;
    VEC(uint32_t) todo;  // edges whose reasons are to be found
} suspecting;

static void suspect_tx(suspecting *s, uint32_t tx) {
    if (tx >= s->p->n) return;
    if (map_put(s->txs, &tx, sizeof tx, 0)) vec_push(s->out, tx);
}

static void suspect_edge(suspecting *s, uint32_t e) {
    const edge *x = &s->p->edges.data[e];
    if (!map_put(s->edges, &e, sizeof e, 0)) return;
    if (!point_is_time(s->p, x->from)) suspect_tx(s, point_tx(s->p, x->from));
    if (!point_is_time(s->p, x->to)) suspect_tx(s, point_tx(s->p, x->to));
    vec_push(&s->todo, e);
}

static uint32_t round_begins(const points *p, uint32_t e) {
    uint32_t begins = 0;
    for (uint32_t i = 0; i < p->rounds.len && p->rounds.data[i] <= e; i++) begins = p->rounds.data[i];
    return begins;
}

// What an edge followed from was a path of edges that were there before.
static void suspect_path(suspecting *s, uint32_t from, uint32_t to, uint32_t e) {
    point_list path = {0};
    shortest_path(s->p, from, to, NULL, 0, round_begins(s->p, e), &path);
    for (uint32_t i = 0; i < path.len; i++) suspect_edge(s, path.data[i]);
    vec_free(&path);
}

// Why u counts as before the reader, or after the writer. At the weak levels that is what the reader sees of u.
static void suspect_seen(suspecting *s, const edge *x, const digest_read *q, uint32_t e) {
    const points *p = s->p;
    level l = p->d->l;
    if (x->also) {
        const digest_read *b = &p->d->reads.data[x->also - 1];
        if (s->reads) vec_push(s->reads, x->also - 1);
        if (b->writer < p->n) suspect_tx(s, b->writer);
    } else if (l == LEVEL_CAUSAL && x->kind != EDGE_FROM) {
        suspect_path(s, x->kind == EDGE_BEFORE ? x->from : x->to, q->tx, e);
    } else if (!level_is_weak(l)) {
        if (x->kind == EDGE_BEFORE) suspect_path(s, x->from, point_read(p, q->tx), e);
        if (x->kind == EDGE_AFTER && q->writer < p->n) suspect_path(s, point_commit(p, q->writer), x->to, e);
    }
}

static void suspect_reason(suspecting *s, uint32_t e) {
    const points *p = s->p;
    const edge *x = &p->edges.data[e];
    if (x->kind == EDGE_WRITES) {
        suspect_path(s, point_read(p, point_tx(p, x->from)), point_commit(p, point_tx(p, x->to)), e);
        return;
    }
    if (x->kind != EDGE_FROM && x->kind != EDGE_BEFORE && x->kind != EDGE_AFTER) return;
    const digest_read *q = &p->d->reads.data[x->read];
    suspect_tx(s, q->tx);
    if (s->reads) vec_push(s->reads, x->read);
    if (q->writer < p->n) suspect_tx(s, q->writer);
    suspect_seen(s, x, q, e);
}

enum { MOST_TRIED = 50 };

// A shortest cycle, through an edge of the last round: before it there was none. A few of those are tried.
static void shortest_cycle(points *p, const point_list *cyclic, point_list *out) {
    uint32_t *within = mem_zero((size_t)p->npoints + 1, sizeof *within), mark = 0, tried = 0;
    for (uint32_t i = 0; i < cyclic->len; i += cyclic->data[i] + 1) {
        mark++;
        for (uint32_t k = 1; k <= cyclic->data[i]; k++) within[cyclic->data[i + k]] = mark;
    }
    point_list cycle = {0};
    for (uint32_t e = p->rounds.len ? vec_last(&p->rounds) : 0; e < p->edges.len && tried < MOST_TRIED; e++) {
        uint32_t m = within[p->edges.data[e].from];
        if (!m || within[p->edges.data[e].to] != m) continue;
        tried++;
        cycles_through(p, e, within, m, &cycle);
        if (!cycle.len || (out->len && cycle.len >= out->len)) continue;
        vec_clear(out);
        for (uint32_t j = 0; j < cycle.len; j++) vec_push(out, cycle.data[j]);
    }
    free(within);
    vec_free(&cycle);
}

void cycles_suspects(points *p, const point_list *cyclic, point_list *txs, point_list *reads) {
    suspecting s = {.p = p, .txs = map_new(), .edges = map_new(), .out = txs, .reads = reads};
    point_list cycle = {0};
    shortest_cycle(p, cyclic, &cycle);
    for (uint32_t i = 0; i < cycle.len; i++) suspect_edge(&s, cycle.data[i]);
    for (uint32_t i = 0; i < s.todo.len; i++) suspect_reason(&s, s.todo.data[i]);
    vec_free(&cycle);
    vec_free(&s.todo);
    map_free(s.txs);
    map_free(s.edges);
}
