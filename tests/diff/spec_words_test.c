// SPDX-License-Identifier: Apache-2.0
// The oracle itself: words are read and written back, enumerated once each, and the definitions of strict
// serializability and opacity give what the papers say about the words they discuss.
#include "oracle/unit.h"

#include "oracle/serial.h"

typedef struct {
    const char *text;
    bool strict, opaque;
} judged;

// "x y z" of the papers' figures are transactions of threads 1, 2, 3.
static const judged known[] = {
    {"", true, true},
    {"r1_1 w1_1 c_1 r1_2 c_2", true, true},
    // CONCUR 2008, Fig. 1(a): not strictly serializable; it is if one of the three does not commit.
    {"w1_2 r1_1 r2_3 c_2 w2_1 r1_3 c_1 c_3", false, false},
    {"w1_2 r1_1 r2_3 c_2 w2_1 r1_3 c_1 a_3", true, false},
    {"w1_2 r1_1 r2_3 c_2 w2_1 r1_3 a_1 c_3", true, true},
    {"w1_2 r1_1 r2_3 a_2 w2_1 r1_3 c_1 c_3", true, true},
    // Fig. 1(b)
    {"w1_2 r2_2 r3_3 r1_1 c_2 w2_3 w3_1 c_1 c_3", false, false},
    // Fig. 2(a), 2(b): not opaque
    {"w1_2 r1_1 r2_3 c_2 w2_1 r1_3 c_1", true, false},
    {"w1_2 r1_1 c_2 r2_3 a_3 w2_1 c_1", true, false},
    // Table 1: the words that show occ not opaque and the modified TL2 not strictly serializable
    {"w1_2 r1_1 c_2 r1_1", true, false},
    {"w2_1 w1_2 r2_2 r1_1 c_2 c_1", false, false},
    // what the printed automata accept although they should not
    {"r1_1 w1_2 c_2 r1_1 r1_2 c_2 c_1", false, false},
    {"r1_1 r2_2 w1_3 c_3 r1_2 c_2 w2_1 c_1", false, false},
    {"r1_1 w2_1 r2_2 w1_3 c_3 r1_2 a_2 c_1", true, false},
    // a lost update; own writes are no global reads
    {"r1_1 w1_1 w1_2 c_2 c_1", false, false},
    {"w1_1 r1_1 w1_2 c_2 r1_1 c_1", true, true},
};

static void papers_words_are_judged(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        word w;
        assert_true(words_parse(known[i].text, &w));
        if (serial_is_strict(&w) != known[i].strict) fail_msg("strict serializability of %s", known[i].text);
        if (serial_is_opaque(&w) != known[i].opaque) fail_msg("opacity of %s", known[i].text);
    }
}

static void words_come_back(void **state) {
    (void)state;
    rng r = {1};
    for (int i = 0; i < 1000; i++) {
        word w, back;
        words_random(&r, 1 + rng_below(&r, 12), 1 + rng_below(&r, 12), rng_below(&r, WORD_LONGEST + 1), &w);
        str text = {0}, again = {0};
        words_print(&w, &text);
        assert_true(words_parse(str_get(&text), &back));
        words_print(&back, &again);
        assert_string_equal(str_get(&text), str_get(&again));
        str_free(&text);
        str_free(&again);
    }
}

static void no_words_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"r1", "r_1", "c1_1", "r0_1", "r1_0", "x1_1", "r1_1,w1_1", "r1_1 w", "_1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        word w;
        if (words_parse(bad[i], &w)) fail_msg("'%s' was read as a word", bad[i]);
    }
}

static bool count_word(const word *w, void *context) {
    (void)w;
    ++*(uint64_t *)context;
    return true;
}

// One thread, one location: 4 statements at every place. Two threads, one location: (8^n)/2 words of length n,
// since renaming the threads pairs them up. Two locations: those without locations stand alone.
static void every_word_comes_once(void **state) {
    (void)state;
    uint64_t one = 0, two = 0;
    words_each(1, 1, 5, count_word, &one);
    assert_int_equal(one, 4 + 16 + 64 + 256 + 1024);
    words_each(2, 1, 4, count_word, &two);
    assert_int_equal(two, (8 + 64 + 512 + 4096) / 2);
    uint64_t locs = 0;
    words_each(1, 2, 3, count_word, &locs);
    assert_int_equal(locs, ((6 + 36 + 216) + (2 + 4 + 8)) / 2);
}

// Prefixes of strictly serializable words are so too, and opaque words are strictly serializable.
static void definitions_fit_each_other(void **state) {
    (void)state;
    rng r = {2};
    for (int i = 0; i < 20000; i++) {
        word w;
        words_random(&r, 2 + rng_below(&r, 3), 1 + rng_below(&r, 3), 18, &w);
        bool strict = false, opaque = false;
        while (w.len) {
            if ((strict && !serial_is_strict(&w)) || (opaque && !serial_is_opaque(&w))) fail_msg("prefix, word %d", i);
            strict = serial_is_strict(&w);
            opaque = serial_is_opaque(&w);
            if (opaque && !strict) fail_msg("opaque and not strictly serializable, word %d", i);
            w.len--;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(papers_words_are_judged),    cmocka_unit_test(words_come_back),
        cmocka_unit_test(no_words_are_refused),       cmocka_unit_test(every_word_comes_once),
        cmocka_unit_test(definitions_fit_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
