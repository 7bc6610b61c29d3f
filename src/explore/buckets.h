// SPDX-License-Identifier: Apache-2.0
// A hash table from fingerprints of 32 bits to numbers: few numbers can belong to a fingerprint, and
// the caller finds out which one does.
//
// A bucket holds 16 pairs: for each a byte of the fingerprint, all compared at once, and a number of as many bits
// as the size of the table needs. It fills from the front; an entry that finds a bucket full goes on to the next
// one, so a bucket with room ends a search. Even when 15 of 16 are full, a search looks at little more than one bucket.
// The bucket of a fingerprint f of c is f * c / 2^32: its high bits, and so any number of buckets will do.
//
// Invariant: at least one bucket has room.
#ifndef EXPLORE_BUCKETS_H
#define EXPLORE_BUCKETS_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BUCKETS_EACH = 16 };  // pairs of a bucket

typedef struct {
    unsigned char *data;
    uint32_t count;        // of buckets; 0: there is no table
    uint32_t number_bits;  // of a pair
    uint32_t size;         // of a bucket, in bytes
} buckets;

size_t buckets_bytes(uint32_t count);           // memory of this many
void buckets_make(buckets *b, uint32_t count);  // empty ones instead of the old ones
void buckets_free(buckets *b);
void buckets_add(buckets *b, uint32_t print, uint32_t number);  // there must be room; numbers are below 16 * count

// A search: the numbers that may belong to a fingerprint, until the bucket that has room.
typedef struct {
    const unsigned char *bucket;
    uint64_t wanted;   // the fingerprint's byte, eight times
    uint64_t matches;  // bit 8 * i + j: pair i + 8 * j agrees, not yet given
    bool is_last;
} buckets_search;

static inline unsigned char *buckets_home(const buckets *b, uint32_t print) {
    return b->data + ((uint64_t)print * b->count >> 32) * b->size;
}

static inline const unsigned char *buckets_after(const buckets *b, const unsigned char *bucket) {
    bucket += b->size;
    return bucket == b->data + (size_t)b->count * b->size ? b->data : bucket;
}

// The byte that is kept of a fingerprint: 0 is for pairs that are not there.
static inline uint64_t buckets_byte(uint32_t print) { return (print & 0xff) + !(print & 0xff); }

static inline uint64_t buckets_word(const unsigned char *from) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return le64toh(word);
}

// 0x80 in every byte that is 0, 0 in all others.
static inline uint64_t buckets_zeros(uint64_t x) {
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return ~(((x & low) + low) | x | low);
}

static inline void buckets_enter(buckets_search *s, const unsigned char *bucket) {
    uint64_t first = buckets_word(bucket), second = buckets_word(bucket + 8);
    s->bucket = bucket;
    s->matches = buckets_zeros(first ^ s->wanted) >> 7 | buckets_zeros(second ^ s->wanted) >> 6;
    s->is_last = second >> 56 == 0;
}

static inline buckets_search buckets_begin(const buckets *b, uint32_t print) {
    buckets_search s = {.wanted = buckets_byte(print) * UINT64_C(0x0101010101010101)};
    buckets_enter(&s, buckets_home(b, print));
    return s;
}

static inline uint32_t buckets_number(const buckets *b, const unsigned char *bucket, uint32_t pair) {
    uint32_t bit = pair * b->number_bits;
    uint64_t word = buckets_word(bucket + BUCKETS_EACH + bit / 8) >> bit % 8;
    return (uint32_t)(word & ((UINT64_C(1) << b->number_bits) - 1));
}

static inline bool buckets_next(const buckets *b, buckets_search *s, uint32_t *number) {
    while (!s->matches) {
        if (s->is_last) return false;
        buckets_enter(s, buckets_after(b, s->bucket));
    }
    uint32_t bit = (uint32_t)__builtin_ctzll(s->matches);
    s->matches &= s->matches - 1;
    *number = buckets_number(b, s->bucket, bit / 8 + bit % 8 * 8);
    return true;
}

// The first number that may belong to a fingerprint, if its home has one. If not, and the home is full, the next bucket
// is asked for and not waited for.
static inline bool buckets_guess(const buckets *b, uint32_t print, uint32_t *number, bool *is_full) {
    buckets_search s = buckets_begin(b, print);
    *is_full = !s.is_last;
    if (!s.matches && !s.is_last) {
        const unsigned char *after = buckets_after(b, s.bucket);
        __builtin_prefetch(after);
        __builtin_prefetch(after + b->size - 1);
    }
    return s.matches && buckets_next(b, &s, number);
}

// The same in the bucket after the home.
static inline bool buckets_guess_after(const buckets *b, uint32_t print, uint32_t *number) {
    buckets_search s = {.wanted = buckets_byte(print) * UINT64_C(0x0101010101010101)};
    buckets_enter(&s, buckets_after(b, buckets_home(b, print)));
    return s.matches && buckets_next(b, &s, number);
}

// A hint, some time before a search. No function: gcc drops calls of inline functions that only do this.
#define buckets_prefetch(b, print)                                  \
    do {                                                            \
        const unsigned char *buckets_soon = buckets_home(b, print); \
        __builtin_prefetch(buckets_soon, 1);                        \
        __builtin_prefetch(buckets_soon + (b)->size - 1, 1);        \
    } while (0)

#endif
