// SPDX-License-Identifier: Apache-2.0
// Ranges of work: by hand, and with threads that take from each other.
#include "base/crew.h"
#include "base/mem.h"
#include "explore/ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void one_by_one(void **state) {
    (void)state;
    work_range r;
    uint32_t k;
    ranges_set(&r, 3, 5);
    assert_true(ranges_next(&r, &k));
    assert_int_equal(k, 3);
    assert_true(ranges_next(&r, &k));
    assert_int_equal(k, 4);
    assert_false(ranges_next(&r, &k));
}

// All numbers, in order of threads or against it.
static void dealt(void **state) {
    (void)state;
    work_range all[7];
    for (uint32_t n = 1; n <= 7; n++)
        for (uint32_t count = 0; count < 300; count += 1 + count / 7) {
            uint32_t k, next = 0;
            ranges_deal(all, n, count, count % 2);
            for (uint32_t i = 0; i < n; i++)
                while (ranges_next(&all[count % 2 ? n - 1 - i : i], &k)) assert_int_equal(k, next++);
            assert_int_equal(next, count);
        }
}

// Only of ranges that lie behind what was done.
static void halves(void **state) {
    (void)state;
    work_range all[3];
    uint32_t k;
    ranges_set(&all[0], 0, 10);
    ranges_set(&all[1], 0, 0);
    ranges_set(&all[2], 20, 25);
    assert_false(ranges_take_half(all, 3, 21, &all[1]));
    assert_true(ranges_take_half(all, 3, 20, &all[1]));  // 22, 23, 24: one more than is left
    for (uint32_t i = 22; i < 25; i++) {
        assert_true(ranges_next(&all[1], &k));
        assert_int_equal(k, i);
    }
    assert_false(ranges_next(&all[1], &k));
    assert_true(ranges_take_half(all, 3, 0, &all[1]));  // 5 to 9: half of the longest one
    assert_true(ranges_next(&all[1], &k));
    assert_int_equal(k, 5);
    assert_true(ranges_next(&all[2], &k));
    assert_int_equal(k, 20);
}

enum { THREADS = 5, NUMBERS = 20000, ROUNDS = 20 };

typedef struct {
    work_range all[THREADS];
    _Atomic uint32_t taken[NUMBERS];
    _Atomic uint32_t nwrong;
} contest;

static void take(contest *c, uint32_t k) { atomic_fetch_add(&c->taken[k], 1); }

static void work_by_halves(contest *c, uint32_t number) {
    uint32_t k = 0, before = 0;
    bool is_first = true;
    do {
        for (; ranges_next(&c->all[number], &k); before = k, is_first = false) {
            take(c, k);
            c->nwrong += !is_first && k <= before;
        }
    } while (ranges_take_half(c->all, THREADS, k, &c->all[number]));
}

static void work(void *context, uint32_t number) {
    contest *c = context;
    work_by_halves(c, number);
}

// Each number once, and each thread in increasing order where it takes halves.
static void contests(void **state) {
    (void)state;
    crew *threads = crew_new(THREADS);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        contest *c = mem_zero(1, sizeof *c);
        for (uint32_t i = 0; i < THREADS; i++)  // the last one has most
            ranges_set(&c->all[i], i * NUMBERS / 20, i + 1 < THREADS ? (i + 1) * NUMBERS / 20 : NUMBERS);
        crew_run(threads, work, c);
        for (uint32_t k = 0; k < NUMBERS; k++) assert_int_equal(c->taken[k], 1);
        assert_int_equal(c->nwrong, 0);
        free(c);
    }
    crew_free(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_by_one),
        cmocka_unit_test(dealt),
        cmocka_unit_test(halves),
        cmocka_unit_test(contests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
