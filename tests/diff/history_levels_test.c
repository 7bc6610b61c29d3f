// SPDX-License-Identifier: Apache-2.0
// The checker of recorded histories against the definitions tried out, on random histories: unique and repeated values,
// lists, intervals, instants and no times, aborted, live and pending transactions. What holds comes with an order that
// was replayed; what does not comes with transactions. Stronger levels imply weaker ones, also on histories that are
// too large to try out.
#include "oracle/unit.h"

#include "history/brute.h"
#include "history/level_check.h"
#include "oracle/part.h"
#include "oracle/random_recorded.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t agree_on(const recorded *h, level l, const char *text) {
    brute_answer expected = brute_check(h, l, 0);
    level_answer a;
    level_check(h, l, NULL, &a);
    bool good = a.verdict == (expected == BRUTE_YES ? ORDER_YES : ORDER_NO);
    if (a.verdict == ORDER_NO && a.wrong.kind == MISFIT_NONE && !a.suspects.len) good = false;
    if (!good)
        fprintf(stderr, "# %s: brute force says %s, the checker %d (%s)\n%s\n", level_name(l),
                expected == BRUTE_YES ? "yes" : "no", a.verdict, a.why ? a.why : "", text);
    level_answer_free(&a);
    return !good;
}

static void levels_agree(void **state) {
    (void)state;
    rng r = {part_seed(21)};
    uint32_t count = (uint32_t)part_rounds(5000, 50000), wrong = 0, cases = 0, yes[LEVEL_COUNT] = {0};
    for (uint32_t i = 0; i < count && wrong < 3; i++) {
        random_recorded_shape shape = random_recorded_pick(&r);
        str text = {0};
        recorded h;
        random_recorded(&r, &shape, &text);
        random_recorded_read(str_get(&text), text.len, &h);
        for (uint32_t l = 0; l < LEVEL_COUNT; l++) {
            if (level_needs_times((level)l) && !h.has_times) continue;
            wrong += agree_on(&h, (level)l, str_get(&text));
            yes[l] += brute_check(&h, (level)l, 0) == BRUTE_YES;
            cases++;
        }
        recorded_free(&h);
        str_free(&text);
    }
    printf("# tally: levels of random histories against brute force | %u cases | %u wrong\n", cases, wrong);
    for (uint32_t l = 0; l < LEVEL_COUNT; l++) {
        printf("# %s: %u of %u histories\n", level_name((level)l), yes[l], count);
        assert_true(wrong || (yes[l] > count / 10 && yes[l] < count * 19 / 20));
    }
    assert_int_equal(wrong, 0);
}

static uint32_t check_implied(const recorded *h, const level_answer *answers, const char *text) {
    uint32_t wrong = 0;
    for (uint32_t a = 0; a < LEVEL_COUNT; a++)
        for (uint32_t b = a + 1; b < LEVEL_COUNT; b++) {
            level_answer from;
            if (!level_implies((level)a, (level)b)) continue;
            if (level_needs_times((level)a) && !h->has_times) continue;
            if (level_needs_times((level)b) && !h->has_times) continue;
            if (answers[a].verdict != ORDER_YES) continue;
            bool good = answers[b].verdict == ORDER_YES;
            if (good && (good = level_from_stronger(h, (level)b, &answers[a], &from))) level_answer_free(&from);
            if (!good) fprintf(stderr, "# %s but not %s\n%s\n", level_name((level)a), level_name((level)b), text);
            wrong += !good;
        }
    return wrong;
}

static void levels_imply(void **state) {
    (void)state;
    rng r = {part_seed(22)};
    uint32_t count = (uint32_t)part_rounds(1000, 10000), wrong = 0, open = 0;
    for (uint32_t i = 0; i < count && wrong < 3; i++) {
        random_recorded_shape shape = random_recorded_pick(&r);
        str text = {0};
        recorded h;
        level_answer answers[LEVEL_COUNT];
        shape.txs = 8 + rng_below(&r, 40);
        shape.keys = 1 + rng_below(&r, 8);
        shape.faults /= 12;
        shape.has_lists &= !shape.has_repeats;           // there would be too many ways to tell elements apart
        if (rng_below(&r, 4) == 0) shape.sessions = 64;  // more than overlap: real time makes the chains
        random_recorded(&r, &shape, &text);
        random_recorded_read(str_get(&text), text.len, &h);
        for (uint32_t l = 0; l < LEVEL_COUNT; l++) {
            answers[l] = (level_answer){.verdict = ORDER_UNKNOWN};
            if (level_needs_times((level)l) && !h.has_times) continue;
            level_check(&h, (level)l, NULL, &answers[l]);
            if (answers[l].verdict != ORDER_UNKNOWN) continue;
            bool may_be_open = l == LEVEL_OPAQUE && shape.has_repeats;  // deferred update by value, see level_check.c
            open += may_be_open;
            wrong += !may_be_open;
            if (!may_be_open) fprintf(stderr, "# %s: %s\n%s\n", level_name((level)l), answers[l].why, str_get(&text));
        }
        wrong += check_implied(&h, answers, str_get(&text));
        for (uint32_t l = 0; l < LEVEL_COUNT; l++) level_answer_free(&answers[l]);
        recorded_free(&h);
        str_free(&text);
    }
    printf("# tally: levels imply each other on random histories | %u cases | %u wrong\n", count, wrong);
    printf("# opaque is open in %u of them\n", open);
    assert_int_equal(wrong, 0);
    assert_in_range(open, 0, count / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_agree), cmocka_unit_test(levels_imply)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
