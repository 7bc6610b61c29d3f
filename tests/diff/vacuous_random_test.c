// SPDX-License-Identifier: Apache-2.0
// What a search says of itself (result/doubt.h) on random models, against the reference evaluator alone: how often each
// rule fired; which rules never did, or that none did; which properties that hold have a premise that was never true,
// where every implication below `forall`, `&` and conclusions is followed with all values in all states. With symmetry
// the counts are those of representatives, and the doubts must be the same.
#include "base/map.h"
#include "explore/explore.h"
#include "model/eval.h"
#include "model/expr.h"
#include "oracle/part.h"
#include "oracle/random_model.h"
#include "oracle/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 600, MOST_ARGS = 64 };

typedef struct {
    uint64_t seed;
    random_model r;
    instance *in;
    eval *ev;
    map *seen;
    arena *memory;
    VEC(const value *) states;
    uint64_t *fired;  // by rule
    bool is_faulty;
} sample;

// ---- all states, and what happens in them

static void reach(sample *s, const value *state) {
    size_t size = s->in->ncells * sizeof *state;
    if (!map_put(s->seen, state, size, s->states.len)) return;
    value *copy = arena_alloc(s->memory, size + 1);
    memcpy(copy, state, size);
    vec_push(&s->states, copy);
}

static bool keep_start(const value *state, void *context) {
    sample *s = context;
    reach(s, state);
    return s->states.len < MOST_STATES;
}

static void take_steps(sample *s, const value *from) {
    value args[MOST_ARGS], *next = mem_zero(s->in->ncells + 1, sizeof *next);
    const sys_info *system = sys_of(s->r.m, s->r.system);
    for (uint32_t i = 0; i < system->rules.len; i++)
        for (bool first = true; eval_next_binding(s->in, system->rules.data[i], args, &first);) {
            bool is_enabled = eval_enabled(s->ev, from, system->rules.data[i], args);
            s->is_faulty |= eval_fault(s->ev).kind != FAULT_NONE;
            if (!is_enabled) continue;
            bool is_fired = eval_fire(s->ev, from, system->rules.data[i], args, next);
            s->is_faulty |= eval_fault(s->ev).kind != FAULT_NONE;
            if (!is_fired) continue;
            s->fired[system->rules.data[i].id]++;
            reach(s, next);
        }
    free(next);
}

// False: too large, or something faults.
static bool sample_new(sample *s, uint64_t seed, unsigned features) {
    *s = (sample){.seed = seed, .r = random_model_new(seed, 3 + seed % 8, features)};
    s->in = random_model_instance(&s->r, 3);
    s->ev = eval_new(s->in);
    s->seen = map_new();
    s->memory = arena_new();
    s->fired = mem_zero(s->r.m->rules.len + 1, sizeof *s->fired);
    if (!eval_initial(s->in, keep_start, s) || !s->states.len) return false;
    for (uint32_t i = 0; i < s->states.len && s->states.len < MOST_STATES; i++) take_steps(s, s->states.data[i]);
    return s->states.len < MOST_STATES && !s->is_faulty;
}

static void sample_free(sample *s) {
    vec_free(&s->states);
    free(s->fired);
    arena_free(s->memory);
    map_free(s->seen);
    eval_free(s->ev);
    instance_free(s->in);
    random_model_free(&s->r);
}

// ---- premises

// Implications of a formula, numbered in the order in which they are met when everything is followed. `is_live`: the
// premises around are true, so this state and these values count.
typedef struct {
    sample *s;
    const value *state;
    uint32_t next;       // the number of the next implication
    VEC(bool) was_true;  // by number
} following;

static void follow(following *f, expr e, bool is_live);

static void follow_implication(following *f, const expr_info *x, bool is_live) {
    uint32_t number = f->next++;
    if (number == f->was_true.len) vec_push(&f->was_true, false);
    bool is_true = is_live && (eval_expr(f->s->ev, f->state, x->args[0]) || eval_fault(f->s->ev).kind);
    f->was_true.data[number] |= is_true;
    follow(f, x->args[1], is_true);
}

// All values; the implications inside have the same numbers for each.
static void follow_forall(following *f, const expr_info *x, bool is_live) {
    type ty = var_of(f->s->r.m, (var){x->ref})->ty;
    value first = instance_type_first(f->s->in, ty);
    uint32_t begin = f->next;
    for (uint32_t i = 0; i < instance_type_size(f->s->in, ty); i++) {
        f->next = begin;
        eval_bind(f->s->ev, (var){x->ref}, first + (value)i);
        follow(f, x->args[0], is_live);
    }
}

// With the arguments in place: a premise that becomes the word `false` is gone with its implication, and no doubt.
static void follow_call(following *f, const expr_info *x, bool is_live) {
    const def_info d = *def_of(f->s->r.m, (def){x->ref});
    follow(f, expr_subst(f->s->r.m, d.body, d.params, x->args, d.nparams), is_live);
}

static void follow(following *f, expr e, bool is_live) {
    const expr_info x = *expr_of(f->s->r.m, e);
    if (x.kind == E_CALL) follow_call(f, &x, is_live);
    else if (x.kind == E_FORALL) follow_forall(f, &x, is_live);
    else if (x.kind == E_IMPLIES) follow_implication(f, &x, is_live);
    for (uint32_t i = 0; x.kind == E_AND && i < x.nargs; i++) follow(f, x.args[i], is_live);
}

// Holds in every state, without a fault?
static bool is_invariant(sample *s, expr cond) {
    for (uint32_t i = 0; i < s->states.len; i++)
        if (!eval_expr(s->ev, s->states.data[i], cond) || eval_fault(s->ev).kind) return false;
    return true;
}

// Is there an implication whose premise, with those around it, was never true?
static bool is_empty(sample *s, expr cond) {
    following f = {.s = s};
    for (uint32_t i = 0; i < s->states.len; i++) {
        f.state = s->states.data[i];
        f.next = 0;
        follow(&f, cond, true);
    }
    bool found = false;
    for (uint32_t i = 0; i < f.was_true.len; i++) found |= !f.was_true.data[i];
    vec_free(&f.was_true);
    return found;
}

// Premises within conclusions: what the model has of conditions without parameters, a -> (b -> (c -> a)), which holds.
static void nest(sample *s, uint32_t n) {
    model *m = s->r.m;
    rng r = {s->seed};
    VEC(expr) conds = {0};
    for (uint32_t i = 1; i < m->props.len; i++) vec_push(&conds, prop_of(m, (prop){i})->cond);
    for (uint32_t i = 1; i < m->rules.len; i++)
        if (!rule_of(m, (rule){i})->nparams && rule_of(m, (rule){i})->guard.id)
            vec_push(&conds, rule_of(m, (rule){i})->guard);
    for (uint32_t i = 0; conds.len && i < n; i++) {
        expr a[3];
        for (uint32_t k = 0; k < 3; k++) {
            a[k] = conds.data[rng_below(&r, conds.len)];
            if (rng_below(&r, 2)) a[k] = expr_not(m, a[k]);
        }
        expr cond = expr_implies(m, a[0], expr_implies(m, a[1], expr_implies(m, a[2], a[0])));
        prop_info info = {.name = arena_printf(m->memory, "nested%u", i), .kind = PROP_INVARIANT};
        info.system = s->r.system;
        info.cond = cond;
        vec_push(&sys_of(m, s->r.system)->invariants, model_add_prop(m, info));
    }
    vec_free(&conds);
}

// ---- against the search

typedef struct {
    uint32_t models, cases, wrong, rules, premises;
} tally;

static bool has_doubt(const result *r, doubt_kind kind, const char *subject) {
    for (uint32_t i = 0; i < r->doubts.len; i++)
        if (r->doubts.data[i].kind == kind && (!subject || str_same(r->doubts.data[i].subject, subject))) return true;
    return false;
}

static void expect(tally *t, const sample *s, const char *what, const char *name, uint64_t expected, uint64_t got) {
    t->cases++;
    if (expected == got) return;
    t->wrong++;
    printf("# seed %llu: %s %s: expected %llu, got %llu\n", (unsigned long long)s->seed, what, name,
           (unsigned long long)expected, (unsigned long long)got);
}

static uint64_t counted(const result *r, const char *name) {
    for (uint32_t i = 0; i < r->rules.len; i++)
        if (str_same(r->rules.data[i].name, name)) return r->rules.data[i].fired;
    return UINT64_MAX;
}

static void compare_rules(const sample *s, const result *r, bool symmetry, tally *t) {
    const sys_info *system = sys_of(s->r.m, s->r.system);
    bool any = false;
    for (uint32_t i = 0; i < system->rules.len; i++) any |= s->fired[system->rules.data[i].id] > 0;
    expect(t, s, "no step", "", !any, has_doubt(r, DOUBT_NO_STEP, NULL));
    for (uint32_t i = 0; i < system->rules.len; i++) {
        const char *name = rule_of(s->r.m, system->rules.data[i])->name;
        uint64_t fired = s->fired[system->rules.data[i].id];
        if (!symmetry) expect(t, s, "fired", name, fired, counted(r, name));
        expect(t, s, "never fired", name, any && !fired, has_doubt(r, DOUBT_RULE, name));
        t->rules += !fired;
    }
}

static void compare(sample *s, const prop *props, uint32_t n, bool symmetry, tally *t) {
    explore_options o = {.threads = 1 + s->seed % 2,
                         .parallel_least = 1,
                         .symmetry = symmetry,
                         .engine = ENGINE_BYTECODE,
                         .self_check = SELF_CHECK_OFF,
                         .finds_doubts = true};
    result *r = result_new();
    explore_run(s->in, props, n, &o, r, NULL);
    for (uint32_t i = 0; i < r->properties.len; i++) assert_int_equal(r->properties.data[i].verdict, VERDICT_HOLDS);
    compare_rules(s, r, symmetry, t);
    for (uint32_t i = 0; i < n; i++) {
        const prop_info *p = prop_of(s->r.m, props[i]);
        bool empty = is_empty(s, p->cond);
        expect(t, s, "a premise never true", p->name, empty, has_doubt(r, DOUBT_PREMISE, p->name));
        t->premises += empty;
    }
    result_free(r);
}

// Only what holds is asked: a violation ends the search for doubts.
static void try_model(uint64_t seed, tally *t) {
    sample s;
    VEC(prop) props = {0};
    if (sample_new(&s, seed, RANDOM_STARTS | RANDOM_ORDERED | (seed % 2 ? RANDOM_IMPERATIVE : 0))) {
        nest(&s, 4);
        const sys_info *system = sys_of(s.r.m, s.r.system);
        bool ok = true;
        for (uint32_t i = 0; i < system->assumes.len; i++) ok &= is_invariant(&s, system->assumes.data[i].cond);
        for (uint32_t i = 0; i < system->invariants.len; i++)
            if (is_invariant(&s, prop_of(s.r.m, system->invariants.data[i])->cond))
                vec_push(&props, system->invariants.data[i]);
        for (int symmetry = 0; ok && symmetry < 2; symmetry++) compare(&s, props.data, props.len, symmetry, t);
        t->models += ok;
    }
    vec_free(&props);
    sample_free(&s);
}

static void doubts_agree(void **state) {
    (void)state;
    tally t = {0};
    uint64_t count = part_rounds(1500, 40000), first = part_seed(1);
    for (uint64_t seed = first; seed < first + count && t.wrong < 10; seed++) try_model(seed, &t);
    printf("# %u models, %u rules that never fire, %u empty premises\n", t.models, t.rules, t.premises);
    printf("# tally: counts and doubts of random models against the evaluator | %u cases | %u wrong\n", t.cases,
           t.wrong);
    assert_int_equal(t.wrong, 0);
    assert_true(t.models > count / 4 && t.rules > t.models / 4 && t.premises > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(doubts_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
