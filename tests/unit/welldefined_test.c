// SPDX-License-Identifier: Apache-2.0
// Where an expression is no error, and bodies without what is plain: both agree with the reference evaluator, for the
// guards, conditions and bodies of random models in random states.
#include "oracle/unit.h"

#include "base/bits.h"
#include "base/rng.h"
#include "front/murphi/murphi.h"
#include "model/eval.h"
#include "model/expr.h"
#include "model/walk.h"
#include "oracle/random_murphi.h"
#include "oracle/random_param.h"
#include "pass/simplify.h"
#include "model/welldefined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    diag *messages;
    model *m;
    sys system;
    instance *in;
    eval *ev;
    rng random;
    value *cells;
    uint64_t cases, faults;
} sample;

static void sample_open(sample *s, const char *text, uint64_t seed) {
    *s = (sample){.messages = diag_new()};
    s->m = model_new(s->messages);
    murphi_options o = {.copies_undefined = true};
    if (!murphi_read_text(s->m, "random.m", text, strlen(text), &o, &s->system)) fail_msg("%s", text);
    s->in = instance_new(s->m, s->system, NULL, 0);
    s->ev = eval_new(s->in);
    s->random.state = seed;
    s->cells = mem_zero(s->in->ncells + 1, sizeof *s->cells);
}

static void sample_close(sample *s) {
    eval_free(s->ev);
    instance_free(s->in);
    model_free(s->m);
    diag_free(s->messages);
    free(s->cells);
}

static value any_value(sample *s, type ty) {
    return instance_type_first(s->in, ty) + (value)rng_below(&s->random, instance_type_size(s->in, ty));
}

// Any state at all; locals have no value between steps.
static void choose_state(sample *s) {
    for (uint32_t c = 0; c < s->in->ncells; c++) {
        value args[MODEL_MOST_ARGS];
        const func_info *f = func_of(s->m, instance_cell_func(s->in, c, args));
        bool has_none = f->is_scratch || (f->may_be_undefined && rng_below(&s->random, 4) == 0);
        s->cells[c] = has_none ? VALUE_UNDEFINED : any_value(s, f->result);
    }
}

static void choose_params(sample *s, const rule_info *r) {
    for (uint32_t i = 0; i < r->nparams; i++)
        eval_bind(s->ev, r->params[i], any_value(s, var_of(s->m, r->params[i])->ty));
}

static void check_expr(sample *s, expr e) {
    if (!e.id) return;
    value is = eval_expr(s->ev, s->cells, e);
    bool has_value = eval_fault(s->ev).kind == FAULT_NONE;
    expr where = welldefined_where(s->m, e);
    assert_int_equal(eval_expr(s->ev, s->cells, where), has_value);
    assert_int_equal(eval_fault(s->ev).kind, FAULT_NONE);
    s->cases++;
    s->faults += !has_value;
    if (!type_same(expr_type(s->m, e), s->m->bool_type)) return;
    assert_int_equal(eval_expr(s->ev, s->cells, welldefined_holds(s->m, e)), has_value && is);
    assert_int_equal(eval_fault(s->ev).kind, FAULT_NONE);
}

// Expressions of a body that speak of the rule's parameters alone, as if they stood at its beginning.
static void check_body(sample *s, const rule_info *r) {
    walk w = walk_stmt(s->m, r->body, WALK_STMTS);
    while (walk_next(&w)) {
        expr all[] = {w.s->cond, w.s->value};
        for (uint32_t i = 0; i < 2; i++) {
            bool is_closed = true;
            for (uint32_t k = 0; all[i].id && k < expr_frees(s->m, all[i]).n; k++) {
                bool is_param = false;
                for (uint32_t p = 0; p < r->nparams; p++)
                    is_param |= expr_frees(s->m, all[i]).vars[k].id == r->params[p].id;
                is_closed &= is_param;
            }
            if (is_closed) check_expr(s, all[i]);
        }
    }
}

static void check_simplified(sample *s, const stmt *body) {
    size_t size = (s->in->ncells + 1) * sizeof *s->cells;
    value *plain = mem_alloc(size), *simple = mem_alloc(size);
    memcpy(plain, s->cells, size);
    memcpy(simple, s->cells, size);
    bool ok = eval_stmt(s->ev, plain, body), impossible = eval_is_impossible(s->ev);
    fault_kind kind = eval_fault(s->ev).kind;
    bool same = ok == eval_stmt(s->ev, simple, simplify_body(s->m, body));
    assert_true(same && impossible == eval_is_impossible(s->ev) && kind == eval_fault(s->ev).kind);
    if (ok) assert_memory_equal(plain, simple, s->in->ncells * sizeof *s->cells);
    s->cases++;
    free(plain);
    free(simple);
}

static void agrees_with_the_evaluator(void **state) {
    (void)state;
    uint64_t cases = 0, faults = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        str text = {0};
        bits none = {0};
        sample s;
        (seed % 2 ? random_param : random_murphi)(seed, &none, &text);
        sample_open(&s, str_get(&text), seed);
        for (uint32_t turn = 0; turn < 8; turn++) {
            choose_state(&s);
            for (uint32_t i = 0; i < sys_of(s.m, s.system)->rules.len; i++) {
                const rule_info r = *rule_of(s.m, sys_of(s.m, s.system)->rules.data[i]);
                choose_params(&s, &r);
                check_expr(&s, r.guard);
                if (r.body) check_body(&s, &r);
                if (r.body) check_simplified(&s, r.body);
            }
        }
        cases += s.cases;
        faults += s.faults;
        sample_close(&s);
        str_free(&text);
    }
    assert_true(faults > 100);
    printf("# tally: well-defined expressions and simplified bodies | %llu cases | 0 wrong\n",
           (unsigned long long)cases);
}

// x + x + … shared 2^200 times takes no longer than its 200 parts.
static void shared_parts_are_seen_once(void **state) {
    (void)state;
    diag *messages = diag_new();
    model *m = model_new(messages);
    sys s = model_add_system(m, "S", (span){0});
    func f = model_add_func(m, (func_info){.name = "f", .result = m->bool_type, .may_be_undefined = true, .owner = s});
    expr e = expr_app(m, f, NULL);
    for (uint32_t i = 0; i < 200; i++) e = expr_or(m, expr_eq(m, e, m->false_expr), expr_and(m, e, expr_not(m, e)));
    assert_true(welldefined_where(m, e).id != 0);
    model_free(m);
    diag_free(messages);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_evaluator),
                                       cmocka_unit_test(shared_parts_are_seen_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
