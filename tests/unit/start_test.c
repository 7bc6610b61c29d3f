// SPDX-License-Identifier: Apache-2.0
// Initial states of axiomatised constants, counted: total orders on n elements are n!, cyclic orders (n-1)!.
#include "oracle/unit.h"

#include "model/eval.h"
#include "model/expr.h"

typedef struct {
    diag *messages;
    model *m;
    type node;
    sys s;
    func f;
    expr x[4];  // variables w, x, y, z
    var v[4];
} bed;

static bed open_bed(uint32_t arity) {
    bed b = {.messages = diag_new()};
    b.m = model_new(b.messages);
    b.node = model_add_type(b.m, (type_info){.kind = TYPE_SORT, .name = "Node"});
    b.s = model_add_system(b.m, "S", (span){0});
    type args[] = {b.node, b.node, b.node};
    b.f = model_add_func(b.m, (func_info){.name = "f",
                                          .args = args,
                                          .nargs = arity,
                                          .result = b.m->bool_type,
                                          .is_rigid = true,
                                          .starts_any = true,
                                          .owner = b.s});
    for (int i = 0; i < 4; i++) {
        b.v[i] = model_add_var(b.m, "x", b.node, (span){0});
        b.x[i] = expr_var(b.m, b.v[i]);
    }
    return b;
}

static void close_bed(bed *b) {
    model_free(b->m);
    diag_free(b->messages);
}

static void axiom(bed *b, expr e) {
    vec_push(&sys_of(b->m, b->s)->axioms, (named_expr){"", expr_forall(b->m, b->v, 4, e), {0}});
}

static bool count(const value *state, void *context) {
    (void)state;
    ++*(unsigned *)context;
    return true;
}

static unsigned starts(bed *b, uint32_t size) {
    sort_size sizes = {b->node, size};
    instance *in = instance_new(b->m, b->s, &sizes, 1);
    unsigned n = 0;
    assert_true(eval_initial(in, count, &n));
    instance_free(in);
    return n;
}

static expr le(bed *b, int i, int k) { return expr_app(b->m, b->f, (expr[]){b->x[i], b->x[k]}); }

static void test_total_orders(void **context) {
    (void)context;
    bed b = open_bed(2);
    axiom(&b, le(&b, 0, 0));
    axiom(&b, expr_implies(b.m, expr_and(b.m, le(&b, 0, 1), le(&b, 1, 2)), le(&b, 0, 2)));
    axiom(&b, expr_implies(b.m, expr_and(b.m, le(&b, 0, 1), le(&b, 1, 0)), expr_eq(b.m, b.x[0], b.x[1])));
    axiom(&b, expr_or(b.m, le(&b, 0, 1), le(&b, 1, 0)));
    unsigned factorial = 1;
    for (uint32_t n = 1; n <= 5; n++) {
        factorial *= n;
        assert_int_equal(starts(&b, n), factorial);
    }
    close_bed(&b);
}

static expr btw(bed *b, int i, int j, int k) { return expr_app(b->m, b->f, (expr[]){b->x[i], b->x[j], b->x[k]}); }

static expr differ(bed *b, int i, int k) { return expr_not(b->m, expr_eq(b->m, b->x[i], b->x[k])); }

static void test_cyclic_orders(void **context) {
    (void)context;
    bed b = open_bed(3);
    axiom(&b, expr_implies(b.m, expr_and(b.m, btw(&b, 0, 1, 2), btw(&b, 0, 2, 3)), btw(&b, 0, 1, 3)));
    axiom(&b, expr_implies(b.m, btw(&b, 0, 1, 2), expr_not(b.m, btw(&b, 0, 2, 1))));
    expr distinct = expr_and_all(b.m, (expr[]){differ(&b, 0, 1), differ(&b, 0, 2), differ(&b, 1, 2)}, 3);
    axiom(&b, expr_implies(b.m, distinct, expr_or(b.m, btw(&b, 0, 1, 2), btw(&b, 0, 2, 1))));
    axiom(&b, expr_implies(b.m, btw(&b, 0, 1, 2), btw(&b, 1, 2, 0)));
    unsigned factorial = 1;  // (n-1)!
    for (uint32_t n = 2; n <= 4; n++) {
        factorial *= n - 1;
        assert_int_equal(starts(&b, n), factorial);
    }
    close_bed(&b);
}

static bool stop_at_once(const value *state, void *context) {
    count(state, context);
    return false;
}

static void test_stopping(void **context) {
    (void)context;
    bed b = open_bed(2);
    sort_size sizes = {b.node, 3};
    instance *in = instance_new(b.m, b.s, &sizes, 1);
    unsigned n = 0;
    assert_true(eval_initial(in, stop_at_once, &n));
    assert_int_equal(n, 1);
    instance_free(in);
    close_bed(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_total_orders),
        cmocka_unit_test(test_cyclic_orders),
        cmocka_unit_test(test_stopping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
