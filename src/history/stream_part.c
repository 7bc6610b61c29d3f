// SPDX-License-Identifier: Apache-2.0
// Which of the waiting transactions can be ordered, and these as a history of their own: see stream.h. A transaction is
// out as long as it read something that is neither in the memory nor a last write of one that is in; so writers that
// have not answered yet keep their readers waiting, and these keep theirs.
#include "history/stream_int.h"

#include "base/tuples.h"

#include <string.h>

// ---- who is in

static uint64_t stream_pair(uint32_t key, uint32_t value) { return (uint64_t)key << 32 | value; }

typedef struct {
    stream *s;
    uint8_t *is_out;      // beside waiting
    tuples *written;      // pairs of key and value
    VEC(uint32_t) stamp;  // by key: the transaction that wrote it last, plus 1
} choosing_part;

static void note_last_writes(choosing_part *c, uint32_t tx) {
    const recorded *h = &c->s->h;
    const recorded_tx *x = &h->txs.data[tx];
    if (x->outcome != TX_COMMITTED && x->outcome != TX_PENDING) return;
    for (uint32_t i = x->first + x->count; i-- > x->first;) {
        uint32_t key = recorded_key(h, i);
        if (recorded_kind(h, i) != OP_WRITE || c->stamp.data[key] == tx + 1) continue;
        c->stamp.data[key] = tx + 1;
        tuples_put(c->written, &(uint64_t){stream_pair(key, h->op_value.data[i])});
    }
}

static bool is_in_memory(stream *s, uint32_t key, uint32_t value) {
    bool is_used = key < s->memory.len && s->memory.data[key].is_used;
    return value == (is_used ? s->memory.data[key].value : recorded_initial(&s->h, key));
}

// The first read from others that nobody can have written yet; UINT32_MAX: there is none.
static uint32_t find_missing_read(choosing_part *c, uint32_t tx) {
    const recorded *h = &c->s->h;
    const recorded_tx *x = &h->txs.data[tx];
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        uint32_t key = recorded_key(h, i), value = h->op_value.data[i];
        if (recorded_kind(h, i) == OP_WRITE) c->stamp.data[key] = tx + 1;
        else if (c->stamp.data[key] != tx + 1 && !is_in_memory(c->s, key, value) &&
                 tuples_find(c->written, &(uint64_t){stream_pair(key, value)}) == TUPLES_NONE)
            return i;
    }
    return UINT32_MAX;
}

// One more round; true if somebody went out. A pending one whose reads are missing may just not have committed.
static bool part_leave_out(choosing_part *c, uint64_t until, bool is_first, bool *good) {
    stream *s = c->s;
    bool changed = false;
    tuples_clear(c->written);
    memset(c->stamp.data, 0, c->stamp.len * sizeof *c->stamp.data);
    for (uint32_t i = 0; i < s->waiting.len; i++)
        if (!c->is_out[i]) note_last_writes(c, s->waiting.data[i]);
    memset(c->stamp.data, 0, c->stamp.len * sizeof *c->stamp.data);
    for (uint32_t i = 0; i < s->waiting.len; i++) {
        const recorded_tx *x = &s->h.txs.data[s->waiting.data[i]];
        if (c->is_out[i] || find_missing_read(c, s->waiting.data[i]) == UINT32_MAX) continue;
        c->is_out[i] = 1;
        changed = true;
        // Whoever wrote it began before this read was answered: they all wait, and none of them did.
        if (is_first && x->outcome != TX_PENDING && x->ends < until) *good = false;
    }
    return changed;
}

// ---- the history

typedef struct {
    uint64_t begins;
    uint32_t tx;
} begun;

static int compare_begun(const void *a, const void *b) {
    const begun *x = a, *y = b;
    if (x->begins != y->begins) return x->begins < y->begins ? -1 : 1;
    return (x->tx > y->tx) - (x->tx < y->tx);
}

static void part_copy_tx(const recorded *from, uint32_t tx, recorded *h) {
    recorded_tx x = from->txs.data[tx];
    uint32_t first = h->op_key.len;
    for (uint32_t i = x.first; i < x.first + x.count; i++) {
        vec_push(&h->op_key, from->op_key.data[i]);
        vec_push(&h->op_value, from->op_value.data[i]);
        vec_push(&h->op_place, from->op_place.data[i]);
        vec_push(&h->op_call, from->op_call.data[i]);
        vec_push(&h->op_answer, from->op_answer.data[i]);
    }
    x.first = first;
    vec_push(&h->txs, x);
}

static void copy_memory(const stream *s, recorded *h) {
    for (uint32_t k = 0; k < names_count(&s->h.keys); k++) {
        bool is_used = k < s->memory.len && s->memory.data[k].is_used;
        vec_push(&h->initial, (is_used ? s->memory.data[k].value : recorded_initial(&s->h, k)) + 1);
    }
}

static void make_history(stream *s, const uint8_t *is_out, stream_part *p) {
    VEC(begun) all = {0};
    p->h = (recorded){.has_times = true, .common = s->h.common, .events = 1};
    p->h.sessions = s->h.sessions;
    p->h.keys = s->h.keys;
    p->h.values = s->h.values;
    p->h.links.data = s->h.links.data;
    p->h.links.len = s->h.links.len;
    for (uint32_t i = 0; i < s->waiting.len; i++) {
        uint64_t begins = s->h.txs.data[s->waiting.data[i]].begins;
        if (!is_out[i]) vec_push(&all, (begun){begins, s->waiting.data[i]});
        else if (begins < p->before) p->before = begins;
    }
    if (all.len) qsort(all.data, all.len, sizeof *all.data, compare_begun);
    for (uint32_t i = 0; i < all.len; i++) {
        part_copy_tx(&s->h, all.data[i].tx, &p->h);
        vec_push(&p->txs, all.data[i].tx);
    }
    copy_memory(s, &p->h);
    vec_free(&all);
}

bool stream_part_make(stream *s, uint64_t until, stream_part *p) {
    choosing_part c = {.s = s, .is_out = mem_zero((size_t)s->waiting.len + 1, 1), .written = tuples_new(1)};
    bool good = true, is_first = true;
    *p = (stream_part){.before = until};
    for (uint32_t k = 0; k <= names_count(&s->h.keys); k++) vec_push(&c.stamp, 0);
    while (part_leave_out(&c, until, is_first, &good)) is_first = false;
    if (good) make_history(s, c.is_out, p);
    free(c.is_out);
    tuples_free(c.written);
    vec_free(&c.stamp);
    return good;
}

void stream_part_free(stream_part *p) {
    vec_free(&p->h.txs);
    vec_free(&p->h.op_key);
    vec_free(&p->h.op_value);
    vec_free(&p->h.op_place);
    vec_free(&p->h.op_call);
    vec_free(&p->h.op_answer);
    vec_free(&p->h.initial);
    vec_free(&p->txs);
}
