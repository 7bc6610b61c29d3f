// SPDX-License-Identifier: Apache-2.0
// How states are stored in bytes: see packing.h.
#include "explore/packing.h"

#include "base/mem.h"

// Bit i of the result: the parity of the bits of x up to i.
static uint64_t parity_up_to(uint64_t x) {
    for (uint32_t by = 1; by < 64; by *= 2) x ^= x << by;
    return x;
}

// The first processors of AMD that had these instructions took them apart, into steps of a bit each.
static bool has_direct(void) {
#ifdef __x86_64__
    return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
#else
    return false;
#endif
}

// Every bit of the mask moves down by the number of bits below it that are not in the mask: step i moves those
// that have bit i in that number.
static void plan_moves(packing_word *w) {
    uint64_t mask = w->mask, below = ~w->mask << 1;
    for (uint32_t i = 0; i < PACKING_STEPS; i++) {
        uint64_t odd = parity_up_to(below), moving = odd & mask;
        w->moved[i] = moving;
        if (moving) w->steps = i + 1;
        mask = (mask ^ moving) | moving >> (1u << i);
        below &= ~odd;
    }
}

// Puts the word's bits at the first place from `bit` on from where one load of eight bytes has them all.
static uint32_t packing_place(packing_word *w, uint32_t bit) {
    uint32_t size = (uint32_t)__builtin_popcountll(w->mask);
    if (bit % 8 + size > 64) bit = (bit + 7) / 8 * 8;
    w->byte = bit / 8;
    w->shift = bit % 8;
    return bit + size;
}

size_t packing_size(uint32_t words) { return sizeof(packing) + words * sizeof(packing_word); }

packing *packing_new(uint32_t words, const uint64_t *base, const uint64_t *mask) {
    packing *p = mem_zero(1, packing_size(words));
    uint32_t bit = 0;
    bool is_direct = has_direct();
    p->words = words;
    for (uint32_t k = 0; k < words; k++) {
        packing_word *w = &p->word[k];
        *w = (packing_word){.base = base[k] & ~mask[k], .mask = mask[k], .is_direct = is_direct};
        plan_moves(w);
        bit = packing_place(w, bit);
    }
    p->bytes = (bit + 7) / 8;
    p->reach = words ? p->word[words - 1].byte + 8 : 1;
    return p;
}
