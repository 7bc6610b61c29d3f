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

void buckets_add(buckets *b, uint32_t print, uint32_t number) {
    unsigned char *bucket = buckets_home(b, print);
    for (; bucket[b->each - 1]; bucket = (unsigned char *)buckets_after(b, bucket))
        bucket[BUCKETS_PASSED] |= buckets_group(print);
    uint32_t shift, pair = (uint32_t)__builtin_ctz(buckets_equal(bucket, 0)), byte = buckets_place(b, pair, &shift);
    uint64_t word;
    bucket[pair] = buckets_byte(print);
    memcpy(&word, bucket + byte, sizeof word);
    word = htole64(le64toh(word) | (uint64_t)number << shift);
    memcpy(bucket + byte, &word, sizeof word);
}
