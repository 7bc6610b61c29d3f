// SPDX-License-Identifier: Apache-2.0
// units, progress: what people write for sizes, times and counts, what they read, and the live line.
#include "oracle/unit.h"

#include "base/clock.h"
#include "base/progress.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

static void bytes_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"4096", 4096},
                {"1k", 1024},
                {"2G", 2147483648u},
                {"2GiB", 2147483648u},
                {"512M", 536870912},
                {"512MB", 536870912},
                {"1.5K", 1536},
                {"3b", 3},
                {"1T", 1099511627776u}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t n = 77;
        assert_true(units_parse_bytes(good[i].text, &n));
        assert_int_equal(n, good[i].bytes);
    }
    static const char *const bad[] = {"", "G", "-1", "2Q", "1 G", "inf", "nan", "0x10", "1e400", "2GG", "99999999999T"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t n;
        if (units_parse_bytes(bad[i], &n)) fail_msg("'%s' was taken for bytes", bad[i]);
    }
}

static void seconds_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } good[] = {{"10", 10},   {"2.5", 2.5},    {"90s", 90},    {"10m", 600},  {"10min", 600},
                {"1h", 3600}, {"1h30m", 5400}, {"500ms", 0.5}, {"1d", 86400}, {"1m30s", 90}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double s = -1;
        assert_true(units_parse_seconds(good[i].text, &s));
        assert_float_equal(s, good[i].seconds, 1e-9);
    }
    static const char *const bad[] = {"", "m", "-5s", "10x", "1h h", "inf", "5 m"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double s;
        if (units_parse_seconds(bad[i], &s)) fail_msg("'%s' was taken for a time", bad[i]);
    }
}

static void counts_are_read(void **state) {
    (void)state;
    uint64_t n;
    assert_true(units_parse_count("5M", &n) && n == 5000000);
    assert_true(units_parse_count("10k", &n) && n == 10000);
    assert_true(units_parse_count("1e6", &n) && n == 1000000);
    assert_true(units_parse_count("1.5k", &n) && n == 1500);
    assert_false(units_parse_count("1.5", &n));
    assert_false(units_parse_count("", &n));
    assert_false(units_parse_count("5x", &n));
}

static void reads_as(void (*text)(double, str *), double value, const char *expected) {
    str s = {0};
    text(value, &s);
    assert_string_equal(str_get(&s), expected);
    str_free(&s);
}

static void bytes_text(double n, str *out) { units_bytes_text((uint64_t)n, out); }

static void things_are(uint64_t n, const char *thing, const char *expected) {
    str s = {0};
    units_things_text(n, thing, &s);
    assert_string_equal(str_get(&s), expected);
    str_free(&s);
}

static void things(void **state) {
    (void)state;
    things_are(1, "lemma", "1 lemma");
    things_are(0, "lemma", "0 lemmas");
    things_are(1, "query", "1 query");
    things_are(3000, "query", "3,000 queries");
    things_are(1, "abstract state", "1 abstract state");
}

static void texts(void **state) {
    (void)state;
    reads_as(bytes_text, 0, "0 B");
    reads_as(bytes_text, 999, "999 B");
    reads_as(bytes_text, 1024, "1.0 KB");
    reads_as(bytes_text, 3250586, "3.1 MB");
    reads_as(bytes_text, 2147483648.0, "2.0 GB");
    reads_as(units_seconds_text, 0.031, "0.03 s");
    reads_as(units_seconds_text, 12.44, "12.4 s");
    reads_as(units_seconds_text, 59.97, "1 min 0 s");
    reads_as(units_seconds_text, 80, "1 min 20 s");
    reads_as(units_seconds_text, 7500, "2 h 5 min");
    reads_as(units_count_text, 950, "950");
    reads_as(units_count_text, 12345, "12.3k");
    reads_as(units_count_text, 1240000, "1.24M");
    reads_as(units_count_text, 999600, "1.00M");
}

// The line of one look, at a width, with limits of memory and states.
static void line_is(unsigned columns, const progress_limits *most, const progress_figures *now, const char *expected) {
    char *written = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&written, &size);
    progress *p = progress_new(f, columns);
    progress_limit(p, most);
    progress_show(p, now);
    fflush(f);
    assert_string_equal(written, expected);
    progress_free(p);
    fclose(f);
    free(written);
}

static void shares_of_limits_are_shown(void **state) {
    (void)state;
    progress_limits most = {.bytes = 64 << 20, .states = 5000000};
    progress_figures now = {.states = 1240000,
                            .frontier = 80200,
                            .memory_bytes = 31 << 20,
                            .depth = 17,
                            .rate = 620000,
                            .seconds = 2.0,
                            .rest_seconds = -1};
    line_is(100, &most, &now,
            "\r1.24M states  620k/s  frontier 80.2k  depth 17  31.0 MB  2.00 s  memory 48 %  states 25 %\033[K");
    line_is(60, &most, &now, "\r1.24M states  depth 17  memory 48 %  states 25 %\033[K");
    line_is(20, &most, &now, "\r1.24M states\033[K");
    most = (progress_limits){.bytes = 1 << 20};
    line_is(60, &most, &now, "\r1.24M states  depth 17  memory 100 %\033[K");
    most = (progress_limits){.started = clock_seconds() - 50, .until = clock_seconds() + 50};
    now = (progress_figures){.phase = "weakening", .lemmas = 3};
    line_is(60, &most, &now, "\rweakening  3 lemmas  time 50 %\033[K");
}

// What the live line writes to a terminal that is a buffer.
static void line_is_redrawn_and_cleared(void **state) {
    (void)state;
    char *written = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&written, &size);
    progress *p = progress_new(f, 41);
    progress_title(p, "Thread=2");
    progress_show(p, &(progress_figures){.states = 1240000,
                                         .frontier = 80200,
                                         .memory_bytes = 31 << 20,
                                         .depth = 17,
                                         .rate = 620000,
                                         .seconds = 2.0,
                                         .rest_seconds = -1});
    progress_free(p);
    fclose(f);
    assert_string_equal(written, "\rThread=2: 1.24M states  620k/s\033[K\r\033[K");
    free(written);
}

// A long title leaves room for the figures.
static void title_gives_way(void **state) {
    (void)state;
    char *written = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&written, &size);
    progress *p = progress_new(f, 31);
    progress_title(p, "TL2 × StrictSerializability");
    progress_note(p, "12 states  depth 3");
    progress_free(p);
    fclose(f);
    assert_string_equal(written, "\rTL2 × Str…: 12 states  depth 3\033[K\r\033[K");
    free(written);
}

static void nothing_without_a_terminal(void **state) {
    (void)state;
    progress *p = progress_new(NULL, 80);
    progress_limit(p, &(progress_limits){.states = 5});
    progress_show(p, &(progress_figures){.states = 1});
    progress_note(p, "compiling");
    progress_free(p);
}

static void figures_read_well(void **state) {
    (void)state;
    str s = {0};
    progress_text(&(progress_figures){.states = 1240000,
                                      .frontier = 80200,
                                      .memory_bytes = 31 << 20,
                                      .depth = 17,
                                      .rate = 620000,
                                      .seconds = 12.4,
                                      .rest_seconds = 40},
                  &s);
    assert_string_equal(str_get(&s),
                        "1.24M states  620k/s  frontier 80.2k  depth 17  31.0 MB  12.4 s, about 40.0 s more");
    str_clear(&s);
    progress_figures f = {.phase = "weakening", .states = 5210, .lemmas = 31, .round = 4, .queries = 812};
    progress_text(&f, &s);
    assert_string_equal(str_get(&s), "weakening  5,210 states  31 lemmas  round 4  812 queries");
    str_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_read),
        cmocka_unit_test(seconds_are_read),
        cmocka_unit_test(counts_are_read),
        cmocka_unit_test(things),
        cmocka_unit_test(texts),
        cmocka_unit_test(shares_of_limits_are_shown),
        cmocka_unit_test(line_is_redrawn_and_cleared),
        cmocka_unit_test(title_gives_way),
        cmocka_unit_test(nothing_without_a_terminal),
        cmocka_unit_test(figures_read_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
