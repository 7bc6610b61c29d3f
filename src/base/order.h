// SPDX-License-Identifier: Apache-2.0
// Ascending orders of numbers, for qsort() and bsearch(), and things grouped by a number. Handles (expr, rule, ...) are
// such numbers.
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include "base/mem.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline int order_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static inline int order_u64(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Things 0 … n - 1 by a key below `nkeys`: those of key k are at[first[k]] … at[first[k + 1] - 1], in order.
typedef struct {
    uint32_t *first, *at;
} order_groups;

// Each thing has `size` bytes, with its key at `offset`.
static inline order_groups order_group(const void *things, size_t size, size_t offset, uint32_t n, uint32_t nkeys) {
    uint32_t *first = (uint32_t *)mem_zero((size_t)nkeys + 2, sizeof *first);
    uint32_t *at = (uint32_t *)mem_alloc(((size_t)n + 1) * sizeof *at);
#define ORDER_KEY(i) (*(const uint32_t *)((const char *)things + (i)*size + offset))
    for (uint32_t i = 0; i < n; i++) first[ORDER_KEY(i) + 2]++;
    for (uint32_t k = 0; k < nkeys; k++) first[k + 2] += first[k + 1];
    // first[k + 1] is where the next thing of k goes; at the end it is where those of k + 1 begin.
    for (uint32_t i = 0; i < n; i++) at[first[ORDER_KEY(i) + 1]++] = i;
#undef ORDER_KEY
    return (order_groups){first, at};
}

// The elements of a VEC by a field of them.
#define order_group_by(v, field, nkeys) \
    order_group((v)->data, sizeof *(v)->data, offsetof(__typeof__(*(v)->data), field), (v)->len, nkeys)

static inline void order_groups_free(order_groups *g) {
    free(g->first);
    free(g->at);
}

#endif
