// SPDX-License-Identifier: Apache-2.0
// Child processes: text goes through, limits hold, nothing stays behind.
#include "oracle/unit.h"

#include "base/process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void text_goes_through(void **state) {
    (void)state;
    str big = {0}, out = {0};
    for (int i = 0; i < 50000; i++) str_printf(&big, "line %d\n", i);
    process_result r = process_run((const char *[]){"cat", NULL}, big.text, big.len, NULL, &out);
    assert_int_equal(r.end, PROCESS_EXITED);
    assert_int_equal(r.status, 0);
    assert_int_equal(out.len, big.len);
    assert_memory_equal(out.text, big.text, big.len);
    str_free(&big);
    str_free(&out);
}

static void exit_code_and_errors_come_back(void **state) {
    (void)state;
    str out = {0};
    process_result r = process_run((const char *[]){"sh", "-c", "echo oops >&2; exit 7", NULL}, "", 0, NULL, &out);
    assert_int_equal(r.end, PROCESS_EXITED);
    assert_int_equal(r.status, 7);
    assert_string_equal(str_get(&out), "oops\n");
    str_free(&out);
}

static void input_that_nobody_reads_does_no_harm(void **state) {
    (void)state;
    str big = {0}, out = {0};
    str_pad(&big, 'x', 1 << 20);
    process_result r = process_run((const char *[]){"true", NULL}, big.text, big.len, NULL, &out);
    assert_int_equal(r.end, PROCESS_EXITED);
    str_free(&big);
    str_free(&out);
}

static void time_is_limited_with_the_whole_group(void **state) {
    (void)state;
    str out = {0};
    process_limits allowed = {.seconds = 0.2};
    const char *argv[] = {"sh", "-c", "sleep 30 & sleep 30; wait", NULL};
    process_result r = process_run(argv, "", 0, &allowed, &out);
    assert_int_equal(r.end, PROCESS_TIMED_OUT);
    assert_true(r.seconds < 5);
    str_free(&out);
}

static void output_is_limited(void **state) {
    (void)state;
    str out = {0};
    process_limits allowed = {.most_output = 1000, .seconds = 20};
    process_result r = process_run((const char *[]){"yes", NULL}, "", 0, &allowed, &out);
    assert_int_equal(r.end, PROCESS_FLOODED);
    str_free(&out);
}

static void a_crash_is_told_from_an_end(void **state) {
    (void)state;
    str out = {0};
    process_result r = process_run((const char *[]){"sh", "-c", "kill -9 $$", NULL}, "", 0, NULL, &out);
    assert_int_equal(r.end, PROCESS_CRASHED);
    assert_int_equal(r.status, 9);
    r = process_run((const char *[]){"no-such-program-here", NULL}, "", 0, NULL, &out);
    assert_int_equal(r.end, PROCESS_UNSTARTED);
    assert_true(process_exists("sh"));
    assert_false(process_exists("no-such-program-here"));
    str_free(&out);
}

// What we ignore, a child does not.
static void signals_are_ordinary(void **state) {
    (void)state;
    str out = {0};
    signal(SIGPIPE, SIG_IGN);
    process_result r = process_run((const char *[]){"sh", "-c", "kill -PIPE $$; echo alive", NULL}, "", 0, NULL, &out);
    assert_int_equal(r.end, PROCESS_CRASHED);
    assert_int_equal(r.status, SIGPIPE);
    str_free(&out);
}

static void an_interrupt_stops_it(void **state) {
    (void)state;
    str out = {0};
    limits_board board = {.met = LIMIT_INTERRUPT};
    process_limits allowed = {.outer = {.board = &board}};
    process_result r = process_run((const char *[]){"sleep", "30", NULL}, "", 0, &allowed, &out);
    assert_int_equal(r.end, PROCESS_STOPPED);
    str_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_goes_through),
        cmocka_unit_test(exit_code_and_errors_come_back),
        cmocka_unit_test(input_that_nobody_reads_does_no_harm),
        cmocka_unit_test(time_is_limited_with_the_whole_group),
        cmocka_unit_test(output_is_limited),
        cmocka_unit_test(a_crash_is_told_from_an_end),
        cmocka_unit_test(signals_are_ordinary),
        cmocka_unit_test(an_interrupt_stops_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
