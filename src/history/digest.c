// SPDX-License-Identifier: Apache-2.0
// Reads and writes that count: see digest.h. One pass over the operations; per key a mark says which transaction
// touched it last, so that a transaction's own writes and repeated reads are found at once.
#include "history/digest.h"

#include <string.h>

typedef struct {
    digest *d;
    uint32_t *written;  // by key: transaction + 1 that wrote it last
    uint32_t *own;      // …and its value; for lists the number of elements it appended
    uint32_t *read;     // by key: the transaction's first read of it, index of reads + 1
} passing;

static counting writes_counting(const recorded_tx *x) {
    return x->outcome == TX_COMMITTED ? COUNTS : x->outcome == TX_PENDING ? COUNTS_MAYBE : COUNTS_NOT;
}

static bool set_misfit(digest *d, misfit_kind kind, uint32_t tx, uint32_t op) {
    if (d->wrong.kind == MISFIT_NONE) d->wrong = (misfit){kind, tx, op, UINT32_MAX};
    return false;
}

// A list that was read must end with the transaction's own elements, which are taken off.
static bool strip_own_elements(passing *p, uint32_t tx, uint32_t op, uint32_t *list) {
    const recorded *h = p->d->h;
    uint32_t key = recorded_key(h, op);
    if (p->written[key] != tx + 1) return true;
    for (uint32_t i = op; i-- > h->txs.data[tx].first;) {
        if (recorded_kind(h, i) != OP_APPEND || recorded_key(h, i) != key) continue;
        if (!*list || h->links.data[*list].element != h->op_value.data[i]) return false;
        *list = h->links.data[*list].before;
    }
    return true;
}

// The same value again comes from the same writer, but not at the level of read committed: several may have written it.
static void note_read(passing *p, const digest_read *r) {
    digest *d = p->d;
    uint32_t first = p->read[r->key], from = d->tx_first[r->tx];
    if (first <= from) first = 0;
    for (uint32_t i = first ? first - 1 : d->reads.len; i < d->reads.len; i++) {
        digest_read *o = &d->reads.data[i];
        if (o->key != r->key || o->value != r->value || d->l == LEVEL_READ_COMMITTED) continue;
        if (r->answer < o->answer) o->answer = r->answer;
        o->last_op = r->op;
        return;
    }
    vec_push(&d->reads, *r);
    if (!first) p->read[r->key] = d->reads.len;
}

// False: it contradicts what its transaction wrote itself.
static bool take_read(passing *p, uint32_t tx, uint32_t op, op_kind kind) {
    const recorded *h = p->d->h;
    uint32_t key = recorded_key(h, op), value = h->op_value.data[op];
    if (kind == OP_READ && p->written[key] == tx + 1) return p->own[key] == value;
    if (kind == OP_READ_LIST && !strip_own_elements(p, tx, op, &value)) return false;
    uint64_t answer = h->has_times ? h->op_answer.data[op] : 0;
    note_read(p, &(digest_read){.tx = tx,
                                .key = key,
                                .value = value,
                                .op = op,
                                .last_op = op,
                                .answer = answer,
                                .is_list = kind == OP_READ_LIST});
    return true;
}

static void take_write(passing *p, uint32_t tx, uint32_t op) {
    const recorded *h = p->d->h;
    uint32_t key = recorded_key(h, op);
    if (p->written[key] != tx + 1) vec_push(&p->d->writes, (digest_write){tx, key, 0});
    p->written[key] = tx + 1;
    p->own[key] = h->op_value.data[op];
}

// A pending one whose own reads are wrong has not committed, except that opacity asks about all.
static void take_tx(passing *p, uint32_t tx) {
    digest *d = p->d;
    const recorded *h = d->h;
    const recorded_tx *x = &h->txs.data[tx];
    bool all = d->l == LEVEL_OPAQUE, reads = all || d->writes_count[tx] != COUNTS_NOT;
    uint32_t first = d->writes.len;
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        op_kind kind = recorded_kind(h, i);
        if (kind == OP_WRITE || kind == OP_APPEND) {
            take_write(p, tx, i);
        } else if (reads && !take_read(p, tx, i, kind)) {
            if (all || d->writes_count[tx] == COUNTS) set_misfit(d, MISFIT_OWN_WRITE, tx, i);
            d->reads.len = d->tx_first[tx];
            d->writes_count[tx] = reads = COUNTS_NOT;
        }
    }
    if (d->writes_count[tx] == COUNTS_NOT) d->writes.len = first;
    for (uint32_t i = first; i < d->writes.len; i++) d->writes.data[i].value = p->own[d->writes.data[i].key];
    d->reads_count[tx] = all ? COUNTS : d->writes_count[tx];
}

static void digest_pass(digest *d) {
    const recorded *h = d->h;
    size_t n = (size_t)names_count(&h->keys) + 1;
    passing p = {d, mem_zero(n, 4), mem_zero(n, 4), mem_zero(n, 4)};
    for (uint32_t t = 0; t < h->txs.len; t++) {
        d->tx_first[t] = d->reads.len;
        d->writes_count[t] = (uint8_t)writes_counting(&h->txs.data[t]);
        take_tx(&p, t);
    }
    d->tx_first[h->txs.len] = d->reads.len;
    free(p.written);
    free(p.own);
    free(p.read);
}

static void sort_writes(digest *d) {
    uint32_t n = names_count(&d->h->keys), *at = mem_zero((size_t)n + 2, sizeof *at);
    digest_write *sorted = mem_alloc(((size_t)d->writes.len + 1) * sizeof *sorted);
    for (uint32_t i = 0; i < d->writes.len; i++) at[d->writes.data[i].key + 1]++;
    for (uint32_t k = 0; k < n; k++) at[k + 1] += at[k];
    d->key_first = mem_alloc(((size_t)n + 2) * sizeof *at);
    memcpy(d->key_first, at, ((size_t)n + 2) * sizeof *at);
    for (uint32_t i = 0; i < d->writes.len; i++) sorted[at[d->writes.data[i].key]++] = d->writes.data[i];
    free(at);
    free(d->writes.data);
    d->writes.data = sorted;
    d->writes.cap = d->writes.len + 1;
}

static void find_latest_ends(digest *d) {
    d->latest_end = mem_alloc(((size_t)d->writes.len + 1) * sizeof *d->latest_end);
    for (uint32_t i = 0; i < d->writes.len; i++) {
        const digest_write *w = &d->writes.data[i];
        uint64_t end = d->h->txs.data[w->tx].ends;
        if (end == RECORDED_NEVER) end = 0;  // pending ones are looked at in any case
        bool is_first = i == d->key_first[w->key];
        d->latest_end[i] = is_first || end > d->latest_end[i - 1] ? end : d->latest_end[i - 1];
    }
}

void digest_make(digest *d, const recorded *h, level l, const limits *stop) {
    *d = (digest){.h = h, .l = l};
    d->writes_count = mem_zero((size_t)h->txs.len + 1, 1);
    d->reads_count = mem_zero((size_t)h->txs.len + 1, 1);
    d->tx_first = mem_alloc(((size_t)h->txs.len + 2) * sizeof *d->tx_first);
    digest_pass(d);
    sort_writes(d);
    if (level_needs_times(l)) find_latest_ends(d);
    if (d->wrong.kind == MISFIT_NONE) digest_find_writers(d, stop);
}

void digest_free(digest *d) {
    free(d->writes_count);
    free(d->reads_count);
    free(d->key_first);
    free(d->tx_first);
    free(d->latest_end);
    if (d->appenders) map_free(d->appenders);
    vec_free(&d->reads);
    vec_free(&d->writes);
    vec_free(&d->candidates);
    vec_free(&d->list_order);
}

bool digest_same_read(const digest *d, const digest_read *q, uint32_t op) {
    const recorded *h = d->h;
    op_kind kind = recorded_kind(h, op);
    uint32_t value = h->op_value.data[op];
    if (recorded_key(h, op) != q->key || kind != (q->is_list ? OP_READ_LIST : OP_READ)) return false;
    for (uint32_t i = op; i-- > h->txs.data[q->tx].first;) {
        if (!recorded_is_write(h, i) || recorded_key(h, i) != q->key) continue;
        if (!q->is_list || !value) return false;
        value = h->links.data[value].before;
    }
    return value == q->value;
}
