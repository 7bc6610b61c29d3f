// SPDX-License-Identifier: Apache-2.0
// Random Murphi models three ways: the search against its slow twin (states, transitions, orbits,
// verdicts), and, where Debian's `rumur` and a C compiler are installed, against the checker that Rumur
// makes (verdicts; states and fired rules without symmetry). A model that differs is made smaller before it
// is shown. Rumur takes seconds for each model, so a few by default; PARVIS_LONG=1 runs many.
#include "oracle/unit.h"

#include "explore/explore.h"
#include "oracle/brute_explore.h"
#include "oracle/murphi_sample.h"
#include "oracle/random_murphi.h"
#include "oracle/rumur.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 3000 };

// Every other text with one body for all calls of a function.
static bool sample_new(murphi_sample *s, const str *text) {
    return murphi_sample_read(s, str_get(text), &(murphi_options){.shares_bodies = text->len % 2});
}

static void show(const char *what, uint64_t seed, const str *text) {
    printf("# seed %llu: %s\n%s\n", (unsigned long long)seed, what, str_get(text));
}

static void must_read(murphi_sample *s, uint64_t seed, const str *text) {
    if (sample_new(s, text)) return;
    str messages = {0};
    diag_print(s->messages, &messages, false);
    show(str_get(&messages), seed, text);
    fail();
}

// ---- one exploration

typedef struct {
    verdict v;
    uint64_t states, transitions;
} outcome;

static outcome explore_as(const murphi_sample *s, bool symmetry, bool is_compact, uint32_t most_errors) {
    explore_options o = {.threads = 1,
                         .symmetry = symmetry,
                         .is_compact = is_compact,
                         .hashes_at_once = true,
                         .engine = ENGINE_BYTECODE};
    o.calls_bodies = symmetry != SYMMETRY_EXACT;
    o.self_check = SELF_CHECK_OFF;
    o.check_deadlock = true;
    o.is_stuttering_stuck = true;
    o.most_errors = most_errors;
    o.limit_states = 50 * MOST_STATES;
    result *r = result_new();
    explore_run(s->in, s->props.data, s->props.len, &o, r, NULL);
    outcome x = {r->verdict, r->properties.len ? r->properties.data[0].stats.states : 0,
                 r->properties.len ? r->properties.data[0].stats.transitions : 0};
    for (uint32_t i = 0; i < r->properties.len; i++) {
        const char *reason = r->properties.data[i].reason;
        assert_false(reason && strstr(reason, "internal error"));
    }
    result_free(r);
    return x;
}

static outcome explore(const murphi_sample *s, bool symmetry, uint32_t most_errors) {
    return explore_as(s, symmetry, false, most_errors);
}

// Hashes in place of states that are longer: the same states, and no violation that is none. Only states that are no
// longer than a hash are kept whole, so that something can be said to hold.
static bool compact_agrees(const murphi_sample *s, const outcome *reduced) {
    outcome x = explore_as(s, true, true, 0);
    if (x.v != VERDICT_UNKNOWN && x.v != reduced->v) return false;
    return reduced->v == VERDICT_VIOLATED || (x.states == reduced->states && x.transitions == reduced->transitions);
}

// ---- the slow twin

static bool agrees_with_twin(const murphi_sample *s, const brute *b, uint64_t seed, const str *text) {
    outcome plain = explore(s, false, 0), reduced = explore(s, true, 0);
    bool ok = plain.v == reduced.v && compact_agrees(s, &reduced);
    if (plain.v != VERDICT_VIOLATED) {  // else it may have stopped before the end
        ok &= plain.states == b->states && plain.transitions == b->transitions;
        ok &= reduced.states == b->orbits || reduced.states == b->states;  // symmetry may be given up
    }
    if (!ok) {
        show("the search and its twin differ", seed, text);
        printf("# states %llu %llu, transitions %llu %llu, orbits %llu %llu, verdicts %d %d\n",
               (unsigned long long)plain.states, (unsigned long long)b->states, (unsigned long long)plain.transitions,
               (unsigned long long)b->transitions, (unsigned long long)reduced.states, (unsigned long long)b->orbits,
               plain.v, reduced.v);
    }
    return ok;
}

static void search_and_twin_agree(void **state) {
    (void)state;
    uint32_t n = getenv("PARVIS_LONG") ? 3000 : 200, compared = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        str text = {0};
        bits none = {0};
        murphi_sample s;
        random_murphi(seed, &none, &text);
        must_read(&s, seed, &text);
        brute b = brute_explore(s.in, s.props.data, s.props.len, MOST_STATES, true);
        if (b.is_complete) {
            assert_true(agrees_with_twin(&s, &b, seed, &text));
            compared++;
        }
        brute_free(&b);
        murphi_sample_free(&s);
        str_free(&text);
    }
    assert_true(compared > n / 4);
}

// ---- Rumur

// 1: they agree, 0: they do not, -1: cannot be compared.
static int compare(const char *folder, uint64_t seed, const bits *skip, str *text) {
    murphi_sample s;
    rumur_answer theirs;
    str_clear(text);
    random_murphi(seed, skip, text);
    must_read(&s, seed, text);
    outcome ours = explore(&s, false, 1);
    murphi_sample_free(&s);
    if (ours.v == VERDICT_UNKNOWN || !rumur_ask(folder, text, &theirs)) return -1;
    if ((ours.v == VERDICT_VIOLATED) != theirs.is_violated) return 0;
    return theirs.is_violated || (ours.states == theirs.states && ours.transitions == theirs.fired);
}

static void shrink(const char *folder, uint64_t seed, uint32_t nparts) {
    bits skip = {0};
    str text = {0};
    for (uint32_t i = 0; i < nparts; i++) {
        bits_add(&skip, i);
        if (compare(folder, seed, &skip, &text) != 0) bits_remove(&skip, i);
    }
    compare(folder, seed, &skip, &text);
    show("Rumur says something else", seed, &text);
    bits_free(&skip);
    str_free(&text);
}

static void rumur_agrees(void **state) {
    (void)state;
    char folder[64];
    if (!rumur_is_here()) skip();
    rumur_open(folder);
    uint32_t n = getenv("PARVIS_LONG") ? 150 : 6, compared = 0;
    bits none = {0};
    str text = {0};
    bool ok = true;
    for (uint64_t seed = 1; seed <= n && ok; seed++) {
        int agreed = compare(folder, 1000 + seed, &none, &text);
        compared += agreed >= 0;
        ok = agreed != 0;
        if (!ok) {
            str unused = {0};
            shrink(folder, 1000 + seed, random_murphi(1000 + seed, &none, &unused));
            str_free(&unused);
        }
    }
    str_free(&text);
    rumur_close(folder);
    printf("# tally: Murphi models checked by Rumur too | %u cases | %u wrong\n", compared, !ok);
    assert_true(ok);
    assert_true(compared > n / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(search_and_twin_agree), cmocka_unit_test(rumur_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
