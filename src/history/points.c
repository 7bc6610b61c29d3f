// SPDX-License-Identifier: Apache-2.0
// Points and edges: see points.h.
#include "history/points.h"

#include <string.h>

void points_edge(points *p, uint32_t from, uint32_t to, edge_kind kind, uint32_t read) {
    vec_push(&p->edges, (edge){from, to, kind, read & ((1u << 28) - 1), 0});
}

// ---- real time

typedef struct {
    uint64_t time;
    uint32_t tx;
} end_at;

static int compare_ends(const void *a, const void *b) {
    const end_at *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static end_at *sorted_ends(const recorded *h, uint32_t *count) {
    end_at *ends = mem_alloc(((size_t)h->txs.len + 1) * sizeof *ends);
    uint32_t n = 0;
    for (uint32_t t = 0; t < h->txs.len; t++)
        if (h->txs.data[t].ends != RECORDED_NEVER) ends[n++] = (end_at){h->txs.data[t].ends, t};
    qsort(ends, n, sizeof *ends, compare_ends);
    *count = n;
    return ends;
}

// A time point for every change from ends to beginnings. Equal times do not order.
static void make_times(points *p) {
    const recorded *h = p->d->h;
    uint32_t n, e = 0;
    end_at *ends = sorted_ends(h, &n);
    p->end_time = mem_alloc(((size_t)p->n + 1) * sizeof *p->end_time);
    p->begin_time = mem_alloc(((size_t)p->n + 1) * sizeof *p->begin_time);
    p->time_first = mem_alloc(((size_t)p->n + 2) * sizeof *p->time_first);
    memset(p->end_time, 0xff, ((size_t)p->n + 1) * sizeof *p->end_time);
    for (uint32_t t = 0; t < p->n; t++) {
        if (e < n && ends[e].time < h->txs.data[t].begins) {
            p->time_first[p->ntimes] = t;
            for (; e < n && ends[e].time < h->txs.data[t].begins; e++) p->end_time[ends[e].tx] = p->ntimes;
            p->ntimes++;
        }
        p->begin_time[t] = p->ntimes ? p->ntimes - 1 : POINTS_NONE;
    }
    p->time_first[p->ntimes] = p->n;
    free(ends);
}

// ---- what is known from the beginning

static bool is_known_by_time(const points *p, uint32_t t, uint32_t u) {
    return p->ntimes && p->d->h->txs.data[t].ends < p->d->h->txs.data[u].begins;
}

static void add_sessions(points *p) {
    const recorded *h = p->d->h;
    uint32_t *last = mem_zero((size_t)names_count(&h->sessions) + 1, sizeof *last);
    for (uint32_t t = 0; t < p->n; t++) {
        uint32_t *l = &last[h->txs.data[t].session];
        if (*l && !is_known_by_time(p, *l - 1, t))
            points_edge(p, point_commit(p, *l - 1), point_read(p, t), EDGE_SESSION, 0);
        *l = t + 1;
    }
    free(last);
}

static void add_known(points *p) {
    const digest *d = p->d;
    for (uint32_t t = 0; p->shift && t < p->n; t++) points_edge(p, point_read(p, t), point_commit(p, t), EDGE_OWN, 0);
    if (level_has_sessions(d->l)) add_sessions(p);
    for (uint32_t i = 0; i < d->reads.len; i++) {
        const digest_read *r = &d->reads.data[i];
        bool is_known = r->writer != DIGEST_INITIAL && r->writer != DIGEST_OPEN && d->reads_count[r->tx] == COUNTS;
        if (is_known && !is_known_by_time(p, r->writer, r->tx))
            points_edge(p, point_commit(p, r->writer), point_read(p, r->tx), EDGE_FROM, i);
    }
    for (uint32_t i = 0; !level_is_weak(d->l) && i < d->list_order.len; i += 2) {
        uint32_t from = d->list_order.data[i], to = d->list_order.data[i + 1];
        if (d->writes_count[to] == COUNTS) points_edge(p, point_commit(p, from), point_read(p, to), EDGE_LIST, 0);
    }
}

void points_make(points *p, digest *d, const limits *stop) {
    *p = (points){.d = d, .stop = stop, .n = d->h->txs.len, .shift = level_is_snapshot(d->l) ? 1 : 0};
    if (level_needs_times(d->l)) make_times(p);
    p->npoints = (p->n << p->shift) + p->ntimes;
    add_known(p);
}

void points_free(points *p) {
    free(p->end_time);
    free(p->begin_time);
    free(p->time_first);
    vec_free(&p->edges);
    vec_free(&p->rounds);
    free(p->out_first);
    free(p->out);
    free(p->order);
    free(p->waiting);
    free(p->seen);
}

// ---- an order

void points_index(points *p) {
    p->out_first = mem_grow(p->out_first, ((size_t)p->npoints + 2) * sizeof *p->out_first);
    p->out = mem_grow(p->out, ((size_t)p->edges.len + 1) * sizeof *p->out);
    memset(p->out_first, 0, ((size_t)p->npoints + 2) * sizeof *p->out_first);
    for (uint32_t i = 0; i < p->edges.len; i++) p->out_first[p->edges.data[i].from + 1]++;
    for (uint32_t v = 0; v < p->npoints; v++) p->out_first[v + 1] += p->out_first[v];
    for (uint32_t i = p->edges.len; i-- > 0;) p->out[--p->out_first[p->edges.data[i].from + 1]] = i;
    // Each entry was moved to where its own edges begin: out_first[v + 1] is now that of v.
    memmove(p->out_first, p->out_first + 1, ((size_t)p->npoints) * sizeof *p->out_first);
    p->out_first[p->npoints] = p->edges.len;
}

static void count_waiting(points *p) {
    memset(p->waiting, 0, (size_t)p->npoints * sizeof *p->waiting);
    for (uint32_t v = 0; v < p->npoints; v++) {
        successors s = points_successors(p, v);
        for (uint32_t to; successors_next(p, &s, &to);) p->waiting[to]++;
    }
}

// First come, first served: near the order of beginnings, which is how the points lie in memory.
bool points_sort(points *p) {
    points_index(p);
    if (!p->order) p->order = mem_alloc(((size_t)p->npoints + 1) * sizeof *p->order);
    if (!p->waiting) p->waiting = mem_alloc(((size_t)p->npoints + 1) * sizeof *p->waiting);
    count_waiting(p);
    p->norder = 0;
    for (uint32_t v = 0; v < p->npoints; v++)
        if (!p->waiting[v]) p->order[p->norder++] = v;
    for (uint32_t i = 0; i < p->norder; i++) {
        successors s = points_successors(p, p->order[i]);
        for (uint32_t to; successors_next(p, &s, &to);)
            if (!--p->waiting[to]) p->order[p->norder++] = to;
    }
    return p->norder == p->npoints;
}
