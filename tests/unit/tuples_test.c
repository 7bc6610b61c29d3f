// SPDX-License-Identifier: Apache-2.0
// Sets of tuples against a map from bytes to numbers, on random tuples of which many come again.
#include "oracle/unit.h"

#include "base/map.h"
#include "base/rng.h"
#include "base/tuples.h"

#include <string.h>

enum { ROUNDS = 20000, MOST_WORDS = 4 };

static void fill(rng *r, uint64_t *tuple, uint32_t words, uint32_t values) {
    for (uint32_t i = 0; i < words; i++) tuple[i] = rng_below(r, values) * UINT64_C(0x100000001);
}

// The set is empty.
static void compare(tuples *t, rng r, uint32_t words, uint32_t values) {
    map *m = map_new();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint64_t tuple[MOST_WORDS] = {0};
        fill(&r, tuple, words, values);
        uint32_t expected = map_get(m, tuple, words * sizeof *tuple, TUPLES_NONE);
        assert_int_equal(tuples_find(t, tuple), expected);
        if (rng_below(&r, 4)) continue;
        uint32_t number = map_intern(m, tuple, words * sizeof *tuple, map_count(m));
        assert_int_equal(tuples_put(t, tuple), number);
        assert_int_equal(tuples_count(t), map_count(m));
        assert_memory_equal(tuples_get(t, number), tuple, words * sizeof *tuple);
    }
    map_free(m);
}

static void compare_twice(uint32_t words, uint32_t values) {
    tuples *t = tuples_new(words);
    compare(t, (rng){words * 1000 + values}, words, values);
    uint64_t bytes = tuples_bytes(t);
    tuples_clear(t);
    assert_int_equal(tuples_count(t), 0);
    compare(t, (rng){words * 1000 + values}, words, values);
    assert_int_equal(tuples_bytes(t), bytes);
    tuples_free(t);
}

static void tuples_are_found_by_number(void **state) {
    (void)state;
    for (uint32_t words = 1; words <= MOST_WORDS; words++) {
        compare_twice(words, 3);
        compare_twice(words, 40);
        compare_twice(words, 100000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tuples_are_found_by_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
