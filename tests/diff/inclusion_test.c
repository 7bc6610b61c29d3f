// SPDX-License-Identifier: Apache-2.0
// Inclusion and simulation against naive twins on random small automata: verdicts, lengths of separating
// words, and that the run shown is a run of A whose word B refuses at its last letter.
#include "oracle/naive_automaton.h"
#include "oracle/unit.h"

#include "language/inclusion.h"
#include "language/simulation.h"

#include <stdlib.h>

static uint32_t rounds(uint32_t n) { return getenv("PARVIS_LONG") ? n * 20 : n; }

static automaton *random_b(rng *r, uint32_t letters) {
    uint32_t n = 1 + rng_below(r, 7);
    return naive_random(r, n, letters, rng_below(r, 4 * n * letters), rng_below(r, 3) ? rng_below(r, n) : 0);
}

static automaton *random_a(rng *r, uint32_t letters) {
    uint32_t n = 1 + rng_below(r, 5);
    return naive_random(r, n, letters, rng_below(r, 2 * n), rng_below(r, 3) ? rng_below(r, n) : 0);
}

static bool has_edge(const automaton *a, automaton_edge e) {
    for (uint32_t i = 0; i < a->edges.len; i++) {
        automaton_edge x = a->edges.data[i];
        if (x.from == e.from && x.letter == e.letter && x.to == e.to) return true;
    }
    return false;
}

static bool is_initial(const automaton *a, uint32_t q) {
    for (uint32_t i = 0; i < a->initial.len; i++)
        if (a->initial.data[i] == q) return true;
    return false;
}

// Is it a run of a? Its word goes to `word`; returns the length.
static uint32_t check_run(const automaton *a, const automaton_edge *run, uint32_t n, uint32_t *word) {
    uint32_t length = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert_true(has_edge(a, run[i]));
        if (i) assert_int_equal(run[i - 1].to, run[i].from);
        else assert_true(is_initial(a, run[i].from));
        if (run[i].letter != AUTOMATON_SILENT) word[length++] = run[i].letter;
    }
    return length;
}

static void check_inclusion(const automaton *a, const automaton *b, bool no_antichain) {
    inclusion_options options = {.no_antichain = no_antichain};
    inclusion got = inclusion_check(a, b, &options);
    uint32_t expected = naive_separation(a, b);
    assert_int_equal(got.answer, expected == UINT32_MAX ? INCLUSION_HOLDS : INCLUSION_FAILS);
    assert_int_equal(got.is_product, automaton_is_deterministic(b));
    if (got.answer == INCLUSION_FAILS) {
        uint32_t *word = calloc(got.run.len + 1, sizeof *word);
        uint32_t length = check_run(a, got.run.data, got.run.len, word);
        assert_int_equal(length, expected);
        assert_int_equal(naive_after(b, word, length), 0);
        assert_int_not_equal(naive_after(b, word, length - 1), 0);
        free(word);
    }
    inclusion_free(&got);
}

static void inclusion_agrees(void **state) {
    (void)state;
    rng r = {41};
    uint32_t held = 0;
    for (uint32_t i = 0; i < rounds(6000); i++) {
        uint32_t letters = 1 + rng_below(&r, 3);
        automaton *a = random_a(&r, letters), *b = random_b(&r, letters);
        check_inclusion(a, b, false);
        check_inclusion(a, b, true);
        held += naive_separation(a, b) == UINT32_MAX;
        automaton_free(a);
        automaton_free(b);
    }
    assert_in_range(held, rounds(6000) / 10, rounds(6000) * 9 / 10);  // both answers were asked for
}

static void determinised_are_equivalent(void **state) {
    (void)state;
    rng r = {42};
    for (uint32_t i = 0; i < rounds(1000); i++) {
        automaton *a = random_b(&r, 2), *d = automaton_determinise(a, 0, NULL);
        inclusion one = inclusion_check(a, d, NULL), two = inclusion_check(d, a, NULL);
        assert_int_equal(one.answer, INCLUSION_HOLDS);
        assert_int_equal(two.answer, INCLUSION_HOLDS);
        assert_true(one.is_product);
        automaton_free(a);
        automaton_free(d);
    }
}

static void simulation_agrees(void **state) {
    (void)state;
    rng r = {43};
    uint32_t held = 0;
    for (uint32_t i = 0; i < rounds(8000); i++) {
        uint32_t letters = 1 + rng_below(&r, 3);
        automaton *a = random_a(&r, letters), *b = random_b(&r, letters);
        inclusion got = simulation_check(a, b, NULL);
        bool expected = naive_simulates(a, b);
        held += expected;
        assert_int_equal(got.answer, expected ? INCLUSION_HOLDS : INCLUSION_FAILS);
        if (expected) assert_int_equal(naive_separation(a, b), UINT32_MAX);
        uint32_t *word = calloc(got.run.len + 1, sizeof *word);
        uint32_t length = check_run(a, got.run.data, got.run.len, word);
        if (!expected) assert_int_not_equal(naive_after(a, word, length), 0);
        free(word);
        inclusion_free(&got);
        automaton_free(a);
        automaton_free(b);
    }
    assert_in_range(held, rounds(8000) / 10, rounds(8000) * 9 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inclusion_agrees),
        cmocka_unit_test(determinised_are_equivalent),
        cmocka_unit_test(simulation_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
