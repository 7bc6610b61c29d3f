// SPDX-License-Identifier: Apache-2.0
// States seen recently: a cache with sets of as many states as fit into a line of the processor's cache, from the
// newest to the oldest. A set is one access to memory, whatever its size; beside a cache with one place for each state
// it remembers a state about as long as it has room, not until the next one that happens to have the same place.
#ifndef EXPLORE_RECENT_H
#define EXPLORE_RECENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { RECENT_BYTES = 64 };  // of a set of states of one word or two; wider states are alone

// Loops over the words of a state are unrolled where their number is a constant.
#define RECENT_INLINE static inline __attribute__((always_inline))

RECENT_INLINE bool recent_is_same(const uint64_t *a, const uint64_t *b, uint32_t words) {
    uint64_t differs = 0;
    for (uint32_t k = 0; k < words; k++) differs |= a[k] ^ b[k];
    return differs == 0;
}

RECENT_INLINE void recent_copy(uint64_t *to, const uint64_t *from, uint32_t words) {
    for (uint32_t k = 0; k < words; k++) to[k] = from[k];
}

// States of a set: a power of two.
RECENT_INLINE uint32_t recent_ways(uint32_t words) { return words <= 2 ? RECENT_BYTES / 8 / (words + !words) : 1; }

// The set of a state in a cache for so many, a power of two.
RECENT_INLINE uint64_t *recent_set(uint64_t *cache, uint64_t size, uint64_t hash, uint32_t words) {
    return cache + (hash >> 32 & (size - recent_ways(words))) * words;
}

// A hint, some time before it is looked at. Wider states may lie in two lines.
RECENT_INLINE void recent_prefetch(const uint64_t *set, uint32_t words) {
    __builtin_prefetch(set, 1);
    if (words > 2) __builtin_prefetch(set + words - 1, 1);
}

#ifdef __SSE2__
// Sixteen bytes of a set: all ones where a state is this one, which is there once or twice.
RECENT_INLINE __m128i recent_equal(const uint64_t *set, __m128i state, uint32_t words) {
    __m128i halves = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(const void *)set), state);
    __m128i equal = _mm_and_si128(halves, _mm_shuffle_epi32(halves, 0xb1));
    return words == 1 ? equal : _mm_and_si128(equal, _mm_shuffle_epi32(equal, 0x4e));
}

RECENT_INLINE bool recent_has_line(const uint64_t *set, const uint64_t *state, uint32_t words) {
    __m128i x = _mm_set_epi64x((long long)state[words - 1], (long long)state[0]);
    __m128i low = _mm_or_si128(recent_equal(set, x, words), recent_equal(set + 2, x, words));
    __m128i high = _mm_or_si128(recent_equal(set + 4, x, words), recent_equal(set + 6, x, words));
    return _mm_movemask_epi8(_mm_or_si128(low, high)) != 0;
}
#else
RECENT_INLINE bool recent_has_line(const uint64_t *set, const uint64_t *state, uint32_t words) {
    bool has = false;
    for (uint32_t i = 0; i < recent_ways(words); i++) has |= recent_is_same(set + i * words, state, words);
    return has;
}
#endif

RECENT_INLINE bool recent_has(const uint64_t *set, const uint64_t *state, uint32_t words) {
    return words == 1 || words == 2 ? recent_has_line(set, state, words) : recent_is_same(set, state, words);
}

// The oldest one goes.
RECENT_INLINE void recent_put(uint64_t *set, const uint64_t *state, uint32_t words) {
    uint64_t before[RECENT_BYTES / 8];
    if (recent_ways(words) > 1) memcpy(before, set, sizeof before);
    if (words == 1) memcpy(set + 1, before, RECENT_BYTES - 8);
    if (words == 2) memcpy(set + 2, before, RECENT_BYTES - 16);
    recent_copy(set, state, words);
}

#endif
