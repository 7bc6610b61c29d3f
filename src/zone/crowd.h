// SPDX-License-Identifier: Apache-2.0
// The zones of one discrete state side by side, for states that have many: a new zone is compared with all of them, and
// in a list whose nodes and matrices lie all over memory each comparison waits for memory twice.
//
// Beside each zone's number lies a *sketch*: some of its bounds, in a byte each, by a function that keeps their order.
// A zone meets what it takes to cover another (cover.h) only if its sketch is nowhere below the other's; nearly all
// comparisons end with the sketches.
#ifndef ZONE_CROWD_H
#define ZONE_CROWD_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { CROWD_SKETCH = 32, CROWD_LEAST = 8 };  // so many zones are a crowd

typedef struct {
    int8_t bounds[CROWD_SKETCH];
} crowd_sketch;

typedef struct {
    uint32_t node;               // of the passed list
    int32_t size, need;          // as there
    crowd_sketch sketch, needs;  // of the zone, and of what it takes to cover it
} crowd_zone;

typedef VEC(crowd_zone) crowd;  // in the order in which they were added

// The bounds that are in a sketch: those of single clocks, then others as far as there is room.
void crowd_choose(uint16_t *places, uint32_t n);
// Of a packed matrix.
crowd_sketch crowd_sketch_of(const uint16_t *places, const uint64_t *packed, bool is_wide);

static inline bool crowd_is_below(const crowd_sketch *zone, const crowd_sketch *need) {
    int8_t less = 0;
    for (uint32_t i = 0; i < CROWD_SKETCH; i++) less |= zone->bounds[i] < need->bounds[i];
    return less;
}

#endif
