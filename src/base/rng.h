// SPDX-License-Identifier: Apache-2.0
// A small deterministic random number generator (splitmix64), for sampling, tests and fuzzing.
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t state;
} rng;

static inline uint64_t rng_next(rng *r) {
    uint64_t z = (r->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// A number below n (n > 0).
static inline uint32_t rng_below(rng *r, uint32_t n) { return (uint32_t)(((rng_next(r) >> 32) * n) >> 32); }

#endif
