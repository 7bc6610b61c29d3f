// SPDX-License-Identifier: Apache-2.0
// Zones side by side: see crowd.h.
#include "zone/crowd.h"

#include "zone/cover.h"
#include "zone/dbm.h"

// Small bounds are told apart, larger ones eight by eight, and those beyond are all the same.
enum { EXACT = 48, SHIFT = 3 };

static int8_t crowd_byte(bound b) {
    if (b >= -EXACT && b <= EXACT) return (int8_t)b;
    int64_t beyond = b > 0 ? (int64_t)b - EXACT : (int64_t)b + EXACT;
    int64_t is = (b > 0 ? EXACT : -EXACT) + (beyond >> SHIFT);
    return (int8_t)(is < INT8_MIN ? INT8_MIN : is > INT8_MAX ? INT8_MAX : is);
}

void crowd_choose(uint16_t *places, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t i = 1; i < n && count + 2 <= CROWD_SKETCH; i++) {
        places[count++] = (uint16_t)i;
        places[count++] = (uint16_t)(i * n);
    }
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = 1; j < n && count < CROWD_SKETCH; j++)
            if (i != j) places[count++] = (uint16_t)(i * n + j);
    for (; count < CROWD_SKETCH; count++) places[count] = 0;
}

crowd_sketch crowd_sketch_of(const uint16_t *places, const uint64_t *packed, bool is_wide) {
    crowd_sketch s;
    for (uint32_t i = 0; i < CROWD_SKETCH; i++)
        s.bounds[i] = crowd_byte(cover_packed_bound(packed, places[i], is_wide));
    return s;
}
