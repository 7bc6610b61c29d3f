// SPDX-License-Identifier: Apache-2.0
// The search against its slow twin on random models: states, transitions, depth, orbits, verdicts, lengths of
// shortest traces; and against itself on other numbers of threads: everything, to the last state of a trace
// and its number. PARVIS_LONG=1 runs ten times as many models, each on two, three and four threads, not one of them.
#include "oracle/unit.h"

#include "explore/explore.h"
#include "model/expr.h"
#include "oracle/brute_explore.h"
#include "oracle/random_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 1200, MOST_THREADS = 4 };

typedef struct {
    uint64_t seed;
    random_model r;
    instance *in;
    VEC(prop) props;
    bool check_deadlock;
    brute b;
} sample;

// What one exploration said, as text: equal texts, equal answers.
typedef struct {
    str text;
    result *out;
    explored *x;
    explore_end end;
} run;

static bool is_long(void) { return getenv("PARVIS_LONG") != NULL; }
static uint32_t sample_count(uint32_t n) { return is_long() ? 10 * n : n; }

static void add_prop(sample *s, prop p) {
    for (uint32_t i = 0; i < s->props.len; i++)
        if (s->props.data[i].id == p.id) return;
    vec_push(&s->props, p);
}

static void collect_props(sample *s) {
    const sys_info *system = sys_of(s->r.m, s->r.system);
    for (uint32_t i = 0; i < system->invariants.len; i++) add_prop(s, system->invariants.data[i]);
    for (uint32_t i = 0; i < system->rules.len; i++) {
        const rule_info *r = rule_of(s->r.m, system->rules.data[i]);
        for (uint32_t k = 0; k < r->nrequires; k++) add_prop(s, r->requires[k].property);
    }
}

// Two properties about states that can be reached: of a condition without parameters that the model has, or its
// negation.
static void add_hopes(sample *s) {
    model *m = s->r.m;
    rng r = {s->seed};
    VEC(expr) conds = {0};
    for (uint32_t i = 1; i < m->props.len; i++)
        if (prop_of(m, (prop){i})->kind == PROP_INVARIANT) vec_push(&conds, prop_of(m, (prop){i})->cond);
    for (uint32_t i = 1; i < m->rules.len; i++)
        if (!rule_of(m, (rule){i})->nparams && rule_of(m, (rule){i})->guard.id)
            vec_push(&conds, rule_of(m, (rule){i})->guard);
    for (uint32_t i = 0; conds.len && i < 2; i++) {
        expr cond = conds.data[rng_below(&r, conds.len)];
        prop_info info = {.kind = i ? PROP_REACHES : PROP_COVER, .name = i ? "hope" : "met", .system = s->r.system};
        info.cond = rng_below(&r, 2) ? cond : expr_not(m, cond);
        add_prop(s, model_add_prop(m, info));
    }
    vec_free(&conds);
}

static bool count_start(const value *state, void *context) {
    (void)state;
    return ++*(uint32_t *)context < MOST_STATES;
}

// False: too large for the twin.
static bool sample_new(sample *s, uint64_t seed, unsigned features) {
    uint32_t nstarts = 0;
    *s = (sample){.seed = seed, .r = random_model_new(seed, 3 + seed % 8, features)};
    s->in = random_model_instance(&s->r, 3);
    s->check_deadlock = seed % 3 == 0;
    collect_props(s);
    add_hopes(s);
    if (!eval_initial(s->in, count_start, &nstarts) || nstarts >= MOST_STATES) return false;
    s->b = brute_explore(s->in, s->props.data, s->props.len, MOST_STATES, true);
    return s->b.is_complete;
}

static void sample_free(sample *s) {
    brute_free(&s->b);
    vec_free(&s->props);
    instance_free(s->in);
    random_model_free(&s->r);
}

// ---- one run

static void trace_text(const trace *t, str *out) {
    for (uint32_t i = 0; i <= t->steps.len; i++) {
        const value *cells = trace_state(t, i);
        if (i) trace_label_text(t->in, t->steps.data[i - 1].r, t->steps.data[i - 1].args, out);
        for (uint32_t c = 0; cells && c < t->in->ncells; c++) str_printf(out, " %d", (int)cells[c]);
        str_char(out, '\n');
    }
}

static void states_text(const explored *x, str *out) {
    uint64_t state[64];
    assert_true(space_words(explored_space(x)) <= 64);
    for (uint64_t n = 0; n < explored_count(x); n++) {
        explored_state(x, n, state);
        assert_int_equal(explored_find(x, state), n);
        str_addn(out, (const char *)state, space_words(explored_space(x)) * sizeof *state);
    }
}

// With one thread nothing is tried, so that a mistake shows here; with several, every state is, and nothing fails.
static void expect_no_alarm(const result *r) {
    for (uint32_t i = 0; i < r->self_checks.len; i++) {
        if (r->self_checks.data[i].failure) print_error("%s\n", r->self_checks.data[i].failure);
        assert_null(r->self_checks.data[i].failure);
    }
}

static run run_new(const sample *s, uint32_t threads, bool symmetry, explore_engine engine) {
    run r = {.out = result_new()};
    explore_options options = {.threads = threads,
                               .symmetry = symmetry,
                               .engine = engine,
                               .parallel_least = 1,
                               .self_check = threads > 1 ? SELF_CHECK_ALL : SELF_CHECK_OFF,
                               .check_deadlock = s->check_deadlock};
    r.end = explore_run(s->in, s->props.data, s->props.len, &options, r.out, &r.x);
    expect_no_alarm(r.out);
    result_stats *st = &r.out->stats;
    str_printf(&r.text, "end %d, %llu states (%llu initial), %llu transitions, depth %u\n", r.end,
               (unsigned long long)st->states, (unsigned long long)explored_initial_count(r.x),
               (unsigned long long)st->transitions, st->depth);
    for (uint32_t i = 0; i < r.out->properties.len; i++) {
        const result_property *p = &r.out->properties.data[i];
        str_printf(&r.text, "%s %s %s\n", p->name, verdict_text(p->verdict), p->reason ? p->reason : "");
        if (p->trace) trace_text(p->trace, &r.text);
    }
    states_text(r.x, &r.text);
    return r;
}

static void run_free(run *r) {
    str_free(&r->text);
    result_free(r->out);
    explored_free(r->x);
}

// ---- against the twin

static const result_property *entry(const run *r, const char *name) {
    for (uint32_t i = 0; i < r->out->properties.len; i++)
        if (str_same(r->out->properties.data[i].name, name)) return &r->out->properties.data[i];
    return NULL;
}

static void expect_violated(const result_property *p, uint32_t length) {
    assert_non_null(p);
    if (p->verdict != VERDICT_VIOLATED) print_error("%s: %s\n", p->name, p->reason ? p->reason : "");
    assert_int_equal(p->verdict, VERDICT_VIOLATED);
    assert_int_equal(p->trace->steps.len, length);
}

static bool is_refused_otherwise(const sample *s, uint32_t except) {
    for (uint32_t i = 0; i < s->props.len; i++)
        if (i != except && s->b.requirements.data[i] != BRUTE_NEVER) return true;
    return false;
}

static void expect(const sample *s, const run *r, const char *name, uint32_t i, uint32_t length) {
    const result_property *p = entry(r, name);
    if (length != BRUTE_NEVER) {
        expect_violated(p, length);
        return;
    }
    assert_non_null(p);
    bool is_cut = s->b.fault != BRUTE_NEVER || is_refused_otherwise(s, i);
    assert_int_equal(r->end, END_COMPLETE);
    assert_int_equal(p->verdict, is_cut ? VERDICT_UNKNOWN : VERDICT_HOLDS);
}

// Entries that are no properties appear when they were met before everything was decided.
static void expect_extra(const run *r, const char *name, uint32_t length) {
    const result_property *p = entry(r, name);
    if (r->end == END_COMPLETE) assert_int_equal(p != NULL, length != BRUTE_NEVER);
    if (p) expect_violated(p, length);
}

static bool is_cut(const sample *s) { return s->b.fault != BRUTE_NEVER || is_refused_otherwise(s, UINT32_MAX); }

static void expect_hope(const sample *s, const run *r, uint32_t i) {
    const result_property *p = entry(r, prop_of(s->r.m, s->props.data[i])->name);
    bool is_reaches = prop_of(s->r.m, s->props.data[i])->kind == PROP_REACHES;
    assert_non_null(p);
    assert_int_equal(r->end, END_COMPLETE);
    if (is_reaches && s->b.fault != BRUTE_NEVER) assert_int_equal(p->verdict, VERDICT_UNKNOWN);
    else if (is_reaches && s->b.hopeless.data[i] != BRUTE_NEVER) expect_violated(p, s->b.hopeless.data[i]);
    else if (is_reaches) assert_int_equal(p->verdict, is_cut(s) ? VERDICT_UNKNOWN : VERDICT_HOLDS);
    else if (s->b.covers.data[i] != BRUTE_NEVER) assert_int_equal(p->verdict, VERDICT_HOLDS);
    else assert_int_equal(p->verdict, is_cut(s) ? VERDICT_UNKNOWN : VERDICT_VIOLATED);
}

static bool is_hope(const sample *s, uint32_t i) {
    prop_kind kind = prop_of(s->r.m, s->props.data[i])->kind;
    return kind == PROP_COVER || kind == PROP_REACHES;
}

static uint32_t expected_length(const sample *s, uint32_t i) {
    bool is_invariant = prop_of(s->r.m, s->props.data[i])->kind == PROP_INVARIANT;
    return is_invariant ? s->b.invariants.data[i] : s->b.requirements.data[i];
}

static void compare_verdicts(const sample *s, const run *r) {
    const sys_info *system = sys_of(s->r.m, s->r.system);
    for (uint32_t i = 0; i < s->props.len; i++)
        if (is_hope(s, i)) expect_hope(s, r, i);
        else expect(s, r, prop_of(s->r.m, s->props.data[i])->name, i, expected_length(s, i));
    if (s->check_deadlock) expect(s, r, "deadlock", UINT32_MAX, s->b.deadlock);
    for (uint32_t i = 0; i < system->assumes.len; i++) {
        str name = {0};
        str_printf(&name, "assume %s", system->assumes.data[i].name);
        expect_extra(r, str_get(&name), s->b.assumptions.data[i]);
        str_free(&name);
    }
    expect_extra(r, "run-time error", s->b.fault);
}

// The twin's orbits are those of all symmetric sorts: a warning says that the search told some of them apart.
static void compare_counts(const sample *s, const run *r) {
    bool is_reduced = space_is_reduced(explored_space(r->x));
    if (is_reduced && diag_count(s->r.messages)) return;
    if (r->end != END_COMPLETE) {
        assert_int_equal(r->end, END_VIOLATION);
        return;
    }
    assert_int_equal(r->out->stats.states, is_reduced ? s->b.orbits : s->b.states);
    assert_int_equal(r->out->stats.transitions, is_reduced ? s->b.orbit_transitions : s->b.transitions);
    assert_int_equal(r->out->stats.depth, s->b.depth);
    assert_int_equal(explored_count(r->x), r->out->stats.states);
}

static void compare_threads(const sample *s, const run *first, uint32_t threads, bool symmetry) {
    run r = run_new(s, threads, symmetry, threads % 2 ? ENGINE_BYTECODE : ENGINE_MACHINE);
    assert_int_equal(r.text.len, first->text.len);
    assert_memory_equal(str_get(&r.text), str_get(&first->text), first->text.len);
    run_free(&r);
}

static void compare(const sample *s, bool symmetry, uint32_t most_threads) {
    run first = run_new(s, 1, symmetry, ENGINE_BYTECODE);
    compare_counts(s, &first);
    compare_verdicts(s, &first);
    for (uint32_t threads = 2; threads <= most_threads; threads++)
        if (is_long() || threads == 2 + s->seed % (most_threads - 1)) compare_threads(s, &first, threads, symmetry);
    run_free(&first);
}

static void compare_many(uint64_t seed, uint32_t count, unsigned features, uint32_t most_threads) {
    uint32_t ncompared = 0, nreduced = 0, nwarned = 0;  // warned: elements may be told apart, so no symmetry
    for (uint64_t end = seed + sample_count(count); seed < end; seed++) {
        sample s;
        if (sample_new(&s, seed, features)) {
            compare(&s, false, most_threads);
            compare(&s, true, most_threads);
            ncompared++;
            nreduced += s.b.orbits < s.b.states;
            nwarned += diag_count(s.r.messages) > 0;
        }
        sample_free(&s);
    }
    printf("# tally: random models with symmetry and without and by brute force | %u cases | 0 wrong\n", ncompared);
    printf("# %u have fewer orbits than states, in %u sorts are told apart\n", nreduced, nwarned);
    assert_true(ncompared > sample_count(count) / 3);
    assert_true(nwarned < ncompared / 4);
}

// Compiling takes a good part of a second, so only a few models.
static void native_code(void **state) {
    (void)state;
    uint32_t ncompared = 0;
    for (uint64_t seed = 40001; ncompared < sample_count(6); seed++) {
        sample s;
        if (sample_new(&s, seed, RANDOM_ALL) && s.b.states > 50) {
            run bytecode = run_new(&s, 1, seed % 2, ENGINE_BYTECODE);
            run native = run_new(&s, 2, seed % 2, ENGINE_NATIVE);
            assert_string_equal(native.out->stats.engine, "native");
            assert_int_equal(bytecode.text.len, native.text.len);
            assert_memory_equal(str_get(&bytecode.text), str_get(&native.text), native.text.len);
            run_free(&bytecode);
            run_free(&native);
            ncompared++;
        }
        sample_free(&s);
    }
}

static void plain_models(void **state) {
    (void)state;
    compare_many(1, 500, RANDOM_STARTS, MOST_THREADS);
}

static void with_requirements(void **state) {
    (void)state;
    compare_many(10001, 500, RANDOM_STARTS | RANDOM_REQUIRES | RANDOM_ORDERED, MOST_THREADS);
}

static void with_faults(void **state) {
    (void)state;
    compare_many(20001, 500, RANDOM_STARTS | RANDOM_REQUIRES | RANDOM_ORDERED | RANDOM_FAULTS, MOST_THREADS);
}

static void with_sequences(void **state) {
    (void)state;
    compare_many(30001, 500, RANDOM_ALL, MOST_THREADS);
}

// One thread is enough for symmetry.
static void many_with_symmetry(void **state) {
    (void)state;
    compare_many(50001, 1000, RANDOM_ALL | RANDOM_IMPERATIVE, 1);
    compare_many(90001, 1000, RANDOM_ALL, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_models),   cmocka_unit_test(with_requirements),  cmocka_unit_test(with_faults),
        cmocka_unit_test(with_sequences), cmocka_unit_test(many_with_symmetry), cmocka_unit_test(native_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
