// SPDX-License-Identifier: Apache-2.0
// Transitions of `.pyv` as rules against the two-state formulas they were written as.
//
// Each formula stands in a file twice: as a transition, and, with its frame, as a two-state theorem, which the front
// end keeps as it is. At size 2, for random pairs of states: some step of the rule leads from one to the other if and
// only if the formula is true of the pair. The formula's next state is read from shadow functions.
#include "oracle/unit.h"

#include "base/rng.h"
#include "front/pyv/pyv.h"
#include "model/eval.h"
#include "model/expr.h"

#include <stdio.h>
#include <string.h>

static const char declarations[] = "sort node\n"
                                   "immutable relation le(node, node)\n"
                                   "mutable relation p(node)\n"
                                   "mutable relation r(node, node)\n"
                                   "mutable constant c: node\n"
                                   "mutable function f(node): node\n";

// The formulas modify p, r, c and f; `n` and `k` are the transition's parameters.
static const char same_p[] = "(forall X. p'(X) <-> p(X))";
static const char same_r[] = "(forall X, Y. r'(X, Y) <-> r(X, Y))";
static const char same_c[] = "c' = c";
static const char same_f[] = "(forall X. f'(X) = f(X))";

typedef struct {
    const char *p, *r, *c, *f;  // NULL: unchanged
} formula;

static const formula formulas[] = {
    {.p = "(forall X. p'(X) <-> p(X) | X = n)"},
    {.p = "(forall X. p'(X) <-> p(X) & X != n) & p(n)"},
    {.p = "(forall X. X != n -> (p'(X) <-> p(X)))"},  // open at n
    {.p = "(forall X. n != X -> (p'(X) <-> p(X))) & p'(n)"},
    {.p = "(forall X. X != n -> (p'(X) <-> p(X))) & (p'(n) <-> r(n, k))"},
    {.p = "p'(n) & p'(k)"},  // open elsewhere
    {.p = "!p'(n) & (forall X. p(X) -> p'(X))"},
    {.p = "new(p(n)) & (forall X. X != n -> (new(p(X)) <-> old_p(X)))"},
    {.p = "(if r(n, k) then (forall X. p'(X) <-> X = n) else (forall X. p'(X) <-> p(X)))"},
    {.p = "(if r(n, k) then (forall X. X != n -> (p'(X) <-> p(X))) else (forall X. X != n -> (p'(X) <-> X = "
          "k)))"},
    {.p = "(r(n, n) -> (forall X. p'(X) <-> p(X))) & (!r(n, n) -> (forall X. p'(X) <-> !p(X)))"},
    {.p = "(forall X. p'(X) <-> r(X, n)) & (exists X. p'(X))"},
    {.p = "(forall X. p'(X) <-> p(X)) & (forall X. p'(X) -> le(n, X))"},
    {.p = "((forall X. p'(X) <-> p(X)) | (forall X. p'(X) <-> X = n))"},
    {.p = "(forall X. p'(X) <-> r'(X, n))", .r = "(forall X, Y. r'(X, Y) <-> r(Y, X))"},
    {.p = "(forall X. p'(X) <-> r'(X, n))", .r = "(forall X, Y. r'(X, Y) <-> (r(X, Y) | p'(X) & X != X))"},
    {.r = "(forall X, Y. r'(X, Y) <-> r(X, Y) | (X = n & Y = k))"},
    {.r = "(forall X, Y. !(X = n & Y = k) -> (r'(X, Y) <-> r(X, Y)))"},  // open at (n, k)
    {.r = "(forall X, Y. X != n -> (r'(X, Y) <-> r(X, Y))) & (forall Y. r'(n, Y) <-> Y = k)"},
    {.r = "(forall X, Y. X != n -> (r'(X, Y) <-> r(X, Y)))"},  // open in a row
    {.r = "(forall X. r'(X, X) <-> p(X)) & (forall X, Y. X != Y -> (r'(X, Y) <-> r(X, Y)))"},
    {.r = "(forall X, Y. r'(X, Y) <-> r(X, Y)) & (forall X, Y. r'(X, Y) <-> r(Y, X))"},  // must agree
    {.c = "c' = n & p(k)"},
    {.c = "true"},  // any value
    {.c = "c' != c & le(c, c')"},
    {.c = "(p(n) -> c' = n) & (!p(n) -> c' = c)"},
    {.c = "(p(n) -> c' = n)"},
    {.c = "c' = n & c' = k"},
    {.f = "(forall X. f'(X) = if X = n then k else f(X))"},
    {.f = "(forall X. X != n -> f'(X) = f(X)) & f'(n) = k"},
    {.f = "(forall X. X != n -> f'(X) = f(X)) & le(n, f'(n))"},
    {.f = "f'(n) = k & f'(k) = n"},
    {.f = "(forall X. f'(X) = c') & p(n)", .c = "c' = n"},
    {.c = "c' = f'(n)", .f = "(forall X. f'(X) = if p(X) then X else f(X))"},
    {.p = "(let m = f(n) in (forall X. p'(X) <-> p(X) | X = m))"},
    {.p = "(forall X. p'(X) <-> p(X) | X = f(f(n)))", .c = "distinct(c', n)"},
};

static void add_formula(str *s, const formula *q) {
    str_printf(s, "%s & %s & %s & %s", q->p ? q->p : same_p, q->r ? q->r : same_r, q->c ? q->c : same_c,
               q->f ? q->f : same_f);
}

static char *file_text(const formula *q) {
    str s = {0};
    str_add(&s, declarations);
    str_add(&s, "definition old_p(x: node) = p(x)\n");
    str_add(&s, "transition step(n: node, k: node) modifies p, r, c, f\n  ");
    add_formula(&s, q);
    str_add(&s, "\ntwostate theorem [said] exists n: node, k: node. ");
    add_formula(&s, q);
    str_add(&s, "\n");
    return s.text;
}

typedef struct {
    diag *messages;
    model *m;
    sys system;
    instance *in;
    eval *ev;
    char *text;
    expr said;  // the formula over functions and shadows
    func shadow[16], real[16];
    uint32_t nreal;
} bed;

static expr shadow_visit(model *m, expr e, void *context) {
    bed *b = context;
    expr_info x = *expr_of(m, e);
    if (x.kind != E_NEXT) return e;
    for (uint32_t i = 0; i < b->nreal; i++)
        if (b->real[i].id == x.ref) return expr_app(m, b->shadow[i], x.args);
    return e;
}

static void add_shadows(bed *b) {
    sys_info *s = sys_of(b->m, b->system);
    b->nreal = s->funcs.len;
    for (uint32_t i = 0; i < b->nreal; i++) {
        b->real[i] = sys_of(b->m, b->system)->funcs.data[i];
        func_info f = *func_of(b->m, b->real[i]);
        f.name = "shadow";
        b->shadow[i] = model_add_func(b->m, f);
    }
    b->said = expr_rewrite(b->m, sys_of(b->m, b->system)->theorems.data[0].cond, shadow_visit, b);
}

static bed open_bed(const formula *q) {
    bed b = {.messages = diag_new(), .text = file_text(q)};
    b.m = model_new(b.messages);
    bool ok = pyv_read_text(b.m, "t.pyv", b.text, strlen(b.text), &b.system);
    if (!ok) {
        str out = {0};
        diag_print(b.messages, &out, false);
        fprintf(stderr, "%s", str_get(&out));
        str_free(&out);
    }
    assert_true(ok);
    add_shadows(&b);
    b.in = instance_new(b.m, b.system, NULL, 0);
    b.ev = eval_new(b.in);
    return b;
}

static void close_bed(bed *b) {
    eval_free(b->ev);
    instance_free(b->in);
    model_free(b->m);
    diag_free(b->messages);
    free(b->text);
}

// Cells of the real functions come first, those of the shadows after them in the same order.
static uint32_t half(const bed *b) { return b->in->ncells / 2; }

static void random_cells(bed *b, rng *random, value *cells) {
    for (uint32_t i = 0; i < half(b); i++) {
        value args[4];
        func f = instance_cell_func(b->in, i, args);
        cells[i] = (value)rng_below(random, instance_type_size(b->in, func_of(b->m, f)->result));
    }
}

static bool is_chosen(const bed *b, const rule_info *r, uint32_t cell) {
    value args[4];
    func f = instance_cell_func(b->in, cell, args);
    for (uint32_t i = 0; i < r->nchosen; i++)
        if (r->chosen[i].id == f.id) return true;
    return false;
}

// Does the rule, with these parameters, lead from the real cells to the shadow cells of `both`?
static bool leads(bed *b, rule r, const value *args, const value *both) {
    value next[128];
    const rule_info *info = rule_of(b->m, r);
    if (!eval_enabled(b->ev, both, r, args) || !eval_fire(b->ev, both, r, args, next)) return false;
    for (uint32_t i = 0; i < half(b); i++)
        if (!is_chosen(b, info, i) && next[i] != both[half(b) + i]) return false;
    if (!info->relation.id) return true;
    return eval_expr(b->ev, both, expr_rewrite(b->m, info->relation, shadow_visit, b));
}

static bool some_step_leads(bed *b, const value *both) {
    value args[16];
    rule r = sys_of(b->m, b->system)->rules.data[0];
    for (bool first = true; eval_next_binding(b->in, r, args, &first);)
        if (leads(b, r, args, both)) return true;
    return false;
}

enum { PAIRS = 4000 };

// Random pairs hardly ever satisfy a formula that fixes the next state, so half of them are made by changing few cells.
static void make_pair(bed *b, rng *random, value *both) {
    random_cells(b, random, both);
    memcpy(both + half(b), both, half(b) * sizeof *both);
    value other[64];
    random_cells(b, random, other);
    uint32_t changes = rng_below(random, 5);
    for (uint32_t i = 0; i < changes; i++) {
        value args[4];
        uint32_t cell = rng_below(random, half(b));
        bool is_rigid = func_of(b->m, instance_cell_func(b->in, cell, args))->is_rigid;
        if (!is_rigid) both[half(b) + cell] = other[cell];
    }
}

static void test_rules_agree(void **context) {
    (void)context;
    rng random = {11};
    unsigned yes = 0;
    for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
        bed b = open_bed(&formulas[k]);
        unsigned here = 0;
        for (int i = 0; i < PAIRS; i++) {
            value both[128];
            assert_true(b.in->ncells <= 128);
            make_pair(&b, &random, both);
            bool said = eval_expr(b.ev, both, b.said);
            if (said != some_step_leads(&b, both)) fail_msg("formula %zu, pair %d: said %d", k, i, said);
            here += said;
        }
        yes += here;
        close_bed(&b);
    }
    assert_true(yes > 2000);
}

static void test_recognised_as_functional(void **context) {
    (void)context;
    // These need no relation: an open cell or constant is a parameter.
    static const int functional[] = {0,  1,  2,  3,  4,  7,  8,  9,  10, 14, 16, 17,
                                     18, 20, 21, 22, 23, 24, 25, 28, 29, 30, 33};
    for (size_t i = 0; i < sizeof functional / sizeof *functional; i++) {
        bed b = open_bed(&formulas[functional[i]]);
        const rule_info *r = rule_of(b.m, sys_of(b.m, b.system)->rules.data[0]);
        if (r->nchosen) fail_msg("formula %d has a relation", functional[i]);
        close_bed(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_agree),
        cmocka_unit_test(test_recognised_as_functional),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
