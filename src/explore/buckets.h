// SPDX-License-Identifier: Apache-2.0
// A hash table from fingerprints of 32 bits to numbers: few numbers can belong to a fingerprint, and
// the caller finds out which one does.
//
// A bucket is a line of the processor's cache. It holds as many pairs as fit: for each a byte of the fingerprint, all
// compared at once, and a number of as many bits as the size of the table needs. It fills from the front; an entry that
// finds a bucket full goes on to the next one. The last byte of a bucket says which did: bit i that some entry of group
// i went on, a group being an eighth of all fingerprints. So a search for what is not there ends in most cases where it
// begins, even when 15 of 16 are full. The bucket of a fingerprint f of c is f * c / 2^32: its high bits, and so any
// number of buckets will do.
//
// Invariant: at least one bucket has room.
#ifndef EXPLORE_BUCKETS_H
#define EXPLORE_BUCKETS_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BUCKETS_SIZE = 64, BUCKETS_MOST = 32, BUCKETS_PASSED = BUCKETS_SIZE - 1 };  // bytes and pairs of a bucket

typedef struct {
    unsigned char *data;
    uint32_t count;        // of buckets; 0: there is no table
    uint32_t each;         // pairs of a bucket
    uint32_t number_bits;  // of a pair
} buckets;

size_t buckets_bytes(uint32_t count);           // memory of this many
uint64_t buckets_room(uint32_t count);          // pairs of this many
void buckets_make(buckets *b, uint32_t count);  // empty ones instead of the old ones
void buckets_free(buckets *b);
void buckets_add(buckets *b, uint32_t print, uint32_t number);  // there must be room; numbers are below buckets_room()
// The same, for n pairs with numbers from `first` on, when all that is there was added this way: `filled` has a byte
// for each bucket, 0 in an empty table. So nothing waits for a bucket to say whether it is full.
void buckets_fill(const buckets *b, uint8_t *filled, const uint32_t *prints, uint32_t n, uint32_t first);

// A search: the numbers that may belong to a fingerprint, until the bucket that none of its group passed.
typedef struct {
    const unsigned char *bucket;
    uint32_t matches;  // bit i: pair i agrees, not yet given
    uint8_t wanted;    // the fingerprint's byte,
    uint8_t group;     // and the bit of its group
    bool is_last;
} buckets_search;

static inline unsigned char *buckets_home(const buckets *b, uint32_t print) {
    return b->data + ((uint64_t)print * b->count >> 32) * BUCKETS_SIZE;
}

static inline const unsigned char *buckets_after(const buckets *b, const unsigned char *bucket) {
    bucket += BUCKETS_SIZE;
    return bucket == b->data + (size_t)b->count * BUCKETS_SIZE ? b->data : bucket;
}

// The byte that is kept of a fingerprint: 0 is for pairs that are not there.
static inline uint8_t buckets_byte(uint32_t print) { return (uint8_t)((print & 0xff) + !(print & 0xff)); }

// Neither this byte nor the bits that name the home tell the group.
static inline uint8_t buckets_group(uint32_t print) { return (uint8_t)(1u << (print >> 8 & 7)); }

// Bit i: byte i of the first 32 is this one.
static inline uint32_t buckets_equal(const unsigned char *bucket, uint8_t byte) {
#ifdef __SSE2__
    __m128i all = _mm_set1_epi8((char)byte);
    __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)bucket), all);
    __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(bucket + 16)), all);
    return (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
#else
    uint32_t equal = 0;
    for (uint32_t i = 0; i < BUCKETS_MOST; i++) equal |= (uint32_t)(bucket[i] == byte) << i;
    return equal;
#endif
}

// After the fingerprints there are numbers.
static inline uint32_t buckets_pairs(const buckets *b) { return UINT32_MAX >> (BUCKETS_MOST - b->each); }

static inline void buckets_enter(const buckets *b, buckets_search *s, const unsigned char *bucket) {
    s->bucket = bucket;
    s->matches = buckets_equal(bucket, s->wanted) & buckets_pairs(b);
    s->is_last = !(bucket[BUCKETS_PASSED] & s->group);
}

static inline buckets_search buckets_begin(const buckets *b, uint32_t print) {
    buckets_search s = {.wanted = buckets_byte(print), .group = buckets_group(print)};
    buckets_enter(b, &s, buckets_home(b, print));
    return s;
}

// The eight bytes of a bucket that have a pair's number, and where it begins in them. None are of the next bucket.
static inline uint32_t buckets_place(const buckets *b, uint32_t pair, uint32_t *shift) {
    uint32_t bit = b->each * 8 + pair * b->number_bits;
    uint32_t byte = bit / 8 < BUCKETS_SIZE - 8 ? bit / 8 : BUCKETS_SIZE - 8;
    *shift = bit - 8 * byte;
    return byte;
}

static inline uint32_t buckets_number(const buckets *b, const unsigned char *bucket, uint32_t pair) {
    uint32_t shift, byte = buckets_place(b, pair, &shift);
    uint64_t word;
    memcpy(&word, bucket + byte, sizeof word);
    return (uint32_t)(le64toh(word) >> shift & ((UINT64_C(1) << b->number_bits) - 1));
}

// Of the bucket that the search is in.
static inline bool buckets_next_here(const buckets *b, buckets_search *s, uint32_t *number) {
    if (!s->matches) return false;
    *number = buckets_number(b, s->bucket, (uint32_t)__builtin_ctz(s->matches));
    s->matches &= s->matches - 1;
    return true;
}

static inline bool buckets_next(const buckets *b, buckets_search *s, uint32_t *number) {
    while (!s->matches) {
        if (s->is_last) return false;
        buckets_enter(b, s, buckets_after(b, s->bucket));
    }
    return buckets_next_here(b, s, number);
}

static inline bool buckets_is_full(const buckets *b, const unsigned char *bucket) { return bucket[b->each - 1]; }

// A hint, some time before a search. No function: gcc drops calls of inline functions that only do this.
#define buckets_prefetch(b, print) __builtin_prefetch(buckets_home(b, print), 1)

#endif
