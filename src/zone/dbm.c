// SPDX-License-Identifier: Apache-2.0
// Difference-bound matrices: see dbm.h. Closing is Floyd and Warshall's; one new bound on a closed matrix
// needs only the paths through it (quadratic).
#include "zone/dbm.h"

#include <assert.h>
#include <string.h>

void dbm_zero(bound *d, uint32_t n) {
    for (uint32_t i = 0; i < n * n; i++) d[i] = BOUND_LE_ZERO;
}

void dbm_any(bound *d, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) d[i * n + j] = i == 0 || i == j ? BOUND_LE_ZERO : BOUND_INF;
}

// Does a path through k lead anywhere?
static bool leads_on(const bound *row, uint32_t n, uint32_t k) {
    for (uint32_t j = 0; j < n; j++)
        if (row[j] != BOUND_INF && j != k) return true;
    return false;
}

// Tightens a row by way of k. Without branches, so that it is done for several columns at once.
static inline void tighten(bound *restrict row, const bound *restrict by, bound to_k, uint32_t n) {
    for (uint32_t j = 0; j < n; j++) {
        bound sum = by[j] == BOUND_INF ? BOUND_INF : to_k + by[j] - ((to_k | by[j]) & 1);
        row[j] = sum < row[j] ? sum : row[j];
    }
}

bool dbm_close(bound *d, uint32_t n) {
    for (uint32_t j = 1; j < n; j++)
        if (d[j] > BOUND_LE_ZERO) d[j] = BOUND_LE_ZERO;
    for (uint32_t k = 0; k < n; k++) {
        if (!leads_on(d + k * n, n, k)) continue;
        for (uint32_t i = 0; i < n; i++)
            if (i != k && d[i * n + k] != BOUND_INF) tighten(d + i * n, d + k * n, d[i * n + k], n);
        if (d[k * n + k] < BOUND_LE_ZERO) return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (d[i * n + i] < BOUND_LE_ZERO) return false;
        d[i * n + i] = BOUND_LE_ZERO;
    }
    return true;
}

bool dbm_constrain(bound *d, uint32_t n, uint32_t i, uint32_t j, bound b) {
    if (b >= d[i * n + j]) return true;
    if (bound_add(b, d[j * n + i]) < BOUND_LE_ZERO) return false;
    d[i * n + j] = b;
    for (uint32_t k = 0; k < n; k++) {
        bound ki = d[k * n + i];
        if (ki == BOUND_INF) continue;
        bound kj = bound_add(ki, b);
        if (k != j && (k == i || kj < d[k * n + j])) tighten(d + k * n, d + j * n, kj, n);
    }
    return true;
}

bool dbm_intersect(bound *d, const bound *other, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (!dbm_constrain(d, n, i, j, other[i * n + j])) return false;
    return true;
}

void dbm_up(bound *d, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) d[i * n] = BOUND_INF;
}

void dbm_down(bound *d, uint32_t n) {
    for (uint32_t j = 1; j < n; j++) {
        bound b = BOUND_LE_ZERO;
        for (uint32_t i = 1; i < n; i++)
            if (d[i * n + j] < b) b = d[i * n + j];
        d[j] = b;
    }
}

// ---- clocks that stand still
//
// Let r be clocks that run and s ones that do not, 0 among them. A point is reached from d after some time t iff
//     r1 - s1 - d(r1, s1) <= t <= r2 - s2 + d(s2, r2)   for all of them,
// and its differences of two r or of two s are within d. That there is such a t means
//     (r1 - r2) + (s2 - s1) <= d(r1, s1) + d(s2, r2)
// for all four. With r1 = r2 or s1 = s2 it follows from d's being closed. Otherwise it follows from a matrix h iff one
// of the two ways to pair what is added with what is subtracted is tight enough (a smallest matching: the dual of the
// largest value that the left side has in h). So h is exactly what is reached iff that is so for all four. Backwards
// the same holds with r and s changing places.

// Does (a1 - a2) + (b2 - b1) <= most follow from the closed matrix h?
static bool implies_four(const bound *h, uint32_t n, uint32_t a1, uint32_t a2, uint32_t b2, uint32_t b1, bound most) {
    return bound_add(h[a1 * n + a2], h[b2 * n + b1]) <= most || bound_add(h[a1 * n + b1], h[b2 * n + a2]) <= most;
}

typedef struct {
    uint16_t of[DBM_MOST_CLOCKS + 1];
    uint32_t n;
} clock_list;

// Clocks of one kind, without those whose difference to one before them is fixed in d: as both matrices are closed,
// what holds of one of these holds of the other.
static void apart_clocks(const bound *d, uint32_t n, const bool *stands, bool is, clock_list *out) {
    out->n = 0;
    for (uint32_t c = 0; c < n; c++) {
        bool is_new = stands[c] == is;
        for (uint32_t i = 0; is_new && i < out->n; i++) {
            uint32_t b = out->of[i];
            is_new = d[c * n + b] == BOUND_INF || bound_add(d[c * n + b], d[b * n + c]) != BOUND_LE_ZERO;
        }
        if (is_new) out->of[out->n++] = (uint16_t)c;
    }
}

// For clocks a1, a2 of one kind: all pairs of the other one.
static bool implies_pairs(const bound *h, const bound *d, uint32_t n, const clock_list *others, uint32_t a1,
                          uint32_t a2) {
    for (uint32_t i = 0; i < others->n; i++) {
        uint32_t b1 = others->of[i];
        if (d[a1 * n + b1] == BOUND_INF) continue;
        for (uint32_t k = 0; k < others->n; k++) {
            uint32_t b2 = others->of[k];
            if (b2 == b1 || d[b2 * n + a2] == BOUND_INF) continue;
            if (!implies_four(h, n, a1, a2, b2, b1, bound_add(d[a1 * n + b1], d[b2 * n + a2]))) return false;
        }
    }
    return true;
}

// Is h all that time leads to from d (with `forward` false: all that leads to d)?
static bool is_all_reached(const bound *h, const bound *d, uint32_t n, const bool *stands, bool forward) {
    clock_list own, others;
    apart_clocks(d, n, stands, !forward, &own);
    apart_clocks(d, n, stands, forward, &others);
    for (uint32_t i = 0; i < own.n; i++)
        for (uint32_t k = 0; k < own.n; k++)
            if (i != k && !implies_pairs(h, d, n, &others, own.of[i], own.of[k])) return false;
    return true;
}

bool dbm_up_some(bound *d, uint32_t n, const bool *stands) {
    matrix before;
    assert(stands[0] && n <= DBM_MOST_CLOCKS + 1);
    memcpy(before.d, d, dbm_bytes(n));
    for (uint32_t r = 1; r < n; r++)
        for (uint32_t s = 0; s < n && !stands[r]; s++)
            if (stands[s]) d[r * n + s] = BOUND_INF;
    return is_all_reached(d, before.d, n, stands, true);
}

bool dbm_down_some(bound *d, uint32_t n, const bool *stands) {
    matrix before;
    assert(stands[0] && n <= DBM_MOST_CLOCKS + 1);
    memcpy(before.d, d, dbm_bytes(n));
    for (uint32_t r = 1; r < n; r++)
        for (uint32_t s = 0; s < n && !stands[r]; s++)
            if (stands[s]) d[s * n + r] = BOUND_INF;
    bool some = dbm_close(d, n);
    assert(some);
    (void)some;
    return is_all_reached(d, before.d, n, stands, false);
}

void dbm_reset(bound *d, uint32_t n, uint32_t x, int32_t c) {
    for (uint32_t i = 0; i < n; i++) {
        if (i == x) continue;
        d[x * n + i] = bound_add(bound_le(c), d[i]);
        d[i * n + x] = bound_add(d[i * n], bound_le(-c));
    }
}

void dbm_free_clock(bound *d, uint32_t n, uint32_t x) {
    for (uint32_t i = 0; i < n; i++) {
        if (i == x) continue;
        d[x * n + i] = BOUND_INF;
        d[i * n + x] = d[i * n];
    }
}

bool dbm_includes(const bound *large, const bound *small, uint32_t n) {
    for (uint32_t i = 0; i < n * n; i++)
        if (small[i] > large[i]) return false;
    return true;
}

// ---- extrapolation

// What the abstraction leaves of the row of clock i > 0, whose bounds above `most` go, and columns that are `gone`. Was
// there a change?
static inline bool relax_row(bound *restrict row, const bound *restrict gone, bound most, uint32_t n) {
    bound changed = 0;
    for (uint32_t j = 0; j < n; j++) {
        bound b = ((row[j] > most) | (gone[j] != 0)) ? BOUND_INF : row[j];
        changed |= b ^ row[j];
        row[j] = b;
    }
    return changed;
}

// Row 0: clocks that are above their upper bound are just that.
static bool relax_least(bound *d, uint32_t n, const int32_t *upper, const bound *gone) {
    bool changed = false;
    for (uint32_t j = 1; j < n; j++) {
        bound b = gone[j] ? bound_lt(-upper[j]) : d[j];
        if (gone[j] && upper[j] < 0) b = BOUND_LE_ZERO;
        changed |= b != d[j];
        d[j] = b;
    }
    return changed;
}

// Closes a matrix again in which rows that are not listed, of clocks without bounds, lead nowhere.
static void reclose(bound *d, uint32_t n, const uint16_t *list, uint32_t m) {
    for (uint32_t a = 0; a < m; a++) {
        uint32_t k = list[a];
        for (uint32_t b = 0; b < m; b++) {
            uint32_t i = list[b];
            if (i != k && d[i * n + k] != BOUND_INF) tighten(d + i * n, d + k * n, d[i * n + k], n);
        }
    }
}

// What is not compared at all is any number: the matrix stays closed. The others, and clock 0, are listed.
static uint32_t free_uncompared(bound *d, uint32_t n, const int32_t *lower, const int32_t *upper, uint16_t *list) {
    uint32_t m = 1;
    list[0] = 0;
    for (uint32_t x = 1; x < n; x++) {
        if (lower[x] < 0 && upper[x] < 0) dbm_free_clock(d, n, x);
        else list[m++] = (uint16_t)x;
    }
    return m;
}

void dbm_extrapolate(bound *d, uint32_t n, const int32_t *lower, const int32_t *upper) {
    bound gone[DBM_MOST_CLOCKS + 1];
    uint16_t list[DBM_MOST_CLOCKS + 1];
    assert(n <= DBM_MOST_CLOCKS + 1);
    uint32_t m = free_uncompared(d, n, lower, upper, list);
    bool changed = false;
    if (m == 1) return;
    memset(gone, 0, n * sizeof *gone);
    for (uint32_t a = 1; a < m; a++) gone[list[a]] = -bound_value(d[list[a]]) > upper[list[a]];
    for (uint32_t a = 1; a < m; a++) {
        uint32_t i = list[a];
        bool is_above = -bound_value(d[i]) > lower[i];
        d[i * n + i] = BOUND_INF;
        changed |= relax_row(d + i * n, gone, is_above ? INT32_MIN : bound_le(lower[i]), n);
        d[i * n + i] = BOUND_LE_ZERO;
    }
    changed |= relax_least(d, n, upper, gone);
    if (changed) reclose(d, n, list, m);
}

// ---- lists

void dbm_add(dbm_list *list, const bound *d, uint32_t n) {
    vec_reserve(list, list->len + n * n);
    memcpy(list->data + list->len, d, dbm_bytes(n));
    list->len += n * n;
}

void dbm_subtract(const bound *d, const bound *cut, uint32_t n, dbm_list *out) {
    matrix rest, part;
    assert(n <= DBM_MOST_CLOCKS + 1);
    memcpy(rest.d, d, dbm_bytes(n));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            bound b = cut[i * n + j];
            if (i == j || b >= rest.d[i * n + j]) continue;
            memcpy(part.d, rest.d, dbm_bytes(n));
            if (dbm_constrain(part.d, n, j, i, bound_negate(b))) dbm_add(out, part.d, n);
            if (!dbm_constrain(rest.d, n, i, j, b)) return;
        }
}

// ---- limits

enum { BOUND_BITS = 27 };

bool dbm_fits(const bound *d, uint32_t n) {
    const bound most = 1 << (BOUND_BITS - 1);
    for (uint32_t i = 0; i < n * n; i++)
        if (d[i] != BOUND_INF && (d[i] < -most || d[i] >= most)) return false;
    return true;
}
