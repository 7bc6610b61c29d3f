// SPDX-License-Identifier: Apache-2.0
// A hash table from pairs of numbers to numbers, for products: open addressing, never more than half full.
#ifndef LANGUAGE_PAIRS_H
#define LANGUAGE_PAIRS_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_NONE UINT32_MAX

typedef struct {
    uint64_t *keys;
    uint32_t *values;     // PAIRS_NONE: the slot is free
    uint64_t size, used;  // size is a power of two, or 0
} pairs;

static inline uint64_t pairs_slot(const pairs *t, uint64_t key) {
    uint64_t h = key * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 29)) & (t->size - 1);
    while (t->values[h] != PAIRS_NONE && t->keys[h] != key) h = (h + 1) & (t->size - 1);
    return h;
}

static inline void pairs_grow(pairs *t) {
    pairs old = *t;
    t->size = old.size ? old.size * 2 : 1024;
    t->keys = (uint64_t *)mem_alloc(t->size * sizeof *t->keys);
    t->values = (uint32_t *)mem_alloc(t->size * sizeof *t->values);
    memset(t->values, 0xff, t->size * sizeof *t->values);
    for (uint64_t i = 0; i < old.size; i++) {
        if (old.values[i] == PAIRS_NONE) continue;
        uint64_t h = pairs_slot(t, old.keys[i]);
        t->keys[h] = old.keys[i];
        t->values[h] = old.values[i];
    }
    free(old.keys);
    free(old.values);
}

static inline uint32_t pairs_get(const pairs *t, uint32_t a, uint32_t b) {
    return t->size ? t->values[pairs_slot(t, (uint64_t)a << 32 | b)] : PAIRS_NONE;
}

// The value the pair has, else `fresh`, which it then gets; *is_new says which.
static inline uint32_t pairs_intern(pairs *t, uint32_t a, uint32_t b, uint32_t fresh, bool *is_new) {
    if (t->used * 2 >= t->size) pairs_grow(t);
    uint64_t key = (uint64_t)a << 32 | b, h = pairs_slot(t, key);
    *is_new = t->values[h] == PAIRS_NONE;
    if (!*is_new) return t->values[h];
    t->keys[h] = key;
    t->used++;
    return t->values[h] = fresh;
}

static inline void pairs_free(pairs *t) {
    free(t->keys);
    free(t->values);
    *t = (pairs){0};
}

#endif
