// SPDX-License-Identifier: Apache-2.0
// Values of heavy expressions are remembered (model/eval.c): an evaluator that takes every expression for heavy, and
// one that takes none, agree on random models and states, faults included; an expression that is part of another 2^100
// times is evaluated at once.
#include "oracle/random_model.h"
#include "oracle/unit.h"

#include "model/eval.h"
#include "model/expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 1200, LONG_MODELS = 60000, STATES = 6, MOST_SIZE = 10, CHAIN = 100 };

// ---- random models

typedef struct {
    random_model r;
    instance *in;
    eval *plain, *heavy;
    value *cells, *next[2];
    uint32_t compared, differ;
} subject;

static void compare_outcome(subject *x, value a, value b) {
    fault f = eval_fault(x->plain), g = eval_fault(x->heavy);
    bool same = a == b && f.kind == g.kind && f.at.begin == g.at.begin &&
                eval_is_impossible(x->plain) == eval_is_impossible(x->heavy);
    x->compared++;
    x->differ += !same;
}

static void compare_condition(subject *x, expr e) {
    value a = eval_expr(x->plain, x->cells, e), b = eval_expr(x->heavy, x->cells, e);
    compare_outcome(x, a, b);
}

static void compare_step(subject *x, rule r, const value *args) {
    bool enabled = eval_enabled(x->plain, x->cells, r, args);
    compare_outcome(x, enabled, eval_enabled(x->heavy, x->cells, r, args));
    bool a = eval_fire(x->plain, x->cells, r, args, x->next[0]), b = eval_fire(x->heavy, x->cells, r, args, x->next[1]);
    compare_outcome(x, a, b);
    if (a && b) x->differ += memcmp(x->next[0], x->next[1], x->in->ncells * sizeof *x->cells) != 0;
}

static void compare_state(subject *x) {
    const sys_info *s = sys_of(x->r.m, x->r.system);
    for (uint32_t i = 0; i < s->invariants.len; i++) compare_condition(x, prop_of(x->r.m, s->invariants.data[i])->cond);
    for (uint32_t i = 0; i < s->assumes.len; i++) compare_condition(x, s->assumes.data[i].cond);
    for (uint32_t i = 0; i < s->rules.len; i++) {
        value *args = mem_zero(rule_of(x->r.m, s->rules.data[i])->nparams + 1, sizeof *args);
        bool first = true;
        while (eval_next_binding(x->in, s->rules.data[i], args, &first)) compare_step(x, s->rules.data[i], args);
        free(args);
    }
}

static void compare_model(uint64_t seed, uint32_t *compared, uint32_t *differ) {
    unsigned features = RANDOM_ALL | RANDOM_SHADOWS | (seed % 2 ? RANDOM_IMPERATIVE : 0);
    subject x = {.r = random_model_new(seed, 1 + (uint32_t)(seed % MOST_SIZE), features)};
    rng random = {seed};
    x.in = random_model_instance(&x.r, 3);
    x.plain = eval_new(x.in);
    x.heavy = eval_new(x.in);
    eval_set_light(x.plain, UINT32_MAX);
    eval_set_light(x.heavy, seed % 3);
    x.cells = mem_zero(x.in->ncells + 1, sizeof *x.cells);
    for (int i = 0; i < 2; i++) x.next[i] = mem_zero(x.in->ncells + 1, sizeof *x.cells);
    for (uint32_t i = 0; i < STATES; i++) {
        random_model_state(x.in, &random, x.cells);
        compare_state(&x);
    }
    if (x.differ) printf("# seed %llu: %u differ\n", (unsigned long long)seed, x.differ);
    *compared += x.compared;
    *differ += x.differ;
    eval_free(x.plain);
    eval_free(x.heavy);
    free(x.cells);
    for (int i = 0; i < 2; i++) free(x.next[i]);
    instance_free(x.in);
    random_model_free(&x.r);
}

static void test_random(void **context) {
    uint32_t compared = 0, differ = 0, models = getenv("PARVIS_LONG") ? LONG_MODELS : MODELS;
    (void)context;
    for (uint64_t seed = 1; seed <= models; seed++) compare_model(seed, &compared, &differ);
    printf("# tally: values remembered against evaluated again | %u cases | %u wrong\n", compared, differ);
    assert_int_equal(differ, 0);
    assert_true(compared > models * 20);
}

// ---- chains

typedef struct {
    diag *messages;
    model *m;
    sys s;
    type thread;
    func n, p;
    instance *in;
    value *cells;
} bed;

static bed open_bed(void) {
    bed b = {.messages = diag_new()};
    b.m = model_new(b.messages);
    b.s = model_add_system(b.m, "s", (span){0});
    b.thread = model_add_type(b.m, (type_info){.kind = TYPE_SORT, .name = "Thread"});
    b.n = model_add_func(b.m, (func_info){.name = "n", .owner = b.s, .result = model_range(b.m, 0, 3, (span){0})});
    b.p = model_add_func(
        b.m, (func_info){.name = "p", .owner = b.s, .args = &b.thread, .nargs = 1, .result = b.m->bool_type});
    return b;
}

static eval *start(bed *b) {
    sort_size three = {b->thread, 3};
    b->in = instance_new(b->m, b->s, &three, 1);
    b->cells = mem_zero(b->in->ncells + 1, sizeof *b->cells);
    return eval_new(b->in);
}

static void close_bed(bed *b, eval *ev) {
    eval_free(ev);
    instance_free(b->in);
    free(b->cells);
    model_free(b->m);
    diag_free(b->messages);
}

// e := (e = k ? (e + 1) mod 3 : e): each line has the one before it three times.
static void test_shared_lines(void **context) {
    bed b = open_bed();
    (void)context;
    expr e = expr_app(b.m, b.n, NULL);
    for (int32_t i = 0; i < CHAIN; i++) {
        type ty = model_range(b.m, 0, 3, (span){0});
        expr next = expr_arith(b.m, E_MOD, expr_arith(b.m, E_ADD, e, expr_const(b.m, ty, 1)), expr_const(b.m, ty, 3));
        e = expr_ite(b.m, expr_eq(b.m, e, expr_const(b.m, ty, i % 3)), next, e);
    }
    eval *ev = start(&b);
    for (value v = 0; v < 4; v++) {
        value expected = v;
        for (int32_t i = 0; i < CHAIN; i++)
            if (expected == i % 3) expected = (expected + 1) % 3;
        b.cells[instance_cell(b.in, b.n, NULL)] = v;
        assert_int_equal(eval_expr(ev, b.cells, e), expected);
    }
    close_bed(&b, ev);
}

// def f(i, t) = exists u. p(u) & f(i-1, u) & f(i-1, t): 3^100 bindings and 2^100 calls.
static void test_shared_definitions(void **context) {
    bed b = open_bed();
    def f = {0};
    (void)context;
    for (uint32_t i = 0; i < CHAIN; i++) {
        var t = model_add_var(b.m, "t", b.thread, (span){0}), u = model_add_var(b.m, "u", b.thread, (span){0});
        expr at = expr_var(b.m, t), au = expr_var(b.m, u), pt = expr_app(b.m, b.p, &at), pu = expr_app(b.m, b.p, &au);
        expr both = i ? expr_and(b.m, expr_call(b.m, f, &au), expr_call(b.m, f, &at)) : pt;
        expr body = expr_exists(b.m, &u, 1, expr_and(b.m, pu, both));
        f = model_add_def(b.m, (def_info){.name = "f", .owner = b.s, .params = &t, .nparams = 1, .body = body});
    }
    var x = model_add_var(b.m, "x", b.thread, (span){0});
    expr ax = expr_var(b.m, x), e = expr_exists(b.m, &x, 1, expr_call(b.m, f, &ax));
    eval *ev = start(&b);
    assert_int_equal(eval_expr(ev, b.cells, e), 0);
    b.cells[instance_cell(b.in, b.p, (value[]){1})] = 1;
    assert_int_equal(eval_expr(ev, b.cells, e), 1);
    // The same without definitions: variables get the same values again and again below nested quantifiers.
    assert_int_equal(eval_expr(ev, b.cells, expr_inline(b.m, e)), 1);
    b.cells[instance_cell(b.in, b.p, (value[]){1})] = 0;
    assert_int_equal(eval_expr(ev, b.cells, expr_inline(b.m, e)), 0);
    close_bed(&b, ev);
}

// Nobody asks a second time for what faults, either.
static void test_shared_fault(void **context) {
    bed b = open_bed();
    (void)context;
    type ty = model_range(b.m, 0, 3, (span){0});
    expr n = expr_app(b.m, b.n, NULL), e = expr_arith(b.m, E_MOD, expr_const(b.m, ty, 3), n);
    for (int32_t i = 0; i < CHAIN; i++)
        e = expr_arith(b.m, E_MOD, expr_arith(b.m, E_ADD, e, e), expr_const(b.m, ty, 3));
    eval *ev = start(&b);
    eval_expr(ev, b.cells, e);
    assert_int_equal(eval_fault(ev).kind, FAULT_DIVISION);
    b.cells[instance_cell(b.in, b.n, NULL)] = 2;
    assert_int_equal(eval_expr(ev, b.cells, e), CHAIN % 2 ? 2 : 1);
    assert_int_equal(eval_fault(ev).kind, FAULT_NONE);
    close_bed(&b, ev);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared_lines), cmocka_unit_test(test_shared_definitions),
                                       cmocka_unit_test(test_shared_fault), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
