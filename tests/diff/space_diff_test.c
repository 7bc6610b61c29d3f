// SPDX-License-Identifier: Apache-2.0
// The compiled successor relation against the reference evaluator, on random models and random states:
// labels, successors, trouble and checks as machine code, as bytecode and as native code; canonical forms against
// all permutations.
//
// PARVIS_SEED=n PARVIS_SIZE=k runs one random model, to look at a failure; PARVIS_LONG=1 runs many more.
#include "oracle/random_model.h"
#include "oracle/unit.h"

#include "model/eval.h"
#include "space/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMS = 16, STATES_A_MODEL = 12, MOST_SIZE = 10 };

typedef struct {
    random_model r;
    instance *in;
    space *s;
    space_run *run;
    eval *ev;
    VEC(expr) checks;
    value *cells, *next;
    uint64_t *packed, *successors, *failed;
    uint32_t *labels;
} subject;

static bool is_long(void) { return getenv("PARVIS_LONG") != NULL; }

// ---- a model under test

static void add_checks(subject *x) {
    const sys_info *s = sys_of(x->r.m, x->r.system);
    for (uint32_t i = 0; i < s->invariants.len; i++) vec_push(&x->checks, prop_of(x->r.m, s->invariants.data[i])->cond);
    for (uint32_t i = 0; i < s->assumes.len; i++) vec_push(&x->checks, s->assumes.data[i].cond);
}

// Every other model has what only imperative languages have.
static subject subject_with(uint64_t seed, uint32_t size, uint32_t most, bool calls_bodies) {
    bool is_imperative = calls_bodies || seed / MOST_SIZE % 2;
    unsigned features = RANDOM_ALL | RANDOM_SHADOWS | (is_imperative ? RANDOM_IMPERATIVE : 0);
    subject x = {.r = random_model_new(seed, size, features)};
    x.in = random_model_instance(&x.r, most);
    assert_non_null(x.in);
    add_checks(&x);
    space_options options = {.symmetry = true, .checks = x.checks.data, .nchecks = x.checks.len};
    options.calls_bodies = calls_bodies;
    x.s = space_new(x.in, &options);
    assert_non_null(x.s);
    x.run = space_run_new(x.s);
    x.ev = eval_new(x.in);
    uint32_t words = space_words(x.s), labels = space_labels(x.s);
    x.cells = mem_zero(x.in->ncells + 1, sizeof *x.cells);
    x.next = mem_zero(x.in->ncells + 1, sizeof *x.next);
    x.packed = mem_zero(words, sizeof *x.packed);
    x.successors = mem_zero((size_t)words * labels + 1, sizeof *x.successors);
    x.labels = mem_zero(labels + 1, sizeof *x.labels);
    x.failed = mem_zero(x.checks.len / 64 + 1, sizeof *x.failed);
    return x;
}

static subject subject_new(uint64_t seed, uint32_t size, uint32_t most) {
    return subject_with(seed, size, most, false);
}

static void subject_free(subject *x) {
    eval_free(x->ev);
    space_run_free(x->run);
    space_free(x->s);
    instance_free(x->in);
    random_model_free(&x->r);
    vec_free(&x->checks);
    free(x->cells);
    free(x->next);
    free(x->packed);
    free(x->successors);
    free(x->labels);
    free(x->failed);
}

// ---- successors

// What the evaluator says of one label: 0 not enabled or impossible, 1 fires (x->next), 2 trouble.
static int evaluate(subject *x, rule r, const value *args) {
    bool enabled = eval_enabled(x->ev, x->cells, r, args);
    if (eval_fault(x->ev).kind) return 2;
    if (!enabled) return 0;
    bool fires = eval_fire(x->ev, x->cells, r, args, x->next);
    if (eval_is_impossible(x->ev)) return 0;
    const rule_info *info = rule_of(x->r.m, r);
    for (uint32_t i = 0; i < info->nrequires; i++) {
        bool holds = eval_expr(x->ev, x->cells, info->requires[i].cond);
        if (eval_fault(x->ev).kind || !holds) return 2;
    }
    return fires ? 1 : 2;
}

static const char *compare_next(subject *x) {
    uint32_t words = space_words(x->s), label = 0, k = 0;
    uint32_t n = space_next(x->run, x->packed, x->successors, x->labels);
    uint64_t *expected = mem_zero(words, sizeof *expected);
    const sys_info *s = sys_of(x->r.m, x->r.system);
    const char *wrong = NULL;
    for (uint32_t i = 0; i < s->rules.len && !wrong; i++) {
        value args[MOST_PARAMS], told[MOST_PARAMS];
        for (bool first = true; !wrong && eval_next_binding(x->in, s->rules.data[i], args, &first); label++) {
            rule r = space_label(x->s, label, told);
            uint32_t nparams = rule_of(x->r.m, r)->nparams;
            if (r.id != s->rules.data[i].id || memcmp(args, told, nparams * sizeof *args)) wrong = "label";
            int says = evaluate(x, r, args);
            bool listed = k < n && (x->labels[k] & ~SPACE_TROUBLE) == label;
            if (listed != (says > 0)) wrong = "enabled";
            if (wrong || !listed) continue;
            if (((x->labels[k] & SPACE_TROUBLE) != 0) != (says == 2)) wrong = "trouble";
            space_pack(x->s, x->next, expected);
            if (says == 1 && memcmp(expected, x->successors + (size_t)k * words, words * sizeof *expected))
                wrong = "successor";
            k++;
        }
    }
    if (!wrong && (k != n || label != space_labels(x->s))) wrong = "number of labels";
    free(expected);
    return wrong;
}

static const char *compare_checks(subject *x) {
    bool all = true;
    bool told = space_check(x->run, x->packed, x->failed);
    for (uint32_t i = 0; i < x->checks.len; i++) {
        bool holds = eval_expr(x->ev, x->cells, x->checks.data[i]) && !eval_fault(x->ev).kind;
        all &= holds;
        if ((x->failed[i / 64] >> i % 64 & 1) == holds) return "check";
    }
    return told == all ? NULL : "checks together";
}

static const char *compare_packing(subject *x) {
    space_unpack(x->s, x->packed, x->next);
    return memcmp(x->next, x->cells, x->in->ncells * sizeof *x->cells) ? "packing" : NULL;
}

static void random_state(subject *x) {
    random_model_state(x->in, &x->r.random, x->cells);
    space_pack(x->s, x->cells, x->packed);
}

static const char *compare_states(subject *x) {
    const char *wrong = NULL;
    for (uint32_t i = 0; i < STATES_A_MODEL && !wrong; i++) {
        random_state(x);
        wrong = compare_packing(x);
        if (!wrong) wrong = compare_next(x);
        if (!wrong) wrong = compare_checks(x);
    }
    return wrong;
}

// ---- canonical forms

typedef struct {
    type sort;
    value at[8];  // where each element goes
    uint32_t size;
} permutation;

static bool next_permutation(permutation *p) {
    uint32_t i = p->size - 1;
    while (i && p->at[i - 1] > p->at[i]) i--;
    for (uint32_t a = i, b = p->size - 1; a < b; a++, b--) {
        value t = p->at[a];
        p->at[a] = p->at[b];
        p->at[b] = t;
    }
    if (!i) return false;
    uint32_t j = i;
    while (p->at[j] < p->at[i - 1]) j++;
    value t = p->at[i - 1];
    p->at[i - 1] = p->at[j];
    p->at[j] = t;
    return true;
}

static value renamed(const instance *in, const permutation *ps, uint32_t n, type t, value v) {
    const type_info *info = type_of(in->m, t);
    if (v == VALUE_UNDEFINED) return v;
    for (uint32_t i = 0; i < n; i++)
        if (type_same(ps[i].sort, t)) return ps[i].at[v];
    for (uint32_t i = 0; i < info->nmembers; i++) {
        value start = (value)instance_member_start(in, t, info->members[i]);
        if (v >= start && v < start + (value)instance_type_size(in, info->members[i]))
            return start + renamed(in, ps, n, info->members[i], v - start);
    }
    return v;
}

static void rename_state(const instance *in, const permutation *ps, uint32_t n, const value *from, value *to) {
    value args[MOST_PARAMS];
    for (uint32_t c = 0; c < in->ncells; c++) {
        func f = instance_cell_func(in, c, args);
        const func_info *info = func_of(in->m, f);
        for (uint32_t i = 0; i < info->nargs; i++) args[i] = renamed(in, ps, n, info->args[i], args[i]);
        to[instance_cell(in, f, args)] = renamed(in, ps, n, info->result, from[c]);
    }
}

static uint32_t symmetric_sorts(const instance *in, permutation *ps) {
    uint32_t n = 0;
    for (uint32_t i = 1; i < in->m->types.len; i++) {
        const type_info *t = &in->m->types.data[i];
        if (t->kind != TYPE_SORT || t->is_ordered) continue;
        ps[n] = (permutation){.sort = {i}, .size = in->sort_size[i]};
        for (uint32_t k = 0; k < ps[n].size; k++) ps[n].at[k] = (value)k;
        n++;
    }
    return n;
}

static bool next_renaming(permutation *ps, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (next_permutation(&ps[i])) return true;
    return false;
}

static const char *compare_canonical(subject *x) {
    permutation ps[16];
    uint32_t n = symmetric_sorts(x->in, ps), words = space_words(x->s);
    uint64_t *least = mem_zero(words, sizeof *least), *other = mem_zero(words, sizeof *other);
    memcpy(least, x->packed, words * sizeof *least);
    space_canonical(x->run, least);
    bool in_orbit = false;
    const char *wrong = NULL;
    uint32_t tried = 0;
    do {
        rename_state(x->in, ps, n, x->cells, x->next);
        space_pack(x->s, x->next, other);
        in_orbit |= !memcmp(other, least, words * sizeof *least);
        space_canonical(x->run, other);
        if (memcmp(other, least, words * sizeof *least)) wrong = "canonical form differs in the orbit";
    } while (!wrong && ++tried < 40000 && next_renaming(ps, n));
    if (!wrong && !in_orbit && tried < 40000) wrong = "canonical form is not in the orbit";
    free(least);
    free(other);
    return wrong;
}

// A state in which elements are often alike: few cells differ from a constant.
static void sparse_state(subject *x) {
    random_model_state(x->in, &x->r.random, x->cells);
    for (uint32_t c = 0; c < x->in->ncells; c++) {
        value args[MOST_PARAMS];
        const func_info *f = func_of(x->r.m, instance_cell_func(x->in, c, args));
        value usual = f->may_be_undefined ? VALUE_UNDEFINED : instance_type_first(x->in, f->result);
        if (rng_below(&x->r.random, 100) < 75) x->cells[c] = usual;
    }
    space_pack(x->s, x->cells, x->packed);
}

static const char *compare_orbits(subject *x) {
    const char *wrong = NULL;
    for (uint32_t i = 0; i < 4 && !wrong; i++) {
        if (i % 2) sparse_state(x);
        else random_state(x);
        wrong = compare_canonical(x);
    }
    return wrong;
}

// ---- runs over many models

static uint64_t called;  // labels whose bodies were called, in all models together

static const char *run_quick(uint64_t seed, uint32_t size) {
    subject x = subject_new(seed, size, 1 + seed % 4);
    const char *wrong = compare_states(&x);
    space_interpret(x.s);
    if (!wrong) wrong = compare_states(&x);
    subject_free(&x);
    return wrong;
}

static const char *run_bodies(uint64_t seed, uint32_t size) {
    subject x = subject_with(seed, size, 1 + seed % 4, true);
    const char *wrong = compare_states(&x);
    space_interpret(x.s);
    if (!wrong) wrong = compare_states(&x);
    called += space_called(x.s);
    subject_free(&x);
    return wrong;
}

// Packed random states and their canonical forms, in turn.
static uint64_t *canonical_pairs(subject *x, uint32_t n) {
    uint32_t words = space_words(x->s);
    uint64_t *pairs = mem_zero((size_t)2 * n * words, sizeof *pairs);
    for (uint32_t i = 0; i < n; i++) {
        random_state(x);
        memcpy(pairs + (size_t)2 * i * words, x->packed, words * sizeof *pairs);
        space_canonical(x->run, x->packed);
        memcpy(pairs + (size_t)(2 * i + 1) * words, x->packed, words * sizeof *pairs);
    }
    return pairs;
}

static const char *compare_pairs(subject *x, uint64_t *pairs, uint32_t n) {
    size_t words = space_words(x->s);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *state = pairs + 2 * i * words;
        space_canonical(x->run, state);
        if (memcmp(state, state + words, words * sizeof *state)) return "canonical form of another engine";
    }
    return NULL;
}

// Canonical forms by machine code are the same as by bytecode.
static const char *run_walk(uint64_t seed, uint32_t size) {
    subject x = subject_new(seed, size, 3);
    uint64_t *pairs = canonical_pairs(&x, STATES_A_MODEL);
    space_interpret(x.s);
    const char *wrong = compare_pairs(&x, pairs, STATES_A_MODEL);
    free(pairs);
    subject_free(&x);
    return wrong;
}

static const char *run_native(uint64_t seed, uint32_t size) {
    subject x = subject_new(seed, size, 3);
    const char *wrong = NULL;
    space_interpret(x.s);
    uint64_t *pairs = canonical_pairs(&x, STATES_A_MODEL);
    if (!space_native_start(x.s) || space_native_poll(x.s, true) != NATIVE_READY) wrong = space_native_error(x.s);
    if (!wrong) wrong = compare_states(&x);
    if (!wrong) wrong = compare_pairs(&x, pairs, STATES_A_MODEL);
    free(pairs);
    subject_free(&x);
    return wrong;
}

static const char *run_canonical(uint64_t seed, uint32_t size) {
    subject x = subject_new(seed, size, 2 + seed % 4);
    const char *wrong = space_labels(x.s) ? compare_orbits(&x) : NULL;
    subject_free(&x);
    return wrong;
}

typedef const char *(*runner)(uint64_t seed, uint32_t size);

// Tells the smallest size that fails with this seed.
static void shrink(runner run, uint64_t seed, uint32_t size) {
    for (uint32_t k = 1; k <= size; k++) {
        const char *wrong = run(seed, k);
        if (!wrong) continue;
        print_error("PARVIS_SEED=%llu PARVIS_SIZE=%u: %s\n", (unsigned long long)seed, k, wrong);
        return;
    }
}

static void run_many(runner run, uint64_t first, uint32_t count) {
    const char *seed_text = getenv("PARVIS_SEED"), *size_text = getenv("PARVIS_SIZE");
    if (seed_text) first = strtoull(seed_text, NULL, 10), count = 1;
    for (uint64_t seed = first; seed < first + count; seed++) {
        uint32_t size = size_text ? (uint32_t)atoi(size_text) : 1 + (uint32_t)(seed % MOST_SIZE);
        const char *wrong = run(seed, size);
        if (!wrong) continue;
        shrink(run, seed, size);
        fail_msg("seed %llu size %u: %s", (unsigned long long)seed, size, wrong);
    }
}

static void machine_code_and_bytecode_agree_with_evaluator(void **state) {
    (void)state;
    run_many(run_quick, 0, is_long() ? 100000 : 6000);
}

static void bodies_agree_with_evaluator(void **state) {
    (void)state;
    uint32_t models = is_long() ? 100000 : 6000;
    run_many(run_bodies, 0, models);
    if (!getenv("PARVIS_SEED")) assert_true(called > models);
    print_message("# tally: bodies with branches and calls against the evaluator | %u cases | 0 wrong\n", models);
}

static void canonical_forms_of_engines_agree(void **state) {
    (void)state;
    run_many(run_walk, 0, is_long() ? 50000 : 3000);
}

static void native_agrees_with_evaluator(void **state) {
    (void)state;
    run_many(run_native, 0, is_long() ? 1000 : 40);
}

static void canonical_forms_agree_with_all_permutations(void **state) {
    (void)state;
    run_many(run_canonical, 0, is_long() ? 10000 : 600);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machine_code_and_bytecode_agree_with_evaluator),
        cmocka_unit_test(bodies_agree_with_evaluator),
        cmocka_unit_test(canonical_forms_of_engines_agree),
        cmocka_unit_test(native_agrees_with_evaluator),
        cmocka_unit_test(canonical_forms_agree_with_all_permutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
