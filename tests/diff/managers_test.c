// SPDX-License-Identifier: Apache-2.0
// Random algorithms with contention managers: what the front end makes of the text, against an interpreter of the
// definition that works on what the text was printed from (oracle/random_algorithm.h). The two graphs have as many
// states and steps, and the same words when internal steps are seen; explorations, deadlocks, liveness and inclusion
// answer as the interpreter's graph does. A disagreement is printed with the file.
#include "oracle/naive_words.h"
#include "oracle/random_algorithm.h"
#include "oracle/unit.h"

#include "front/pv/pv.h"
#include "language/compare.h"
#include "language/live.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint64_t cases, wrong, held;
} tally;

typedef struct {
    uint64_t seed;
    random_algorithm *a;
    str text;
    diag *messages;
    model *m;
    pv_unit unit;
    instance *in[2];
    naive_letters letters;
    naive_graph graphs[2];  // by the interpreter, internal steps unseen
    bool is_shown;
} sample;

static void expect(sample *s, tally *t, const char *what, uint64_t expected, uint64_t got) {
    t->cases++;
    t->held += expected == 0;
    if (expected == got) return;
    t->wrong++;
    if (!s->is_shown) fprintf(stderr, "seed %llu:\n%s", (unsigned long long)s->seed, str_get(&s->text));
    s->is_shown = true;
    print_error("  %s: expected %llu, got %llu\n", what, (unsigned long long)expected, (unsigned long long)got);
}

static void must_be_taken(const sample *s) {
    str why = {0};
    if (!diag_failed(s->messages)) return;
    diag_print(s->messages, &why, false);
    fprintf(stderr, "seed %llu:\n%s%s", (unsigned long long)s->seed, str_get(&s->text), str_get(&why));
    str_free(&why);
    fail_msg("a file that should be right was refused");
}

// Every third file is read with `--manager First`.
static bool sample_new(sample *s, uint64_t seed) {
    *s = (sample){.seed = seed, .a = random_algorithm_new(seed), .messages = diag_new()};
    s->m = model_new(s->messages);
    random_algorithm_text(s->a, &s->text);
    bool is_given = seed % 3 == 0;
    pv_options o = {.text = str_get(&s->text), .size = s->text.len, .alone = true};
    if (is_given) o.manager = "First";
    pv_read(s->m, "random.pv", &o, &s->unit);
    must_be_taken(s);
    bool good = true;
    for (uint32_t i = 0; i < 2; i++) {
        s->in[i] = instance_new(s->m, model_find_system(s->m, i ? "Other" : "Base"), NULL, 0);
        random_which which = is_given ? RANDOM_FIRST : i ? RANDOM_OTHER : RANDOM_BASE;
        good = random_algorithm_graph(s->a, which, false, &s->letters, &s->graphs[i]) && good;
    }
    return good;
}

static void sample_free(sample *s) {
    for (uint32_t i = 0; i < 2; i++) {
        instance_free(s->in[i]);
        naive_graph_free(&s->graphs[i]);
    }
    vec_free(&s->letters);
    model_free(s->m);
    diag_free(s->messages);
    str_free(&s->text);
    random_algorithm_free(s->a);
}

// ---- the expansion

static void check_expansion(sample *s, uint32_t i, tally *t) {
    naive_letters letters = {0};
    naive_graph made, defined;
    bool known;
    random_which which = s->seed % 3 == 0 ? RANDOM_FIRST : i ? RANDOM_OTHER : RANDOM_BASE;
    assert_true(random_algorithm_graph(s->a, which, true, &letters, &defined));
    bool fits = naive_graph_of(s->in[i], &letters, true, &made);
    expect(s, t, "states of the system", defined.nstates, fits ? made.nstates : UINT32_MAX);
    expect(s, t, "steps of the system", defined.edges.len, fits ? made.edges.len : UINT32_MAX);
    if (fits) {
        uint32_t extra = naive_separating(&made, &defined, letters.len, &known);
        expect(s, t, "a run that the definition has not", NAIVE_NEVER, extra);
        uint32_t lost = naive_separating(&defined, &made, letters.len, &known);
        expect(s, t, "a run that the system has not", NAIVE_NEVER, lost);
    }
    naive_graph_free(&made);
    naive_graph_free(&defined);
    vec_free(&letters);
}

// ---- answers

static explore_options plain_options(void) {
    return (explore_options){.threads = 1, .engine = ENGINE_BYTECODE, .self_check = SELF_CHECK_OFF};
}

static verdict expected_live(const naive_graph *g, prop_kind kind) {
    if (!g->nthreads) return VERDICT_UNKNOWN;
    bool broken = kind == PROP_OBSTRUCTION_FREE ? naive_obstructed(g)
                  : kind == PROP_LIVELOCK_FREE  ? naive_livelocked(g)
                                                : naive_waits(g);
    return broken ? VERDICT_VIOLATED : VERDICT_HOLDS;
}

static void check_property(sample *s, prop p, tally *stuck, tally *live) {
    const prop_info *info = prop_of(s->m, p);
    uint32_t i = info->system.id == s->in[1]->system.id;
    const naive_graph *g = &s->graphs[i];
    result *r = result_new();
    explore_options o = plain_options();
    if (info->kind == PROP_DEADLOCK_FREE) {
        o.symmetry = s->seed % 2;
        explore_run(s->in[i], &p, 1, &o, r, NULL);
        verdict v = naive_stuck(g) == NAIVE_NEVER ? VERDICT_HOLDS : VERDICT_VIOLATED;
        expect(s, stuck, info->name, v, r->properties.data[0].verdict);
        if (!o.symmetry && v == VERDICT_HOLDS) expect(s, stuck, "explored states", g->nstates, r->stats.states);
    } else {
        live_run(s->in[i], &p, 1, &o, r, NULL);
        expect(s, live, info->name, expected_live(g, info->kind), r->properties.data[0].verdict);
    }
    result_free(r);
}

static void check_inclusion(sample *s, uint32_t i, tally *t) {
    bool known;
    uint32_t length = naive_separating(&s->graphs[i], &s->graphs[1 - i], s->letters.len, &known);
    result *r = result_new();
    compare_stats stats[2];
    explore_options o = plain_options();
    compare_run(s->in[i], s->in[1 - i], COMPARE_INCLUSION, &o, r, stats, NULL);
    const result_property *p = &r->properties.data[0];
    uint64_t got = p->verdict == VERDICT_HOLDS ? 0 : p->trace ? trace_word_length(p->trace) : UINT32_MAX;
    if (known) expect(s, t, i ? "inclusion in Base" : "inclusion in Other", length == NAIVE_NEVER ? 0 : length, got);
    result_free(r);
}

// ---- many

static void say(const char *what, const tally *t, bool asks_both) {
    unsigned long long cases = t->cases, wrong = t->wrong;
    printf("# tally: %s | %llu cases | %llu wrong\n", what, cases, wrong);
    assert_int_equal(wrong, 0);
    if (asks_both) assert_in_range(t->held, cases / 20, cases * 19 / 20);
}

static void algorithms_agree(void **state) {
    (void)state;
    tally expansion = {0}, stuck = {0}, live = {0}, words = {0};
    uint32_t count = getenv("PARVIS_LONG") ? 8000 : 1000, compared = 0;
    for (uint64_t seed = 1; seed <= count; seed++) {
        sample s;
        if (sample_new(&s, seed)) {
            for (uint32_t i = 0; i < 2; i++) check_expansion(&s, i, &expansion);
            for (uint32_t i = 0; i < 2; i++) check_inclusion(&s, i, &words);
            for (uint32_t i = 0; i < s.unit.nprops; i++) check_property(&s, s.unit.props[i], &stuck, &live);
            compared++;
        }
        sample_free(&s);
    }
    printf("# %u of %u algorithms were small enough\n", compared, count);
    say("algorithms with managers against an interpreter", &expansion, false);
    say("words of algorithms with two managers", &words, true);
    say("liveness of algorithms with managers", &live, true);
    say("deadlocks of algorithms with managers", &stuck, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(algorithms_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
