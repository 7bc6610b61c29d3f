// SPDX-License-Identifier: Apache-2.0
// The specification automata of models/specs against the definition (oracle/serial.h): on all words up to a length,
// one of each renaming, and on random words of up to 4 threads and 3 locations. Run with the reference evaluator.
// The printed automata that are wrong accept the words that show it, and the exact ones refuse those.
#include "oracle/unit.h"

#include <stdlib.h>

#include "front/pv/pv.h"
#include "oracle/serial.h"
#include "oracle/word_spec.h"

enum { ANY = 4 };

// ---- agreement with the definition

typedef bool (*definition)(const word *w);

typedef struct {
    const char *file, *system;
    definition is_right;
    uint32_t most_threads;  // up to which it is exact
} spec;

static const spec specs[] = {
    {"strict_serializability", "StrictSerializability", serial_is_strict, ANY},
    {"strict_serializability_printed", "StrictSerializabilityPrinted", serial_is_strict, ANY},
    {"sigma_ss", "SigmaSS", serial_is_strict, ANY},
    {"opacity", "Opacity", serial_is_opaque, ANY},
    {"sigma_op", "SigmaOP", serial_is_opaque, 2},
};
enum { SPECS = sizeof specs / sizeof *specs };

static void disagree(const spec *s, const word *w, bool accepted) {
    str text = {0};
    words_print(w, &text);
    fail_msg("%s %s %s", s->system, accepted ? "accepts" : "refuses", str_get(&text));
}

typedef struct {
    const spec *s;
    word_spec a;
} subject;

// The word's prefixes have been accepted.
static bool agrees_on_last(const word *w, void *context) {
    subject *x = context;
    bool accepted = word_spec_step(&x->a, w, w->len - 1);
    if (accepted != x->s->is_right(w)) disagree(x->s, w, accepted);
    return accepted;
}

static void agrees_on_all_words(const spec *s, uint32_t threads, uint32_t locs, uint32_t longest) {
    subject x = {.s = s};
    word_spec_open(&x.a, s->file, NULL, s->system, threads, locs);
    words_each(threads, locs, longest, agrees_on_last, &x);
    word_spec_close(&x.a);
}

static bool is_long(void) { return getenv("PARVIS_LONG") != NULL; }

static void all_words(void **state) {
    (void)state;
    uint32_t more = is_long() ? 1 : 0;
    for (uint32_t i = 0; i < SPECS; i++) {
        agrees_on_all_words(&specs[i], 2, 1, 7 + more);
        agrees_on_all_words(&specs[i], 2, 2, 6 + more);
        if (specs[i].most_threads < 3) continue;
        agrees_on_all_words(&specs[i], 3, 1, 6 + more);
        agrees_on_all_words(&specs[i], 3, 2, 5 + more);
    }
}

// A refused word is cut down to its first refused statement: the rest says nothing.
static void agrees_on_random_words(const spec *s, uint32_t threads, uint32_t locs, uint32_t count) {
    subject x = {.s = s};
    word_spec_open(&x.a, s->file, NULL, s->system, threads, locs);
    rng r = {100 * threads + locs};
    for (uint32_t i = 0; i < count; i++) {
        word w;
        words_random(&r, threads, locs, 20, &w);
        uint32_t accepted = word_spec_read(&x.a, &w);
        w.len = accepted;
        if (!s->is_right(&w)) disagree(s, &w, true);
        w.len = accepted + 1;
        if (accepted < 20 && s->is_right(&w)) disagree(s, &w, false);
    }
    word_spec_close(&x.a);
}

static void random_words(void **state) {
    (void)state;
    uint32_t count = is_long() ? 50000 : 2000;
    for (uint32_t i = 0; i < SPECS; i++)
        for (uint32_t threads = 2; threads <= specs[i].most_threads; threads++)
            for (uint32_t locs = 1; locs <= 3; locs++) agrees_on_random_words(&specs[i], threads, locs, count);
}

// ---- the words that show what the papers got wrong

static bool accepts(const char *file, const pv_options *o, const char *system, const char *text) {
    word_spec a;
    word w;
    assert_true(words_parse(text, &w));
    word_spec_open(&a, file, o, system, 3, 2);
    bool all = word_spec_read(&a, &w) == w.len;
    word_spec_close(&a);
    return all;
}

static bool misprinted_accepts(int32_t read_repaired, int32_t commit_repaired, const char *text) {
    const front_define defines[] = {{"READ_REPAIRED", read_repaired}, {"COMMIT_REPAIRED", commit_repaired}};
    const pv_options o = {.defines = defines, .ndefines = 2};
    return accepts("strict_serializability_misprinted", &o, "StrictSerializabilityMisprinted", text);
}

static void printed_opacity_is_wrong_for_three_threads(void **state) {
    (void)state;
    const char *w = "r1_1 w2_1 r2_2 w1_3 c_3 r1_2 a_2 c_1";
    assert_true(accepts("sigma_op", NULL, "SigmaOP", w));
    assert_false(accepts("opacity", NULL, "Opacity", w));
}

static void forgetting_invalid_is_wrong(void **state) {
    (void)state;
    const char *w = "r1_1 w1_2 c_2 r1_1 r1_2 c_2 c_1";
    assert_true(misprinted_accepts(1, 0, w));
    assert_true(misprinted_accepts(0, 0, "r1_1 w1_2 c_2 r1_1 w1_2 c_2 c_1"));
    assert_false(misprinted_accepts(1, 1, w));
    assert_false(accepts("strict_serializability", NULL, "StrictSerializability", w));
    assert_false(accepts("strict_serializability_printed", NULL, "StrictSerializabilityPrinted", w));
}

static void forgetting_a_predecessor_is_wrong(void **state) {
    (void)state;
    const char *w = "r1_1 r2_2 w1_3 c_3 r1_2 c_2 w2_1 c_1";
    assert_true(misprinted_accepts(0, 0, w));
    assert_true(misprinted_accepts(0, 1, w));
    assert_false(misprinted_accepts(1, 1, w));
    assert_false(accepts("strict_serializability", NULL, "StrictSerializability", w));
    assert_false(accepts("strict_serializability_printed", NULL, "StrictSerializabilityPrinted", w));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_words),
        cmocka_unit_test(random_words),
        cmocka_unit_test(printed_opacity_is_wrong_for_three_threads),
        cmocka_unit_test(forgetting_invalid_is_wrong),
        cmocka_unit_test(forgetting_a_predecessor_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
