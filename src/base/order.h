// SPDX-License-Identifier: Apache-2.0
// Ascending orders of numbers, for qsort() and bsearch(). Handles (expr, rule, ...) are such numbers.
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdint.h>

static inline int order_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static inline int order_u64(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

#endif
