// SPDX-License-Identifier: Apache-2.0
// Difference-bound matrices against sets of valuations: every operation on random matrices with small
// constants is compared, point by point, with its definition on a grid of quarters. Where a definition says
// that some other point exists, points are halves and the other ones quarters: what lies between two halves
// has a quarter in it.
#include "base/rng.h"
#include "oracle/unit.h"
#include "zone/dbm.h"

#include <string.h>

enum { N = 3, UNIT = 4, TOP = 7 * UNIT, ROUNDS = 1500, LARGEST = 3 };

static bool dbm_is_closed(const bound *d, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (d[i * n + i] != BOUND_LE_ZERO || d[i] > BOUND_LE_ZERO) return false;
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < n; k++)
                if (bound_add(d[i * n + k], d[k * n + j]) < d[i * n + j]) return false;
    }
    return true;
}

// The point x / unit; x[0] is 0.
static bool dbm_has(const bound *d, uint32_t n, const int32_t *x, int32_t unit) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            bound b = d[i * n + j];
            int64_t most = (int64_t)bound_value(b) * unit, is = (int64_t)x[i] - x[j];
            if (b != BOUND_INF && (is > most || (is == most && bound_is_strict(b)))) return false;
        }
    return true;
}

typedef struct {
    bool in[TOP + 1][TOP + 1];
} grid;

static grid grid_of(const bound *d) {
    grid g;
    for (int a = 0; a <= TOP; a++)
        for (int b = 0; b <= TOP; b++) g.in[a][b] = dbm_has(d, N, (int32_t[]){0, a, b}, UNIT);
    return g;
}

static bool grid_is_empty(const grid *g) {
    for (int a = 0; a <= TOP; a++)
        for (int b = 0; b <= TOP; b++)
            if (g->in[a][b]) return false;
    return true;
}

static bound random_bound(rng *r) {
    int32_t c = (int32_t)rng_below(r, 2 * LARGEST + 1) - LARGEST;
    return rng_below(r, 3) == 0 ? BOUND_INF : rng_below(r, 2) ? bound_le(c) : bound_lt(c);
}

// A random matrix that need not be closed nor have points.
static void random_matrix(rng *r, bound *d) {
    dbm_any(d, N);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++) {
            bound b = random_bound(r);
            if (i != j && b < d[i * N + j]) d[i * N + j] = b;
        }
}

static void random_closed(rng *r, bound *d) {
    do random_matrix(r, d);
    while (!dbm_close(d, N));
}

static void expect_grid(const bound *d, const grid *g) {
    grid is = grid_of(d);
    assert_true(dbm_is_closed(d, N));
    for (int a = 0; a <= TOP; a++)
        for (int b = 0; b <= TOP; b++) assert_int_equal(is.in[a][b], g->in[a][b]);
}

static void test_close(void **state) {
    rng r = {1};
    bound d[N * N], before[N * N];
    (void)state;
    for (int k = 0; k < ROUNDS; k++) {
        random_matrix(&r, d);
        memcpy(before, d, sizeof d);
        grid g = grid_of(before);
        bool some = dbm_close(d, N);
        assert_int_equal(some, !grid_is_empty(&g));
        if (some) expect_grid(d, &g);
    }
}

static void test_constrain(void **state) {
    rng r = {2};
    bound d[N * N];
    (void)state;
    for (int k = 0; k < ROUNDS; k++) {
        random_closed(&r, d);
        uint32_t i = rng_below(&r, N), j = (i + 1 + rng_below(&r, N - 1)) % N;
        bound b = random_bound(&r), only[N * N];
        dbm_any(only, N);
        if (b < only[i * N + j]) only[i * N + j] = b;
        grid g = grid_of(d), h = grid_of(only);
        for (int x = 0; x <= TOP; x++)
            for (int y = 0; y <= TOP; y++) g.in[x][y] = g.in[x][y] && h.in[x][y];
        bool some = dbm_constrain(d, N, i, j, b);
        assert_int_equal(some, !grid_is_empty(&g));
        if (some) expect_grid(d, &g);
    }
}

// By definition: a point is in up(d) if going back in time meets d; only points whose past is on the grid
// count.
static void test_up_and_down(void **state) {
    rng r = {3};
    bound d[N * N], up[N * N], down[N * N];
    (void)state;
    for (int k = 0; k < ROUNDS; k++) {
        random_closed(&r, d);
        memcpy(up, d, sizeof d);
        memcpy(down, d, sizeof d);
        dbm_up(up, N);
        dbm_down(down, N);
        assert_true(dbm_is_closed(up, N) && dbm_is_closed(down, N));
        grid g = grid_of(d), u = grid_of(up), w = grid_of(down);
        for (int a = 0; a <= TOP; a += 2)
            for (int b = 0; b <= TOP; b += 2) {
                bool past = false, future = false;
                for (int t = 0; t <= a && t <= b; t++) past |= g.in[a - t][b - t];
                for (int t = 0; a + t <= TOP && b + t <= TOP; t++) future |= g.in[a + t][b + t];
                assert_int_equal(u.in[a][b], past);
                if (a <= LARGEST * UNIT && b <= LARGEST * UNIT) assert_int_equal(w.in[a][b], future);
            }
    }
}

// ---- clocks that stand still

enum { Q = 4, SOME_TOP = 6, SOME_ROUNDS = 400 };

static void random_some(rng *r, bound *d) {
    dbm_any(d, Q);
    for (int k = 0; k < 9; k++) {
        bound b = random_bound(r), tried[Q * Q];
        uint32_t i = rng_below(r, Q), j = rng_below(r, Q);
        memcpy(tried, d, sizeof tried);
        if (i != j && b != BOUND_INF && dbm_constrain(tried, Q, i, j, b)) memcpy(d, tried, sizeof tried);
    }
}

// By definition: does some time from the point (in halves) lead to d, or, backwards, from d to it?
static bool some_time_leads(const bound *d, const int32_t *halves, const bool *stands, int sign) {
    for (int32_t t = 0; t <= 8 * SOME_TOP; t++) {
        int32_t x[Q] = {0};
        bool is_clock = true;
        for (uint32_t i = 1; i < Q; i++) x[i] = 2 * halves[i] + (stands[i] ? 0 : sign * t);
        for (uint32_t i = 1; i < Q; i++) is_clock &= x[i] >= 0;
        if (is_clock && dbm_has(d, Q, x, 4)) return true;
    }
    return false;
}

// How many points does h have that no time leads to? It must have all others.
static int points_beyond(const bound *h, const bound *d, const bool *stands, int sign) {
    int beyond = 0;
    for (int32_t p = 0; p < (2 * SOME_TOP + 1) * (2 * SOME_TOP + 1) * (2 * SOME_TOP + 1); p++) {
        int32_t side = 2 * SOME_TOP + 1, halves[Q] = {0, p % side, p / side % side, p / side / side};
        bool is = dbm_has(h, Q, halves, 2), may = some_time_leads(d, halves, stands, sign);
        assert_true(is || !may);
        beyond += is && !may;
    }
    return beyond;
}

// Points further away than so much time are beyond what is tried: matrices without such points.
static void test_standing_clocks(void **state) {
    rng r = {33};
    int exact = 0, loose = 0, seen = 0;
    (void)state;
    for (int k = 0; k < SOME_ROUNDS; k++) {
        bound d[Q * Q], up[Q * Q], down[Q * Q];
        bool stands[Q] = {true};
        random_some(&r, d);
        for (uint32_t i = 1; i < Q; i++) stands[i] = rng_below(&r, 2);
        memcpy(up, d, sizeof d);
        memcpy(down, d, sizeof d);
        bool all_up = dbm_up_some(up, Q, stands), all_down = dbm_down_some(down, Q, stands);
        assert_true(dbm_is_closed(up, Q) && dbm_is_closed(down, Q));
        int over = points_beyond(up, d, stands, -1), under = points_beyond(down, d, stands, 1);
        if (all_up) assert_int_equal(over, 0);
        if (all_down) assert_int_equal(under, 0);
        exact += all_up + all_down;
        loose += !all_up + !all_down;
        seen += (over > 0) + (under > 0);
    }
    assert_true(exact > SOME_ROUNDS && loose > SOME_ROUNDS / 8 && 10 * seen > 7 * loose);
}

static void test_reset_and_free(void **state) {
    rng r = {4};
    bound d[N * N], set[N * N], any[N * N];
    (void)state;
    for (int k = 0; k < ROUNDS; k++) {
        random_closed(&r, d);
        int32_t c = (int32_t)rng_below(&r, 4);
        memcpy(set, d, sizeof d);
        memcpy(any, d, sizeof d);
        dbm_reset(set, N, 1, c);
        dbm_free_clock(any, N, 1);
        assert_true(dbm_is_closed(set, N) && dbm_is_closed(any, N));
        grid g = grid_of(d), s = grid_of(set), f = grid_of(any);
        for (int b = 0; b <= LARGEST * UNIT; b += 2) {
            bool some = false;
            for (int a = 0; a <= TOP; a++) some |= g.in[a][b];
            for (int a = 0; a <= TOP; a++) {
                assert_int_equal(s.in[a][b], some && a == c * UNIT);
                assert_int_equal(f.in[a][b], some);
            }
        }
    }
}

static bool grid_within(const grid *small, const grid *large) {
    for (int a = 0; a <= TOP; a++)
        for (int b = 0; b <= TOP; b++)
            if (small->in[a][b] && !large->in[a][b]) return false;
    return true;
}

static void test_inclusion(void **state) {
    rng r = {5};
    bound d[N * N], e[N * N];
    (void)state;
    for (int k = 0; k < ROUNDS; k++) {
        random_closed(&r, d);
        random_closed(&r, e);
        grid g = grid_of(d), h = grid_of(e);
        assert_int_equal(dbm_includes(e, d, N), grid_within(&g, &h));
    }
}

// ---- more clocks, some of them free

enum { M = 6 };

static void random_large(rng *r, bound *d) {
    dbm_any(d, M);
    for (int k = 0; k < 12; k++) {
        uint32_t i = rng_below(r, M), j = rng_below(r, M);
        bound b = random_bound(r);
        if (i != j && b != BOUND_INF) dbm_constrain(d, M, i, j, b);
    }
    if (rng_below(r, 2)) dbm_up(d, M);
    for (uint32_t x = 1; x < M; x++)
        if (rng_below(r, 3) == 0) dbm_free_clock(d, M, x);
}

// The definition of Extra+LU (Behrmann, Bouyer, Larsen, Pelanek), then closed.
static void extrapolate_slowly(const bound *from, const int32_t *lower, const int32_t *upper, bound *to) {
    for (uint32_t i = 0; i < M; i++)
        for (uint32_t j = 0; j < M; j++) {
            bound b = from[i * M + j];
            bool beyond = b != BOUND_INF && bound_value(b) > lower[i];
            if (i && (beyond || -bound_value(from[i]) > lower[i])) b = BOUND_INF;
            if (j && -bound_value(from[j]) > upper[j])
                b = i ? BOUND_INF : upper[j] < 0 ? BOUND_LE_ZERO : bound_lt(-upper[j]);
            to[i * M + j] = i == j ? BOUND_LE_ZERO : b;
        }
    assert_true(dbm_close(to, M));
}

static void test_many_clocks(void **state) {
    rng r = {12};
    bound d[M * M], slow[M * M];
    int32_t lower[M] = {0}, upper[M] = {0};
    (void)state;
    for (int k = 0; k < 20 * ROUNDS; k++) {
        random_large(&r, d);
        for (uint32_t x = 1; x < M; x++) {
            lower[x] = (int32_t)rng_below(&r, LARGEST + 2) - 1;
            upper[x] = (int32_t)rng_below(&r, LARGEST + 2) - 1;
        }
        extrapolate_slowly(d, lower, upper, slow);
        dbm_extrapolate(d, M, lower, upper);
        assert_memory_equal(d, slow, sizeof d);
    }
}

static void test_subtract(void **state) {
    rng r = {7};
    bound d[N * N], e[N * N];
    (void)state;
    for (int k = 0; k < ROUNDS; k++) {
        random_closed(&r, d);
        random_closed(&r, e);
        dbm_list parts = {0};
        dbm_subtract(d, e, N, &parts);
        grid g = grid_of(d), h = grid_of(e);
        uint32_t count = parts.len / (N * N);
        for (int a = 0; a <= TOP; a++)
            for (int b = 0; b <= TOP; b++) {
                int times = 0;
                for (uint32_t i = 0; i < count; i++)
                    times += dbm_has(parts.data + i * N * N, N, (int32_t[]){0, a, b}, UNIT);
                assert_int_equal(times, g.in[a][b] && !h.in[a][b]);
            }
        for (uint32_t i = 0; i < count; i++) assert_true(dbm_is_closed(parts.data + i * N * N, N));
        vec_free(&parts);
    }
}

// Two points no constraint within the bounds m can tell apart, by the definition of a region.
static bool same_region(const int32_t *v, const int32_t *w, const int32_t *m) {
    for (int x = 1; x < N; x++) {
        bool above_v = v[x] > m[x] * UNIT, above_w = w[x] > m[x] * UNIT;
        if (above_v != above_w) return false;
        if (!above_v && (v[x] / UNIT != w[x] / UNIT || (v[x] % UNIT == 0) != (w[x] % UNIT == 0))) return false;
    }
    if (v[1] > m[1] * UNIT || v[2] > m[2] * UNIT) return true;
    int fv = v[1] % UNIT - v[2] % UNIT, fw = w[1] % UNIT - w[2] % UNIT;
    return (fv < 0) == (fw < 0) && (fv == 0) == (fw == 0);
}

static bool region_meets(const int32_t *v, const grid *g, const int32_t *m) {
    for (int a = 0; a <= TOP; a++)
        for (int b = 0; b <= TOP; b++)
            if (g->in[a][b] && same_region(v, (int32_t[]){0, a, b}, m)) return true;
    return false;
}

// With one bound for both directions: contains the zone, lies within the regions it meets, and is finite in
// number.
static void test_extrapolate_regions(void **state) {
    rng r = {8};
    bound d[N * N], e[N * N];
    (void)state;
    for (int k = 0; k < ROUNDS / 5; k++) {
        int32_t m[N] = {0, (int32_t)rng_below(&r, 4) - 1, (int32_t)rng_below(&r, 4) - 1};
        random_closed(&r, d);
        memcpy(e, d, sizeof d);
        dbm_extrapolate(e, N, m, m);
        assert_true(dbm_is_closed(e, N) && dbm_includes(e, d, N));
        grid g = grid_of(d), h = grid_of(e);
        for (int a = 0; a <= 4 * UNIT; a++)
            for (int b = 0; b <= 4 * UNIT; b++)
                if (h.in[a][b]) assert_true(region_meets((int32_t[]){0, a, b}, &g, m));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_constrain),
        cmocka_unit_test(test_up_and_down),
        cmocka_unit_test(test_standing_clocks),
        cmocka_unit_test(test_reset_and_free),
        cmocka_unit_test(test_inclusion),
        cmocka_unit_test(test_many_clocks),
        cmocka_unit_test(test_subtract),
        cmocka_unit_test(test_extrapolate_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
