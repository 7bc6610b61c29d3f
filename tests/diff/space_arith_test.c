// SPDX-License-Identifier: Apache-2.0
// Every operation on numbers, as machine code and as bytecode, against the reference evaluator: for all pairs of
// small ranges and all values in them. Folding by bounds is where a compiler of expressions goes wrong, so bounds of
// every kind are tried.
#include "oracle/unit.h"

#include "model/eval.h"
#include "model/expr.h"
#include "space/space.h"

enum { LEAST = -3, MOST = 3, WIDE = 100, MOST_LABELS = 256 };

static const span nowhere;

typedef struct {
    diag *messages;
    model *m;
    sys system;
    func a, b, out, truth;
} calculator;

static func add_number(calculator *c, const char *name, int32_t lo, int32_t hi) {
    func_info info = {.name = name, .result = model_range(c->m, lo, hi, nowhere), .initial = lo, .owner = c->system};
    return model_add_func(c->m, info);
}

static void add_rule(calculator *c, const char *name, expr guard, expr result) {
    rule_info info = {.name = name, .guard = guard, .body = model_assign(c->m, c->out, NULL, 0, result, nowhere)};
    rule r = model_add_rule(c->m, info);
    vec_push(&sys_of(c->m, c->system)->rules, r);
}

// A rule an operation: its result is stored, or its truth is the guard; the result is compared as well.
static void add_rules(calculator *c) {
    static const expr_kind kinds[] = {E_ADD,    E_SUB,   E_MUL,    E_DIV,    E_MOD, E_NEG,
                                      E_BITAND, E_BITOR, E_BITXOR, E_BITNOT, E_SHL, E_SHR};
    expr a = expr_app(c->m, c->a, NULL), b = expr_app(c->m, c->b, NULL);
    expr one = expr_const(c->m, model_range(c->m, 1, 1, nowhere), 1);
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        expr result = expr_arith(c->m, kinds[i], a, b);
        add_rule(c, "store", (expr){0}, result);
        add_rule(c, "same", expr_eq(c->m, result, b), one);
        for (int32_t n = -2; n <= 2; n++) {
            expr bound = expr_const(c->m, model_range(c->m, n, n, nowhere), n);
            add_rule(c, "less", expr_arith(c->m, E_LT, result, bound), one);
            add_rule(c, "not less", expr_arith(c->m, E_LE, bound, result), one);
            add_rule(c, "equal", expr_eq(c->m, result, bound), one);
        }
    }
    add_rule(c, "less", expr_arith(c->m, E_LT, a, b), one);
    add_rule(c, "not more", expr_arith(c->m, E_LE, a, b), one);
    add_rule(c, "equal", expr_eq(c->m, a, b), expr_ite(c->m, expr_arith(c->m, E_LT, a, one), a, b));
}

// Comparisons whose truth is stored, or decides between two numbers.
static void add_comparisons(calculator *c) {
    expr a = expr_app(c->m, c->a, NULL), b = expr_app(c->m, c->b, NULL);
    expr all[] = {expr_arith(c->m, E_LT, a, b), expr_arith(c->m, E_LE, a, b), expr_eq(c->m, a, b),
                  expr_not(c->m, expr_eq(c->m, a, b))};
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++) {
        rule_info info = {.name = "truth", .body = model_assign(c->m, c->truth, NULL, 0, all[i], nowhere)};
        rule r = model_add_rule(c->m, info);
        vec_push(&sys_of(c->m, c->system)->rules, r);
        add_rule(c, "choice", (expr){0}, expr_ite(c->m, all[i], a, b));
    }
}

static calculator calculator_new(int32_t alo, int32_t ahi, int32_t blo, int32_t bhi) {
    calculator c = {.messages = diag_new()};
    c.m = model_new(c.messages);
    c.system = model_add_system(c.m, "C", nowhere);
    c.a = add_number(&c, "a", alo, ahi);
    c.b = add_number(&c, "b", blo, bhi);
    c.out = add_number(&c, "out", -WIDE, WIDE);
    func_info truth = {.name = "truth", .result = c.m->bool_type, .owner = c.system};
    c.truth = model_add_func(c.m, truth);
    add_rules(&c);
    add_comparisons(&c);
    return c;
}

static void compare_state(const calculator *c, space *s, space_run *run, eval *ev, const value *cells) {
    uint64_t packed, next[MOST_LABELS];
    uint32_t labels[MOST_LABELS], k = 0;
    space_pack(s, cells, &packed);
    uint32_t n = space_next(run, &packed, next, labels);
    for (uint32_t i = 0; i < space_labels(s); i++) {
        value after[4], told[4];
        rule r = sys_of(c->m, c->system)->rules.data[i];
        bool enabled = eval_enabled(ev, cells, r, NULL), trouble = eval_fault(ev).kind;
        if (enabled) trouble = !eval_fire(ev, cells, r, NULL, after);
        if (!enabled && !trouble) continue;
        assert_true(k < n);
        assert_int_equal(labels[k], i | (trouble ? SPACE_TROUBLE : 0));
        if (!trouble) {
            space_unpack(s, &next[k], told);
            assert_memory_equal(told, after, sizeof after);
        }
        k++;
    }
    assert_int_equal(k, n);
}

static void compare_with(int32_t alo, int32_t ahi, int32_t blo, int32_t bhi, bool calls_bodies) {
    calculator c = calculator_new(alo, ahi, blo, bhi);
    instance *in = instance_new(c.m, c.system, NULL, 0);
    space_options options = {.calls_bodies = calls_bodies};
    space *s = space_new(in, &options);
    assert_true(!calls_bodies || space_called(s));
    assert_true(space_labels(s) <= MOST_LABELS && space_words(s) == 1);
    space_run *run = space_run_new(s);
    eval *ev = eval_new(in);
    for (value a = alo; a <= ahi; a++)
        for (value b = blo; b <= bhi; b++) compare_state(&c, s, run, ev, (value[]){a, b, 0, 0});
    space_interpret(s);
    for (value a = alo; a <= ahi; a++)
        for (value b = blo; b <= bhi; b++) compare_state(&c, s, run, ev, (value[]){a, b, 0, 0});
    eval_free(ev);
    space_run_free(run);
    space_free(s);
    instance_free(in);
    model_free(c.m);
    diag_free(c.messages);
}

static void compare_ranges(int32_t alo, int32_t ahi, int32_t blo, int32_t bhi) {
    compare_with(alo, ahi, blo, bhi, false);
    compare_with(alo, ahi, blo, bhi, true);
}

static void operations_agree_on_all_small_ranges(void **state) {
    (void)state;
    for (int32_t alo = LEAST; alo <= MOST; alo++)
        for (int32_t ahi = alo; ahi <= MOST; ahi++)
            for (int32_t blo = LEAST; blo <= MOST; blo++)
                for (int32_t bhi = blo; bhi <= MOST; bhi++) compare_ranges(alo, ahi, blo, bhi);
}

// Shifts by more than a number is wide, and what leaves at the top.
static void wide_shifts_agree(void **state) {
    (void)state;
    static const int32_t amounts[] = {-70, -33, -32, -31, -5, 0, 5, 6, 31, 32, 33, 70};
    for (uint32_t i = 0; i < 12; i++)
        for (uint32_t k = i; k < 12; k += 3) compare_ranges(-2, 2, amounts[i], amounts[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations_agree_on_all_small_ranges),
                                       cmocka_unit_test(wide_shifts_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
