// SPDX-License-Identifier: Apache-2.0
// Covering of zones: see cover.h.
//
// v is simulated by some w of the closed zone Z iff w can be found between bounds that v gives: w(x) >= v(x), or just >
// lower[x] where v(x) is above it; and w(x) <= v(x) where v(x) <= upper[x]. These bounds are on single clocks, so
// they contradict those of Z iff two of them contradict one bound of Z on x_i - x_j, say c: v(j) <= upper[j] is given,
// and v(i) - v(j) is beyond c, and so is lower[i] - v(j) with w(i) > lower[i], that is v(j) <= lower[i] - c. (Clock 0
// has upper and lower bound 0.) A closed d has such a v iff its own bounds allow each of these alone: d_ij > c, and
// the least value of j, which d_0j gives, is at most upper[j] and at most lower[i] - c.
#include "zone/cover.h"

#include <assert.h>
#include <string.h>

// Far below every bound, also after a constant was added.
enum { NEED_NOTHING = -(1 << 30), NEED_SOMETHING = -(1 << 29) };

// No bound of Z on x_i - x_j up to this is enough, as far as the least value of j is concerned: -c > least - lower[i].
static inline bound cover_reach(bound least, int32_t lower) { return ((least - 1) | 1) + 2 * lower; }

// Columns whose clock j is always above upper[j] need nothing.
static void need_columns(bound *reach, const bound *d, uint32_t n, const int32_t *upper) {
    reach[0] = cover_reach(BOUND_LE_ZERO, 0) + 1;
    for (uint32_t j = 1; j < n; j++) {
        bool is_open = upper[j] >= 0 && d[j] >= bound_le(-upper[j]);
        reach[j] = is_open ? cover_reach(d[j], 0) + 1 : NEED_NOTHING;
    }
}

// The row of clock i.
static inline void need_row(bound *to, const bound *row, uint32_t n, uint32_t i, const bound *reach, int32_t lower) {
    for (uint32_t j = 0; j < n; j++) {
        bound most = reach[j] + 2 * lower;
        to[j] = row[j] < most ? row[j] : most;
    }
    to[i] = NEED_NOTHING;
}

void cover_need(bound *need, const bound *d, uint32_t n, const int32_t *lower, const int32_t *upper) {
    bound reach[DBM_MOST_CLOCKS + 1];
    need_columns(reach, d, n, upper);
    for (uint32_t i = 0; i < n; i++) {
        if (!i || lower[i] >= 0) need_row(need + i * n, d + i * n, n, i, reach, i ? lower[i] : 0);
        else
            for (uint32_t j = 0; j < n; j++) need[i * n + j] = NEED_NOTHING;
    }
}

// Is there a v of d with v(j) <= upper[j], v(j) <= lower[i] - c and v(i) - v(j) beyond b, whose constant is c?
static bool cover_fails_at(const bound *d, uint32_t n, uint32_t i, uint32_t j, bound b, int32_t low, int32_t up) {
    matrix m;
    int32_t most = low - bound_value(b) < up ? low - bound_value(b) : up;
    memcpy(m.d, d, dbm_bytes(n));
    if (j ? !dbm_constrain(m.d, n, j, 0, bound_le(most)) : most < 0) return false;
    return dbm_constrain(m.d, n, j, i, bound_negate(b));
}

bool cover_by_definition(const bound *large, const bound *d, uint32_t n, const int32_t *lower, const int32_t *upper) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            bound b = large[i * n + j];
            bool is_compared = (!i || lower[i] >= 0) && (!j || upper[j] >= 0);
            if (i == j || !is_compared || b >= d[i * n + j]) continue;
            if (cover_fails_at(d, n, i, j, b, i ? lower[i] : 0, j ? upper[j] : 0)) return false;
        }
    return true;
}

// ---- packed

enum { NARROW_LEAST = INT16_MIN, NARROW_MOST = INT16_MAX };

// Tuples of words have them.
typedef int16_t __attribute__((may_alias)) narrow_bound;
typedef bound __attribute__((may_alias)) wide_bound;

uint32_t cover_words(uint32_t n, bool is_wide) { return (n * n * (is_wide ? 4 : 2) + 7) / 8; }

static inline bound clamp(bound b, bound least, bound most) { return b < least ? least : b > most ? most : b; }

// Sums are of numbers that small ones do not hide.
enum { SUM_MOST = 1 << 14 };

static int32_t pack_wide(uint64_t *to, const bound *d, uint32_t count) {
    int32_t sum = 0;
    memcpy(to, d, count * sizeof *d);
    for (uint32_t i = 0; i < count; i++) sum += clamp(d[i], -SUM_MOST, SUM_MOST);
    return sum;
}

static int32_t pack_narrow(narrow_bound *to, const bound *d, uint32_t count) {
    int32_t sum = 0, lost = 0;
    for (uint32_t i = 0; i < count; i++) {
        bound b = clamp(d[i], NARROW_LEAST, NARROW_MOST);
        lost |= (b != d[i]) & (d[i] != BOUND_INF) & (d[i] > NEED_SOMETHING);
        to[i] = (narrow_bound)b;
    }
    for (uint32_t i = 0; i < count; i++) {  // narrow ones are compared at once
        narrow_bound least = to[i] < -SUM_MOST ? -SUM_MOST : to[i];
        sum += least > SUM_MOST ? SUM_MOST : least;
    }
    assert(!lost);
    return sum;
}

int32_t cover_pack(uint64_t *to, const bound *d, uint32_t n, bool is_wide) {
    to[cover_words(n, is_wide) - 1] = 0;
    return is_wide ? pack_wide(to, d, n * n) : pack_narrow((narrow_bound *)to, d, n * n);
}

static void cover_widen(bound *to, const narrow_bound *from, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) to[i] = from[i] == NARROW_MOST ? BOUND_INF : from[i];
}

void cover_unpack(bound *d, const uint64_t *from, uint32_t n, bool is_wide) {
    if (is_wide) memcpy(d, from, dbm_bytes(n));
    else cover_widen(d, (const narrow_bound *)from, n * n);
}

bound cover_packed_bound(const uint64_t *from, uint32_t place, bool is_wide) {
    return is_wide ? ((const wide_bound *)from)[place] : ((const narrow_bound *)from)[place];
}

enum { STRIDE = 32 };

static bool is_met_narrow(const narrow_bound *zone, const narrow_bound *need, uint32_t count) {
    uint32_t i = 0;
    for (; i + STRIDE <= count; i += STRIDE) {
        int16_t less = 0;
        for (uint32_t k = 0; k < STRIDE; k++) less |= zone[i + k] < need[i + k];
        if (less) return false;
    }
    for (; i < count; i++)
        if (zone[i] < need[i]) return false;
    return true;
}

static bool is_met_wide(const wide_bound *zone, const wide_bound *need, uint32_t count) {
    uint32_t i = 0;
    for (; i + STRIDE <= count; i += STRIDE) {
        bound less = 0;
        for (uint32_t k = 0; k < STRIDE; k++) less |= zone[i + k] < need[i + k];
        if (less) return false;
    }
    for (; i < count; i++)
        if (zone[i] < need[i]) return false;
    return true;
}

bool cover_is_met(const uint64_t *zone, const uint64_t *need, uint32_t n, bool is_wide) {
    if (is_wide) return is_met_wide((const wide_bound *)zone, (const wide_bound *)need, n * n);
    return is_met_narrow((const narrow_bound *)zone, (const narrow_bound *)need, n * n);
}

// One row of a packed zone; `room` is used where it must be widened.
static const bound *cover_row_of(const uint64_t *zone, uint32_t n, uint32_t i, bool is_wide, bound *room) {
    if (is_wide) memcpy(room, (const char *)zone + (size_t)i * n * sizeof(bound), n * sizeof *room);
    else cover_widen(room, (const narrow_bound *)zone + (size_t)i * n, n);
    return room;
}

bool cover_is_by(const bound *d, const uint64_t *zone, uint32_t n, bool is_wide, const int32_t *lower,
                 const int32_t *upper) {
    bound reach[DBM_MOST_CLOCKS + 1], row[DBM_MOST_CLOCKS + 1], need[DBM_MOST_CLOCKS + 1];
    need_columns(reach, cover_row_of(zone, n, 0, is_wide, row), n, upper);
    for (uint32_t i = 0; i < n; i++) {
        if (i && lower[i] < 0) continue;
        need_row(need, cover_row_of(zone, n, i, is_wide, row), n, i, reach, i ? lower[i] : 0);
        if (!is_met_wide(d + i * n, need, n)) return false;
    }
    return true;
}
