// SPDX-License-Identifier: Apache-2.0
// A budget of bytes that threads share: whoever wants memory takes it here first, so that the limit a user
// gives covers states, tables (also while they grow), parents and buffers.
#ifndef EXPLORE_BUDGET_H
#define EXPLORE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    _Atomic uint64_t used;
    uint64_t limit;
} budget;

static inline void budget_give(budget *b, uint64_t bytes) { atomic_fetch_sub(&b->used, bytes); }

static inline bool budget_take(budget *b, uint64_t bytes) {
    uint64_t before = atomic_fetch_add(&b->used, bytes);
    if (before + bytes <= b->limit) return true;
    budget_give(b, bytes);
    return false;
}

// What is small, or allocated once before the search, is counted and never refused.
static inline void budget_charge(budget *b, uint64_t bytes) { atomic_fetch_add(&b->used, bytes); }

static inline uint64_t budget_used(const budget *b) { return atomic_load_explicit(&b->used, memory_order_relaxed); }

#endif
