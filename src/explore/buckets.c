// SPDX-License-Identifier: Apache-2.0
// A hash table from fingerprints to numbers: see buckets.h.
#include "explore/buckets.h"

#include "explore/pages.h"

enum { PAD = 8 };  // numbers are read and written in whole words

static uint32_t number_bits(uint32_t count) {
    return 64 - (uint32_t)__builtin_clzll((uint64_t)count * BUCKETS_EACH - 1);
}

// Sixteen bytes of fingerprints and as many numbers.
static uint32_t bucket_size(uint32_t count) { return BUCKETS_EACH + BUCKETS_EACH / 8 * number_bits(count); }

size_t buckets_bytes(uint32_t count) { return count ? (size_t)count * bucket_size(count) + PAD : 0; }

void buckets_free(buckets *b) {
    pages_free(b->data, buckets_bytes(b->count));
    *b = (buckets){0};
}

void buckets_make(buckets *b, uint32_t count) {
    buckets_free(b);
    *b = (buckets){.count = count, .number_bits = number_bits(count), .size = bucket_size(count)};
    b->data = pages_alloc(buckets_bytes(count));
}

static uint32_t used_pairs(const unsigned char *bucket) {
    uint64_t first = buckets_word(bucket), second = buckets_word(bucket + 8);
    uint64_t word = second ? second : first;
    uint32_t used = word ? 8 - (uint32_t)__builtin_clzll(word) / 8 : 0;
    return second ? 8 + used : used;
}

// What lies after the pair's number is not there yet, or belongs to the next bucket: it is kept.
void buckets_add(buckets *b, uint32_t print, uint32_t number) {
    unsigned char *bucket = buckets_home(b, print);
    while (bucket[BUCKETS_EACH - 1]) bucket = (unsigned char *)buckets_after(b, bucket);
    uint32_t pair = used_pairs(bucket), bit = pair * b->number_bits;
    bucket[pair] = (unsigned char)buckets_byte(print);
    uint64_t word = htole64(buckets_word(bucket + BUCKETS_EACH + bit / 8) | (uint64_t)number << bit % 8);
    memcpy(bucket + BUCKETS_EACH + bit / 8, &word, sizeof word);
}
