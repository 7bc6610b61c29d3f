// SPDX-License-Identifier: Apache-2.0
// Expressions: sharing, simplification, substitution that does not capture, composition errors.
#include "oracle/unit.h"

#include "model/compose.h"
#include "model/eval.h"
#include "model/expr.h"

typedef struct {
    diag *messages;
    model *m;
    type thread;
    sys s;
    func p, r;  // p(Thread), r(Thread, Thread): bool
    var x, y;
} bed;

static bed open_bed(void) {
    bed b = {.messages = diag_new()};
    b.m = model_new(b.messages);
    b.thread = model_add_type(b.m, (type_info){.kind = TYPE_SORT, .name = "Thread"});
    b.s = model_add_system(b.m, "S", (span){0});
    type two[] = {b.thread, b.thread};
    b.p =
        model_add_func(b.m, (func_info){.name = "p", .args = two, .nargs = 1, .result = b.m->bool_type, .owner = b.s});
    b.r =
        model_add_func(b.m, (func_info){.name = "r", .args = two, .nargs = 2, .result = b.m->bool_type, .owner = b.s});
    b.x = model_add_var(b.m, "x", b.thread, (span){0});
    b.y = model_add_var(b.m, "y", b.thread, (span){0});
    return b;
}

static void close_bed(bed *b) {
    model_free(b->m);
    diag_free(b->messages);
}

static expr r_of(bed *b, expr a, expr c) { return expr_app(b->m, b->r, (expr[]){a, c}); }

static void test_sharing(void **context) {
    (void)context;
    bed b = open_bed();
    expr x = expr_var(b.m, b.x), y = expr_var(b.m, b.y);
    assert_int_equal(r_of(&b, x, y).id, r_of(&b, x, y).id);
    assert_int_not_equal(r_of(&b, x, y).id, r_of(&b, y, x).id);
    expr e = expr_and(b.m, r_of(&b, x, y), expr_bool(b.m, true));
    assert_int_equal(e.id, r_of(&b, x, y).id);
    assert_true(expr_is_true(b.m, expr_eq(b.m, x, x)));
    assert_true(expr_is_false(b.m, expr_and(b.m, e, expr_bool(b.m, false))));
    assert_int_equal(expr_not(b.m, expr_not(b.m, e)).id, e.id);
    close_bed(&b);
}

// (exists y. r(x, y))[x := y] must not become exists y. r(y, y).
static void test_no_capture(void **context) {
    (void)context;
    bed b = open_bed();
    expr x = expr_var(b.m, b.x), y = expr_var(b.m, b.y);
    expr some = expr_exists(b.m, &b.y, 1, r_of(&b, x, y));
    expr moved = expr_subst(b.m, some, &b.x, &y, 1);
    assert_true(expr_has_var(b.m, moved, b.y));
    sort_size two = {b.thread, 2};
    instance *in = instance_new(b.m, b.s, &two, 1);
    eval *ev = eval_new(in);
    value state[6] = {0};  // r(1, 2) only
    state[instance_cell(in, b.r, (value[]){0, 1})] = 1;
    eval_bind(ev, b.y, 0);
    assert_int_equal(eval_expr(ev, state, moved), 1);
    eval_bind(ev, b.y, 1);
    assert_int_equal(eval_expr(ev, state, moved), 0);
    eval_free(ev);
    instance_free(in);
    close_bed(&b);
}

// A bound occurrence is not replaced, a free one beside it is.
static void test_shadowing(void **context) {
    (void)context;
    bed b = open_bed();
    expr x = expr_var(b.m, b.x), y = expr_var(b.m, b.y);
    expr inner = expr_exists(b.m, &b.x, 1, expr_app(b.m, b.p, &x));
    expr both = expr_and(b.m, expr_app(b.m, b.p, &x), inner);
    expr moved = expr_subst(b.m, both, &b.x, &y, 1);
    assert_int_equal(expr_arg(b.m, moved, 0).id, expr_app(b.m, b.p, &y).id);
    assert_int_equal(expr_arg(b.m, moved, 1).id, inner.id);
    close_bed(&b);
}

static void test_arithmetic_bounds(void **context) {
    (void)context;
    bed b = open_bed();
    type small = model_range(b.m, 0, 3, (span){0});
    var n = model_add_var(b.m, "n", small, (span){0});
    expr e = expr_var(b.m, n);
    expr one = expr_const(b.m, model_range(b.m, 1, 1, (span){0}), 1);
    int64_t lo, hi;
    expr_bounds(b.m, expr_arith(b.m, E_ADD, e, one), &lo, &hi);
    assert_int_equal(lo, 1);
    assert_int_equal(hi, 4);
    expr_bounds(b.m, expr_arith(b.m, E_SUB, one, e), &lo, &hi);
    assert_int_equal(lo, -2);
    assert_int_equal(hi, 1);
    assert_true(expr_can_fault(b.m, expr_arith(b.m, E_DIV, one, e)));
    assert_false(expr_can_fault(b.m, expr_arith(b.m, E_DIV, e, one)));
    close_bed(&b);
}

static rule add_action(bed *b, sys s, const char *name, const var *params, uint32_t n) {
    rule r = model_add_rule(b->m, (rule_info){.name = name, .params = params, .nparams = n, .is_visible = true});
    vec_push(&sys_of(b->m, s)->rules, r);
    return r;
}

static void test_refinement_errors(void **context) {
    (void)context;
    bed b = open_bed();
    sys spec = model_add_system(b.m, "Spec", (span){0});
    add_action(&b, b.s, "go", &b.x, 1);
    prop p = model_add_prop(b.m, (prop_info){.kind = PROP_REFINES, .name = "p", .system = b.s, .spec = spec});
    assert_int_equal(compose_for(b.m, p).id, 0);  // the specification has no action 'go'
    assert_true(diag_failed(b.messages));
    close_bed(&b);
}

static void test_refinement_product(void **context) {
    (void)context;
    bed b = open_bed();
    sys spec = model_add_system(b.m, "Spec", (span){0});
    func q = model_add_func(
        b.m, (func_info){.name = "q", .args = &b.thread, .nargs = 1, .result = b.m->bool_type, .owner = spec});
    add_action(&b, b.s, "go", &b.x, 1);
    expr y = expr_var(b.m, b.y);
    rule r = add_action(&b, spec, "go", &b.y, 1);
    b.m->rules.data[r.id].guard = expr_app(b.m, q, &y);
    prop p = model_add_prop(b.m, (prop_info){.kind = PROP_REFINES, .name = "p", .system = b.s, .spec = spec});
    sys product = compose_for(b.m, p);
    assert_int_not_equal(product.id, 0);
    assert_int_equal(compose_for(b.m, p).id, product.id);  // built once
    const rule_info *step = rule_of(b.m, sys_of(b.m, product)->rules.data[0]);
    expr x = expr_var(b.m, b.x);
    assert_int_equal(step->nrequires, 1);
    assert_int_equal(step->requires[0].cond.id, expr_app(b.m, q, &x).id);
    assert_int_equal(step->guard.id, 0);  // the specification does not hold the system back
    close_bed(&b);
}

// forall x { r(x, _) := true; r(_, x) := false }: the later line of the text counts in every cell, whatever the
// order in which elements are taken.
static void test_text_order(void **context) {
    (void)context;
    bed b = open_bed();
    expr x = expr_var(b.m, b.x), y = expr_var(b.m, b.y);
    expr p_of_x = expr_app(b.m, b.p, &x);
    const stmt *row = model_assign(b.m, b.r, (expr[]){x, y}, 2, b.m->true_expr, (span){0});
    const stmt *column = model_assign(b.m, b.r, (expr[]){y, x}, 2, b.m->false_expr, (span){0});
    const stmt *loops[] = {model_forall(b.m, &b.y, 1, (expr){0}, &row, 1, (span){0}),
                           model_forall(b.m, &b.y, 1, (expr){0}, &column, 1, (span){0})};
    const stmt *both = model_forall(b.m, &b.x, 1, p_of_x, loops, 2, (span){0});
    const stmt *body = model_block(b.m, S_PAR, &both, 1, (span){0});
    rule r = model_add_rule(b.m, (rule_info){.name = "step", .body = body});
    sort_size three = {b.thread, 3};
    instance *in = instance_new(b.m, b.s, &three, 1);
    eval *ev = eval_new(in);
    value state[12] = {0}, next[12];
    for (value p1 = 0; p1 < 8; p1++) {
        for (value i = 0; i < 3; i++) state[instance_cell(in, b.p, &i)] = p1 >> i & 1;
        assert_true(eval_fire(ev, state, r, NULL, next));
        for (value i = 0; i < 3; i++)
            for (value k = 0; k < 3; k++)
                assert_int_equal(next[instance_cell(in, b.r, (value[]){i, k})], (p1 >> i & 1) && !(p1 >> k & 1));
    }
    eval_free(ev);
    instance_free(in);
    close_bed(&b);
}

// An engine asks about a range that the model did not have when the instance was made.
static void test_later_range(void **context) {
    (void)context;
    bed b = open_bed();
    sort_size three = {b.thread, 3};
    instance *in = instance_new(b.m, b.s, &three, 1);
    type later = model_range(b.m, -2, 4, (span){0});
    assert_int_equal(instance_type_size(in, later), 7);
    assert_int_equal(instance_type_first(in, later), -2);
    var k = model_add_var(b.m, "k", later, (span){0});
    expr below = expr_arith(b.m, E_LT, expr_var(b.m, k), expr_const(b.m, later, 1));
    eval *ev = eval_new(in);
    value state[12] = {0};
    assert_int_equal(eval_expr(ev, state, expr_quantify(b.m, E_COUNT, k, below)), 3);
    eval_free(ev);
    instance_free(in);
    close_bed(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sharing),           cmocka_unit_test(test_no_capture),
        cmocka_unit_test(test_shadowing),         cmocka_unit_test(test_arithmetic_bounds),
        cmocka_unit_test(test_refinement_errors), cmocka_unit_test(test_refinement_product),
        cmocka_unit_test(test_text_order),        cmocka_unit_test(test_later_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
