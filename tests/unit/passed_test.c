// SPDX-License-Identifier: Apache-2.0
// The passed list against a plain one: random zones of a few states, with and without bounds, narrow and wide, small
// and large constants, so that states get few zones or crowds (crowd.h). In the plain list a zone is new if none that
// is kept covers it by the definition, and then those that it covers are dropped.
#include "base/mem.h"
#include "base/rng.h"
#include "oracle/unit.h"
#include "zone/cover.h"
#include "zone/passed.h"

#include <stdio.h>
#include <string.h>

enum { MOST_CLOCKS = 7, STATES = 3, ROUNDS = 300, ADDED = 120 };

typedef struct {
    uint64_t state, sign;
    uint32_t node;
    bool is_loose, is_gone;
    bound d[MOST_CLOCKS * MOST_CLOCKS];
} plain_zone;

typedef struct {
    rng r;
    uint32_t n;
    int32_t largest;
    bool has_bounds, has_signs, has_loose;
    int32_t lower[STATES][MOST_CLOCKS], upper[STATES][MOST_CLOCKS];
    plain_zone zones[ADDED];
    uint32_t count, kept, most;
} plain_list;

static int32_t below(plain_list *w, int32_t n) { return (int32_t)rng_below(&w->r, (uint32_t)n); }

static void random_bounds(plain_list *w) {
    for (uint32_t s = 0; s < STATES; s++)
        for (uint32_t i = 0; i < w->n; i++) {
            w->lower[s][i] = i ? below(w, w->largest + 2) - 1 : 0;
            w->upper[s][i] = i ? below(w, w->largest + 2) - 1 : 0;
        }
}

static void random_zone(plain_list *w, bound *d) {
    uint32_t n = w->n;
    do {
        dbm_any(d, n);
        for (uint32_t k = 0; k < n * n / 2; k++) {
            uint32_t i = rng_below(&w->r, n), j = rng_below(&w->r, n);
            int32_t c = below(w, 2 * w->largest + 1) - w->largest;
            if (i != j && below(w, 3)) d[i * n + j] = below(w, 2) ? bound_le(c) : bound_lt(c);
        }
    } while (!dbm_close(d, n));
}

static bool stands_for(const plain_list *w, const plain_zone *a, const plain_zone *b) {
    if (a->state != b->state || a->sign != b->sign || (a->is_loose && !b->is_loose)) return false;
    if (!w->has_bounds) return dbm_includes(a->d, b->d, w->n);
    return cover_by_definition(a->d, b->d, w->n, w->lower[a->state], w->upper[a->state]);
}

static void add_random(plain_list *w, passed *p) {
    plain_zone z = {.state = rng_below(&w->r, STATES)};
    random_zone(w, z.d);
    z.sign = w->has_signs ? rng_below(&w->r, 2) : 0;
    z.is_loose = w->has_loose && below(w, 3) == 0;
    passed_item it = {.state = &z.state, .d = z.d, .sign = z.sign, .is_loose = z.is_loose};
    if (w->has_bounds) it.lower = w->lower[z.state], it.upper = w->upper[z.state];
    bool is_new, is_covered = false;
    passed_prepare(p, &it, p->room);
    z.node = passed_add(p, &it, UINT32_MAX, 0, false, &is_new);
    for (uint32_t i = 0; i < w->count; i++) is_covered |= !w->zones[i].is_gone && stands_for(w, &w->zones[i], &z);
    assert_int_equal(is_new, !is_covered);
    if (!is_new) return;
    for (uint32_t i = 0; i < w->count; i++)
        if (!w->zones[i].is_gone && stands_for(w, &z, &w->zones[i])) w->zones[i].is_gone = true, w->kept--;
    w->zones[w->count++] = z;
    w->kept++;
}

// The same zones are kept, and the lists of the states have them, the newest first.
static void assert_same(const plain_list *w, const passed *p) {
    uint32_t listed = 0;
    assert_int_equal(passed_count(p), w->kept);
    for (uint32_t i = 0; i < w->count; i++)
        assert_int_equal(passed_is_covered(p, w->zones[i].node), w->zones[i].is_gone);
    for (uint32_t s = 0; s < p->heads.len; s++)
        for (uint32_t i = p->heads.data[s], last = UINT32_MAX; i != UINT32_MAX; i = p->nodes.data[i].next) {
            assert_true(i < last);
            last = i;
            listed++;
        }
    assert_int_equal(listed, w->kept);
}

static void keeps_what_a_plain_list_keeps(void **state) {
    plain_list *w = mem_zero(1, sizeof *w);
    uint32_t crowds = 0, gone = 0;
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        *w = (plain_list){.r = {round + 1}, .n = 1 + round % MOST_CLOCKS};
        w->largest = round % 3 == 0 ? 3 : round % 3 == 1 ? 40 : 2000;
        w->has_bounds = below(w, 3);
        w->has_signs = below(w, 4) == 0;
        w->has_loose = below(w, 4) == 0;
        random_bounds(w);
        passed *p = passed_new(1, w->n, below(w, 2));
        for (uint32_t i = 0; i < ADDED; i++) {
            add_random(w, p);
            if (i % 16 == 0) assert_same(w, p);
        }
        assert_same(w, p);
        crowds += p->crowds.len;
        gone += p->covered;
        passed_clear(p);
        assert_int_equal(p->crowds.len, 0);
        passed_free(p);
    }
    printf("# %u crowds, %u zones were dropped\n", crowds, gone);
    assert_true(crowds > ROUNDS && gone > ROUNDS);
    free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_what_a_plain_list_keeps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
