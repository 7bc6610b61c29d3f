// SPDX-License-Identifier: Apache-2.0
// How states are stored in the bytes of a page: of each word only the bits of a mask, one after the other.
//
// Among the states of a search many bits never change; they are kept once, in `base`. Bits are gathered and
// spread in at most six steps, each moving some of them by a power of two (Warren, Hacker's Delight, 7-4), or by one
// instruction where the processor has one that is quick.
#ifndef EXPLORE_PACKING_H
#define EXPLORE_PACKING_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PACKING_STEPS = 6, PACKING_PAD = 8 };  // bytes that may be read and written after a state

typedef struct {
    uint64_t base;  // the bits outside of the mask
    uint64_t mask;
    uint64_t moved[PACKING_STEPS];  // by step: where bits are that move by 2^step, before they are gathered
    uint32_t steps;                 // those that move any are below
    uint32_t byte, shift;           // where the gathered bits begin
    bool is_direct;                 // by an instruction
} packing_word;

typedef struct {
    uint32_t words, bytes;
    uint32_t reach;  // bytes that are read for a state: the words' are read eight at a time
    packing_word word[];
} packing;

// Of states that are equal to `base` outside of `mask`.
packing *packing_new(uint32_t words, const uint64_t *base, const uint64_t *mask);
size_t packing_size(uint32_t words);  // of the packing itself

#ifdef __x86_64__
static inline uint64_t packing_gather_direct(uint64_t x, uint64_t mask) {
    __asm__("pext %2, %1, %0" : "=r"(x) : "r"(x), "rm"(mask));
    return x;
}

static inline uint64_t packing_spread_direct(uint64_t x, uint64_t mask) {
    __asm__("pdep %2, %1, %0" : "=r"(x) : "r"(x), "rm"(mask));
    return x;
}
#else
static inline uint64_t packing_gather_direct(uint64_t x, uint64_t mask) { return x & mask; }
static inline uint64_t packing_spread_direct(uint64_t x, uint64_t mask) { return x & mask; }
#endif

static inline uint64_t packing_gather(const packing_word *w, uint64_t x) {
    if (w->is_direct) return packing_gather_direct(x, w->mask);
    x &= w->mask;
    for (uint32_t i = 0; i < w->steps; i++) {
        uint64_t moving = x & w->moved[i];
        x = (x ^ moving) | moving >> (1u << i);
    }
    return x;
}

static inline uint64_t packing_spread(const packing_word *w, uint64_t x) {
    if (w->is_direct) return packing_spread_direct(x, w->mask) | w->base;
    for (uint32_t i = w->steps; i-- > 0;) {
        uint64_t moved = x << (1u << i);
        x = (x & ~w->moved[i]) | (moved & w->moved[i]);
    }
    return (x & w->mask) | w->base;
}

static inline uint64_t packing_load(const packing_word *w, const unsigned char *from) {
    uint64_t bytes;
    memcpy(&bytes, from + w->byte, sizeof bytes);
    return packing_spread(w, le64toh(bytes) >> w->shift);
}

static inline void packing_get(const packing *p, const unsigned char *from, uint64_t *state) {
    for (uint32_t k = 0; k < p->words; k++) state[k] = packing_load(&p->word[k], from);
}

static inline bool packing_is_equal(const packing *p, const unsigned char *from, const uint64_t *state) {
    uint64_t differs = 0;
    for (uint32_t k = 0; k < p->words; k++) differs |= packing_load(&p->word[k], from) ^ state[k];
    return differs == 0;
}

// In order of words: what one writes beyond its bits, the next one, or what follows, overwrites.
static inline void packing_put(const packing *p, const uint64_t *state, unsigned char *to) {
    for (uint32_t k = 0; k < p->words; k++) {
        const packing_word *w = &p->word[k];
        uint64_t before = to[w->byte] & ((1u << w->shift) - 1);
        uint64_t bytes = htole64(before | packing_gather(w, state[k]) << w->shift);
        memcpy(to + w->byte, &bytes, sizeof bytes);
    }
}

// Is the state equal to the base outside of the mask?
static inline bool packing_fits(const packing *p, const uint64_t *state) {
    uint64_t stray = 0;
    for (uint32_t k = 0; k < p->words; k++) stray |= (state[k] & ~p->word[k].mask) ^ p->word[k].base;
    return stray == 0;
}

#endif
