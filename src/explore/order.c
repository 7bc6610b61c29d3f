// SPDX-License-Identifier: Apache-2.0
// The numbers of stored states: see order.h. A batch remembers where it begins in each partition, so a number
// costs no memory of its own: a batch of 136 bytes stands for a whole level, or, after many levels, for some
// thousands of states. Batches end only where levels do, hence numbers do not depend on how a level was cut
// into blocks.
#include "explore/order.h"

enum { EXACT_BATCHES = 4096, BATCH_STATES = 4096 };

void order_free(order *o) { vec_free(&o->batches); }

static uint32_t batch_end(const order *o, const store *s, uint32_t batch, uint32_t part) {
    return batch + 1 < o->batches.len ? o->batches.data[batch + 1].begin[part] : store_count(s, part);
}

// The batch after the one that is closed begins where the store ends now: it is kept open at the end of the
// list.
void order_close(order *o, const store *s, bool is_last) {
    uint64_t total = store_total(s);
    if (o->batches.len == 0) vec_push(&o->batches, (order_batch){.first = 0});
    uint64_t size = total - vec_last(&o->batches).first;
    o->end = total;
    if (is_last || size == 0 || (o->batches.len > EXACT_BATCHES && size < BATCH_STATES)) return;
    order_batch next = {.first = total};
    for (uint32_t p = 0; p < STORE_PARTS; p++) next.begin[p] = store_count(s, p);
    vec_push(&o->batches, next);
}

// The last batch that does not begin after `key` in the partition, or after the number if part is
// STORE_PARTS.
static uint32_t find_batch(const order *o, uint32_t part, uint64_t key) {
    uint32_t low = 0, high = o->batches.len;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        const order_batch *b = &o->batches.data[middle];
        uint64_t begin = part == STORE_PARTS ? b->first : b->begin[part];
        if (begin <= key) low = middle;
        else high = middle;
    }
    return low;
}

uint64_t order_number(const order *o, const store *s, store_id id) {
    uint32_t part = store_id_part(id), batch = find_batch(o, part, store_id_local(id));
    const order_batch *b = &o->batches.data[batch];
    uint64_t number = b->first;
    for (uint32_t p = 0; p < part; p++) number += batch_end(o, s, batch, p) - b->begin[p];
    return number + (store_id_local(id) - b->begin[part]);
}

store_id order_id(const order *o, const store *s, uint64_t number) {
    uint32_t batch = find_batch(o, STORE_PARTS, number), part = 0;
    const order_batch *b = &o->batches.data[batch];
    uint64_t rest = number - b->first;
    for (uint32_t size; rest >= (size = batch_end(o, s, batch, part) - b->begin[part]); part++) rest -= size;
    return store_id_of(part, b->begin[part] + (uint32_t)rest);
}
