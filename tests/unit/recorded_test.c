// SPDX-License-Identifier: Apache-2.0
// Recorded histories: what the readers of .hist and .json make of events, what they refuse, and that what is written
// reads back as the same.
#include "oracle/unit.h"

#include "history/format.h"
#include "oracle/reading.h"

#include <string.h>

static reading read_as(const char *name, const char *text) { return reading_of(name, "test", text, strlen(text)); }

static void write_as(const char *name, const recorded *h, char *out, size_t room) {
    FILE *f = tmpfile();
    const char *why = NULL;
    assert_true(format_find(name)->write(h, f, &why));
    rewind(f);
    size_t n = fread(out, 1, room - 1, f);
    out[n] = '\0';
    fclose(f);
}

static const char timed[] =
    "initial 0 initial x = 5\n"
    "open(1)@100..105 read(1,x,5)@110..112 write(1,y,6)@115 commit(1)@120..130\n"
    "open(2)@118 append(2,\"a \\\" \\x01\",4)@119 read(2,l,[1 2 4])@120..121 commit(2)@140..\n"
    "nt_write(3,x,7)@150..151 open(3)@152 left(3)@153 open(3)@154 read(3,x,7)@155 abort(3)@156..157\n";

static void times_and_outcomes(void **state) {
    (void)state;
    reading x = read_as("hist", timed);
    const recorded *h = &x.h;
    assert_true(x.good && h->has_times);
    assert_int_equal(h->txs.len, 5);
    const recorded_tx *t = h->txs.data;
    assert_int_equal(t[0].outcome, TX_COMMITTED);
    assert_true(t[0].begins == 100 && t[0].commits == 120 && t[0].ends == 130 && t[0].count == 2);
    assert_int_equal(t[1].outcome, TX_PENDING);
    assert_true(t[1].commits == 140 && t[1].ends == RECORDED_NEVER);
    assert_int_equal(t[2].outcome, TX_COMMITTED);
    assert_int_equal(t[3].outcome, TX_LIVE);
    assert_int_equal(t[4].outcome, TX_ABORTED);
    recorded_op o = recorded_get(h, t[1].first + 1);
    uint32_t *elements, n;
    assert_true(o.kind == OP_READ_LIST && o.call == 120 && o.answer == 121);
    recorded_list_elements(h, o.value, &elements, &n);
    assert_int_equal(n, 3);
    free(elements);
    reading_free(&x);
}

static void instants_are_in_order(void **state) {
    (void)state;
    reading x = read_as("hist", "open(1) open(2) commit_call(1) read(2,x,0) commit(1) commit(2)");
    const recorded_tx *t = x.h.txs.data;
    assert_true(x.good && x.h.has_times);
    assert_true(t[0].begins == 1 && t[1].begins == 2 && t[0].commits == 3 && t[0].ends == 5 && t[1].ends == 6);
    reading_free(&x);
}

static void written_as_read(void **state) {
    (void)state;
    static const char *const formats[] = {"hist", "json"};
    static const char *const texts[] = {timed, "untimed\nopen(a) read(a,x,0) commit(a) open(b) write(b,x,1)",
                                        "open(1) write(1,x,1) commit_call(1) open(2) read(2,x,1) commit(2)"};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t k = 0; k < 3; k++) {
            char first[4096], second[4096];
            reading a = read_as("hist", texts[k]);
            assert_true(a.good);
            write_as(formats[i], &a.h, first, sizeof first);
            reading b = read_as(formats[i], first);
            assert_true(b.good && b.h.has_times == a.h.has_times && b.h.txs.len == a.h.txs.len);
            write_as(formats[i], &b.h, second, sizeof second);
            assert_string_equal(first, second);
            for (uint32_t t = 0; t < a.h.txs.len; t++) {
                assert_int_equal(a.h.txs.data[t].outcome, b.h.txs.data[t].outcome);
                assert_true(a.h.txs.data[t].begins == b.h.txs.data[t].begins || !a.h.has_times);
                assert_int_equal(a.h.txs.data[t].count, b.h.txs.data[t].count);
            }
            reading_free(&a);
            reading_free(&b);
        }
}

static void mistakes(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"open(1)@5 commit(1)", "some events have times and some have none"},
        {"open(1)@5 read(1,x,0)@4..3", "this answer came before its call"},
        {"open(1)@5 commit(1)@3..4", "run backwards"},
        {"open(1)@5 read(1,x,0)@1..2 commit(1)@6", "not between the beginning and the end"},
        {"open(1) open(1)", "has a transaction already"},
        {"commit(1)", "has no transaction"},
        {"open(1) write(1,x,1) append(1,x,2)", "a list in one place and a register in another"},
        {"open(1) commit_call(1) read(1,x,0)", "an access after commit was called"},
        {"open(1)@5 commit(1)@6..9 open(1)@8 commit(1)@9..12", "began before the one before it"},
        {"open(1)@99999999999999999999", "more than 64 bits"},
        {"open(\"a", "has no end"},
        {"open(1) raed(1,x,0)", "did you mean 'read'?"},
    };
    for (uint32_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        str text = {0};
        reading x = read_as("hist", pairs[i][0]);
        diag_print(x.messages, &text, false);
        if (x.good || !strstr(str_get(&text), pairs[i][1])) fail_msg("%s: %s", pairs[i][0], str_get(&text));
        str_free(&text);
        reading_free(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_and_outcomes),
        cmocka_unit_test(instants_are_in_order),
        cmocka_unit_test(written_as_read),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
