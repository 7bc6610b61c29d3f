// SPDX-License-Identifier: Apache-2.0
// Reads of values that repeat: see deferred.h.
#include "history/deferred.h"

#include "base/map.h"

#include <string.h>

// Of all that wrote a value to a key: the earliest and the latest call of commit.
typedef struct {
    uint64_t first, last;
} value_calls;

// Reads of one value of a key in one transaction are one to the checker: it counts when the first of them returned.
typedef struct {
    uint32_t key, value;
    uint64_t answer;
} one_read;

typedef struct {
    const recorded *h;
    map *numbers;  // of pairs of key and value
    VEC(value_calls) calls;
    map *merged;  // of transaction, key and value
    VEC(one_read) reads;
} deferring;

static void deferred_note(deferring *d, const recorded_tx *x, uint32_t op) {
    const uint32_t pair[] = {recorded_key(d->h, op), d->h->op_value.data[op]};
    uint32_t n = map_intern(d->numbers, pair, sizeof pair, d->calls.len);
    if (n == d->calls.len) vec_push(&d->calls, ((value_calls){x->commits, x->commits}));
    value_calls *c = &d->calls.data[n];
    if (x->commits < c->first) c->first = x->commits;
    if (x->commits > c->last) c->last = x->commits;
}

static void deferred_note_writes(deferring *d) {
    for (uint32_t t = 0; t < d->h->txs.len; t++) {
        const recorded_tx *x = &d->h->txs.data[t];
        bool may_count = x->outcome == TX_COMMITTED || x->outcome == TX_PENDING;
        for (uint32_t i = x->first; may_count && i < x->first + x->count; i++)
            if (recorded_kind(d->h, i) == OP_WRITE) deferred_note(d, x, i);
    }
}

// Was the value that this read returned written by one that had not called commit, and was it there otherwise too?
static bool is_concerned(const deferring *d, const one_read *r) {
    const uint32_t pair[] = {r->key, r->value};
    uint32_t n = map_get(d->numbers, pair, sizeof pair, UINT32_MAX);
    if (n == UINT32_MAX || d->calls.data[n].last <= r->answer) return false;
    return d->calls.data[n].first <= r->answer || recorded_initial(d->h, r->key) == r->value;
}

static one_read *read_of(deferring *d, uint32_t tx, uint32_t op) {
    one_read r = {recorded_key(d->h, op), d->h->op_value.data[op], d->h->op_answer.data[op]};
    const uint32_t is[] = {tx, r.key, r.value};
    uint32_t n = map_intern(d->merged, is, sizeof is, d->reads.len);
    if (n == d->reads.len) vec_push(&d->reads, r);
    return &d->reads.data[n];
}

static void deferred_note_reads(deferring *d) {
    for (uint32_t t = 0; t < d->h->txs.len; t++) {
        const recorded_tx *x = &d->h->txs.data[t];
        for (uint32_t i = x->first; i < x->first + x->count; i++) {
            if (recorded_kind(d->h, i) != OP_READ) continue;
            one_read *r = read_of(d, t, i);
            if (d->h->op_answer.data[i] < r->answer) r->answer = d->h->op_answer.data[i];
        }
    }
}

// The answers of reads that are concerned are put off for ever. True if there are any.
static bool put_off(deferring *d, recorded *out) {
    bool found = false;
    for (uint32_t i = 0; i < d->h->op_key.len; i++) vec_push(&out->op_answer, d->h->op_answer.data[i]);
    for (uint32_t t = 0; t < d->h->txs.len; t++) {
        const recorded_tx *x = &d->h->txs.data[t];
        for (uint32_t i = x->first; i < x->first + x->count; i++) {
            if (recorded_kind(d->h, i) != OP_READ || !is_concerned(d, read_of(d, t, i))) continue;
            out->op_answer.data[i] = RECORDED_NEVER;
            found = true;
        }
    }
    return found;
}

bool deferred_relax(const recorded *h, recorded *out) {
    deferring d = {.h = h, .numbers = map_new(), .merged = map_new()};
    *out = *h;
    memset(&out->op_answer, 0, sizeof out->op_answer);
    if (h->has_times) {
        deferred_note_writes(&d);
        deferred_note_reads(&d);
    }
    bool found = h->has_times && put_off(&d, out);
    if (!found) deferred_done(out);
    map_free(d.numbers);
    map_free(d.merged);
    vec_free(&d.calls);
    vec_free(&d.reads);
    return found;
}

void deferred_done(recorded *out) { vec_free(&out->op_answer); }
