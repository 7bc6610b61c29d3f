// SPDX-License-Identifier: Apache-2.0
// A hash table from fingerprints to numbers: see buckets.h.
#include "explore/buckets.h"

#include "explore/pages.h"

static uint32_t number_bits(uint32_t count, uint32_t each) {
    return 64 - (uint32_t)__builtin_clzll((uint64_t)count * each - 1);
}

static uint32_t most_pairs(uint32_t count) {
    uint32_t each = BUCKETS_MOST;
    while (each * (8 + number_bits(count, each)) > 8 * BUCKETS_PASSED) each--;
    return each;
}

size_t buckets_bytes(uint32_t count) { return (size_t)count * BUCKETS_SIZE; }

uint64_t buckets_room(uint32_t count) { return count ? (uint64_t)count * most_pairs(count) : 0; }

void buckets_free(buckets *b) {
    pages_free(b->data, buckets_bytes(b->count));
    *b = (buckets){0};
}

void buckets_make(buckets *b, uint32_t count) {
    unsigned char *data = pages_again(b->data, buckets_bytes(b->count), buckets_bytes(count));
    *b = (buckets){.data = data, .count = count, .each = most_pairs(count)};
    b->number_bits = number_bits(count, b->each);
}

static inline void buckets_write(const buckets *b, unsigned char *bucket, uint32_t pair, uint32_t print,
                                 uint32_t number) {
    uint32_t shift, byte = buckets_place(b, pair, &shift);
    uint64_t word;
    bucket[pair] = buckets_byte(print);
    memcpy(&word, bucket + byte, sizeof word);
    word = htole64(le64toh(word) | (uint64_t)number << shift);
    memcpy(bucket + byte, &word, sizeof word);
}

void buckets_add(buckets *b, uint32_t print, uint32_t number) {
    unsigned char *bucket = buckets_home(b, print);
    for (; buckets_is_full(b, bucket); bucket = (unsigned char *)buckets_after(b, bucket))
        bucket[BUCKETS_PASSED] |= buckets_group(print);
    buckets_write(b, bucket, (uint32_t)__builtin_ctz(buckets_equal(bucket, 0)), print, number);
}

// What is written might be part of the table's description, for all that the compiler knows: so that is read once.
void buckets_fill(const buckets *table, uint8_t *filled, const uint32_t *prints, uint32_t n, uint32_t first) {
    const buckets b = *table;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t print = prints[i], at = (uint32_t)((uint64_t)print * b.count >> 32);
        for (; filled[at] == b.each; at = at + 1 < b.count ? at + 1 : 0)
            b.data[(size_t)at * BUCKETS_SIZE + BUCKETS_PASSED] |= buckets_group(print);
        buckets_write(&b, b.data + (size_t)at * BUCKETS_SIZE, filled[at]++, print, first + i);
    }
}
