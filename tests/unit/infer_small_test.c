// SPDX-License-Identifier: Apache-2.0
// Instances of fixed sizes: steps and initial states as clauses against the evaluator, and the formulas made of an
// orbit against all its members, one by one.
#include "oracle/unit.h"

#include "base/rng.h"
#include "front/pyv/pyv.h"
#include "infer/small.h"
#include "model/eval.h"
#include "model/expr.h"

#include <stdio.h>
#include <string.h>

enum { WALKS = 12, STEPS = 12, MOST_CELL_ARGS = 4, CUBES = 400 };

typedef struct {
    diag *messages;
    model *m;
    sys system;
    instance *in;
    limits none;
    VEC(expr) is;   // by function: its application is a value
    VEC(var) vars;  // by function: arguments and the value, MOST_CELL_ARGS + 1 each
    uint32_t cases;
} fixed;

static void open_at(fixed *x, const char *path, uint32_t size) {
    *x = (fixed){.messages = diag_new()};
    x->m = model_new(x->messages);
    assert_true(pyv_read(x->m, path, NULL, &x->system));
    type_list sorts = {0};
    VEC(sort_size) sizes = {0};
    instance_sorts(x->m, x->system, &sorts);
    for (uint32_t i = 0; i < sorts.len; i++) vec_push(&sizes, (sort_size){sorts.data[i], size});
    x->in = instance_new(x->m, x->system, sizes.data, sizes.len);
    assert_non_null(x->in);
    vec_free(&sorts);
    vec_free(&sizes);
}

static void name_cells(fixed *x) {
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->funcs.len; i++) {
        func f = sys_of(x->m, x->system)->funcs.data[i];
        func_info info = *func_of(x->m, f);
        expr args[MOST_CELL_ARGS];
        assert_true(info.nargs <= MOST_CELL_ARGS);
        for (uint32_t k = 0; k <= MOST_CELL_ARGS; k++) {
            type t = k < info.nargs ? info.args[k] : info.result;
            vec_push(&x->vars, model_add_var(x->m, "c", t, (span){0}));
            if (k < info.nargs) args[k] = expr_var(x->m, vec_last(&x->vars));
        }
        vec_push(&x->is, expr_eq(x->m, expr_app(x->m, f, args), expr_var(x->m, vec_last(&x->vars))));
    }
}

static void close_it(fixed *x) {
    instance_free(x->in);
    vec_free(&x->is);
    vec_free(&x->vars);
    model_free(x->m);
    diag_free(x->messages);
}

// ---- steps

static void assume_state(fixed *x, bounded *b, bounded_when when, const value *state, lit_list *out) {
    for (uint32_t c = 0; c < x->in->ncells; c++) {
        value args[MODEL_MOST_ARGS + 1];
        uint32_t i = 0;
        func f = instance_cell_func(x->in, c, args);
        while (sys_of(x->m, x->system)->funcs.data[i].id != f.id) i++;
        uint32_t n = func_of(x->m, f)->nargs;
        var vars[MOST_CELL_ARGS + 1];
        for (uint32_t k = 0; k < n; k++) vars[k] = x->vars.data[i * (MOST_CELL_ARGS + 1) + k];
        vars[n] = x->vars.data[i * (MOST_CELL_ARGS + 1) + MOST_CELL_ARGS];
        args[n] = state[c];
        vec_push(out, bounded_literal(b, when, x->is.data[i], false, vars, args, n + 1));
    }
}

static bool has_step(fixed *x, bounded *b, const value *before, const value *after) {
    lit_list all = {0};
    assume_state(x, b, BOUNDED_BEFORE, before, &all);
    assume_state(x, b, BOUNDED_AFTER, after, &all);
    bool found = bounded_solve(b, BOUNDED_BEFORE, all.data, all.len) == SAT_YES;
    vec_free(&all);
    return found;
}

static bool can_fire(fixed *x, eval *ev, const value *before, const value *after) {
    value args[MODEL_MOST_ARGS], *next = mem_zero(x->in->ncells + 1, sizeof *next);
    bool found = false;
    for (uint32_t r = 0; r < sys_of(x->m, x->system)->rules.len && !found; r++) {
        rule of = sys_of(x->m, x->system)->rules.data[r];
        bool first = true;
        while (!found && eval_next_binding(x->in, of, args, &first))
            found = eval_enabled(ev, before, of, args) && eval_fire(ev, before, of, args, next) &&
                    !memcmp(next, after, x->in->ncells * sizeof *next);
    }
    free(next);
    return found;
}

static bool keep_first(const value *state, void *to) {
    fixed *x = ((void **)to)[0];
    value **kept = ((void **)to)[1];
    *kept = mem_zero(x->in->ncells + 1, sizeof **kept);
    memcpy(*kept, state, x->in->ncells * sizeof **kept);
    return false;
}

// A random step; false if there is none.
static bool walk_on(fixed *x, eval *ev, rng *random, const value *state, value *next) {
    value args[MODEL_MOST_ARGS];
    uint32_t met = 0;
    value *one = mem_zero(x->in->ncells + 1, sizeof *one);
    for (uint32_t r = 0; r < sys_of(x->m, x->system)->rules.len; r++) {
        rule of = sys_of(x->m, x->system)->rules.data[r];
        bool first = true;
        while (eval_next_binding(x->in, of, args, &first))
            if (eval_enabled(ev, state, of, args) && eval_fire(ev, state, of, args, one) && !rng_below(random, ++met))
                memcpy(next, one, x->in->ncells * sizeof *next);
    }
    free(one);
    return met > 0;
}

static void try_walk(fixed *x, bounded *b, rng *random) {
    value *state = NULL, *next = mem_zero(x->in->ncells + 1, sizeof *next);
    eval *ev = eval_new(x->in);
    eval_initial(x->in, keep_first, (void *[]){x, &state});
    assert_non_null(state);
    lit_list start = {0};
    assume_state(x, b, BOUNDED_START, state, &start);
    assert_int_equal(bounded_solve(b, BOUNDED_START, start.data, start.len), SAT_YES);
    for (uint32_t i = 0; i < STEPS && walk_on(x, ev, random, state, next); i++) {
        assert_true(has_step(x, b, state, next));
        x->cases++;
        uint32_t c = rng_below(random, x->in->ncells);  // one cell wrong: no step, unless the evaluator has one
        value args[MODEL_MOST_ARGS];
        type t = func_of(x->m, instance_cell_func(x->in, c, args))->result;
        next[c] = instance_type_first(x->in, t) + (value)rng_below(random, instance_type_size(x->in, t));
        assert_int_equal(has_step(x, b, state, next), can_fire(x, ev, state, next));
        if (walk_on(x, ev, random, state, next)) memcpy(state, next, x->in->ncells * sizeof *state);
    }
    vec_free(&start);
    free(state);
    free(next);
    eval_free(ev);
}

static uint32_t cases;

static void steps_are_those_of_the_evaluator(void **state) {
    (void)state;
    const char *files[] = {"lock_server", "semaphores", "shards", "votes", "requests", "two_phase_commit"};
    rng random = {7};
    for (uint32_t i = 0; i < sizeof files / sizeof *files; i++) {
        fixed x;
        str path = {0};
        str_printf(&path, "models/pyv/%s.pyv", files[i]);
        open_at(&x, str_get(&path), 2);
        name_cells(&x);
        bounded *b = bounded_new(x.in, &x.none);
        assert_non_null(b);
        for (uint32_t k = 0; k < WALKS; k++) try_walk(&x, b, &random);
        cases += x.cases;
        bounded_free(b);
        close_it(&x);
        str_free(&path);
    }
}

// ---- orbits

static bool literal_holds(small *s, const value *state, uint32_t literal) {
    const small_place *p = &s->places.data[literal / 2];
    const word *w = &s->d.words.data[p->word];
    for (uint32_t i = 0; i < w->nformals; i++) eval_bind(s->ev, w->formals[i], p->args[i]);
    return (eval_expr(s->ev, state, w->body) != 0) != (literal % 2 != 0);
}

// Is a member of the orbit met? Every renaming of the elements is tried.
static bool is_met(small *s, const small_cube *c, const value *state, uint8_t *to, uint32_t v, uint32_t taken) {
    if (v == s->nvars) {
        for (uint32_t i = 0; i < c->len; i++)
            if (!literal_holds(s, state, small_image(s, c->data[i], to))) return false;
        return true;
    }
    type t = s->type_of_var.data[v];
    for (uint32_t e = 0; e < instance_type_size(s->in, t); e++) {
        uint32_t at = s->offset[t.id] + e;
        to[v] = (uint8_t)at;
        if (!(taken >> at & 1) && is_met(s, c, state, to, v + 1, taken | UINT32_C(1) << at)) return true;
    }
    return false;
}

static void add_literal(small_cube *c, uint32_t literal) {
    for (uint32_t i = 0; i < c->len; i++)
        if (c->data[i] / 2 == literal / 2) return;
    vec_push(c, literal);
    for (uint32_t i = c->len - 1; i > 0 && c->data[i - 1] > c->data[i]; i--) {
        uint32_t swap = c->data[i];
        c->data[i] = c->data[i - 1];
        c->data[i - 1] = swap;
    }
}

// A few literals, each with its images when the elements of one sort, or the last ones of it, change places.
static void random_cube(small *s, rng *random, small_cube *c) {
    uint32_t n = 1 + rng_below(random, 3), fixed_ones = rng_below(random, 2);
    type t = s->sorts.data[rng_below(random, s->sorts.len)];
    uint32_t size = instance_type_size(s->in, t), from = s->offset[t.id] + fixed_ones;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t literal = rng_below(random, s->places.len * 2);
        for (uint32_t shift = 0; shift < size - fixed_ones; shift++) {
            uint8_t to[CUBE_MOST_VARS];
            for (uint32_t v = 0; v < s->nvars; v++) to[v] = (uint8_t)v;
            for (uint32_t e = 0; e < size - fixed_ones; e++)
                to[from + e] = (uint8_t)(from + (e + shift) % (size - fixed_ones));
            add_literal(c, small_image(s, literal, to));
        }
    }
}

static uint32_t mixed_met;

static void try_cube(small *s, rng *random) {
    small_cube c = {0};
    expr_list all = {0}, mixed = {0};
    uint8_t to[CUBE_MOST_VARS];
    value *state = mem_zero(s->in->ncells + 1, sizeof *state), args[MODEL_MOST_ARGS];
    random_cube(s, random, &c);
    orbit_formulas(s, &(small_lemma){.c = c}, &all, &mixed);
    mixed_met += mixed.len;
    for (uint32_t k = 0; k < 8; k++) {
        for (uint32_t i = 0; i < s->in->ncells; i++) {
            type t = func_of(s->x->m, instance_cell_func(s->in, i, args))->result;
            state[i] = instance_type_first(s->in, t) + (value)rng_below(random, instance_type_size(s->in, t));
        }
        bool met = is_met(s, &c, state, to, 0, 0);
        for (uint32_t i = 0; i < all.len; i++) assert_int_equal(eval_expr(s->ev, state, all.data[i]) != 0, !met);
        for (uint32_t i = 0; i < mixed.len; i++) assert_int_equal(eval_expr(s->ev, state, mixed.data[i]) != 0, !met);
        cases++;
    }
    vec_free(&c);
    vec_free(&all);
    vec_free(&mixed);
    free(state);
}

static void formulas_say_what_orbits_say(void **unused) {
    (void)unused;
    const char *files[] = {"models/pyv/votes.pyv", "models/pyv/lock_server.pyv", "models/pyv/shards.pyv"};
    rng random = {11};
    for (uint32_t i = 0; i < sizeof files / sizeof *files; i++) {
        fixed x;
        small s;
        open_at(&x, files[i], 3);
        infer_options o = {0};
        atom_pool *pool = atoms_new(x.m, x.system, (prop){1}, &(sort_order){.is_any = true});
        atoms_make(pool);
        prover p = {.m = x.m, .o = &o, .system = x.system, .pool = pool};
        assert_true(small_start(&s, &p, x.in, &(grow_options){.work = 1, .with_quantified = true}));
        for (uint32_t k = 0; k < CUBES; k++) try_cube(&s, &random);
        small_stop(&s);
        atoms_free(pool);
        close_it(&x);
    }
    assert_true(mixed_met > CUBES / 4);
}

// ---- cubes whose elements may be the same

static bool fact_holds(small *s, const uint8_t *at, const fact *f, const value *state) {
    const word *w = &s->d.words.data[f->word];
    for (uint32_t i = 0; i < w->nformals; i++) eval_bind(s->ev, w->formals[i], at[f->args[i]]);
    return (eval_expr(s->ev, state, w->body) != 0) != f->negated;
}

// Is some choice of elements for the variables met, pairs in `same` being free to be one element?
static bool is_loosely_met(small *s, const loose_cube *l, const value *state, uint8_t *at, uint32_t v) {
    uint32_t used = diagram_vars(&l->q, &l->all);
    if (v == l->q.vars.len) {
        for (uint32_t f = 0; f < l->q.facts.len; f++)
            if (!fact_holds(s, at, &l->q.facts.data[f], state)) return false;
        return true;
    }
    if (!(used >> v & 1)) return is_loosely_met(s, l, state, at, v + 1);
    type t = var_of(s->x->m, l->q.vars.data[v])->ty;
    for (uint32_t e = 0; e < instance_type_size(s->in, t); e++) {
        bool ok = true;
        for (uint32_t i = 0; i < v && ok; i++)
            ok = !(used >> i & 1) || at[i] != e || !type_same(var_of(s->x->m, l->q.vars.data[i])->ty, t) ||
                 bits_has(&l->same, i * CUBE_MOST_VARS + v);
        at[v] = (uint8_t)e;
        if (ok && is_loosely_met(s, l, state, at, v + 1)) return true;
    }
    return false;
}

static uint32_t loosely_met;

// A cube of few literals, some of whose variables may be the same and some of whose places have others.
static void random_loose(small *s, rng *random, loose_cube *l) {
    small_cube c = {0};
    *l = (loose_cube){0};
    for (uint32_t i = 0; i < 1 + rng_below(random, 3); i++) add_literal(&c, rng_below(random, s->places.len * 2));
    small_to_cube(s, &c, &l->q);
    for (uint32_t i = 0; i < c.len; i++) bits_add(&l->all, i);
    uint32_t f = rng_below(random, c.len), n = s->d.words.data[l->q.facts.data[f].word].nformals;
    if (n && rng_below(random, 2)) diagram_split(&s->d, &l->q, f, rng_below(random, n), l->q.vars.len);
    for (uint32_t i = 0; i < l->q.vars.len; i++)
        for (uint32_t k = i + 1; k < l->q.vars.len; k++)
            if (rng_below(random, 2)) bits_add(&l->same, i * CUBE_MOST_VARS + k);
    vec_free(&c);
}

static void try_loose(small *s, fixed *x, rng *random) {
    loose_cube l;
    uint8_t at[CUBE_MOST_VARS] = {0};
    int excluded, met;
    value *state = mem_zero(s->in->ncells + 1, sizeof *state), args[MODEL_MOST_ARGS];
    random_loose(s, random, &l);
    expr e = loose_formula(s, &l);
    assert_true(loose_state(s, &l, &excluded, &met));
    for (uint32_t k = 0; k < 4; k++) {
        lit_list all = {0};
        for (uint32_t i = 0; i < s->in->ncells; i++) {
            type t = func_of(s->x->m, instance_cell_func(s->in, i, args))->result;
            state[i] = instance_type_first(s->in, t) + (value)rng_below(random, instance_type_size(s->in, t));
        }
        bool expected = is_loosely_met(s, &l, state, at, 0);
        loosely_met += expected;
        assert_int_equal(eval_expr(s->ev, state, e) == 0, expected);
        assume_state(x, s->b, BOUNDED_BEFORE, state, &all);
        bool steps = bounded_solve(s->b, BOUNDED_BEFORE, all.data, all.len) == SAT_YES;
        vec_push(&all, excluded);
        bool is_left = bounded_solve(s->b, BOUNDED_BEFORE, all.data, all.len) == SAT_YES;
        assert_int_equal(is_left, steps && !expected);
        vec_free(&all);
        cases++;
    }
    loose_free(&l);
    free(state);
}

// States before a step that are initial, by the literal and by the initial states themselves.
static void try_initial(small *s, fixed *x, rng *random) {
    value *state = mem_zero(s->in->ncells + 1, sizeof *state), args[MODEL_MOST_ARGS];
    lit_list before = {0}, start = {0};
    bounded_solve(s->b, BOUNDED_START, NULL, 0);
    bounded_state(s->b, BOUNDED_START, state);
    for (uint32_t i = 0; i < s->in->ncells; i++) {
        type t = func_of(s->x->m, instance_cell_func(s->in, i, args))->result;
        if (!rng_below(random, 8))
            state[i] = instance_type_first(s->in, t) + (value)rng_below(random, instance_type_size(s->in, t));
    }
    assume_state(x, s->b, BOUNDED_BEFORE, state, &before);
    assume_state(x, s->b, BOUNDED_START, state, &start);
    bool is_start = bounded_solve(s->b, BOUNDED_START, start.data, start.len) == SAT_YES;
    bool steps = bounded_solve(s->b, BOUNDED_BEFORE, before.data, before.len) == SAT_YES;
    vec_push(&before, bounded_initial(s->b));
    bool said = bounded_solve(s->b, BOUNDED_BEFORE, before.data, before.len) == SAT_YES;
    assert_int_equal(said, is_start && steps);
    cases++;
    vec_free(&before);
    vec_free(&start);
    free(state);
}

static void loose_cubes_say_what_their_members_say(void **unused) {
    (void)unused;
    const char *files[] = {"models/pyv/votes.pyv", "models/pyv/lock_server.pyv", "models/pyv/shards.pyv"};
    rng random = {12};
    for (uint32_t i = 0; i < sizeof files / sizeof *files; i++) {
        fixed x;
        small s;
        open_at(&x, files[i], 2);
        name_cells(&x);
        infer_options o = {0};
        atom_pool *pool = atoms_new(x.m, x.system, (prop){1}, &(sort_order){.is_any = true});
        atoms_make(pool);
        prover p = {.m = x.m, .o = &o, .system = x.system, .pool = pool};
        assert_true(small_start(&s, &p, x.in, &(grow_options){.work = 1, .is_exact = true}));
        for (uint32_t k = 0; k < CUBES / 4; k++) try_loose(&s, &x, &random);
        for (uint32_t k = 0; k < CUBES / 4; k++) try_initial(&s, &x, &random);
        small_stop(&s);
        atoms_free(pool);
        close_it(&x);
    }
    assert_true(loosely_met > CUBES / 4);
}

static void count_cases(void **state) {
    (void)state;
    assert_true(cases > 1000);
    printf("# tally: fixed sizes against the evaluator | %u cases | 0 wrong\n", cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_the_evaluator),
        cmocka_unit_test(formulas_say_what_orbits_say),
        cmocka_unit_test(loose_cubes_say_what_their_members_say),
        cmocka_unit_test(count_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
