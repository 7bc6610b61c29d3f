// SPDX-License-Identifier: Apache-2.0
// Refinement, comparison, deadlock and liveness of whole random `.pv` files, as `check` and `compare` decide them,
// against brute force by the reference evaluator (oracle/naive_words.h): verdicts, lengths of shortest words, and that
// the run shown is one whose word the other side refuses at its end. A disagreement is printed with the file.
#include "oracle/naive_words.h"
#include "oracle/part.h"
#include "oracle/random_words.h"
#include "oracle/unit.h"

#include "front/pv/pv.h"
#include "language/compare.h"
#include "language/live.h"
#include "model/compose.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t cases, wrong, held;
} tally;

typedef struct {
    uint64_t models;
    tally refines, compare, live, stuck;
} tallies;

typedef struct {
    uint64_t seed;
    str text;
    diag *messages;
    model *m;
    pv_unit unit;
    VEC(instance *) instances;  // of the file's systems
    VEC(naive_graph) graphs;
    naive_letters letters;
    tallies *all;
    bool is_shown;  // the file, after a disagreement
} sample;

static void disagree(sample *s, tally *t, const char *what, const char *name, const char *expected, const char *got) {
    t->wrong++;
    if (!s->is_shown) fprintf(stderr, "seed %llu:\n%s", (unsigned long long)s->seed, str_get(&s->text));
    s->is_shown = true;
    print_error("  %s %s: expected %s, got %s\n", what, name, expected, got);
}

// ---- opening

static bool sample_new(sample *s, uint64_t seed, tallies *all) {
    *s = (sample){.seed = seed, .messages = diag_new(), .all = all};
    s->m = model_new(s->messages);
    random_words_text(seed, &s->text);
    pv_options o = {.text = str_get(&s->text), .size = s->text.len, .alone = true};
    if (!pv_read(s->m, "random.pv", &o, &s->unit)) {
        str why = {0};
        diag_print(s->messages, &why, false);
        fprintf(stderr, "seed %llu:\n%s%s", (unsigned long long)seed, str_get(&s->text), str_get(&why));
        str_free(&why);
        fail_msg("a file that should be right was refused");
    }
    bool good = true;
    for (uint32_t i = 0; i < s->unit.nsystems && good; i++) {
        naive_graph g;
        vec_push(&s->instances, instance_new(s->m, s->unit.systems[i], NULL, 0));
        good = naive_graph_of(vec_last(&s->instances), &s->letters, false, &g);
        vec_push(&s->graphs, g);
    }
    return good;
}

static void sample_free(sample *s) {
    for (uint32_t i = 0; i < s->instances.len; i++) instance_free(s->instances.data[i]);
    for (uint32_t i = 0; i < s->graphs.len; i++) naive_graph_free(&s->graphs.data[i]);
    vec_free(&s->instances);
    vec_free(&s->graphs);
    vec_free(&s->letters);
    model_free(s->m);
    diag_free(s->messages);
    str_free(&s->text);
}

static uint32_t index_of(const sample *s, sys system) {
    for (uint32_t i = 0; i < s->unit.nsystems; i++)
        if (s->unit.systems[i].id == system.id) return i;
    fail_msg("no such system");
    return 0;
}

static explore_options options_of(const sample *s, bool symmetry) {
    bool is_parallel = s->seed % 8 == 0;  // now and then, as levels of so few states are slow work for several
    return (explore_options){.threads = is_parallel ? 2 + s->seed / 8 % 3 : 1,
                             .parallel_least = 1,
                             .symmetry = symmetry,
                             .engine = s->seed % 3 ? ENGINE_BYTECODE : ENGINE_MACHINE,
                             .self_check = SELF_CHECK_OFF};
}

// ---- words

// What an answer should be: a system without a start has no words, so nothing is compared and nothing is said.
static const char *expected_text(const naive_graph *a, uint32_t length, bool is_violated) {
    static char text[64];
    if (naive_is_empty(&a->initial)) return "unknown";
    if (!is_violated) return "holds";
    if (length == NAIVE_NEVER) return "violated";
    snprintf(text, sizeof text, "violated by %u", length);
    return text;
}

// Does the word of the trace leave b behind with its last letter, and not before?
static bool is_refused(sample *s, const trace *t, const naive_graph *b) {
    naive_set at = naive_close(b, b->initial);
    bool refused = naive_is_empty(&at);
    for (uint32_t i = 0; i < t->steps.len; i++) {
        const trace_step *step = &t->steps.data[i];
        if (!rule_of(t->in->m, step->r)->is_visible) continue;
        naive_letter l = naive_letter_of(t->in, step->r, step->args);
        if (refused) return false;
        at = naive_after_letter(b, &at, naive_intern(&s->letters, &l));
        refused = naive_is_empty(&at);
    }
    return refused;
}

static const char *answer_text(sample *s, const result_property *p, bool with_length, const naive_graph *b) {
    static char text[200];
    if (p->verdict == VERDICT_UNKNOWN) return "unknown";
    if (p->verdict == VERDICT_HOLDS) return "holds";
    if (!p->trace) return "violated without a trace";
    str why = {0};
    bool is_run = trace_replay(p->trace, &why) || (p->trace->steps.len && !vec_last(&p->trace->steps).after);
    str_free(&why);
    if (!is_run) return "violated by what is no run";
    if (with_length && !is_refused(s, p->trace, b)) return "violated by a word that is not refused";
    snprintf(text, sizeof text, "violated by %u", trace_word_length(p->trace));
    return with_length ? text : "violated";
}

static void expect(sample *s, tally *t, const char *what, const char *name, const char *expected, const char *got) {
    t->cases++;
    t->held += str_same(expected, "holds");
    if (!str_same(expected, got)) disagree(s, t, what, name, expected, got);
}

static void compare_words(sample *s, uint32_t i, uint32_t j, compare_kind kind) {
    result *r = result_new();
    compare_stats stats[2];
    explore_options o = options_of(s, false);
    compare_run(s->instances.data[i], s->instances.data[j], kind, &o, r, stats, NULL);
    const naive_graph *side[2] = {&s->graphs.data[i], &s->graphs.data[j]};
    assert_int_equal(r->properties.len, kind == COMPARE_EQUIVALENCE ? 2 : 1);
    for (uint32_t d = 0; d < r->properties.len; d++) {
        const naive_graph *a = side[d], *b = side[1 - d];
        bool is_known;
        uint32_t length = naive_separating(a, b, s->letters.len, &is_known);
        if (!is_known) continue;
        bool fails = length != NAIVE_NEVER;
        if (kind == COMPARE_SIMULATION) fails = !naive_is_simulated(a, b);
        const result_property *p = &r->properties.data[d];
        expect(s, &s->all->compare, kind == COMPARE_SIMULATION ? "simulation" : "inclusion", p->name,
               expected_text(a, length, fails), answer_text(s, p, length != NAIVE_NEVER, b));
    }
    result_free(r);
}

static void compare_all(sample *s) {
    for (uint32_t i = 0; i < s->unit.nsystems; i++)
        for (uint32_t j = 0; j < s->unit.nsystems; j++) {
            if (i == j && i > 0) continue;
            compare_words(s, i, j, COMPARE_INCLUSION);
            compare_words(s, i, j, COMPARE_SIMULATION);
            if (i < j) compare_words(s, i, j, COMPARE_EQUIVALENCE);
        }
}

// ---- properties, as cli/plan.c hands them out

// A product is searched step by step: its runs have the fewest steps, internal ones too. There is none to show of a
// product with a specification without a start.
static const char *product_text(sample *s, const result_property *p, const naive_graph *b) {
    static char text[64];
    if (p->verdict != VERDICT_VIOLATED) return answer_text(s, p, true, b);
    if (!p->trace && naive_is_empty(&b->initial)) return "violated by 0";
    const char *answer = answer_text(s, p, true, b);
    if (!isdigit((unsigned char)answer[strlen(answer) - 1])) return answer;
    snprintf(text, sizeof text, "violated by %u", p->trace->steps.len);
    return text;
}

static void check_refines(sample *s, prop p, bool symmetry) {
    const prop_info info = *prop_of(s->m, p);
    uint32_t i = index_of(s, info.system), j = index_of(s, info.spec);
    bool is_known;
    uint32_t length = naive_separating(&s->graphs.data[i], &s->graphs.data[j], s->letters.len, &is_known);
    if (!is_known) return;
    result *r = result_new();
    compare_stats stats[2];
    explore_options o = options_of(s, symmetry);
    instance *product = NULL;
    bool is_product = !compose_has_choice(s->m, p);
    if (is_product) {
        product = instance_new(s->m, compose_for(s->m, p), NULL, 0);
        explore_run(product, &p, 1, &o, r, NULL);
    } else {
        compare_run(s->instances.data[i], s->instances.data[j], COMPARE_INCLUSION, &o, r, stats, NULL);
    }
    assert_int_equal(r->properties.len, 1);
    const naive_graph *a = &s->graphs.data[i], *b = &s->graphs.data[j];
    if (is_product) length = naive_separating_steps(a, b);
    expect(s, &s->all->refines, is_product ? "product" : "inclusion", info.name,
           expected_text(a, length, length != NAIVE_NEVER),
           is_product ? product_text(s, &r->properties.data[0], b) : answer_text(s, &r->properties.data[0], true, b));
    result_free(r);
    instance_free(product);
}

static void check_stuck(sample *s, prop p, bool symmetry) {
    const prop_info *info = prop_of(s->m, p);
    uint32_t i = index_of(s, info->system), length = naive_stuck(&s->graphs.data[i]);
    result *r = result_new();
    explore_options o = options_of(s, symmetry);
    explore_run(s->instances.data[i], &p, 1, &o, r, NULL);
    const result_property *got = &r->properties.data[0];
    char expected[40] = "holds", answer[40] = "holds";
    if (length != NAIVE_NEVER) snprintf(expected, sizeof expected, "violated after %u", length);
    if (got->verdict == VERDICT_VIOLATED) snprintf(answer, sizeof answer, "violated after %u", got->trace->steps.len);
    if (got->verdict == VERDICT_UNKNOWN) snprintf(answer, sizeof answer, "unknown");
    if (naive_is_empty(&s->graphs.data[i].initial)) snprintf(expected, sizeof expected, "unknown");
    expect(s, &s->all->stuck, "deadlock", info->name, expected, answer);
    result_free(r);
}

static bool is_broken(const naive_graph *g, prop_kind kind) {
    if (kind == PROP_OBSTRUCTION_FREE) return naive_obstructed(g);
    return kind == PROP_LIVELOCK_FREE ? naive_livelocked(g) : naive_waits(g);
}

static void check_live(sample *s, prop p) {
    const prop_info *info = prop_of(s->m, p);
    uint32_t i = index_of(s, info->system);
    const naive_graph *g = &s->graphs.data[i];
    result *r = result_new();
    explore_options o = options_of(s, false);
    live_run(s->instances.data[i], &p, 1, &o, r, NULL);
    bool says_nothing = !g->nthreads || naive_is_empty(&g->initial);
    const char *expected = says_nothing ? "unknown" : is_broken(g, info->kind) ? "violated" : "holds";
    expect(s, &s->all->live, "liveness", info->name, expected, answer_text(s, &r->properties.data[0], false, NULL));
    result_free(r);
}

static void check_properties(sample *s) {
    for (uint32_t i = 0; i < s->unit.nprops; i++) {
        prop p = s->unit.props[i];
        prop_kind kind = prop_of(s->m, p)->kind;
        if (prop_is_liveness(kind)) check_live(s, p);
        for (int symmetry = 0; symmetry < 2; symmetry++)
            if (kind == PROP_REFINES) check_refines(s, p, symmetry);
            else if (kind == PROP_DEADLOCK_FREE) check_stuck(s, p, symmetry);
    }
}

// ---- many

static void say(const char *what, const tally *t) {
    unsigned long long cases = t->cases, wrong = t->wrong;
    printf("# tally: %s | %llu cases | %llu wrong\n", what, cases, wrong);
    assert_int_equal(wrong, 0);
    assert_in_range(t->held, cases / 20, cases * 19 / 20);  // both answers were asked for
}

static void files_agree(void **state) {
    (void)state;
    tallies all = {0};
    uint64_t count = part_rounds(1200, 9000), first = part_seed(1);
    for (uint64_t seed = first; seed < first + count; seed++) {
        sample s;
        if (sample_new(&s, seed, &all)) {
            compare_all(&s);
            check_properties(&s);
            all.models++;
        }
        sample_free(&s);
    }
    assert_true(all.models > count * 9 / 10);  // the rest is too large for the twin
    say("refinements of random files against brute force", &all.refines);
    say("comparisons of random files against brute force", &all.compare);
    say("liveness of random files against brute force", &all.live);
    say("deadlocks of random files against brute force", &all.stuck);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
