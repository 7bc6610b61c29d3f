// SPDX-License-Identifier: Apache-2.0
// Difference-bound matrices: sets of clock valuations given by bounds on differences of two clocks.
//
// A matrix of dimension n has n*n bounds in row-major order; entry (i, j) bounds x_i - x_j. Clock 0 is always
// 0. "closed": no bound can be tightened by way of a third clock, the diagonal is (<= 0), and every clock is
// >= 0. A closed matrix is not empty. Functions take and leave closed matrices unless they say otherwise.
// Where a function that returns bool says "empty", the matrix is left in no useful state after false.
#ifndef ZONE_DBM_H
#define ZONE_DBM_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

// (c, <) is 2c and (c, <=) is 2c + 1, so that a smaller number is a tighter bound.
typedef int32_t bound;

#define BOUND_INF     INT32_MAX
#define BOUND_LE_ZERO 1
// Clocks of a model, and two for bounds on time; the largest constant a model may have.
enum { DBM_MOST_OWN = 255, DBM_MOST_CLOCKS = DBM_MOST_OWN + 2, BOUND_LARGEST = 20000000 };

static inline bound bound_le(int32_t c) { return 2 * c + 1; }
static inline bound bound_lt(int32_t c) { return 2 * c; }
static inline int32_t bound_value(bound b) { return b >> 1; }
static inline bool bound_is_strict(bound b) { return !(b & 1); }
// The bound of the complement, on the difference the other way round: not x - y <= c is y - x < -c.
static inline bound bound_negate(bound b) { return 1 - b; }
static inline bound bound_add(bound a, bound b) {
    if (a == BOUND_INF || b == BOUND_INF) return BOUND_INF;
    return a + b - ((a | b) & 1);
}

// Room for the largest matrix.
typedef struct {
    bound d[(DBM_MOST_CLOCKS + 1) * (DBM_MOST_CLOCKS + 1)];
} matrix;

void dbm_zero(bound *d, uint32_t n);  // every clock is 0
void dbm_any(bound *d, uint32_t n);   // every clock is any number >= 0
// Makes any matrix closed; false: empty.
bool dbm_close(bound *d, uint32_t n);

// Those with x_i - x_j within b; false: empty.
bool dbm_constrain(bound *d, uint32_t n, uint32_t i, uint32_t j, bound b);
bool dbm_intersect(bound *d, const bound *other, uint32_t n);
void dbm_up(bound *d, uint32_t n);    // any time passes
void dbm_down(bound *d, uint32_t n);  // from where it is reached by time passing
// The same where the clocks that `stands` names (stopwatches) keep their values. What is reached then need not be a
// matrix: the result is the smallest one around it, and says whether that is all of it (true) or more (false).
bool dbm_up_some(bound *d, uint32_t n, const bool *stands);
bool dbm_down_some(bound *d, uint32_t n, const bool *stands);
void dbm_reset(bound *d, uint32_t n, uint32_t x, int32_t c);  // x := c, c >= 0
void dbm_free_clock(bound *d, uint32_t n, uint32_t x);        // x any number >= 0

bool dbm_includes(const bound *large, const bound *small, uint32_t n);

// Forgets what no guard can tell (Behrmann, Bouyer, Larsen, Pelanek: Lower and upper bounds in zone based
// abstractions, Extra+LU). lower[x], upper[x]: the largest constants x is compared with from below and above,
// -1: none. With lower = upper the result is within the union of the regions that d meets.
void dbm_extrapolate(bound *d, uint32_t n, const int32_t *lower, const int32_t *upper);

typedef VEC(bound) dbm_list;  // matrices one after the other
void dbm_add(dbm_list *list, const bound *d, uint32_t n);
static inline size_t dbm_bytes(uint32_t n) { return (size_t)n * n * sizeof(bound); }

// d without `cut`, as disjoint matrices appended to out.
void dbm_subtract(const bound *d, const bound *cut, uint32_t n, dbm_list *out);

// Are all bounds small enough to be kept? Those of a matrix that is abstracted are.
bool dbm_fits(const bound *d, uint32_t n);

#endif
