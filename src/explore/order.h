// SPDX-License-Identifier: Apache-2.0
// The numbers of stored states, as users of an exploration see them: 0, 1, 2, … without gaps, initial states
// first, then level by level (in deep state spaces several small levels together), in a level by id.
#ifndef EXPLORE_ORDER_H
#define EXPLORE_ORDER_H

#include "base/vec.h"
#include "explore/store.h"

typedef struct {
    uint32_t begin[STORE_PARTS];  // first state of the batch in each partition
    uint64_t first;               // its first number
} order_batch;

typedef struct {
    VEC(order_batch) batches;
    uint64_t end;  // numbers given
} order;

void order_free(order *o);
// Closes a batch with the states stored since the last one; small ones may wait for more unless `is_last`.
void order_close(order *o, const store *s, bool is_last);
uint64_t order_number(const order *o, const store *s, store_id id);
store_id order_id(const order *o, const store *s, uint64_t number);

#endif
