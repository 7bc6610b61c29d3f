// SPDX-License-Identifier: Apache-2.0
// Difference-bound matrices for rechecking, written to be plainly right: every operation that can loosen the
// closure closes the whole matrix again (Floyd and Warshall). There is no abstraction. Shares nothing with zone/dbm.h.
//
// A matrix of n clocks, clock 0 being always 0, has n*n bounds: entry i*n+j bounds x_i - x_j. A bound is 2c for < c,
// 2c+1 for <= c, PLAIN_NONE for none; a lesser number is tighter. Functions take and leave closed matrices that are
// not empty; where one returns bool, false means "empty", and the matrix must not be used.
#ifndef CERTIFICATE_PLAINDBM_H
#define CERTIFICATE_PLAINDBM_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define PLAIN_NONE INT32_MAX
enum { PLAIN_LARGEST = 1 << 20 };  // no constant has a larger absolute value,
enum { PLAIN_MOST_CLOCKS = 257 };  // so that a sum of one bound for each clock is a number of 32 bits

typedef VEC(int32_t) plain_list;  // matrices, one after the other

static inline int32_t plain_bound(int32_t c, bool is_strict) { return 2 * c + !is_strict; }

void plain_zero(int32_t *d, uint32_t n);  // every clock is 0
// Any matrix (bounds within PLAIN_LARGEST); clocks are >= 0.
bool plain_close(int32_t *d, uint32_t n);
bool plain_constrain(int32_t *d, uint32_t n, uint32_t i, uint32_t j, int32_t b);
void plain_up(int32_t *d, uint32_t n);    // any time passes
void plain_down(int32_t *d, uint32_t n);  // from where time leads into it
void plain_set(int32_t *d, uint32_t n, uint32_t x, int32_t c);
bool plain_includes(const int32_t *large, const int32_t *small, uint32_t n);

static inline size_t plain_bytes(uint32_t n) { return (size_t)n * n * sizeof(int32_t); }
int32_t *plain_copy(const int32_t *d, uint32_t n);  // freed by free()
void plain_add(plain_list *list, const int32_t *d, uint32_t n);
// d without all of `cuts`, in parts that do not overlap, added to out.
void plain_without(const int32_t *d, const plain_list *cuts, uint32_t n, plain_list *out);
// Is d within the union of `parts`?
bool plain_is_covered(const int32_t *d, const plain_list *parts, uint32_t n);

#endif
