// SPDX-License-Identifier: Apache-2.0
// The level that is expanded, by positions 0, 1, …: its batches (order.h), one after the other.
//
// The next level gets a batch for every BATCH_STATES states of this one, whose successors it then has: what was found
// together stays together, however many partitions it went to. A block ends where such a piece does, so which states
// make a batch does not depend on the sizes of blocks, and therefore not on limits.
#ifndef EXPLORE_BATCHES_H
#define EXPLORE_BATCHES_H

#include "explore/strips.h"

struct search;

enum { BATCH_STATES = 1 << 17 };

// A state of the level, or the place after the last one of its strip.
typedef struct {
    uint32_t batch;
    strips_place at;
    uint64_t left;  // states of the batch from here on
} batches_place;

void batches_begin(struct search *s);  // after the level was set
bool batches_are_sound(const struct search *s, const uint32_t *begin,
                       const uint32_t *end);  // of a level read from a file
batches_place batches_find(const struct search *s, uint64_t position);
// States of the strip from here on; if there are none, goes to the next strip first, which must be there.
uint32_t batches_strip(const struct search *s, batches_place *p);
static inline void batches_skip(batches_place *p, uint32_t n) { p->at.local += n, p->left -= n; }

uint64_t batches_rest(const struct search *s);  // states from block_begin on whose successors are in one batch
void batches_end_block(struct search *s);  // once the block was merged and block_begin is where the next one begins

#endif
