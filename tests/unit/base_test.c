// SPDX-License-Identifier: Apache-2.0
// The base library: strings, maps, bit sets, diagnostics.
#include "oracle/unit.h"

#include "base/bits.h"
#include "base/columns.h"
#include "base/cursor.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

static void test_strings(void **context) {
    (void)context;
    str s = {0};
    assert_string_equal(str_get(&s), "");
    str_printf(&s, "%d-%s", 7, "x");
    str_pad(&s, '.', 3);
    assert_string_equal(str_get(&s), "7-x...");
    str_free(&s);
    assert_string_equal(str_count(0), "0");
    assert_string_equal(str_count(999), "999");
    assert_string_equal(str_count(64488), "64,488");
    assert_string_equal(str_count(1234567890ull), "1,234,567,890");
    assert_int_equal(str_columns("a→b"), 3);
}

static void test_distance(void **context) {
    (void)context;
    assert_int_equal(str_distance("lx", "ls"), 1);
    assert_int_equal(str_distance("pahse", "phase"), 1);  // neighbours swapped
    assert_int_equal(str_distance("", "abc"), 3);
    assert_int_equal(str_distance("kitten", "sitting"), 3);
    const char *names[] = {"rs", "phase", "ws"};
    assert_string_equal(diag_nearest("pahse", names, 3), "phase");
    assert_null(diag_nearest("zzzzzz", names, 3));
}

static void test_map(void **context) {
    (void)context;
    map *m = map_new();
    char key[32];
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key%u", i * 7);
        assert_true(map_put_str(m, key, i));
    }
    assert_int_equal(map_count(m), 5000);
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key%u", i * 7);
        assert_int_equal(map_get_str(m, key, UINT32_MAX), i);
        size_t size;
        assert_memory_equal(map_key(m, i, &size), key, strlen(key));  // walks are in order of insertion
    }
    assert_int_equal(map_get_str(m, "key1", 42), 42);
    assert_int_equal(map_intern(m, "key7", 4, 99), 1);
    map_free(m);
}

static void test_bits(void **context) {
    (void)context;
    bits b = {0};
    assert_false(bits_has(&b, 1000));
    uint32_t members[] = {0, 63, 64, 700};
    for (int i = 0; i < 4; i++) bits_add(&b, members[i]);
    assert_int_equal(bits_count(&b), 4);
    uint32_t k = 0;
    for (uint32_t i = bits_next(&b, 0); i != UINT32_MAX; i = bits_next(&b, i + 1)) assert_int_equal(i, members[k++]);
    assert_int_equal(k, 4);
    bits_remove(&b, 64);
    assert_false(bits_has(&b, 64));
    bits_free(&b);
}

static void test_caret(void **context) {
    (void)context;
    diag *d = diag_new();
    const char *text = "sort Thread\n  when é & !lx(t)\n";
    uint32_t file = diag_add_file(d, "tl2.pv", text, strlen(text));
    uint32_t at = (uint32_t)(strstr(text, "lx") - text);
    diag_error(d, (span){file, at, at + 2}, "unknown relation '%s', did you mean '%s'?", "lx", "ls");
    diag_error(d, (span){file, at, at + 2}, "the same place says nothing new");
    str out = {0};
    diag_print(d, &out, false);
    assert_string_equal(str_get(&out), "tl2.pv:2:13: error: unknown relation 'lx', did you mean 'ls'?\n"
                                       "    2 |   when é & !lx(t)\n"
                                       "      |             ^~\n");
    assert_int_equal(diag_errors(d), 1);
    str_free(&out);
    diag_free(d);
}

// A file may be read twice in one run, once for each reading of its ranges: its warnings are said once. Its errors
// count each time, since a reading that failed is told by them.
static void a_file_read_twice_warns_once(void **state) {
    (void)state;
    diag *d = diag_new();
    const char *text = "var x: 0..3;";
    for (int i = 0; i < 2; i++) {
        span at = {diag_add_file(d, "twice.m", text, strlen(text)), 4, 5};
        diag_warning(d, at, "'%s' is never read", "x");
        diag_note(d, at, "declared here");
    }
    assert_int_equal(diag_count(d), 2);
    diag_warning(d, (span){diag_add_file(d, "other.m", text, strlen(text)), 4, 5}, "'%s' is never read", "x");
    assert_int_equal(diag_count(d), 3);
    for (int i = 0; i < 2; i++) diag_error(d, (span){diag_add_file(d, "twice.m", text, strlen(text)), 4, 5}, "no");
    assert_int_equal(diag_errors(d), 2);
    diag_free(d);
}

static const cursor_language language = {.symbols = (const char *const[]){"<->", "->", "<=", NULL},
                                         .characters = "()<-.",
                                         .reserved = (const char *const[]){"if", "then", NULL},
                                         .comment = "#",
                                         .has_comments = true,
                                         .ignores_case = true,
                                         .deepest = 3};

// A place at the beginning of a text; everything lives as long as d.
static cursor cursor_over(diag *d, arena *memory, const char *text) {
    cursor c = {.language = &language, .messages = d, .memory = memory, .text = text, .size = strlen(text)};
    c.file = diag_add_file(d, "t.x", text, c.size);
    return c;
}

static void test_cursor(void **context) {
    (void)context;
    diag *d = diag_new();
    arena *memory = arena_new();
    cursor c = cursor_over(d, memory, "IF a_1 <- 12 # x\n/* y */ <-> then");
    static const token_kind kinds[] = {TOKEN_WORD,   TOKEN_WORD,   TOKEN_SYMBOL, TOKEN_SYMBOL,
                                       TOKEN_NUMBER, TOKEN_SYMBOL, TOKEN_WORD,   TOKEN_END};
    assert_true(cursor_read(&c, 0));
    assert_int_equal(c.tokens.len, 8);
    for (uint32_t i = 0; i < 8; i++) assert_int_equal(c.tokens.data[i].kind, kinds[i]);
    assert_true(!cursor_sees_name(&c) && cursor_accept(&c, "if"));
    assert_string_equal(cursor_name(&c, "a name")->text, "a_1");
    assert_false(cursor_expect(&c, "<="));
    assert_false(cursor_accept(&c, "<"));  // nothing is seen after a mistake
    cursor_wrong(&c, "nothing");           // nor reported
    assert_int_equal(diag_errors(d), 1);
    assert_string_equal(diag_get(d, 0).text, "'<=' expected, found '<'");
    c.failed = false;
    c.next = 100;  // behind the end is the end
    assert_int_equal(cursor_take(&c)->kind, TOKEN_END);
    cursor_wrong(&c, "a name");
    assert_string_equal(diag_get(d, 1).text, "a name expected, but the text ends");
    c.failed = false;
    for (int i = 0; i < 3; i++) assert_true(cursor_enter(&c));
    assert_false(cursor_enter(&c));
    cursor_free(&c);
    c = cursor_over(d, memory, "a ^ b /* c");
    assert_false(cursor_read(&c, 0));
    assert_int_equal(c.tokens.len, 3);
    cursor_free(&c);
    arena_free(memory);
    diag_free(d);
}

static void test_many_errors(void **context) {
    (void)context;
    diag *d = diag_new();
    const char *text = "0123456789012345678901234567890123456789";
    uint32_t file = diag_add_file(d, "x", text, strlen(text));
    for (uint32_t i = 0; i < 30; i++) diag_error(d, (span){file, i, i + 1}, "error %u", i);
    assert_int_equal(diag_errors(d), 30);
    assert_int_equal(diag_count(d), DIAG_MOST_ERRORS);
    str out = {0};
    diag_print(d, &out, false);
    assert_non_null(strstr(str_get(&out), "10 more errors"));
    str_free(&out);
    diag_free(d);
}

// Columns are chosen by what they leave, as counted row by row.
static uint32_t rows_left(const bool table[8][700], const uint32_t *chosen, uint32_t n) {
    uint32_t left = 0;
    for (uint32_t row = 0; row < 700; row++) {
        bool all = true;
        for (uint32_t i = 0; i < n; i++) all &= table[chosen[i]][row];
        left += all;
    }
    return left;
}

static void check_choice(const columns *t, const bool table[8][700], uint32_t first) {
    uint32_t list[8], chosen[4] = {first}, n = 0;
    for (uint32_t i = 0; i < 8; i++) list[i] = i;
    bool ok = columns_choose(t, list, 8, chosen, &n, 4);
    assert_true(n >= 1 && n <= 4);
    assert_int_equal(chosen[0], first);
    assert_int_equal(ok, rows_left(table, chosen, n) == 0);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t taken = chosen[i], left = rows_left(table, chosen, i + 1);
        assert_true(left < rows_left(table, chosen, i));
        for (chosen[i] = 0; chosen[i] < 8; chosen[i]++) assert_true(rows_left(table, chosen, i + 1) >= left);
        chosen[i] = taken;
    }
}

static void test_columns(void **context) {
    (void)context;
    rng r = {7};
    for (uint32_t round = 0; round < 300; round++) {
        bool table[8][700];
        columns t = columns_new(8, 700);
        for (uint32_t i = 0; i < 8 * 700; i++) {
            table[i / 700][i % 700] = rng_below(&r, 1 + round % 5) == 0;
            if (table[i / 700][i % 700]) columns_set(&t, i / 700, i % 700);
        }
        check_choice(&t, table, round % 8);
        columns_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_cursor),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_caret),
        cmocka_unit_test(test_many_errors),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(a_file_read_twice_warns_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
