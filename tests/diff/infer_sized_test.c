// SPDX-License-Identifier: Apache-2.0
// Candidates at fixed sizes against trying every state of the instance with the reference evaluator: a step that breaks
// one is found iff there is one, and what is said to be enough is.
#include "oracle/random_obligation.h"
#include "oracle/unit.h"

#include "infer/sized.h"
#include "model/eval.h"
#include "model/expr.h"

#include <stdlib.h>

enum { MOST_STATES = 3000, MOST_PARAMS = 8, CLAUSES = 4, LITERALS = 4 };

static uint32_t rounds(uint32_t usual) { return getenv("PARVIS_LONG") ? usual * 20 : usual; }

typedef struct {
    random_obligation r;
    const instance *in;
    atom_pool *p;
    sized *s;
    eval *ev;
    VEC(expr) all;  // by number in `s`
    bits standing;
    value *state, *next;
    uint32_t broken, kept, cores;
} trial;

static bool all_hold(trial *t, const bits *which, const value *state) {
    BITS_EACH(i, which)
        if (!eval_expr(t->ev, state, t->all.data[i])) return false;
    return true;
}

// ---- every state

static type type_of_cell(const instance *in, uint32_t cell) {
    value args[MOST_PARAMS];
    return func_of(in->m, instance_cell_func(in, cell, args))->result;
}

static bool next_state(const instance *in, value *state) {
    for (uint32_t c = in->ncells; c-- > 0;) {
        type t = type_of_cell(in, c);
        value first = instance_type_first(in, t);
        if (state[c] + 1 - first < (value)instance_type_size(in, t)) {
            state[c]++;
            return true;
        }
        state[c] = first;
    }
    return false;
}

static double count_states(const instance *in) {
    double n = 1;
    for (uint32_t c = 0; c < in->ncells; c++) n *= instance_type_size(in, type_of_cell(in, c));
    return n;
}

static void first_state(trial *t) {
    for (uint32_t c = 0; c < t->in->ncells; c++) t->state[c] = instance_type_first(t->in, type_of_cell(t->in, c));
}

// Does a rule lead from t->state to `to`, or else to a state in which some of `which` is false (NULL: to any)?
static bool has_step(trial *t, const bits *which, const value *to) {
    const sys_info *s = sys_of(t->r.m, t->r.system);
    for (uint32_t k = 0; k < s->rules.len; k++) {
        value args[MOST_PARAMS];
        for (bool first = true; eval_next_binding(t->in, s->rules.data[k], args, &first);) {
            if (!eval_enabled(t->ev, t->state, s->rules.data[k], args)) continue;
            assert_true(eval_fire(t->ev, t->state, s->rules.data[k], args, t->next));
            if (to ? !memcmp(to, t->next, t->in->ncells * sizeof *to) : !which || !all_hold(t, which, t->next))
                return true;
        }
    }
    return false;
}

// Does some step lead from a state in which `assumed` hold to one in which some of `asked` is false?
static bool is_broken(trial *t, const bits *assumed, const bits *asked) {
    bool found = false;
    first_state(t);
    do found = all_hold(t, assumed, t->state) && has_step(t, asked, NULL);
    while (!found && next_state(t->in, t->state));
    return found;
}

// Does e hold in every state in which `assumed` do, and from which a step leads?
static bool is_implied(trial *t, const bits *assumed, expr e) {
    bool ok = true;
    first_state(t);
    do ok = !all_hold(t, assumed, t->state) || eval_expr(t->ev, t->state, e) || !has_step(t, NULL, NULL);
    while (ok && next_state(t->in, t->state));
    return ok;
}

typedef struct {
    trial *t;
    bool is_broken, is_found;
    const value *wanted;
} starts;

static bool at_start(const value *state, void *context) {
    starts *x = context;
    x->is_broken |= !all_hold(x->t, &x->t->standing, state);
    x->is_found |= x->wanted && !memcmp(x->wanted, state, x->t->in->ncells * sizeof *state);
    return true;
}

// ---- comparing

static void compare_start(trial *t) {
    value *found = mem_zero(t->in->ncells + 1, sizeof *found);
    sat_answer a = sized_breaks_initially(t->s, found);
    starts x = {.t = t, .wanted = a == SAT_YES ? found : NULL};
    assert_true(eval_initial(t->in, at_start, &x));
    assert_int_equal(a, x.is_broken ? SAT_YES : SAT_NO);
    if (a == SAT_YES) assert_true(x.is_found && !all_hold(t, &t->standing, found));
    free(found);
}

// A step that breaks one of them: does the system take it, from a state in which all hold?
static void compare_step(trial *t, uint32_t number, const value *before, const value *after) {
    assert_false(eval_expr(t->ev, after, t->all.data[number]));
    memcpy(t->state, before, t->in->ncells * sizeof *before);
    assert_true(all_hold(t, &t->standing, before));
    assert_true(has_step(t, NULL, after));
}

static void compare_cores(trial *t) {
    bits used = {0}, one = {0}, first = {0}, none = {0};
    expr e = t->r.lemmas.data[0];
    sat_answer a = sized_implies_not(t->s, e, &none, &used);
    assert_int_equal(a, is_implied(t, &t->standing, e) ? SAT_NO : SAT_YES);
    if (a == SAT_NO) assert_true(bits_subset(&used, &t->standing) && is_implied(t, &used, e));
    t->cores += a == SAT_NO;
    value *before = mem_zero(t->in->ncells + 1, sizeof *before), *after = mem_zero(t->in->ncells + 1, sizeof *after);
    BITS_EACH(i, &t->standing) {
        bits_clear(&used);
        bits_clear(&one);
        bits_add(&one, i);
        a = sized_rests_on(t->s, i, t->broken % 2 ? &first : &none, &used, before, after);
        assert_int_equal(a, is_broken(t, &t->standing, &one) ? SAT_YES : SAT_NO);
        if (a == SAT_NO) assert_true(bits_subset(&used, &t->standing) && !is_broken(t, &used, &one));
        else compare_step(t, i, before, after);
        t->broken += a == SAT_YES;
        t->kept += a == SAT_NO;
        bits_add(&first, i);
    }
    free(before);
    free(after);
    bits_free(&first);
    bits_free(&used);
    bits_free(&one);
}

static void compare_all(trial *t) {
    assert_true(bits_equal(&t->standing, sized_standing(t->s)));
    compare_start(t);
    compare_cores(t);
}

// ---- candidates

static clause random_clause(trial *t) {
    clause c = {0};
    for (uint32_t n = 1 + rng_below(&t->r.random, LITERALS); n; n--) {
        uint32_t lit = rng_below(&t->r.random, t->p->atoms.len * 2);
        c.lits[c.n++] = (uint16_t)lit;
    }
    clause_sort(&c);
    return c;
}

static void add_candidate(trial *t, uint32_t number, expr e) {
    assert_int_equal(number, t->all.len);
    vec_push(&t->all, e);
    bits_add(&t->standing, number);
}

static void add_candidates(trial *t) {
    for (uint32_t i = 0; i < CLAUSES; i++) {
        clause c = random_clause(t);
        add_candidate(t, sized_add_clause(t->s, &c), clause_expr(t->p, &c));
    }
    expr e = vec_last(&t->r.lemmas);
    add_candidate(t, sized_add_formula(t->s, e), e);
}

static void remove_one(trial *t) {
    uint32_t i = rng_below(&t->r.random, t->all.len);
    if (!bits_has(&t->standing, i)) return;
    sized_remove(t->s, i);
    bits_remove(&t->standing, i);
}

static void try_instance(trial *t) {
    limits none = {0};
    t->s = sized_new(t->p, t->in, &none);
    assert_non_null(t->s);
    t->ev = eval_new(t->in);
    t->state = mem_zero(t->in->ncells + 1, sizeof *t->state);
    t->next = mem_zero(t->in->ncells + 1, sizeof *t->next);
    add_candidates(t);
    for (uint32_t i = 0; i < 3; i++) {
        compare_all(t);
        remove_one(t);
    }
    eval_free(t->ev);
    sized_free(t->s);
    vec_clear(&t->all);
    bits_clear(&t->standing);
    free(t->state);
    free(t->next);
}

static void try_seed(trial *t, uint64_t seed, unsigned features) {
    t->r = random_obligation_new(seed, features);
    prop p = model_add_prop(
        t->r.m, (prop_info){.name = "p", .kind = PROP_INVARIANT, .system = t->r.system, .cond = t->r.lemmas.data[0]});
    t->p = atoms_new(t->r.m, t->r.system, p, NULL);
    atoms_make(t->p);
    for (uint32_t a = 1; a <= 2; a++) {
        sort_size sizes[] = {{t->r.a, a}, {t->r.b, 1 + rng_below(&t->r.random, 2)}};
        instance *in = instance_new(t->r.m, t->r.system, sizes, 2);
        t->in = in;
        if (in && t->p->atoms.len && count_states(in) <= MOST_STATES) try_instance(t);
        instance_free(in);
    }
    atoms_free(t->p);
    vec_free(&t->all);
    bits_free(&t->standing);
    random_obligation_free(&t->r);
}

static void agrees_with_every_state(void **state) {
    trial t = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= rounds(120); seed++)
        try_seed(&t, seed, OBLIGATION_TINY | (seed % 2 ? OBLIGATION_ORDERED : 0));
    print_message("%u with a step that breaks them, %u without, %u cores\n", t.broken, t.kept, t.cores);
    assert_true(t.broken > 50 && t.kept > 50 && t.cores > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_every_state)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
