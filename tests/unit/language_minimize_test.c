// SPDX-License-Identifier: Apache-2.0
// language_minimize: subset construction and minimisation against two slow, direct ways on random automata of
// at most six states: Moore's tables over all subsets and Brzozowski's double reversal.
#include "oracle/unit.h"

#include "base/rng.h"
#include "language/minimize.h"

#include <string.h>

enum { MOST_STATES = 6, MOST_LETTERS = 3, ROUNDS = 20000 };

static automaton *random_automaton(rng *r) {
    uint32_t n = 1 + rng_below(r, MOST_STATES), letters = 1 + rng_below(r, MOST_LETTERS);
    automaton *a = automaton_new(n, letters);
    uint32_t nedges = rng_below(r, 2 * n * letters + 1), silent_share = rng_below(r, 3);
    for (uint32_t i = 0; i < nedges; i++) {
        bool silent = rng_below(r, 8) < silent_share;
        automaton_add(a, rng_below(r, n), silent ? AUTOMATON_SILENT : rng_below(r, letters), rng_below(r, n));
    }
    for (uint32_t i = 0; i <= rng_below(r, 3); i++) vec_push(&a->initial, rng_below(r, n));
    return a;
}

// ---- sets of at most 64 states as bits

static uint64_t closure(const automaton *a, uint64_t set) {
    for (uint64_t old = 0; old != set;) {
        old = set;
        for (uint32_t e = 0; e < a->edges.len; e++) {
            automaton_edge x = a->edges.data[e];
            if (x.letter == AUTOMATON_SILENT && (set >> x.from & 1)) set |= 1ull << x.to;
        }
    }
    return set;
}

static uint64_t step(const automaton *a, uint64_t set, uint32_t letter) {
    uint64_t out = 0;
    for (uint32_t e = 0; e < a->edges.len; e++) {
        automaton_edge x = a->edges.data[e];
        if (x.letter == letter && (set >> x.from & 1)) out |= 1ull << x.to;
    }
    return closure(a, out);
}

static uint64_t start(const automaton *a) {
    uint64_t set = 0;
    for (uint32_t i = 0; i < a->initial.len; i++) set |= 1ull << a->initial.data[i];
    return closure(a, set);
}

// ---- Moore: a table over all subsets, the empty one included, refined until nothing changes

static uint32_t moore_count(const automaton *a) {
    uint32_t sets = 1u << a->nstates, class[64] = {0}, before[64];
    for (uint32_t s = 0; s < sets; s++) class[s] = s != 0;
    do {
        memcpy(before, class, sizeof class);
        uint32_t n = 0;
        for (uint32_t s = 0; s < sets; s++) {
            uint32_t same = s;
            for (uint32_t t = 0; t < s && same == s; t++) {
                bool equal = before[s] == before[t];
                for (uint32_t l = 0; equal && l < a->nletters; l++)
                    equal = before[step(a, s, l)] == before[step(a, t, l)];
                if (equal) same = t;
            }
            class[s] = same == s ? n++ : class[same];
        }
    } while (memcmp(before, class, sizeof class));
    bool reached[64] = {false}, counted[64] = {false};
    reached[start(a)] = true;
    uint32_t count = 0;
    for (uint32_t round = 0; round < sets; round++)
        for (uint32_t s = 0; s < sets; s++)
            for (uint32_t l = 0; reached[s] && l < a->nletters; l++) reached[step(a, s, l)] = true;
    for (uint32_t s = 1; s < sets; s++)
        if (reached[s] && !counted[class[s]]) {
            counted[class[s]] = true;
            count++;
        }
    return count;
}

// ---- Brzozowski: reverse, determinise, reverse, determinise. The first reversal starts in all states (all
// accept) and accepts where an initial state is in the set; its subsets are at most 64, so the second works
// on bits again.

typedef struct {
    uint64_t set[64];
    uint32_t count, next[64][MOST_LETTERS];
} subsets;

static uint32_t find(subsets *d, uint64_t set) {
    for (uint32_t i = 0; i < d->count; i++)
        if (d->set[i] == set) return i;
    d->set[d->count] = set;
    return d->count++;
}

static uint64_t back(const automaton *a, uint64_t set, uint32_t letter) {
    uint64_t out = 0;
    for (uint32_t s = 0; s < a->nstates; s++)
        if (step(a, closure(a, 1ull << s), letter) & set) out |= 1ull << s;
    return out;
}

static uint32_t brzozowski_count(const automaton *a) {
    subsets d = {.count = 0};
    find(&d, (1ull << a->nstates) - 1);
    for (uint32_t i = 0; i < d.count; i++)
        for (uint32_t l = 0; l < a->nletters; l++) {
            uint32_t to = find(&d, back(a, d.set[i], l));
            d.next[i][l] = to;
        }
    uint64_t first = 0;
    for (uint32_t i = 0; i < d.count; i++)
        if (d.set[i] & start(a)) first |= 1ull << i;
    uint64_t found[4096];
    uint32_t count = 0;
    if (first) found[count++] = first;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t l = 0; l < a->nletters; l++) {
            uint64_t to = 0;
            for (uint32_t s = 0; s < d.count; s++)
                if (found[i] >> d.next[s][l] & 1) to |= 1ull << s;
            bool known = to == 0;
            for (uint32_t k = 0; k < count && !known; k++) known = found[k] == to;
            if (!known) found[count++] = to;
        }
    return count;
}

// A set that holds no word at all is the sink: Brzozowski's sets accept iff they hold the first subset
// (number 0). All of a prefix-closed language's left quotients hold the empty word or are empty, so none is
// lost.

static void same_language(const automaton *a, const automaton *m, rng *r) {
    uint64_t x = start(a), y = start(m);
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t letter = rng_below(r, a->nletters);
        x = step(a, x, letter);
        y = step(m, y, letter);
        assert_int_equal(x != 0, y != 0);
    }
}

static void sizes_agree_with_moore_and_brzozowski(void **state) {
    (void)state;
    rng r = {20260101};
    uint32_t nondeterministic = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        automaton *a = random_automaton(&r);
        nondeterministic += !automaton_is_deterministic(a);
        automaton *d = automaton_determinise(a, 0, NULL);
        assert_true(automaton_is_deterministic(d));
        automaton *m = minimize_dfa(d, NULL);
        assert_int_equal(m->nstates, moore_count(a));
        if (round % 4 == 0) assert_int_equal(m->nstates, brzozowski_count(a));
        for (uint32_t i = 0; i < 8; i++) same_language(a, m, &r);
        automaton_free(a);
        automaton_free(d);
        automaton_free(m);
    }
    assert_in_range(nondeterministic, ROUNDS / 4, ROUNDS - 100);
}

// An automaton with its states renamed and copied has the same minimal automaton, edge by edge.
static void result_does_not_depend_on_numbering(void **state) {
    (void)state;
    rng r = {7};
    for (uint32_t round = 0; round < 2000; round++) {
        automaton *a = random_automaton(&r), *b = automaton_new(2 * a->nstates, a->nletters);
        for (uint32_t e = a->edges.len; e-- > 0;)
            for (uint32_t copy = 0; copy < 2; copy++) {
                automaton_edge x = a->edges.data[e];
                automaton_add(b, 2 * x.from + copy, x.letter, 2 * (x.to) + rng_below(&r, 2));
            }
        for (uint32_t i = 0; i < a->initial.len; i++) vec_push(&b->initial, 2 * a->initial.data[i] + 1);
        automaton *da = automaton_determinise(a, 0, NULL), *db = automaton_determinise(b, 0, NULL);
        automaton *ma = minimize_dfa(da, NULL), *mb = minimize_dfa(db, NULL);
        assert_int_equal(ma->nstates, mb->nstates);
        assert_int_equal(ma->edges.len, mb->edges.len);
        if (ma->edges.len) assert_memory_equal(ma->edges.data, mb->edges.data, ma->edges.len * sizeof *ma->edges.data);
        automaton *const all[] = {a, b, da, db, ma, mb};
        for (unsigned i = 0; i < 6; i++) automaton_free(all[i]);
    }
}

// A ring of n states over one letter, with marks at some: the minimal one is its shortest period.
static void large_rings_shrink_to_their_period(void **state) {
    (void)state;
    for (uint32_t period = 1; period <= 96; period *= 2) {
        automaton *a = automaton_new(period * 1000, 2);
        vec_push(&a->initial, 0);
        for (uint32_t i = 0; i < a->nstates; i++) {
            automaton_add(a, i, 0, (i + 1) % a->nstates);
            if (i % period == 0) automaton_add(a, i, 1, i);
        }
        automaton *m = minimize_dfa(a, NULL);
        assert_int_equal(m->nstates, period);
        automaton_free(a);
        automaton_free(m);
    }
}

static void limits_and_interrupts_end_the_subset_construction(void **state) {
    (void)state;
    // (a|b)* a (a|b)^12 with every state accepting needs 2^12 subsets or so.
    automaton *a = automaton_new(14, 2);
    vec_push(&a->initial, 0);
    automaton_add(a, 0, 0, 0);
    automaton_add(a, 0, 1, 0);
    automaton_add(a, 0, 0, 1);
    for (uint32_t i = 1; i < 13; i++)
        for (uint32_t l = 0; l < 2; l++) automaton_add(a, i, l, i + 1);
    limits_board board = {.met = LIMIT_INTERRUPT};
    assert_null(automaton_determinise(a, 100, NULL));
    assert_null(automaton_determinise(a, 0, &(limits){.board = &board}));
    automaton *d = automaton_determinise(a, 0, NULL), *m = minimize_dfa(d, NULL);
    assert_int_equal(m->nstates, 1);
    automaton_free(a);
    automaton_free(d);
    automaton_free(m);
}

static void empty_and_trivial(void **state) {
    (void)state;
    automaton *a = automaton_new(0, 0), *m = minimize_dfa(a, NULL);
    assert_int_equal(m->nstates, 0);
    automaton_free(a);
    automaton_free(m);
    a = automaton_new(1, 0);
    vec_push(&a->initial, 0);
    m = minimize_dfa(a, NULL);
    assert_int_equal(m->nstates, 1);
    automaton_free(a);
    automaton_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_agree_with_moore_and_brzozowski),
        cmocka_unit_test(result_does_not_depend_on_numbering),
        cmocka_unit_test(large_rings_shrink_to_their_period),
        cmocka_unit_test(limits_and_interrupts_end_the_subset_construction),
        cmocka_unit_test(empty_and_trivial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
