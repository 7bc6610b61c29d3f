// SPDX-License-Identifier: Apache-2.0
// Ranges of work: see ranges.h. A range changes as a whole, so a number is taken once.
#include "explore/ranges.h"

static uint64_t left_of(uint64_t begin, uint64_t end) { return begin << 32 | end; }
static uint32_t left_begin(uint64_t left) { return (uint32_t)(left >> 32); }
static uint32_t left_end(uint64_t left) { return (uint32_t)left; }
static uint32_t left_size(uint64_t left) { return left_end(left) - left_begin(left); }

void ranges_set(work_range *r, uint32_t begin, uint32_t end) { atomic_store(&r->left, left_of(begin, end)); }

void ranges_deal(work_range *all, uint32_t n, uint32_t count, bool is_turned) {
    uint64_t t = n, begin = 0;
    for (uint64_t i = 1; i <= t; i++) {
        uint64_t end = count * i * (15 * t + i) / (16 * t * t);
        ranges_set(&all[is_turned ? t - i : i - 1], (uint32_t)begin, (uint32_t)end);
        begin = end;
    }
}

bool ranges_next(work_range *own, uint32_t *number) {
    uint64_t left = atomic_load(&own->left);
    do {
        if (!left_size(left)) return false;
    } while (!atomic_compare_exchange_weak(&own->left, &left, left + left_of(1, 0)));
    *number = left_begin(left);
    return true;
}

// The longest one that begins at `after` or later, and what it had left; n: there is none.
static uint32_t ranges_longest(const work_range *all, uint32_t n, uint32_t after, uint64_t *left) {
    uint32_t found = n;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t other = atomic_load(&all[i].left);
        if (!left_size(other) || left_begin(other) < after) continue;
        if (found < n && left_size(other) <= left_size(*left)) continue;
        found = i;
        *left = other;
    }
    return found;
}

bool ranges_take_half(work_range *all, uint32_t n, uint32_t after, work_range *to) {
    uint64_t left = 0;
    uint32_t from;
    do {
        from = ranges_longest(all, n, after, &left);
        if (from == n) return false;
    } while (!atomic_compare_exchange_strong(&all[from].left, &left, left - (left_size(left) + 1) / 2));
    ranges_set(to, left_end(left) - (left_size(left) + 1) / 2, left_end(left));
    return true;
}
