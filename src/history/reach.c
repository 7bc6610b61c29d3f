// SPDX-License-Identifier: Apache-2.0
// Which point is before which: see points.h. With k chains a point has k numbers for what is after it, and k for what
// is before it, so a question takes one comparison, and finding them all takes k steps per edge. Sessions are chains
// where the level keeps their order; transactions that follow each other in real time are chains if that makes fewer;
// where neither is known, a chain follows edges.
#include "history/points.h"

#include <string.h>

enum { FEW_SESSIONS = 24 };
static const uint64_t most_bytes = UINT64_C(1) << 30;

// ---- chains

static void join_chain(reach *r, uint32_t *length, uint32_t tx, uint32_t chain) {
    r->chain[tx] = chain;
    r->pos[tx] = length[chain]++;
}

static void chains_of_sessions(reach *r, const points *p, uint32_t *length) {
    r->nchains = names_count(&p->d->h->sessions);
    for (uint32_t t = 0; t < p->n; t++) join_chain(r, length, t, p->d->h->txs.data[t].session);
}

typedef struct {
    uint64_t end;
    uint32_t chain;
} lane;

static void lane_sift(lane *heap, uint32_t n, uint32_t i) {
    for (;;) {
        uint32_t least = i, a = 2 * i + 1, b = a + 1;
        if (a < n && heap[a].end < heap[least].end) least = a;
        if (b < n && heap[b].end < heap[least].end) least = b;
        if (least == i) return;
        lane swap = heap[i];
        heap[i] = heap[least];
        heap[least] = swap;
        i = least;
    }
}

// A transaction goes behind the one that ended first, if it had ended: as few chains as transactions overlap.
static void chains_of_time(reach *r, const points *p, uint32_t *length) {
    lane *heap = mem_alloc(((size_t)p->n + 1) * sizeof *heap);
    uint32_t n = 0;
    for (uint32_t t = 0; t < p->n; t++) {
        const recorded_tx *x = &p->d->h->txs.data[t];
        if (n && heap[0].end < x->begins) {
            join_chain(r, length, t, heap[0].chain);
            heap[0].end = x->ends;
            lane_sift(heap, n, 0);
            continue;
        }
        join_chain(r, length, t, r->nchains);
        uint32_t i = n++;
        for (heap[i] = (lane){x->ends, r->nchains++}; i && heap[(i - 1) / 2].end > heap[i].end; i = (i - 1) / 2) {
            lane swap = heap[i];
            heap[i] = heap[(i - 1) / 2];
            heap[(i - 1) / 2] = swap;
        }
    }
    free(heap);
}

// Every transaction is followed by the first of its successors that follows nobody yet.
static void chains_of_edges(reach *r, const points *p, uint32_t *length) {
    memset(r->chain, 0xff, (size_t)p->n * sizeof *r->chain);
    for (uint32_t i = 0; i < p->npoints; i++) {
        uint32_t v = p->order[i], to;
        if (point_is_time(p, v) || v != point_commit(p, point_tx(p, v))) continue;
        uint32_t t = point_tx(p, v);
        if (r->chain[t] == POINTS_NONE) join_chain(r, length, t, r->nchains++);
        successors s = points_successors(p, v);
        while (successors_next(p, &s, &to)) {
            uint32_t u = point_tx(p, to);
            if (point_is_time(p, to) || to != point_read(p, u) || r->chain[u] != POINTS_NONE) continue;
            join_chain(r, length, u, r->chain[t]);
            break;
        }
    }
}

static void make_chains(reach *r, const points *p) {
    uint32_t sessions = names_count(&p->d->h->sessions), *length;
    length = mem_zero((size_t)p->n + sessions + 1, sizeof *length);
    r->chain = mem_alloc(((size_t)p->n + 1) * sizeof *r->chain);
    r->pos = mem_alloc(((size_t)p->n + 1) * sizeof *r->pos);
    if (level_has_sessions(p->d->l) && (sessions <= FEW_SESSIONS || !p->ntimes)) chains_of_sessions(r, p, length);
    else if (p->ntimes) chains_of_time(r, p, length);
    else chains_of_edges(r, p, length);
    free(length);
}

// ---- writes by chain

static uint32_t *txs_by_chain(const reach *r, const points *p) {
    uint32_t *first = mem_zero((size_t)r->nchains + 2, sizeof *first), *at;
    at = mem_alloc(((size_t)p->n + 1) * sizeof *at);
    for (uint32_t t = 0; t < p->n; t++) first[r->chain[t] + 1]++;
    for (uint32_t c = 0; c < r->nchains; c++) first[c + 1] += first[c];
    for (uint32_t t = 0; t < p->n; t++) at[first[r->chain[t]] + r->pos[t]] = t;
    free(first);
    return at;
}

static void index_writes(reach *r, const points *p) {
    const digest *d = p->d;
    uint32_t nkeys = names_count(&d->h->keys), *by_chain = txs_by_chain(r, p);
    uint32_t *tx_first = mem_zero((size_t)p->n + 2, sizeof *tx_first);
    uint32_t *writes = mem_alloc(((size_t)d->writes.len + 1) * sizeof *writes);
    r->key_first = mem_zero((size_t)nkeys + 2, sizeof *r->key_first);
    r->tx = mem_alloc(((size_t)d->writes.len + 1) * sizeof *r->tx);
    r->at = mem_alloc(((size_t)d->writes.len + 1) * sizeof *r->at);
    for (uint32_t i = 0; i < d->writes.len; i++) tx_first[d->writes.data[i].tx + 1]++;
    for (uint32_t t = 0; t < p->n; t++) tx_first[t + 1] += tx_first[t];
    for (uint32_t i = d->writes.len; i-- > 0;) writes[--tx_first[d->writes.data[i].tx + 1]] = i;
    // tx_first[t + 1] is now where those of t begin.
    for (uint32_t i = 0; i < d->writes.len; i++)
        if (d->writes_count[d->writes.data[i].tx] == COUNTS) r->key_first[d->writes.data[i].key + 2]++;
    for (uint32_t k = 0; k < nkeys; k++) r->key_first[k + 2] += r->key_first[k + 1];
    for (uint32_t c = 0; c < p->n; c++) {
        uint32_t t = by_chain[c], end = t + 1 < p->n ? tx_first[t + 2] : d->writes.len;
        if (d->writes_count[t] != COUNTS) continue;
        for (uint32_t i = tx_first[t + 1]; i < end; i++) {
            uint32_t place = r->key_first[d->writes.data[writes[i]].key + 1]++;
            r->tx[place] = t;
            r->at[place] = (uint64_t)r->chain[t] << 32 | reach_pos(r, p, point_commit(p, t));
        }
    }
    free(by_chain);
    free(tx_first);
    free(writes);
}

static uint32_t write_at_least(const reach *r, uint32_t key, uint64_t at) {
    uint32_t low = r->key_first[key], high = r->key_first[key + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->at[middle] < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

uint32_t reach_write_from(const reach *r, uint32_t key, uint32_t chain, uint32_t pos) {
    uint32_t i = write_at_least(r, key, (uint64_t)chain << 32 | pos);
    return i < r->key_first[key + 1] && r->at[i] >> 32 == chain ? i : POINTS_NONE;
}

uint32_t reach_write_until(const reach *r, uint32_t key, uint32_t chain, uint32_t pos) {
    uint32_t i = write_at_least(r, key, ((uint64_t)chain << 32 | pos) + 1);
    return i > r->key_first[key] && r->at[i - 1] >> 32 == chain ? i - 1 : POINTS_NONE;
}

// ---- what is after and before

bool reach_make(reach *r, const points *p) {
    *r = (reach){0};
    make_chains(r, p);
    if ((uint64_t)p->npoints * r->nchains * 8 > most_bytes) return false;
    index_writes(r, p);
    size_t size = ((size_t)p->npoints * r->nchains + 1) * sizeof *r->after;
    r->after = mem_alloc(size);
    r->before = mem_alloc(size);
    reach_find(r, p);
    return true;
}

static void find_after(reach *r, const points *p) {
    uint32_t k = r->nchains;
    memset(r->after, 0xff, (size_t)p->npoints * k * sizeof *r->after);
    for (uint32_t i = p->npoints; i-- > 0;) {
        uint32_t v = p->order[i], to, *mine = r->after + (size_t)v * k;
        successors s = points_successors(p, v);
        while (successors_next(p, &s, &to)) {
            const uint32_t *its = r->after + (size_t)to * k;
            for (uint32_t c = 0; c < k; c++) mine[c] = its[c] < mine[c] ? its[c] : mine[c];
        }
        if (!point_is_time(p, v)) mine[r->chain[point_tx(p, v)]] = reach_pos(r, p, v);
    }
}

static void find_before(reach *r, const points *p) {
    uint32_t k = r->nchains;
    memset(r->before, 0, (size_t)p->npoints * k * sizeof *r->before);
    for (uint32_t i = 0; i < p->npoints; i++) {
        uint32_t v = p->order[i], to, *mine = r->before + (size_t)v * k;
        if (!point_is_time(p, v)) mine[r->chain[point_tx(p, v)]] = reach_pos(r, p, v) + 1;
        successors s = points_successors(p, v);
        while (successors_next(p, &s, &to)) {
            uint32_t *its = r->before + (size_t)to * k;
            for (uint32_t c = 0; c < k; c++) its[c] = mine[c] > its[c] ? mine[c] : its[c];
        }
    }
}

void reach_find(reach *r, const points *p) {
    find_after(r, p);
    find_before(r, p);
}

void reach_free(reach *r) {
    free(r->chain);
    free(r->pos);
    free(r->after);
    free(r->before);
    free(r->key_first);
    free(r->tx);
    free(r->at);
}
