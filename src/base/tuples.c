// SPDX-License-Identifier: Apache-2.0
// See tuples.h. Open addressing; a slot holds the upper half of the hash and the number + 1.
#include "base/tuples.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE = 1 << 21, SMALL = 1 << 12 };  // bytes of a large page; slots of a small table

struct tuples {
    uint32_t words, count;
    uint64_t *data;
    size_t room;      // in words
    uint64_t *slots;  // 0: free
    uint64_t mask;
};

// Large tables are looked up all over: large pages save half of the time.
static uint64_t *new_words(size_t n, bool are_zero) {
    size_t size = (n * sizeof(uint64_t) + LARGE - 1) / LARGE * LARGE;
    uint64_t *words = n * sizeof *words < LARGE ? NULL : aligned_alloc(LARGE, size);
    if (!words) return mem_zero(n, sizeof *words);
    madvise(words, size, MADV_HUGEPAGE);
    return are_zero ? memset(words, 0, size) : words;
}

tuples *tuples_new(uint32_t words) {
    tuples *t = mem_zero(1, sizeof *t);
    t->words = words;
    t->mask = 31;
    t->slots = mem_zero(t->mask + 1, sizeof *t->slots);
    return t;
}

void tuples_free(tuples *t) {
    if (!t) return;
    free(t->data);
    free(t->slots);
    free(t);
}

void tuples_clear(tuples *t) {
    t->count = 0;
    memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
}

uint64_t tuples_bytes(const tuples *t) { return (t->room + t->mask + 1) * sizeof(uint64_t); }

uint32_t tuples_count(const tuples *t) { return t->count; }

static uint64_t tuples_mix(uint64_t x) {
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

uint64_t tuples_hash(const tuples *t, const uint64_t *tuple) {
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < t->words; i++) {
        h = (h ^ tuple[i]) * UINT64_C(0x9fb21c651e98df25);
        h ^= h >> 32;
    }
    return tuples_mix(h);
}

const uint64_t *tuples_get(const tuples *t, uint32_t number) { return t->data + (size_t)number * t->words; }

static inline bool tuples_is_same(const uint64_t *a, const uint64_t *b, uint32_t words) {
    uint64_t differ = 0;
    for (uint32_t i = 0; i < words; i++) differ |= a[i] ^ b[i];
    return !differ;
}

// The slot where the tuple is, or where it would go.
static uint64_t *tuples_slot_of(const tuples *t, const uint64_t *tuple, uint64_t hash) {
    for (uint64_t i = hash & t->mask;; i = (i + 1) & t->mask) {
        uint64_t slot = t->slots[i];
        if (!slot) return &t->slots[i];
        if (slot >> 32 != hash >> 32) continue;
        if (tuples_is_same(tuples_get(t, (uint32_t)slot - 1), tuple, t->words)) return &t->slots[i];
    }
}

void tuples_prefetch_by(const tuples *t, uint64_t hash) { __builtin_prefetch(&t->slots[hash & t->mask]); }

void tuples_prefetch(const tuples *t, const uint64_t *tuple) { tuples_prefetch_by(t, tuples_hash(t, tuple)); }

uint32_t tuples_find_by(const tuples *t, const uint64_t *tuple, uint64_t hash) {
    uint64_t slot = *tuples_slot_of(t, tuple, hash);
    return slot ? (uint32_t)slot - 1 : TUPLES_NONE;
}

uint32_t tuples_find(const tuples *t, const uint64_t *tuple) { return tuples_find_by(t, tuple, tuples_hash(t, tuple)); }

// Small tables grow faster: most stay small, and what is in them is hashed again less often.
static void tuples_grow(tuples *t) {
    free(t->slots);
    t->mask = t->mask < SMALL ? t->mask * 4 + 3 : t->mask * 2 + 1;
    t->slots = new_words((size_t)t->mask + 1, true);
    for (uint32_t k = 0; k < t->count; k++) {
        uint64_t hash = tuples_hash(t, tuples_get(t, k)), i = hash & t->mask;
        while (t->slots[i]) i = (i + 1) & t->mask;
        t->slots[i] = hash >> 32 << 32 | (k + 1);
    }
}

static void add_data(tuples *t, const uint64_t *tuple) {
    size_t used = (size_t)t->count * t->words;
    if (used + t->words > t->room) {
        size_t room = t->room * 2 + 16 * (size_t)t->words;
        uint64_t *more = new_words(room, false);
        if (used) memcpy(more, t->data, used * sizeof *more);
        free(t->data);
        t->data = more;
        t->room = room;
    }
    memcpy(t->data + used, tuple, t->words * sizeof *tuple);
}

uint32_t tuples_put(tuples *t, const uint64_t *tuple) { return tuples_put_by(t, tuple, tuples_hash(t, tuple)); }

uint32_t tuples_put_by(tuples *t, const uint64_t *tuple, uint64_t hash) {
    uint64_t *slot = tuples_slot_of(t, tuple, hash);
    if (*slot) return (uint32_t)*slot - 1;
    add_data(t, tuple);
    *slot = hash >> 32 << 32 | ++t->count;
    if ((uint64_t)t->count * 3 > t->mask * 2) tuples_grow(t);
    return t->count - 1;
}
