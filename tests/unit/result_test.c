// SPDX-License-Identifier: Apache-2.0
// Results: verdicts join to the worst, statistics of one exploration are counted once.
#include "oracle/unit.h"

#include "result/result.h"

static void joins(void **state) {
    (void)state;
    const verdict h = VERDICT_HOLDS, v = VERDICT_VIOLATED, u = VERDICT_UNKNOWN;
    const verdict table[][3] = {{h, h, h}, {h, u, u}, {u, h, u}, {u, u, u}, {h, v, v},
                                {v, h, v}, {u, v, v}, {v, u, v}, {v, v, v}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(verdict_join(table[i][0], table[i][1]), table[i][2]);
    assert_string_equal(verdict_text(h), "holds");
    assert_string_equal(verdict_text(v), "violated");
    assert_string_equal(verdict_text(u), "unknown");
}

static void sums(void **state) {
    (void)state;
    result *r = result_new();
    assert_int_equal(r->verdict, VERDICT_HOLDS);
    result_stats first = {.states = 10,
                          .transitions = 20,
                          .depth = 5,
                          .seconds = 0.5,
                          .memory_bytes = 100,
                          .engine = "bytecode",
                          .threads = 2};
    result_stats second = {.states = 1,
                           .transitions = 2,
                           .depth = 3,
                           .seconds = 0.25,
                           .memory_bytes = 700,
                           .engine = "native",
                           .is_reduced = true};
    result_explored(r, &first);
    result_explored(r, &second);
    result_add(r, (result_property){.name = "a", .stats = first});
    result_add(r, (result_property){.name = "b", .stats = first});  // the same exploration
    assert_int_equal(r->stats.states, 10);
    assert_string_equal(r->stats.engine, "bytecode");
    result_add(r, (result_property){.name = "c", .verdict = VERDICT_UNKNOWN, .stats = second});
    assert_int_equal(r->verdict, VERDICT_UNKNOWN);
    assert_int_equal(r->stats.states, 11);
    assert_int_equal(r->stats.transitions, 22);
    assert_int_equal(r->stats.depth, 5);
    assert_int_equal(r->stats.memory_bytes, 700);
    assert_true(r->stats.seconds == 0.75);
    assert_true(r->stats.is_reduced);
    assert_string_equal(r->stats.engine, "several");
    result_add_stats(r, &first);
    assert_int_equal(r->stats.states, 21);
    assert_int_equal(r->properties.len, 3);
    result_free(r);
}

static void self_checks(void **state) {
    (void)state;
    result *r = result_new(), *other = result_new();
    result_add_self_check(r, "symmetry", 3, NULL);
    result_add_self_check(r, "code", 1, NULL);
    result_add_self_check(other, "symmetry", 4, "first");
    result_add_self_check(other, "symmetry", 1, "second");
    result_join_self_checks(r, other);
    result_free(other);  // texts are copied
    assert_int_equal(r->self_checks.len, 2);
    assert_int_equal(r->self_checks.data[0].samples, 8);
    assert_string_equal(r->self_checks.data[0].failure, "first");
    assert_null(r->self_checks.data[1].failure);
    result_free(r);
}

static void texts(void **state) {
    (void)state;
    result *r = result_new();
    assert_string_equal(result_text(r, "%d of %s", 3, "four"), "3 of four");
    result_free(r);
    result_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(joins), cmocka_unit_test(sums), cmocka_unit_test(self_checks),
                                       cmocka_unit_test(texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
