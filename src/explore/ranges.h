// SPDX-License-Identifier: Apache-2.0
// Numbered work, dealt out to threads as ranges of numbers: a thread works on its own range from the beginning, so that
// it comes back to memory that it used before, and when that is empty takes from the end of another one's.
#ifndef EXPLORE_RANGES_H
#define EXPLORE_RANGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// What a thread has left: the first number in the upper half, the end in the lower.
typedef struct {
    _Atomic uint64_t left;
    char apart[120];  // shares no cache line with another thread's
} work_range;

void ranges_set(work_range *r, uint32_t begin, uint32_t end);
// Numbers below `count` to n ranges, or to these in the opposite order. Later ranges are a little longer: only who had
// an earlier one can take from them, so that each thread has its numbers in increasing order.
void ranges_deal(work_range *all, uint32_t n, uint32_t count, bool is_turned);
bool ranges_next(work_range *own, uint32_t *number);  // false: it is empty
// Half of the longest one that begins at a number or after it, from its end; false: there is none.
bool ranges_take_half(work_range *all, uint32_t n, uint32_t after, work_range *to);

#endif
