// SPDX-License-Identifier: Apache-2.0
// The specifications with values (models/specs) against the definitions tried out on words with values: whatever they
// allow has their property, and of hand-made words they allow those that they should. The checker of recorded histories
// says the same of all words. Words are random, and of random runs of the specifications.
#include "oracle/unit.h"

#include "history/level_check.h"
#include "oracle/part.h"
#include "oracle/value_system.h"

#include <stdio.h>

typedef struct {
    const char *file;
    value_level level;
} spec;

static const spec specs[] = {{"tms2", VALUE_OPAQUE},
                             {"stamps", VALUE_OPAQUE},
                             {"snap", VALUE_OPAQUE},
                             {"strict_values", VALUE_STRICT},
                             {"si_values", VALUE_SNAPSHOT}};
enum { NSPECS = sizeof specs / sizeof *specs };

static const level levels[VALUE_LEVELS] = {LEVEL_OPAQUE, LEVEL_STRICT, LEVEL_STRONG_SI};

static void open_spec(value_system *s, const spec *what, value_sizes sizes) {
    str path = {0};
    str_printf(&path, "models/specs/%s.pv", what->file);
    value_system_read(s, str_get(&path), 0);
    value_system_start(s, sizes);
    str_free(&path);
}

// ---- hand-made words

typedef struct {
    const char *name, *word;
    bool has[VALUE_LEVELS];
} judged;

// Events as value_word_print() writes them.
static const judged known[] = {
    {"a committed write is read", "b_1 w1_1=1 c_1 b_2 r1_2=1 c_2", {true, true, true}},
    {"a reader stays in the past", "b_1 r1_1=0 b_2 w1_2=1 c_2 r2_1=0 c_1", {true, true, true}},
    {"a stale read after a commit", "b_1 w1_1=1 c_1 b_2 r1_2=0", {false, true, true}},
    {"a stale read that commits", "b_1 w1_1=1 c_1 b_2 r1_2=0 c_2", {false, false, false}},
    {"a dirty read", "b_1 w1_1=1 b_2 r1_2=1", {false, true, true}},
    {"a dirty read, committed too late", "b_1 w1_1=1 b_2 r1_2=1 c_1", {false, true, true}},
    {"two snapshots, nobody commits", "b_1 r1_1=0 b_2 w1_2=1 w2_2=1 c_2 r2_1=1", {false, true, true}},
    {"two snapshots", "b_1 r1_1=0 b_2 w1_2=1 w2_2=1 c_2 r2_1=1 c_1", {false, false, false}},
    {"a lost update", "b_1 r1_1=0 b_2 r1_2=0 w1_1=1 w1_2=2 c_1 c_2", {false, false, false}},
    {"write skew", "b_1 r1_1=0 b_2 r2_2=0 w2_1=1 w1_2=1 c_1 c_2", {false, false, true}},
    {"a silent store is no conflict", "b_1 r1_1=0 b_2 w1_2=0 c_2 w2_1=1 c_1", {true, true, true}},
    {"own writes are read", "b_1 w1_1=2 r1_1=2 c_1", {true, true, true}},
    {"own writes are not read", "b_1 w1_1=2 r1_1=0 c_1", {false, false, false}},
};

static void parse_word(const char *text, value_word *w) {
    *w = (value_word){0};
    for (const char *p = text; *p; p += *p == ' ') {
        value_event e = {0};
        int used = 0;
        for (uint32_t k = 0; k < VALUE_KINDS; k++)
            if (*p == "brwca"[k]) e.kind = (value_kind)k;
        bool ok = e.kind == VALUE_READ || e.kind == VALUE_WRITE
                      ? sscanf(p + 1, "%u_%u=%u%n", &e.loc, &e.thread, &e.value, &used) == 3
                      : sscanf(p + 1, "_%u%n", &e.thread, &used) == 1;
        assert_true(ok);
        e.loc -= e.loc > 0;
        e.thread--;
        w->at[w->len++] = e;
        p += 1 + used;
    }
}

// A word is not of snapshots by the specification, which also asks it of transactions that do not commit.
static bool is_expected(const judged *k, value_level l) {
    return l == VALUE_SNAPSHOT ? k->has[l] && (k->has[VALUE_OPAQUE] || !k->has[VALUE_STRICT]) : k->has[l];
}

static void hand_made_words(void **state) {
    (void)state;
    for (uint32_t i = 0; i < sizeof known / sizeof *known; i++) {
        value_word w;
        parse_word(known[i].word, &w);
        for (uint32_t l = 0; l < VALUE_LEVELS; l++)
            if (value_word_has(&w, (value_level)l) != known[i].has[l]) fail_msg("level %u of: %s", l, known[i].name);
        for (uint32_t k = 0; k < NSPECS; k++) {
            value_system s;
            open_spec(&s, &specs[k], (value_sizes){2, 2, 3, 4});
            bool has = value_system_follows(&s, &w) == w.len;
            if (has != is_expected(&known[i], specs[k].level)) fail_msg("%s: %s", specs[k].file, known[i].name);
            value_system_free(&s);
        }
    }
}

// ---- random words

// The checker asks of opacity one order for the whole word, in which a read is there at every moment since it returned;
// where a value was written twice, a word can be opaque by its prefixes though there is no such order. So there it may
// say no, but never yes wrongly.
static bool is_fitting(const value_word *w, value_level l, bool has, order_verdict said) {
    if (l == VALUE_OPAQUE && !value_word_is_unique(w)) return said == ORDER_NO || (said == ORDER_YES && has);
    return said == (has ? ORDER_YES : ORDER_NO);
}

static uint32_t agree_with_checker(const value_word *w, value_level l, const char *text) {
    diag *messages = diag_new();
    recorded h;
    level_answer a;
    value_word_record(w, messages, &h);
    level_check(&h, levels[l], NULL, &a);
    bool has = value_word_has(w, l), good = is_fitting(w, l, has, a.verdict);
    if (!good) fprintf(stderr, "# %s of %s: %s by the definition\n", level_name(levels[l]), text, has ? "yes" : "no");
    level_answer_free(&a);
    recorded_free(&h);
    diag_free(messages);
    return !good;
}

// The whole word has an order: the first of 1, that of 2, the second of 2, the second of 1. Without its last event it
// has none, since only the last one to commit writes again what the second of 1 had read.
static void a_prefix_is_worse(void **state) {
    (void)state;
    static const char *const text = "b_1 w2_1=2 w1_1=2 c_1 b_2 w2_2=0 r1_2=2 w1_2=1 b_1 w1_1=0 r2_1=2 w2_1=0 c_2 "
                                    "b_2 w1_2=1 r2_2=0 w2_2=2 c_1 c_2";
    value_word w;
    parse_word(text, &w);
    assert_false(value_word_has(&w, VALUE_OPAQUE));
    assert_true(value_word_has(&w, VALUE_STRICT));
    for (uint32_t l = 0; l < VALUE_LEVELS; l++) assert_int_equal(agree_with_checker(&w, (value_level)l, text), 0);
}

static void words_against_the_checker(void **state) {
    (void)state;
    rng r = {part_seed(151)};
    uint32_t count = (uint32_t)part_rounds(2000, 60000), wrong = 0, yes[VALUE_LEVELS] = {0}, unique = 0;
    for (uint32_t i = 0; i < count && wrong < 3; i++) {
        value_word w;
        str text = {0};
        uint32_t values = i % 2 ? 2 + rng_below(&r, 2) : 100;
        value_word_random(&r, 2 + rng_below(&r, 2), 1 + rng_below(&r, 3), values, 6 + rng_below(&r, 20), &w);
        value_word_print(&w, &text);
        unique += value_word_is_unique(&w);
        for (uint32_t l = 0; l < VALUE_LEVELS; l++) {
            wrong += agree_with_checker(&w, (value_level)l, str_get(&text));
            yes[l] += value_word_has(&w, (value_level)l);
        }
        str_free(&text);
    }
    printf("# tally: words with values: the checker of histories against all orders | %u cases | %u wrong\n",
           count * VALUE_LEVELS, wrong);
    assert_int_equal(wrong, 0);
    assert_true(unique > count / 3 && unique < count);
    for (uint32_t l = 0; l < VALUE_LEVELS; l++) assert_true(yes[l] > count / 10 && yes[l] < count * 9 / 10);
}

typedef struct {
    uint32_t cases, wrong, allowed, has, refused;
} counts;

static void judge_prefixes(value_system *s, const spec *what, const value_word *w, counts *c) {
    uint32_t len = value_system_follows(s, w);
    for (uint32_t n = 1; n <= w->len; n++) {
        value_word prefix = *w;
        prefix.len = n;
        bool has = value_word_has(&prefix, what->level), allowed = n <= len;
        c->cases++;
        c->has += has;
        c->allowed += allowed;
        c->refused += has && !allowed;
        if (!allowed || has) continue;
        str text = {0};
        value_word_print(&prefix, &text);
        fprintf(stderr, "# %s allows %s\n", what->file, str_get(&text));
        str_free(&text);
        c->wrong++;
    }
}

static void words_of_specifications(void **state) {
    (void)state;
    counts c = {0};
    for (uint32_t k = 0; k < NSPECS; k++) {
        rng r = {part_seed(152 + k)};
        uint32_t count = (uint32_t)part_rounds(36, 5000);
        value_system s;
        open_spec(&s, &specs[k], (value_sizes){3, 2, 3, 8});
        counts mine = {0};
        for (uint32_t i = 0; i < count && c.wrong < 3; i++) {
            value_word w;
            if (i % 2) value_word_random(&r, 3, 2, 3, 28, &w);
            else value_system_walk(&s, &r, 24, &w);
            judge_prefixes(&s, &specs[k], &w, &mine);
        }
        printf("# %s: allows %u of %u prefixes, refuses %u that have its level\n", specs[k].file, mine.allowed,
               mine.cases, mine.refused);
        assert_true(mine.allowed > mine.cases / 4 && mine.allowed < mine.cases * 49 / 50);
        c.cases += mine.cases;
        c.wrong += mine.wrong;
        value_system_free(&s);
    }
    printf("# tally: prefixes that a specification with values allows have its level | %u cases | %u wrong\n", c.cases,
           c.wrong);
    assert_int_equal(c.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hand_made_words), cmocka_unit_test(a_prefix_is_worse),
                                       cmocka_unit_test(words_against_the_checker),
                                       cmocka_unit_test(words_of_specifications)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
