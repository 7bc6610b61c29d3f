// SPDX-License-Identifier: Apache-2.0
// Sets of tuples of 64-bit words, all of the same length, numbered in the order in which they were added. They lie
// side by side: finding one costs two cache misses.
#ifndef BASE_TUPLES_H
#define BASE_TUPLES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tuples tuples;

#define TUPLES_NONE UINT32_MAX

tuples *tuples_new(uint32_t words);
void tuples_free(tuples *t);
void tuples_clear(tuples *t);
uint64_t tuples_bytes(const tuples *t);  // of memory
uint32_t tuples_count(const tuples *t);
// The number of a tuple; TUPLES_NONE if it is not there.
uint32_t tuples_find(const tuples *t, const uint64_t *tuple);
// The number of a tuple, which is added if absent: its number is then the previous tuples_count().
uint32_t tuples_put(tuples *t, const uint64_t *tuple);
// A hint that the tuple will be looked for.
void tuples_prefetch(const tuples *t, const uint64_t *tuple);
// The same for who keeps the hash: tuples are looked up by many threads, and what was not there is added by one.
uint64_t tuples_hash(const tuples *t, const uint64_t *tuple);
uint32_t tuples_find_by(const tuples *t, const uint64_t *tuple, uint64_t hash);
uint32_t tuples_put_by(tuples *t, const uint64_t *tuple, uint64_t hash);
void tuples_prefetch_by(const tuples *t, uint64_t hash);
// Valid until the next one is added.
const uint64_t *tuples_get(const tuples *t, uint32_t number);

#endif
