// SPDX-License-Identifier: Apache-2.0
// Structural premises against naive twins on random automata over the statements of two threads and two
// locations: the twins take words as texts, change them by hand, and ask whether the result is a word.
#include "oracle/naive_automaton.h"
#include "oracle/serial.h"
#include "oracle/unit.h"

#include "language/inclusion.h"
#include "language/monotone.h"
#include "language/statement.h"
#include "language/transform.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, LOCATIONS = 2, LETTERS = 12, LONGEST = 4 };

static uint32_t rounds(uint32_t n) { return getenv("PARVIS_LONG") ? n * 20 : n; }

static const statement statements[LETTERS] = {
    {STATEMENT_READ, 0, 0},   {STATEMENT_READ, 0, 1},  {STATEMENT_WRITE, 0, 0},  {STATEMENT_WRITE, 0, 1},
    {STATEMENT_COMMIT, 0, 0}, {STATEMENT_ABORT, 0, 0}, {STATEMENT_READ, 1, 0},   {STATEMENT_READ, 1, 1},
    {STATEMENT_WRITE, 1, 0},  {STATEMENT_WRITE, 1, 1}, {STATEMENT_COMMIT, 1, 0}, {STATEMENT_ABORT, 1, 0}};

static automaton *random_tm(rng *r) {
    uint32_t n = 1 + rng_below(r, 4);
    automaton *a = naive_random(r, n, LETTERS, n * (6 + rng_below(r, 16)), rng_below(r, 2));
    a->letters = letter_table_new();
    for (uint32_t i = 0; i < LETTERS; i++) assert_int_equal(statement_intern(a->letters, statements[i]), i);
    return a;
}

static uint32_t letter_of(statement s) {
    for (uint32_t i = 0; i < LETTERS; i++) {
        statement x = statements[i];
        if (x.kind == s.kind && x.thread == s.thread && x.location == s.location) return i;
    }
    return LETTERS;
}

static bool is_word(const automaton *a, const statement *w, uint32_t n) {
    uint32_t letters[STATEMENT_MOST];
    for (uint32_t i = 0; i < n; i++) letters[i] = letter_of(w[i]);
    return naive_after(a, letters, n) != 0;
}

// ---- statements against the oracle

static void statements_read_and_write(void **state) {
    (void)state;
    static const char *const texts[LETTERS] = {"r1_1", "r2_1", "w1_1", "w2_1", "c_1", "a_1",
                                               "r1_2", "r2_2", "w1_2", "w2_2", "c_2", "a_2"};
    statement s;
    letter_table *t = letter_table_new();
    for (uint32_t i = 0; i < LETTERS; i++) {
        uint32_t n = statement_intern(t, statements[i]);
        assert_string_equal(t->all.data[n].text, texts[i]);
        assert_true(statement_of(&t->all.data[n], &s));
        assert_int_equal(letter_of(s), i);
    }
    letter_table_free(t);
    const letter_arg two[] = {{LETTER_ELEMENT, 0, NULL, NULL}, {LETTER_ELEMENT, 0, NULL, NULL}};
    const letter_arg number[] = {{LETTER_NUMBER, 0, NULL, NULL}}, large[] = {{LETTER_ELEMENT, 99, NULL, NULL}};
    const letter_info wrong[] = {{"r1_1", "r1_1", NULL, 0},    {"read", "r1_1", two, 1}, {"commit", "c_1", two, 2},
                                 {"commit", "c_1", number, 1}, {"lock", "c_1", two, 1},  {"abort", "a_1", large, 1}};
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(statement_of(&wrong[i], &s));
}

static void definitions_agree(void **state) {
    (void)state;
    rng r = {61};
    uint32_t serializable = 0, opaque = 0, n = rounds(20000);
    for (uint32_t i = 0; i < n; i++) {
        word w;
        statement s[STATEMENT_MOST];
        words_random(&r, 2 + rng_below(&r, 3), 1 + rng_below(&r, 3), 1 + rng_below(&r, 14), &w);
        for (uint32_t k = 0; k < w.len; k++)
            s[k] = (statement){(statement_kind)w.at[k].kind, w.at[k].thread, w.at[k].loc};
        assert_int_equal(statement_is_serializable(s, w.len), serial_is_strict(&w));
        assert_int_equal(statement_is_opaque(s, w.len), serial_is_opaque(&w));
        serializable += serial_is_strict(&w);
        opaque += serial_is_opaque(&w);
    }
    assert_in_range(serializable, n / 10, n - 1);
    assert_in_range(opaque, n / 10, serializable - 1);
}

// ---- changed words

// Can `made` come from `w` by the change? The twins of transform.c, on two words.
typedef bool (*relation)(const statement *w, uint32_t n, const statement *made, uint32_t m, bool aborts);

static bool same(statement a, statement b) {
    return a.kind == b.kind && a.thread == b.thread && (statement_is_finishing(a) || a.location == b.location);
}

static bool same_word(const statement *a, uint32_t n, const statement *b, uint32_t m) {
    for (uint32_t i = 0; i < n && n == m; i++)
        if (!same(a[i], b[i])) return false;
    return n == m;
}

static bool has_abort(const statement *w, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (w[i].kind == STATEMENT_ABORT) return true;
    return false;
}

static bool is_dropped(const statement *w, uint32_t n, const statement *made, uint32_t m, bool aborts) {
    transactions t;
    statement left[STATEMENT_MOST];
    statement_transactions(w, n, &t);
    if (!aborts && has_abort(made, m)) return false;
    for (uint32_t dropped = 0; dropped < 1u << t.ntransactions; dropped++) {
        uint32_t k = 0;
        bool is_allowed = true;
        for (uint32_t x = 0; x < t.ntransactions; x++)
            is_allowed &= !(dropped >> x & 1) || !t.transactions[x].is_committed;
        for (uint32_t i = 0; i < n; i++)
            if (!(dropped >> t.of[i] & 1)) left[k++] = w[i];
        if (is_allowed && same_word(left, k, made, m)) return true;
    }
    return false;
}

static bool is_rethreaded(const statement *w, uint32_t n, const statement *made, uint32_t m, bool aborts) {
    transactions t, u;
    if (n != m || (!aborts && has_abort(w, n))) return false;
    statement_transactions(w, n, &t);
    statement_transactions(made, m, &u);
    for (uint32_t i = 0; i < n; i++) {
        statement renamed = {w[i].kind, made[i].thread, w[i].location};
        if (!same(renamed, made[i]) || t.of[i] != u.of[i]) return false;  // the same transactions, in order of starts
    }
    return true;
}

static bool is_without_location(const statement *w, uint32_t n, const statement *made, uint32_t m, bool aborts) {
    statement left[STATEMENT_MOST];
    uint32_t k = 0;
    if (!aborts && has_abort(w, n)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (statement_is_finishing(w[i]) || w[i].location != LOCATIONS - 1) left[k++] = w[i];
    return same_word(left, k, made, m);
}

static bool is_with_abort(const statement *w, uint32_t n, const statement *made, uint32_t m, bool aborts) {
    (void)aborts;
    transactions t;
    statement_transactions(w, n, &t);
    if (same_word(w, n, made, m)) return true;
    for (uint32_t i = 0; i < m; i++) {
        statement left[STATEMENT_MOST];
        memcpy(left, made, i * sizeof *made);
        memcpy(left + i, made + i + 1, (m - i - 1) * sizeof *made);
        if (made[i].kind != STATEMENT_ABORT || !same_word(left, m - 1, w, n)) continue;
        for (uint32_t x = 0; x < t.ntransactions; x++) {
            const transaction *y = &t.transactions[x];
            if (y->thread == made[i].thread && !y->is_committed && !y->is_aborted && y->last < i) return true;
        }
    }
    return false;
}

typedef struct {
    transformed *(*change)(const transform_input *in);
    relation twin;
} premise;

static const premise premises[] = {{transform_drop_transactions, is_dropped},
                                   {transform_change_threads, is_rethreaded},
                                   {transform_drop_location, is_without_location},
                                   {transform_add_abort, is_with_abort}};

static statement at(uint32_t letter) { return statements[letter]; }

// All words of up to LONGEST statements, as numbers in base LETTERS.
static void number_to_word(uint32_t number, uint32_t n, statement *w) {
    for (uint32_t i = 0; i < n; i++, number /= LETTERS) w[i] = at(number % LETTERS);
}

static uint32_t power(uint32_t n) { return n ? LETTERS * power(n - 1) : 1; }

// The least length of a word of up to two statements that is none but comes from one of up to two that is.
static uint32_t naive_shortest(const automaton *a, const premise *p, bool aborts) {
    statement w[STATEMENT_MOST], made[STATEMENT_MOST];
    static uint32_t words[4096], outside[4096];
    uint32_t nwords = 0, noutside = 0;
    for (uint32_t n = 0; n <= 2; n++)
        for (uint32_t i = 0; i < power(n); i++) {
            number_to_word(i, n, w);
            if (is_word(a, w, n)) words[nwords++] = i * 4 + n;
            else outside[noutside++] = i * 4 + n;
        }
    for (uint32_t k = 0; k < noutside; k++)
        for (uint32_t i = 0; i < nwords; i++) {
            number_to_word(outside[k] / 4, outside[k] % 4, made);
            number_to_word(words[i] / 4, words[i] % 4, w);
            if (p->twin(w, words[i] % 4, made, outside[k] % 4, aborts)) return outside[k] % 4;
        }
    return UINT32_MAX;
}

static uint32_t word_of(const automaton *a, const automaton_edge *run, uint32_t n, statement *out) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++)
        if (run[i].letter != AUTOMATON_SILENT)
            assert_true(statement_of(&a->letters->all.data[run[i].letter], &out[k++]));
    return k;
}

static bool check_premise(rng *r, const premise *p) {
    automaton *a = random_tm(r);
    statement *letters = statement_letters(a);
    bool aborts = rng_below(r, 2);
    transform_input in = {.a = a, .letters = letters, .threads = THREADS, .locations = LOCATIONS, .aborts = aborts};
    transformed *t = p->change(&in);
    inclusion i = inclusion_check(t->made, a, NULL);
    uint32_t naive = naive_shortest(a, p, aborts);
    bool holds = i.answer == INCLUSION_HOLDS;
    if (naive != UINT32_MAX) assert_false(holds);
    if (!holds) {
        automaton_edge *run = calloc(i.run.len + 1, sizeof *run);
        statement w[STATEMENT_MOST], made[STATEMENT_MOST];
        uint32_t n = word_of(a, run, transform_original(t, i.run.data, i.run.len, run), w);
        uint32_t m = word_of(t->made, i.run.data, i.run.len, made);
        assert_true(m <= naive);
        assert_true(is_word(a, w, n));
        assert_false(is_word(a, made, m));
        assert_true(p->twin(w, n, made, m, aborts));
        free(run);
    }
    inclusion_free(&i);
    transform_free(t);
    free(letters);
    automaton_free(a);
    return holds;
}

static void changes_agree(void **state) {
    (void)state;
    rng r = {62};
    for (uint32_t k = 0; k < sizeof premises / sizeof *premises; k++) {
        uint32_t held = 0;
        for (uint32_t i = 0; i < rounds(500); i++) held += check_premise(&r, &premises[k]);
        assert_true(held < rounds(500));
    }
}

// ---- monotonicity

typedef struct {
    const automaton *a;
    bool for_opacity;
    statement w[STATEMENT_MOST];
    uint32_t n;  // of w without its last statement
    transactions t;
    uint32_t order[STATEMENT_MOST];
} candidate;

static uint32_t place_of(const candidate *c, uint32_t i) {
    for (uint32_t k = 0; k < c->n; k++)
        if (c->order[k] == i) return k;
    return UINT32_MAX;
}

// The definition, for a permutation of the statements of w.
static bool is_more_sequential(const candidate *c, uint32_t x) {
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t j = i + 1; j < c->n; j++) {
            bool must = c->w[i].thread == c->w[j].thread || statement_conflict(c->w, &c->t, i, j) ||
                        statement_precedes(&c->t, c->t.of[i], c->t.of[j]);
            if (must && place_of(c, i) > place_of(c, j)) return false;
        }
    for (uint32_t k = 0; k + 2 < c->n; k++)
        for (uint32_t m = k + 2; m < c->n; m++) {
            uint32_t y = c->t.of[c->order[k]];
            if (y != x && c->t.of[c->order[m]] == y && c->t.of[c->order[k + 1]] != y) return false;
        }
    return true;
}

static bool has_sequential_word(candidate *c, uint32_t depth, uint32_t used, uint32_t x) {
    if (depth == c->n) {
        statement made[STATEMENT_MOST];
        for (uint32_t k = 0; k < c->n; k++) made[k] = c->w[c->order[k]];
        made[c->n] = c->w[c->n];
        return is_more_sequential(c, x) && is_word(c->a, made, c->n + 1);
    }
    for (uint32_t i = 0; i < c->n; i++) {
        if (used >> i & 1) continue;
        c->order[depth] = i;
        if (has_sequential_word(c, depth + 1, used | 1u << i, x)) return true;
    }
    return false;
}

static bool is_meant(const candidate *c, const transactions *whole) {
    statement s = c->w[c->n];
    uint32_t x = whole->of[c->n];
    bool is_open = s.kind == STATEMENT_COMMIT || (c->for_opacity && whole->is_global_read[c->n]);
    for (uint32_t y = 0; y < whole->ntransactions && !c->for_opacity; y++)
        is_open &= y == x || whole->transactions[y].is_committed;
    return is_open && (c->for_opacity ? statement_is_opaque(c->w, c->n) : statement_is_serializable(c->w, c->n));
}

static uint32_t naive_monotone(const automaton *a, bool for_opacity) {
    for (uint32_t n = 1; n <= LONGEST; n++)
        for (uint32_t i = 0; i < power(n); i++) {
            candidate c = {.a = a, .for_opacity = for_opacity, .n = n - 1};
            transactions whole;
            number_to_word(i, n, c.w);
            if (!is_word(a, c.w, n)) continue;
            statement_transactions(c.w, n, &whole);
            statement_transactions(c.w, n - 1, &c.t);
            if (is_meant(&c, &whole) && !has_sequential_word(&c, 0, 0, whole.of[n - 1])) return n;
        }
    return UINT32_MAX;
}

static void monotone_agrees(void **state) {
    (void)state;
    rng r = {63};
    uint32_t held = 0, n = rounds(300);
    for (uint32_t i = 0; i < n; i++) {
        automaton *a = random_tm(&r);
        statement *letters = statement_letters(a);
        bool for_opacity = rng_below(&r, 2);
        monotone_input in = {.a = a, .letters = letters, .for_opacity = for_opacity, .longest = LONGEST};
        monotone_answer m = monotone_check(&in);
        uint32_t naive = naive_monotone(a, for_opacity);
        assert_int_equal(m.holds, naive == UINT32_MAX);
        if (!m.holds) assert_int_equal(m.length, naive);
        held += m.holds;
        free(letters);
        automaton_free(a);
    }
    assert_in_range(held, 1, n - 1);
}

// Locations are told apart, however many there are.
static void test_many_locations(void **state) {
    (void)state;
    transactions t;
    for (uint32_t v = 0; v < 64; v++)
        for (uint32_t w = 0; w < 64; w++) {
            statement made[] = {{STATEMENT_WRITE, 0, v}, {STATEMENT_COMMIT, 0, 0}, {STATEMENT_READ, 1, w}};
            statement_transactions(made, 3, &t);
            assert_int_equal(statement_conflict(made, &t, 1, 2), v == w);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_locations), cmocka_unit_test(statements_read_and_write),
        cmocka_unit_test(definitions_agree),   cmocka_unit_test(changes_agree),
        cmocka_unit_test(monotone_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
