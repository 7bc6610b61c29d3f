// SPDX-License-Identifier: Apache-2.0
// The steps of others as differences, found once for all states that agree on what rules read and write: against the
// steps that each state has when it is asked by itself.
#include "oracle/unit.h"

#include "oracle/cover_views.h"

#include "cmp/lemmas/steps.h"
#include "oracle/random_param.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    uint64_t lists, changes;
} counted;

// The number of the successor that a label leads to; UINT32_MAX: none.
static uint32_t find_label(const runner *r, uint32_t n, uint32_t label) {
    for (uint32_t i = 0; i < n; i++)
        if ((r->labels[i] & ~SPACE_TROUBLE) == label) return i;
    return UINT32_MAX;
}

static bool is_listed(const steps *x, uint32_t list, const uint64_t *difference) {
    for (uint32_t k = x->first.data[list]; k < x->first.data[list + 1]; k++)
        if (memcmp(x->differences.data + (size_t)k * x->words, difference, x->words * 8) == 0) return true;
    return false;
}

static void compare_state(steps *x, runner *alone, const uint64_t *state, counted *done) {
    uint64_t difference[64];
    uint32_t list = steps_of(x, state), n = runner_next(alone, state), errors = 0, listed = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool is_error = alone->labels[i] & SPACE_TROUBLE, any = false;
        errors += is_error;
        for (uint32_t w = 0; w < x->words; w++) {
            difference[w] = is_error ? 0 : alone->next[(size_t)i * x->words + w] ^ state[w];
            any |= difference[w] != 0;
        }
        if (any || is_error) assert_true(is_listed(x, list, difference));
    }
    for (uint32_t k = x->first.data[list]; k < x->first.data[list + 1]; k++) {
        uint32_t i = find_label(alone, n, x->changes.data[k].label);
        assert_true(i < n);
        assert_int_equal(x->changes.data[k].is_error, (alone->labels[i] & SPACE_TROUBLE) != 0);
        for (uint32_t w = 0; w < x->words && !x->changes.data[k].is_error; w++)
            assert_true((x->differences.data[(size_t)k * x->words + w] ^ state[w]) ==
                        alone->next[(size_t)i * x->words + w]);
        listed += x->changes.data[k].is_error;
        done->changes++;
    }
    assert_int_equal(listed, errors > 0);
    done->lists++;
}

// Twice, forwards and backwards: the second time all are known.
static void compare_rule(cover_views *x, rule origin, counted *done) {
    const lemma_list none = {0};
    strengthened one = strengthen_others(x->a, origin, &none), two = strengthen_others(x->a, origin, &none);
    steps all;
    runner alone;
    assert_true(steps_open(&all, one) && runner_open(&alone, two));
    uint32_t n = tuples_count(x->s->views);
    assert_true(all.words <= 64);
    for (uint32_t i = 0; i < 2 * n; i++)
        compare_state(&all, &alone, tuples_get(x->s->views, i < n ? i : 2 * n - 1 - i), done);
    assert_true(tuples_count(all.known) <= n);
    steps_close(&all);
    runner_close(&alone);
}

static void compare_model(const char *text, uint32_t kept, counted *done) {
    cover_views x;
    if (cover_views_open(&x, text, kept)) {
        cover_views_add(&x, x.s, kept + 1, 60);
        for (uint32_t i = 0; i < sys_of(x.of.m, x.of.system)->rules.len; i++) {
            rule origin = sys_of(x.of.m, x.of.system)->rules.data[i];
            bool has_steps = false;
            for (uint32_t k = 0; k < x.a->cases.len; k++)
                has_steps |= strengthen_is_others(&x.a->cases.data[k], origin);
            if (has_steps) compare_rule(&x, origin, done);
        }
    }
    cover_views_close(&x);
}

static void lists_are_the_steps(void **state) {
    (void)state;
    counted done = {0};
    for (uint64_t seed = 1; seed <= 24; seed++) {
        str text = {0};
        bits none = {0};
        random_param(seed, &none, &text);
        compare_model(str_get(&text), 1 + seed % 2, &done);
        str_free(&text);
    }
    compare_model(COVER_HEAD COVER_START COVER_TOKEN, 2, &done);
    assert_true(done.changes > 1000);
    printf("# tally: lists of steps of others, against each state by itself | %llu cases | 0 wrong\n",
           (unsigned long long)done.lists);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_the_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
