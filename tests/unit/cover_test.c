// SPDX-License-Identifier: Apache-2.0
// Covering of zones against its definition. For random zones of two clocks and random bounds, every point v of a grid
// of quarters that is in the one zone is looked at: is there a w in the other that simulates it? The conditions on w
// are bounds on single clocks, in quarters, so this is one matrix that has points or not. The engine's way (by what is
// needed, packed narrow and wide, and in both directions), its slow twin and that of `recheck` must say the same. With
// more clocks the three are compared with each other.
#include "base/rng.h"
#include "certificate/zones_int.h"
#include "oracle/unit.h"
#include "zone/cover.h"

#include <stdio.h>
#include <string.h>

enum { UNIT = 4, TOP = 7 * UNIT, LARGEST = 3, MOST = 8 };

static bound random_bound(rng *r) {
    int32_t c = (int32_t)rng_below(r, 2 * LARGEST + 1) - LARGEST;
    return rng_below(r, 3) == 0 ? BOUND_INF : rng_below(r, 2) ? bound_le(c) : bound_lt(c);
}

static void random_zone(rng *r, bound *d, uint32_t n) {
    do {
        dbm_any(d, n);
        for (uint32_t k = 0; k < n * n / 2; k++) {
            uint32_t i = rng_below(r, n), j = rng_below(r, n);
            if (i != j) d[i * n + j] = random_bound(r);
        }
    } while (!dbm_close(d, n));
    if (rng_below(r, 2)) dbm_up(d, n);
}

static void random_bounds(rng *r, int32_t *lower, int32_t *upper, uint32_t n) {
    lower[0] = upper[0] = 0;
    for (uint32_t i = 1; i < n; i++) {
        lower[i] = (int32_t)rng_below(r, LARGEST + 2) - 1;
        upper[i] = rng_below(r, 4) ? (int32_t)rng_below(r, LARGEST + 2) - 1 : lower[i];
    }
}

// ---- the definition

static bool has_point(const bound *d, uint32_t n, const int32_t *v) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            if (d[i * n + j] == BOUND_INF) continue;
            int32_t most = bound_value(d[i * n + j]) * UNIT, is = v[i] - v[j];
            if (is > most || (is == most && bound_is_strict(d[i * n + j]))) return false;
        }
    return true;
}

static void tighten_to(bound *b, bound to) {
    if (to < *b) *b = to;
}

static bool is_simulated(const bound *zone, uint32_t n, const int32_t *v, const int32_t *lower, const int32_t *upper) {
    bound d[MOST * MOST];
    for (uint32_t i = 0; i < n * n; i++)
        d[i] = zone[i] == BOUND_INF ? BOUND_INF : bound_value(zone[i]) * UNIT * 2 + (zone[i] & 1);
    for (uint32_t x = 1; x < n; x++) {
        bool is_above = lower[x] < 0 || v[x] > lower[x] * UNIT;
        if (!is_above) tighten_to(&d[x], bound_le(-v[x]));
        else if (lower[x] >= 0) tighten_to(&d[x], bound_lt(-lower[x] * UNIT));
        if (v[x] <= upper[x] * UNIT && upper[x] >= 0) tighten_to(&d[x * n], bound_le(v[x]));
    }
    return dbm_close(d, n);
}

static bool covers(const bound *large, const bound *d, uint32_t n, const int32_t *lower, const int32_t *upper) {
    for (int32_t a = 0; a <= TOP; a++)
        for (int32_t b = 0; b <= TOP; b++) {
            int32_t v[] = {0, a, b};
            if (has_point(d, n, v) && !is_simulated(large, n, v, lower, upper)) return false;
        }
    return true;
}

// ---- the ways that are used

static bool by_need(const bound *large, const bound *d, uint32_t n, const int32_t *lower, const int32_t *upper,
                    bool is_wide) {
    bound need[MOST * MOST], back[MOST * MOST];
    uint64_t packed[MOST * MOST], wanted[MOST * MOST];
    cover_need(need, d, n, lower, upper);
    int32_t size = cover_pack(packed, large, n, is_wide), least = cover_pack(wanted, need, n, is_wide);
    cover_unpack(back, packed, n, is_wide);
    assert_memory_equal(back, large, n * n * sizeof *back);
    bool is_met = cover_is_met(packed, wanted, n, is_wide);
    assert_true(!is_met || size >= least);
    cover_pack(packed, d, n, is_wide);
    assert_int_equal(cover_is_by(large, packed, n, is_wide, lower, upper), is_met);
    return is_met;
}

static bool by_recheck(const bound *large, const bound *d, uint32_t n, const int32_t *lower, const int32_t *upper) {
    zones_work w = {.n = n};
    zones_bounds b = {.is_there = true};
    for (uint32_t i = 0; i < n; i++) vec_push(&b.numbers, lower[i]);
    for (uint32_t i = 0; i < n; i++) vec_push(&b.numbers, upper[i]);
    bool yes = zones_simulate(&w, &b, 0, large, d);
    zones_bounds_free(&b);
    return yes;
}

static bool all_agree(const bound *large, const bound *d, uint32_t n, const int32_t *lower, const int32_t *upper) {
    bool is = cover_by_definition(large, d, n, lower, upper);
    assert_int_equal(by_need(large, d, n, lower, upper, true), is);
    assert_int_equal(by_need(large, d, n, lower, upper, false), is);
    assert_int_equal(by_recheck(large, d, n, lower, upper), is);
    if (dbm_includes(large, d, n)) assert_true(is);
    return is;
}

// ---- tests

static void points_agree(void **state) {
    enum { CASES = 3000, N = 3 };
    rng r = {21};
    bound d[N * N], large[N * N];
    int32_t lower[N], upper[N];
    uint32_t yes = 0, wider = 0, wrong = 0;
    (void)state;
    for (uint32_t k = 0; k < CASES; k++) {
        random_zone(&r, d, N);
        random_zone(&r, large, N);
        random_bounds(&r, lower, upper, N);
        bool is = covers(large, d, N, lower, upper);
        wrong += all_agree(large, d, N, lower, upper) != is;
        yes += is;
        wider += is && !dbm_includes(large, d, N);
    }
    printf("# tally: covering of zones against points | %d cases | %u wrong\n", CASES, wrong);
    assert_int_equal(wrong, 0);
    printf("# %u are covered, %u of these not included\n", yes, wider);
    assert_true(yes > CASES / 20 && yes < CASES * 3 / 4 && wider > CASES / 50);
}

// Zones that differ in few bounds, so that both answers are frequent.
static void more_clocks(void **state) {
    rng r = {22};
    bound d[MOST * MOST], large[MOST * MOST];
    int32_t lower[MOST], upper[MOST];
    uint32_t yes = 0;
    (void)state;
    for (uint32_t k = 0; k < 20000; k++) {
        uint32_t n = 1 + rng_below(&r, MOST);
        random_zone(&r, d, n);
        memcpy(large, d, n * n * sizeof *d);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t a = rng_below(&r, n), b = rng_below(&r, n);
            if (a != b) large[a * n + b] = random_bound(&r);
        }
        if (!dbm_close(large, n)) continue;
        random_bounds(&r, lower, upper, n);
        yes += all_agree(large, d, n, lower, upper);
    }
    assert_true(yes > 2000 && yes < 18000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(points_agree), cmocka_unit_test(more_clocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
