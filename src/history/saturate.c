// SPDX-License-Identifier: Apache-2.0
// Edges that follow from what was read: see points.h. Let r read a key from w, and let u write that key too.
//
//   u is before r: then u is before w;     w is before u: then r is before u.
//
// And at the levels of snapshots, of two that write one key, the one that cannot be second is first: it commits before
// the other takes its snapshot. In each chain only the last u before r, and the first u after w, make a difference.
// Rounds are repeated until nothing follows any more. If there is a cycle, no order exists.
#include "history/points.h"

typedef struct {
    points *p;
    const reach *r;
    uint32_t added;
} rounding;

static void follow(rounding *x, uint32_t from, uint32_t to, edge_kind kind, uint32_t read) {
    points_edge(x->p, from, to, kind, read);
    x->added++;
}

// The last writer before r in a chain is before w. If that is w itself, so are those before it. Nothing follows if it
// is known already: what is known to be before r in the chain is mostly before w too, and is not even looked for.
static void follow_before(rounding *x, const digest_read *q, uint32_t read, uint32_t chain) {
    const points *p = x->p;
    const uint32_t k = x->r->nchains;
    uint32_t pos = x->r->before[(size_t)point_read(p, q->tx) * k + chain];
    uint32_t known = x->r->before[(size_t)point_read(p, q->writer) * k + chain];
    if (chain == x->r->chain[q->tx] && !p->shift && pos) pos--;  // not r itself
    if (pos <= known) return;
    uint32_t i = reach_write_until(x->r, q->key, chain, pos - 1);
    if (i == POINTS_NONE || (uint32_t)x->r->at[i] < known || x->r->tx[i] == q->writer) return;
    follow(x, point_commit(p, x->r->tx[i]), point_read(p, q->writer), EDGE_BEFORE, read);
}

// The first writer after w in a chain is after r. If that is r itself, so are those after it.
static void follow_after(rounding *x, const digest_read *q, uint32_t read, uint32_t chain) {
    const points *p = x->p;
    const uint32_t k = x->r->nchains;
    uint32_t pos = 0, known = x->r->after[(size_t)point_read(p, q->tx) * k + chain];
    if (q->writer != DIGEST_INITIAL) {
        pos = x->r->after[(size_t)point_commit(p, q->writer) * k + chain];
        if (pos == POINTS_NONE) return;
        pos += chain == x->r->chain[q->writer];  // not w itself
    }
    if (known <= pos) return;
    uint32_t i = reach_write_from(x->r, q->key, chain, pos);
    if (i == POINTS_NONE || (uint32_t)x->r->at[i] >= known || x->r->tx[i] == q->tx) return;
    follow(x, point_read(p, q->tx), point_commit(p, x->r->tx[i]), EDGE_AFTER, read);
}

static void follow_read(rounding *x, uint32_t read) {
    const digest *d = x->p->d;
    const digest_read *q = &d->reads.data[read];
    if (q->writer == DIGEST_OPEN || d->reads_count[q->tx] != COUNTS) return;
    for (uint32_t c = 0; c < x->r->nchains; c++) {
        if (q->writer != DIGEST_INITIAL) follow_before(x, q, read, c);
        follow_after(x, q, read, c);
    }
}

// Snapshot levels: w cannot be after those that commit after its snapshot.
static void follow_write(rounding *x, uint32_t tx, uint32_t key) {
    const points *p = x->p;
    for (uint32_t c = 0; c < x->r->nchains; c++) {
        uint32_t pos = x->r->after[(size_t)point_read(p, tx) * x->r->nchains + c];
        uint32_t known = x->r->after[(size_t)point_commit(p, tx) * x->r->nchains + c];
        if (pos == POINTS_NONE) continue;
        if (c == x->r->chain[tx]) pos += 2;
        uint32_t i = known < pos ? POINTS_NONE : reach_write_from(x->r, key, c, pos);
        // Its snapshot is one position before its commit.
        if (i != POINTS_NONE && (uint32_t)x->r->at[i] <= known)
            follow(x, point_commit(p, tx), point_read(p, x->r->tx[i]), EDGE_WRITES, 0);
    }
}

static bool follow_all(rounding *x) {
    const digest *d = x->p->d;
    uint32_t steps = 0;
    for (uint32_t i = 0; i < d->reads.len; i++) {
        follow_read(x, i);
        if (limits_met_lately(x->p->stop, &steps)) return false;
    }
    for (uint32_t i = 0; x->p->shift && i < d->writes.len; i++) {
        const digest_write *w = &d->writes.data[i];
        if (d->writes_count[w->tx] == COUNTS) follow_write(x, w->tx, w->key);
    }
    return true;
}

saturate_answer saturate(points *p, reach *r) {
    for (;;) {
        rounding x = {p, r, 0};
        vec_push(&p->rounds, p->edges.len);
        if (!follow_all(&x) || limits_met(p->stop)) return SATURATE_STOPPED;
        if (!x.added) return SATURATE_DONE;
        if (!points_sort(p)) return SATURATE_CYCLE;
        reach_find(r, p);
    }
}
