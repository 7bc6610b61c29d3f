// SPDX-License-Identifier: Apache-2.0
// The memories with values (models/tm-values) against the definitions tried out on their words: every random run of
// theirs is opaque (of snapshots, for si_stm), runs of their seeded bugs are not, and of memories with one mistake none
// is proved that has a run without the property. The checker of recorded histories says the same.
#include "oracle/unit.h"

#include "history/level_check.h"
#include "infer/infer.h"
#include "oracle/mutate.h"
#include "oracle/part.h"
#include "oracle/value_system.h"

#include <stdio.h>

typedef struct {
    const char *name;
    uint32_t bugs;
    bool is_cheap;  // to prove
} memory;

static const memory memories[] = {
    {"tml", 4, true},     {"norec_values", 4, true},   {"multiversion", 3, true}, {"si_stm", 4, true},
    {"hybrid", 4, false}, {"ring", 5, false},          {"inval", 5, false},       {"tl2_clock", 4, false},
    {"lsa", 4, false},    {"write_through", 5, false}, {"swiss", 5, false}};
enum { NMEMORIES = sizeof memories / sizeof *memories };

static value_level level_of(const memory *m) { return str_same(m->name, "si_stm") ? VALUE_SNAPSHOT : VALUE_OPAQUE; }

static void open_memory(value_system *s, const memory *m, int bug) {
    str path = {0};
    str_printf(&path, "models/tm-values/%s.pv", m->name);
    value_system_read(s, str_get(&path), bug);
    str_free(&path);
}

static bool checker_says_yes(const value_word *w, value_level l) {
    diag *messages = diag_new();
    recorded h;
    level_answer a;
    value_word_record(w, messages, &h);
    level_check(&h, l == VALUE_OPAQUE ? LEVEL_OPAQUE : LEVEL_STRONG_SI, NULL, &a);
    bool yes = a.verdict == ORDER_YES;
    level_answer_free(&a);
    recorded_free(&h);
    diag_free(messages);
    return yes;
}

static void complain(const memory *m, const char *what, const value_word *w) {
    str text = {0};
    value_word_print(w, &text);
    fprintf(stderr, "# %s: %s: %s\n", m->name, what, str_get(&text));
    str_free(&text);
}

// ---- runs

typedef struct {
    uint32_t words, commits, unique, wrong;
} counts;

static void judge_run(const memory *m, const value_word *w, counts *c) {
    value_level l = level_of(m);
    bool is_unique = value_word_is_unique(w);
    c->words++;
    c->unique += is_unique;
    for (uint32_t i = 0; i < w->len; i++) c->commits += w->at[i].kind == VALUE_COMMIT;
    bool good = value_word_is_formed(w) && value_word_has(w, l) && (!is_unique || checker_says_yes(w, l));
    if (!good) complain(m, "a run without the property", w);
    c->wrong += !good;
}

static void runs_are_right(void **state) {
    (void)state;
    counts c = {0};
    for (uint32_t k = 0; k < NMEMORIES; k++) {
        rng r = {part_seed(171 + k)};
        uint32_t count = (uint32_t)part_rounds(6, 1500);
        for (uint32_t i = 0; i < count && c.wrong < 3; i++) {
            value_system s;
            value_word w;
            open_memory(&s, &memories[k], 0);
            value_system_start(&s, (value_sizes){2 + i % 2, 1 + i % 3, i % 2 ? 3 : 12, 8});
            value_system_walk(&s, &r, 70, &w);
            judge_run(&memories[k], &w, &c);
            value_system_free(&s);
        }
    }
    printf("# tally: runs of memories with values have their property | %u cases | %u wrong\n", c.words, c.wrong);
    printf("# %u commits, %u words without repeated values\n", c.commits, c.unique);
    assert_int_equal(c.wrong, 0);
    assert_true(c.commits > c.words && c.unique > c.words / 8);
}

// ---- wrong memories

// Has one of so many random runs not the property? Then the checker says no as well.
static bool has_wrong_run(value_system *s, const memory *m, rng *r, uint32_t runs, uint32_t *ndisagree) {
    for (uint32_t i = 0; i < runs; i++) {
        value_word w;
        value_system_walk(s, r, 60, &w);
        if (!value_word_is_formed(&w)) return true;
        if (value_word_has(&w, level_of(m))) continue;
        if (checker_says_yes(&w, level_of(m))) complain(m, "the checker allows", &w), ++*ndisagree;
        return true;
    }
    return false;
}

static void bugs_have_wrong_runs(void **state) {
    (void)state;
    uint32_t tried = 0, found = 0, disagree = 0;
    for (uint32_t k = 0; k < NMEMORIES; k++)
        for (uint32_t bug = 1; bug <= memories[k].bugs; bug++) {
            rng r = {part_seed(191 + 10 * k + bug)};
            value_system s;
            open_memory(&s, &memories[k], (int)bug);
            value_system_start(&s, (value_sizes){2, 1 + bug % 2, 3, 8});
            tried++;
            bool has = has_wrong_run(&s, &memories[k], &r, part_is_long() ? 1000 : 15, &disagree);
            found += has;
            if (!has && part_is_long()) printf("# %s: BUG=%u in no run\n", memories[k].name, bug);
            value_system_free(&s);
        }
    printf("# tally: bugs of memories with values: what runs show, the checker of histories refuses | %u cases | %u "
           "wrong\n",
           found, disagree);
    printf("# %u of %u bugs show in random runs\n", found, tried);
    assert_int_equal(disagree, 0);
    assert_true(found > (part_is_long() ? tried * 4 / 5 : tried / 4));
}

typedef struct {
    uint32_t mutants, proved, bad, wrong;
} mutant_counts;

enum { MUTANT_SIZES = 3 };

// Of what is proved many runs are tried, also with more threads, locations and times.
static bool mutant_is_bad(value_system *s, const memory *m, rng *r, bool is_proved, uint32_t *ndisagree) {
    static const value_sizes sizes[MUTANT_SIZES] = {{2, 2, 3, 8}, {2, 1, 3, 14}, {3, 2, 3, 14}};
    uint32_t runs = part_is_long() ? is_proved ? 600 : 100 : is_proved ? 60 : 10;
    bool bad = false;
    for (uint32_t i = 0; i < (is_proved ? MUTANT_SIZES : 1) && !bad; i++) {
        value_system_start(s, sizes[i]);
        bad = has_wrong_run(s, m, r, runs, ndisagree);
        value_system_stop(s);
    }
    return bad;
}

// Mistake number k of the memory; false: there are not so many.
static bool try_mutant(const memory *m, uint32_t k, rng *r, mutant_counts *c) {
    value_system s;
    str what = {0};
    uint32_t disagree = 0;
    open_memory(&s, m, 0);
    bool more = mutate_system(s.m, prop_of(s.m, s.property)->system, k, &what);
    if (more) {
        infer_options o = {.is_brief = true};  // limits in steps: the same everywhere
        proof *p = infer_relation(s.m, s.property, &o);
        bool bad = mutant_is_bad(&s, m, r, p->verdict == VERDICT_HOLDS, &disagree);
        c->mutants++;
        c->bad += bad;
        c->proved += p->verdict == VERDICT_HOLDS;
        if (bad && p->verdict == VERDICT_HOLDS) {
            fprintf(stderr, "# %s: proved, but a run is wrong: %s\n", m->name, str_get(&what));
            c->wrong++;
        }
        c->wrong += disagree;
        proof_free(p);
    }
    value_system_free(&s);
    str_free(&what);
    return more;
}

static void mutants_are_not_proved(void **state) {
    (void)state;
    mutant_counts c = {0};
    bool is_long = part_is_long();
    for (uint32_t i = 0; i < NMEMORIES; i++) {
        rng r = {part_seed(331 + i)};
        if (!is_long && !memories[i].is_cheap) continue;
        uint32_t first = (uint32_t)(part_seed(0) % 29),
                 most = is_long ? (uint32_t)part_rounds(1, 220) / NMEMORIES + 1 : 9;
        for (uint32_t k = first, n = 0; n < most && try_mutant(&memories[i], k, &r, &c); k += is_long ? 3 : 7) n++;
    }
    printf("# tally: memories with values and one mistake, none proved that has a wrong run | %u cases | %u wrong\n",
           c.mutants, c.wrong);
    printf("# %u mutants: %u with a wrong run, %u proved\n", c.mutants, c.bad, c.proved);
    assert_int_equal(c.wrong, 0);
    assert_true(c.bad >= c.mutants / 8 && c.proved >= c.mutants / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_right), cmocka_unit_test(bugs_have_wrong_runs),
                                       cmocka_unit_test(mutants_are_not_proved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
