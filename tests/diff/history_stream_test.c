// SPDX-License-Identifier: Apache-2.0
// Histories that are decided while they are read, in blocks of a few transactions, against the whole form: what holds
// as a stream holds as a whole, and most that holds as a whole is found to hold as a stream. Also as logs, which are
// read side by side, and with the transactions of a file in an order that is not that of time.
#include "oracle/unit.h"

#include "base/rng.h"
#include "history/level_check.h"
#include "history/stream.h"
#include "oracle/part.h"
#include "oracle/random_recorded.h"

#include <parvis/record.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    uint32_t cases, wrong;
    uint32_t hold, found;  // as a whole; of these as a stream
    uint64_t taken;
} counts;

static void compare(counts *c, rng *r, const format_source *file, const char *text, const recorded *h, level l) {
    stream_how how = {.level = l, .block = 1 + rng_below(r, 8), .kept = 1 + rng_below(r, 16), .shown = 5};
    stream_answer a;
    level_answer whole;
    stream_check(file, 1, &how, &a);
    level_check(h, l, NULL, &whole);
    bool holds = whole.verdict == ORDER_YES;
    c->cases++;
    c->hold += holds;
    c->found += holds && a.holds;
    c->taken += a.taken;
    bool is_wrong = a.holds && !holds;
    if (a.holds && l == LEVEL_OPAQUE) is_wrong |= a.placed != h->txs.len;
    if (is_wrong) print_message("# wrong at %s:\n%s\n", level_name(l), text);
    c->wrong += is_wrong;
    level_answer_free(&whole);
    stream_answer_free(&a);
}

static random_recorded_shape random_shape(rng *r, bool is_large) {
    random_recorded_shape s = random_recorded_pick(r);
    s.has_lists = false;
    s.has_times = true;
    if (!is_large) return s;
    s.txs = 20 + rng_below(r, 45);
    s.sessions = 2 + rng_below(r, 5);
    s.keys = 1 + rng_below(r, 8);
    s.faults = rng_below(r, 3) ? 0 : 1;
    return s;
}

static void compare_as_log(counts *c, rng *r, const char *text, const recorded *h, level l) {
    char *bytes = NULL;
    size_t size = 0;
    const char *why = NULL;
    FILE *out = open_memstream(&bytes, &size);
    bool is_written = format_find("log")->write(h, out, &why);
    fclose(out);
    format_source file = {"log", bytes, size};
    if (is_written) compare(c, r, &file, text, h, l);
    free(bytes);
}

// One session after the other: what comes later began earlier.
static void compare_by_session(counts *c, rng *r, const char *text, const recorded *h, level l) {
    str sorted = {0};
    text_add_head(h, &sorted);
    for (uint32_t s = 0; s < names_count(&h->sessions); s++)
        for (uint32_t t = 0; t < h->txs.len; t++)
            if (h->txs.data[t].session == s) text_add_tx(h, t, &sorted);
    format_source file = {"sorted.hist", str_get(&sorted), sorted.len};
    compare(c, r, &file, text, h, l);
    str_free(&sorted);
}

// Logs have numbers for names.
static void use_numbers(str *text) {
    size_t n = 0;
    for (size_t i = 0; i < text->len; i++) {
        char before = i ? text->text[i - 1] : '\n', now = text->text[i];
        if (!((before == '(' && now == 's') || (before == ',' && now == 'k'))) text->text[n++] = now;
    }
    text->text[text->len = n] = '\0';
}

static void run(uint32_t rounds, bool is_large, uint32_t seed, const char *what, uint32_t least) {
    rng r = {part_seed(seed)};
    counts c = {0};
    for (uint32_t i = 0; i < rounds; i++) {
        random_recorded_shape shape = random_shape(&r, is_large);
        str text = {0};
        recorded h;
        random_recorded(&r, &shape, &text);
        use_numbers(&text);
        random_recorded_read(str_get(&text), text.len, &h);
        level l = i % 2 ? LEVEL_STRICT : LEVEL_OPAQUE;
        format_source file = {"random.hist", str_get(&text), text.len};
        if (i % 5 < 2) compare(&c, &r, &file, str_get(&text), &h, l);
        else if (i % 5 < 4) compare_by_session(&c, &r, str_get(&text), &h, l);
        else compare_as_log(&c, &r, str_get(&text), &h, l);
        recorded_free(&h);
        str_free(&text);
    }
    printf("# tally: %s | %u cases | %u wrong\n", what, c.cases, c.wrong);
    print_message("# %u hold, %u found as a stream, %llu places taken back\n", c.hold, c.found,
                  (unsigned long long)c.taken);
    assert_int_equal(c.wrong, 0);
    assert_true((uint64_t)c.found * 100 >= (uint64_t)c.hold * least && c.hold > rounds / 10 && c.taken > 0);
}

static void small_histories(void **state) {
    (void)state;
    run((uint32_t)part_rounds(4000, 100000), false, 2101, "small histories as streams against the whole", 80);
}

static void larger_histories(void **state) {
    (void)state;
    run((uint32_t)part_rounds(1000, 20000), true, 2102, "larger histories as streams against the whole", 35);
}

// Logs of two runs are no history: their times have nothing to do with each other. They are left to who says so.
static void logs_of_two_runs(void **state) {
    (void)state;
    static const char text[] = "open(1)@1..2 write(1,1,1)@3..4 commit(1)@5..6\n";
    recorded h;
    char *bytes[2] = {NULL};
    size_t size[2] = {0};
    const char *why = NULL;
    random_recorded_read(text, sizeof text - 1, &h);
    for (uint32_t i = 0; i < 2; i++) {
        FILE *out = open_memstream(&bytes[i], &size[i]);
        assert_true(format_find("log")->write(&h, out, &why));
        fclose(out);
    }
    format_source files[] = {{"1", bytes[0], size[0]}, {"2", bytes[1], size[1]}};
    assert_true(stream_is_for(files, 2, NULL));
    bytes[1][offsetof(parvis_log_header, run)] ^= 1;
    assert_false(stream_is_for(files, 2, NULL));
    for (uint32_t i = 0; i < 2; i++) free(bytes[i]);
    recorded_free(&h);
}

static bool text_holds(const char *text) {
    format_source file = {"text.hist", text, strlen(text)};
    stream_how how = {.level = LEVEL_STRICT};
    stream_answer a;
    stream_check(&file, 1, &how, &a);
    bool holds = a.holds;
    stream_answer_free(&a);
    return holds;
}

// What the whole form refuses does not hold as a stream.
static void mistakes(void **state) {
    (void)state;
    assert_true(text_holds("open(1)@1 write(1,x,1)@3..4 commit(1)@5..6"));
    assert_false(text_holds("open(1)@1 write(1,x,1)@4..3 commit(1)@5..6"));
    assert_false(text_holds("open(1)@1 write(1,x,1)@3..4 commit(1)@5..6 wirte(1,x,1)@7"));
    assert_true(text_holds("open(1)@1 commit(1)@5..6"));  // no keys
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_histories), cmocka_unit_test(larger_histories),
                                       cmocka_unit_test(logs_of_two_runs), cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
