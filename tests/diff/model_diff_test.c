// SPDX-License-Identifier: Apache-2.0
// The model's rewritings against the reference evaluator, on random models and states: symbolic updates, their
// application to formulas, negation normal form, inlining of definitions, products.
#include "oracle/unit.h"

#include "model/compose.h"
#include "model/eval.h"
#include "model/expr.h"
#include "model/update.h"
#include "oracle/random_model.h"

enum { MODELS = 1500, STATES = 4, MOST_PARAMS = 16 };

typedef struct {
    random_model r;
    instance *in;
    eval *ev;
    value *state, *next;
} bed;

static bool bed_open(bed *b, uint64_t seed, unsigned features) {
    b->r = random_model_new(seed, 1 + (uint32_t)(seed % 6), features);
    b->in = random_model_instance(&b->r, 3);
    if (!b->in) {
        random_model_free(&b->r);
        return false;
    }
    b->ev = eval_new(b->in);
    b->state = mem_zero(b->in->ncells, sizeof(value));
    b->next = mem_zero(b->in->ncells, sizeof(value));
    return true;
}

static void bed_close(bed *b) {
    free(b->state);
    free(b->next);
    eval_free(b->ev);
    instance_free(b->in);
    random_model_free(&b->r);
}

// The value that the updates give to a cell, by the evaluator, in the state before.
static value updated_cell(bed *b, const update_list *updates, uint32_t cell) {
    value args[MOST_PARAMS];
    func f = instance_cell_func(b->in, cell, args);
    for (uint32_t i = 0; i < updates->len; i++) {
        const update *u = &updates->data[i];
        if (u->target.id != f.id) continue;
        for (uint32_t k = 0; k < func_of(b->r.m, f)->nargs; k++) eval_bind(b->ev, u->formals[k], args[k]);
        return eval_expr(b->ev, b->state, u->value);
    }
    return b->state[cell];
}

static void bind_params(bed *b, rule r, const value *args) {
    const rule_info *info = rule_of(b->r.m, r);
    for (uint32_t i = 0; i < info->nparams; i++) eval_bind(b->ev, info->params[i], args[i]);
}

// Formulas after the step, read in the state before it.
static void check_formulas(bed *b, const update_list *updates) {
    const sys_info *s = sys_of(b->r.m, b->r.system);
    for (uint32_t i = 0; i < s->invariants.len; i++) {
        expr e = prop_of(b->r.m, sys_of(b->r.m, b->r.system)->invariants.data[i])->cond;
        expr before = update_apply(b->r.m, updates, e);
        assert_int_equal(eval_expr(b->ev, b->next, e), eval_expr(b->ev, b->state, before));
    }
}

static unsigned check_rule(bed *b, rule r) {
    value args[MOST_PARAMS];
    update_list updates = {0};
    unsigned steps = 0;
    bool known = update_of(b->r.m, rule_of(b->r.m, r)->body, &updates);
    for (bool first = true; known && eval_next_binding(b->in, r, args, &first);) {
        if (!eval_fire(b->ev, b->state, r, args, b->next)) continue;
        for (uint32_t c = 0; c < b->in->ncells; c++) {
            bind_params(b, r, args);
            assert_int_equal(b->next[c], updated_cell(b, &updates, c));
        }
        bind_params(b, r, args);
        check_formulas(b, &updates);
        steps++;
    }
    vec_free(&updates);
    return steps;
}

static void updates_agree(unsigned features, unsigned at_least) {
    unsigned steps = 0;
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        bed b;
        if (!bed_open(&b, seed, features)) continue;
        for (int i = 0; i < STATES; i++) {
            random_model_state(b.in, &b.r.random, b.state);
            for (uint32_t k = 0; k < sys_of(b.r.m, b.r.system)->rules.len; k++)
                steps += check_rule(&b, sys_of(b.r.m, b.r.system)->rules.data[k]);
        }
        bed_close(&b);
    }
    assert_true(steps > at_least);
}

static void test_parallel_updates(void **context) {
    (void)context;
    updates_agree(RANDOM_ORDERED, 10000);
}

static void test_sequential_updates(void **context) {
    (void)context;
    updates_agree(RANDOM_SEQUENCES, 5000);
}

// A formula, its normal form and its inlined form agree where none of them faults.
static void check_forms(bed *b, expr e) {
    expr plain = expr_inline(b->r.m, e), positive = expr_nnf(b->r.m, e, false), negative = expr_nnf(b->r.m, e, true);
    value v = eval_expr(b->ev, b->state, e);
    assert_int_equal(v, eval_expr(b->ev, b->state, plain));
    assert_int_equal(v, eval_expr(b->ev, b->state, positive));
    assert_int_equal(!v, eval_expr(b->ev, b->state, negative));
}

static void test_normal_forms(void **context) {
    (void)context;
    unsigned formulas = 0;
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        bed b;
        if (!bed_open(&b, seed, RANDOM_ORDERED)) continue;
        for (int i = 0; i < STATES; i++) {
            random_model_state(b.in, &b.r.random, b.state);
            for (uint32_t k = 0; k < sys_of(b.r.m, b.r.system)->invariants.len; k++, formulas++)
                check_forms(&b, prop_of(b.r.m, sys_of(b.r.m, b.r.system)->invariants.data[k])->cond);
        }
        bed_close(&b);
    }
    assert_true(formulas > 3000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parallel_updates),
        cmocka_unit_test(test_sequential_updates),
        cmocka_unit_test(test_normal_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
