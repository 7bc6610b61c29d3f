// SPDX-License-Identifier: Apache-2.0
// The order of the states of a batch (order.h): strips of up to STRIP_STATES states of one partition, dealt out like
// cards.
//
// The first strip of every partition, partition by partition, then the second of every partition that has one, and so
// on. A range of positions then has states of many partitions, so that all ranks (share.h) have work in a block, and a
// strip is of one partition, so of one rank. In a batch in which no partition has more than one strip the order is by
// partition alone. It follows from the sizes of partitions, which depend neither on threads nor on ranks.
#ifndef EXPLORE_STRIPS_H
#define EXPLORE_STRIPS_H

#include "explore/store.h"

enum { STRIP_STATES = 32 };

// Where a batch, or a level that is not cut, begins and ends in each partition.
typedef struct {
    const uint32_t *begin, *end;
} strips;

// A state, or the place after the last one of its strip.
typedef struct {
    uint32_t row;  // of strips
    uint32_t part;
    uint32_t local;  // its number in the partition
} strips_place;

uint64_t strips_size(strips level);
uint64_t strips_position(strips level, uint32_t part, uint32_t local);
strips_place strips_find(strips level, uint64_t position);   // which must be below the size
uint32_t strips_left(strips level, const strips_place *at);  // states of the strip from here on
// To the first state of the next strip; there must be one.
void strips_next(strips level, strips_place *at);

#endif
