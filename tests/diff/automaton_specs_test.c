// SPDX-License-Identifier: Apache-2.0
// The nondeterministic specifications against the definitions, word by word: A_ss and A_op against the graph
// of transactions (oracle/serial.h), snapshot isolation against a search for snapshots. And the words of the
// papers.
#include "oracle/serial.h"
#include "oracle/unit.h"

#include "base/map.h"
#include "explore/explore.h"
#include "front/pv/pv.h"
#include "language/automaton.h"
#include "language/word.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    diag *messages;
    model *m;
    automaton *a;
} subject;

static sort_size size_of(const model *m, const char *sort, uint32_t n) {
    return (sort_size){model_find_type(m, sort), n};
}

static subject subject_new(const char *path, const char *system, uint32_t threads, uint32_t locations) {
    subject s = {.messages = diag_new()};
    s.m = model_new(s.messages);
    assert_true(pv_read(s.m, path, NULL, NULL));
    sort_size sizes[] = {size_of(s.m, "Thread", threads), size_of(s.m, "Loc", locations)};
    instance *in = instance_new(s.m, model_find_system(s.m, system), sizes, 2);
    explore_options options = {.threads = 1, .engine = ENGINE_BYTECODE};
    result *r = result_new();
    explored *x = NULL;
    assert_int_equal(explore_run(in, NULL, 0, &options, r, &x), END_COMPLETE);
    s.a = automaton_of(x, NULL);
    explored_free(x);
    result_free(r);
    instance_free(in);
    return s;
}

static void subject_free(subject *s) {
    automaton_free(s->a);
    model_free(s->m);
    diag_free(s->messages);
}

typedef VEC(uint32_t) word_letters;

// "w1_2 r1_1" as letters by their names, appended; false: one of them is no letter of the automaton.
static bool word_parse(const automaton *a, const char *text, word_letters *out) {
    map *names = map_new();
    for (uint32_t i = 0; i < a->nletters; i++) map_put_str(names, automaton_letter_text(a, i), i);
    bool good = true;
    while (good && *(text += strspn(text, " "))) {
        size_t n = strcspn(text, " ");
        uint32_t letter = map_get(names, text, n, UINT32_MAX);
        good = letter != UINT32_MAX;
        vec_push(out, letter);
        text += n;
    }
    map_free(names);
    return good;
}

static bool has_word(const subject *s, const char *text) {
    word_letters letters = {0};
    word_run run = {0};
    bool is_word = word_parse(s->a, text, &letters) && word_find(s->a, letters.data, letters.len, &run);
    vec_free(&letters);
    vec_free(&run);
    return is_word;
}

// ---- snapshot isolation by the definition

static bool is_finishing(step s) { return s.kind == STEP_COMMIT || s.kind == STEP_ABORT; }

// The first statement of the transaction that ends at `last`.
static uint32_t begin_of(const word *w, uint32_t last) {
    uint32_t first = last;
    for (uint32_t i = last; i-- > 0;) {
        if (w->at[i].thread != w->at[last].thread) continue;
        if (is_finishing(w->at[i])) break;
        first = i;
    }
    return first;
}

static bool writes(const word *w, uint32_t first, uint32_t last, uint32_t thread, uint32_t loc) {
    for (uint32_t i = first; i < last; i++)
        if (w->at[i].thread == thread && w->at[i].kind == STEP_WRITE && w->at[i].loc == loc) return true;
    return false;
}

// Does a commit of another thread at a position in [from, to) write the location?
static bool is_overwritten(const word *w, uint32_t from, uint32_t to, uint32_t thread, uint32_t loc) {
    for (uint32_t i = from; i < to; i++) {
        step s = w->at[i];
        if (s.kind == STEP_COMMIT && s.thread != thread && writes(w, begin_of(w, i), i, s.thread, loc)) return true;
    }
    return false;
}

// Is a snapshot taken just before position `at` right for the transaction [first, last]?
static bool is_snapshot(const word *w, uint32_t first, uint32_t last, uint32_t at) {
    uint32_t thread = w->at[last].thread;
    for (uint32_t i = first; i < last; i++) {
        step s = w->at[i];
        if (s.thread != thread) continue;
        uint32_t low = i < at ? i : at, high = i < at ? at : i;
        if (s.kind == STEP_READ && !writes(w, first, i, thread, s.loc) && is_overwritten(w, low, high, thread, s.loc))
            return false;
        if (s.kind == STEP_WRITE && is_overwritten(w, at, last, thread, s.loc)) return false;
    }
    return true;
}

static bool is_isolated(const word *w) {
    for (uint32_t last = 0; last < w->len; last++) {
        if (w->at[last].kind != STEP_COMMIT) continue;
        uint32_t first = begin_of(w, last);
        bool found = false;
        for (uint32_t at = first; at <= last; at++) found |= is_snapshot(w, first, last, at);
        if (!found) return false;
    }
    return true;
}

// ---- random words

static void check_words(const char *file, const char *system, bool (*definition)(const word *w), uint32_t threads,
                        uint32_t locations) {
    subject s = subject_new(file, system, threads, locations);
    rng r = {threads * 100 + locations};
    uint32_t accepted = 0, n = getenv("PARVIS_LONG") ? 20000 : 1200;
    for (uint32_t i = 0; i < n; i++) {
        word w;
        str text = {0};
        words_random(&r, threads, locations, 1 + rng_below(&r, 12), &w);
        words_print(&w, &text);
        // A word is one of the automaton iff all its prefixes are right.
        bool expected = true;
        for (word p = w; p.len > 0; p.len--) expected &= definition(&p);
        if (has_word(&s, str_get(&text)) != expected) fail_msg("%s: '%s'", system, str_get(&text));
        accepted += expected;
        str_free(&text);
    }
    assert_in_range(accepted, n / 10, n - 1);
    subject_free(&s);
}

static void a_ss_is_strict_serializability(void **state) {
    (void)state;
    check_words("models/specs/a_ss.pv", "ASS", serial_is_strict, 2, 2);
    check_words("models/specs/a_ss.pv", "ASS", serial_is_strict, 3, 1);
}

static void a_op_is_opacity(void **state) {
    (void)state;
    check_words("models/specs/a_op.pv", "AOP", serial_is_opaque, 2, 2);
    check_words("models/specs/a_op.pv", "AOP", serial_is_opaque, 3, 1);
}

static void snapshot_isolation_is_what_it_says(void **state) {
    (void)state;
    check_words("models/specs/snapshot_isolation.pv", "SnapshotIsolation", is_isolated, 2, 2);
    check_words("models/specs/snapshot_isolation.pv", "SnapshotIsolation", is_isolated, 3, 1);
}

// ---- the words of the papers

static void words_of_the_papers(void **state) {
    (void)state;
    const char *w1 = "w1_2 r1_1 c_2 r1_1", *w2 = "w2_1 w1_2 r2_2 r1_1 c_2 c_1",
               *skew = "r1_1 r2_1 r1_2 r2_2 w1_1 w2_2 c_1 c_2";
    subject occ = subject_new("models/tm-algorithms/occ.pv", "OCC", 2, 2);
    subject modified = subject_new("models/tm-algorithms/tl2_modified.pv", "TL2Modified", 2, 2);
    subject tl2 = subject_new("models/tm-algorithms/tl2_universal.pv", "TL2Universal", 2, 2);
    subject si = subject_new("models/specs/snapshot_isolation.pv", "SnapshotIsolation", 2, 2);
    assert_true(has_word(&occ, w1));
    assert_false(has_word(&tl2, w1));
    assert_true(has_word(&modified, w2));
    assert_false(has_word(&tl2, w2));
    assert_true(has_word(&si, skew));
    assert_false(has_word(&si, "r1_1 w1_1 r1_2 w1_2 c_1 c_2"));  // a lost update
    assert_false(has_word(&si, "nonsense"));
    subject_free(&occ);
    subject_free(&modified);
    subject_free(&tl2);
    subject_free(&si);
}

// ---- the counts that the paper and we agree on

static void counts_of_the_paper(void **state) {
    (void)state;
    subject seq = subject_new("models/tm-algorithms/seq.pv", "Seq", 2, 2),
            dstm = subject_new("models/tm-algorithms/dstm.pv", "DSTM", 2, 2);
    assert_int_equal(seq.a->nstates, 3);
    assert_int_equal(dstm.a->nstates, 944);
    subject_free(&seq);
    subject_free(&dstm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ss_is_strict_serializability),
        cmocka_unit_test(a_op_is_opacity),
        cmocka_unit_test(snapshot_isolation_is_what_it_says),
        cmocka_unit_test(words_of_the_papers),
        cmocka_unit_test(counts_of_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
