// SPDX-License-Identifier: Apache-2.0
// Sets of small numbers as bits. A `bits` of size n holds numbers below n; it grows when a larger one is added.
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t *words;
    uint32_t nwords;
} bits;

static inline bool bits_has(const bits *b, uint32_t i) {
    return i / 64 < b->nwords && (b->words[i / 64] >> (i % 64) & 1);
}

static inline void bits_reserve(bits *b, uint32_t n) {
    uint32_t want = (n + 63) / 64;
    if (want <= b->nwords) return;
    if (want < b->nwords * 2) want = b->nwords * 2;
    b->words = (uint64_t *)mem_grow(b->words, want * sizeof *b->words);
    memset(b->words + b->nwords, 0, (want - b->nwords) * sizeof *b->words);
    b->nwords = want;
}

static inline void bits_add(bits *b, uint32_t i) {
    bits_reserve(b, i + 1);
    b->words[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void bits_remove(bits *b, uint32_t i) {
    if (i / 64 < b->nwords) b->words[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static inline void bits_clear(bits *b) {
    if (b->nwords) memset(b->words, 0, b->nwords * sizeof *b->words);
}

static inline uint32_t bits_count(const bits *b) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->nwords; i++) n += (uint32_t)__builtin_popcountll(b->words[i]);
    return n;
}

static inline bool bits_is_empty(const bits *b) {
    for (uint32_t i = 0; i < b->nwords; i++)
        if (b->words[i]) return false;
    return true;
}

// The least member that is at least `from`, or UINT32_MAX.
static inline uint32_t bits_next(const bits *b, uint32_t from) {
    for (uint32_t w = from / 64; w < b->nwords; w++) {
        uint64_t word = b->words[w];
        if (w == from / 64) word &= ~UINT64_C(0) << (from % 64);
        if (word) return w * 64 + (uint32_t)__builtin_ctzll(word);
    }
    return UINT32_MAX;
}

// For each member i, from the least to the greatest; the body may add and remove members.
#define BITS_EACH(i, b) for (uint32_t i = bits_next(b, 0); i != UINT32_MAX; i = bits_next(b, i + 1))

static inline void bits_copy(bits *to, const bits *from) {
    bits_clear(to);
    bits_reserve(to, from->nwords * 64);
    if (from->nwords) memcpy(to->words, from->words, from->nwords * sizeof *from->words);
}

// Keeps what is in `with` too.
static inline void bits_intersect(bits *b, const bits *with) {
    for (uint32_t i = 0; i < b->nwords; i++) b->words[i] &= i < with->nwords ? with->words[i] : 0;
}

static inline void bits_join(bits *b, const bits *with) {
    bits_reserve(b, with->nwords * 64);
    for (uint32_t i = 0; i < with->nwords; i++) b->words[i] |= with->words[i];
}

static inline void bits_minus(bits *b, const bits *without) {
    for (uint32_t i = 0; i < b->nwords && i < without->nwords; i++) b->words[i] &= ~without->words[i];
}

static inline bool bits_meet(const bits *a, const bits *b) {
    for (uint32_t i = 0; i < a->nwords && i < b->nwords; i++)
        if (a->words[i] & b->words[i]) return true;
    return false;
}

static inline bool bits_subset(const bits *a, const bits *b) {
    for (uint32_t i = 0; i < a->nwords; i++)
        if (a->words[i] & ~(i < b->nwords ? b->words[i] : 0)) return false;
    return true;
}

static inline bool bits_equal(const bits *a, const bits *b) { return bits_subset(a, b) && bits_subset(b, a); }

static inline void bits_free(bits *b) {
    free(b->words);
    *b = (bits){0};
}

#endif
