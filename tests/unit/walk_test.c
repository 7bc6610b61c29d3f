// SPDX-License-Identifier: Apache-2.0
// Walks (model/walk.h) see what a plain recursion over the tree sees, each part once and in its order; questions that
// stand on them agree with such a recursion on random models; 10^5 nodes that are shared 10^30 times take no time.
#include "oracle/random_model.h"
#include "oracle/unit.h"

#include "model/expr.h"
#include "model/walk.h"

#include <stdio.h>
#include <stdlib.h>

enum { MODELS = 400, MOST_SIZE = 10, LARGE = 100000, PERIOD = 1000 };

typedef VEC(expr) node_list;
typedef VEC(const stmt *) part_list;

// ---- the oracle: trees

static bool tree_has(const node_list *l, expr e) {
    for (uint32_t i = 0; i < l->len; i++)
        if (expr_same(l->data[i], e)) return true;
    return false;
}

static void tree_nodes(const model *m, expr e, bool calls, node_list *out) {
    if (!e.id) return;
    const expr_info x = *expr_of(m, e);
    if (!tree_has(out, e)) vec_push(out, e);
    if (calls && x.kind == E_CALL) tree_nodes(m, def_of(m, (def){x.ref})->body, calls, out);
    for (uint32_t i = 0; i < x.nargs; i++) tree_nodes(m, x.args[i], calls, out);
}

static void tree_stmts(const stmt *s, part_list *out) {
    if (!s) return;
    vec_push(out, s);
    for (uint32_t i = 0; i < s->nbody; i++) tree_stmts(s->body[i], out);
    for (uint32_t i = 0; i < s->norelse; i++) tree_stmts(s->orelse[i], out);
}

static void tree_body(const model *m, const stmt *s, node_list *out) {
    tree_nodes(m, s->cond, false, out);
    tree_nodes(m, s->value, false, out);
    for (uint32_t i = 0; i < s->nargs; i++) tree_nodes(m, s->args[i], false, out);
    for (uint32_t i = 0; i < s->nbody; i++) tree_body(m, s->body[i], out);
    for (uint32_t i = 0; i < s->norelse; i++) tree_body(m, s->orelse[i], out);
}

static void tree_frees(const model *m, expr e, var_list *bound, var_list *out) {
    const expr_info x = *expr_of(m, e);
    bool is_known = false;
    for (uint32_t i = 0; i < bound->len; i++) is_known |= bound->data[i].id == x.ref;
    for (uint32_t i = 0; i < out->len; i++) is_known |= out->data[i].id == x.ref;
    if (x.kind == E_VAR && !is_known) vec_push(out, (var){x.ref});
    if (expr_kind_binds(x.kind)) vec_push(bound, (var){x.ref});
    for (uint32_t i = 0; i < x.nargs; i++) tree_frees(m, x.args[i], bound, out);
    if (expr_kind_binds(x.kind)) bound->len--;
}

// ---- random models

typedef struct {
    uint32_t cases, wrong;
} tally;

static void compare_nodes(tally *t, walk w, const node_list *want) {
    uint32_t n = 0;
    bool is_same = true;
    while (walk_next(&w))
        if (w.x) is_same &= n < want->len && expr_same(want->data[n++], w.e);
    t->cases++;
    t->wrong += !is_same || n != want->len;
}

static void compare_stmts(tally *t, const stmt *s) {
    part_list want = {0};
    tree_stmts(s, &want);
    uint32_t n = 0;
    bool is_same = true;
    walk w = walk_stmt(NULL, s, WALK_STMTS);
    while (walk_next(&w)) is_same &= n < want.len && want.data[n++] == w.s;
    t->cases++;
    t->wrong += !is_same || n != want.len;
    vec_free(&want);
}

static void compare_frees(tally *t, const model *m, expr e) {
    var_list bound = {0}, want = {0};
    tree_frees(m, e, &bound, &want);
    var_set got = expr_frees(m, e);
    bool is_same = want.len == got.n;
    for (uint32_t i = 0; is_same && i < got.n; i++) is_same = want.data[i].id == got.vars[i].id;
    for (uint32_t v = 1; v < m->vars.len; v++) {
        bool is_free = false;
        for (uint32_t i = 0; i < want.len; i++) is_free |= want.data[i].id == v;
        is_same &= expr_has_var(m, e, (var){v}) == is_free;
    }
    t->cases++;
    t->wrong += !is_same;
    vec_free(&bound);
    vec_free(&want);
}

static void compare_expr(tally *t, const model *m, expr e) {
    for (int calls = 0; calls < 2; calls++) {
        node_list want = {0};
        tree_nodes(m, e, calls, &want);
        compare_nodes(t, walk_expr(m, e, calls ? WALK_CALLS : 0), &want);
        vec_free(&want);
    }
    compare_frees(t, m, e);
}

static void test_random(void **context) {
    (void)context;
    tally t = {0};
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        unsigned features = RANDOM_ALL | RANDOM_SHADOWS | (seed % 2 ? RANDOM_IMPERATIVE : 0);
        random_model r = random_model_new(seed, 1 + (uint32_t)(seed % MOST_SIZE), features);
        for (uint32_t i = 1; i < r.m->exprs.len; i++) compare_expr(&t, r.m, (expr){i});
        for (uint32_t i = 1; i < r.m->rules.len; i++) {
            const stmt *body = r.m->rules.data[i].body;
            node_list want = {0};
            if (body) tree_body(r.m, body, &want);
            compare_nodes(&t, walk_stmt(r.m, body, 0), &want);
            compare_stmts(&t, body);
            vec_free(&want);
        }
        random_model_free(&r);
    }
    printf("# tally: walks against recursion over trees | %u cases | %u wrong\n", t.cases, t.wrong);
    assert_true(t.cases > 20000);
    assert_int_equal(t.wrong, 0);
}

// ---- much sharing

typedef struct {
    diag *messages;
    model *m;
    func p;
    var x;
    expr first, e;
} bed;

// LARGE nodes; each is twice part of the next, and the depth stays within what models may have.
static bed open_bed(void) {
    bed b = {.messages = diag_new()};
    b.m = model_new(b.messages);
    type t = model_add_type(b.m, (type_info){.kind = TYPE_SORT, .name = "T"});
    sys s = model_add_system(b.m, "S", (span){0});
    b.p = model_add_func(b.m, (func_info){.name = "p", .args = &t, .nargs = 1, .result = b.m->bool_type, .owner = s});
    b.x = model_add_var(b.m, "x", t, (span){0});
    expr of = expr_var(b.m, b.x), top[LARGE / PERIOD];
    b.first = expr_app(b.m, b.p, &of);
    for (uint32_t k = 0; k < LARGE / PERIOD; k++) {
        var v = model_add_var(b.m, "v", t, (span){0});
        expr at = expr_var(b.m, v), e = expr_app(b.m, b.p, &at);
        for (uint32_t i = 0; i < PERIOD / 3; i++) {
            expr other = expr_ite(b.m, e, b.first, expr_not(b.m, e));
            e = i % 2 ? expr_quantify(b.m, E_EXISTS, v, expr_implies(b.m, other, e)) : expr_implies(b.m, e, other);
        }
        top[k] = e;
    }
    b.e = expr_and_all(b.m, top, LARGE / PERIOD);
    return b;
}

static uint32_t join_height(const model *m, expr e, const uint32_t *parts, void *context) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < expr_of(m, e)->nargs; i++) most = parts[i] > most ? parts[i] : most;
    ++*(uint32_t *)context;
    return most + 1;
}

static void test_shared(void **context) {
    (void)context;
    bed b = open_bed();
    assert_int_equal(expr_of(b.m, b.e)->weight, UINT32_MAX);
    uint32_t n = 0, joins = 0;
    walk w = walk_expr(b.m, b.e, 0);
    while (walk_next(&w)) n++;
    assert_true(n > LARGE * 9 / 10);
    assert_int_equal(walk_fold(b.m, b.e, join_height, &joins), expr_of(b.m, b.e)->depth);
    assert_true(joins < 2 * n);
    var_set frees = expr_frees(b.m, b.e);
    assert_int_equal(frees.n, 1);
    assert_int_equal(frees.vars[0].id, b.x.id);
    assert_true(expr_has_var(b.m, b.e, b.x));
    assert_false(expr_reads(b.m, b.e, (func){b.p.id + 1}));
    model_free(b.m);
    diag_free(b.messages);
}

// ---- tags, what is skipped, what is found

static void test_tags(void **context) {
    (void)context;
    bed b = open_bed();
    expr not = expr_not(b.m, b.first), e = expr_implies(b.m, not, b.first);
    uint32_t seen[2] = {0, 0}, n = 0;
    walk w = walk_expr(b.m, e, 0);
    while (walk_next(&w)) {
        if (expr_same(w.e, b.first)) seen[w.tag]++;
        if (w.x->kind != E_NOT) continue;
        walk_skip(&w);
        walk_add(&w, w.x->args[0], w.tag ^ 1);
    }
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 1);
    w = walk_expr(b.m, e, 0);
    while (walk_next(&w)) {
        n++;
        walk_skip(&w);
    }
    assert_int_equal(n, 1);
    w = walk_expr(b.m, (expr){0}, 0);
    assert_false(walk_next(&w));
    w = walk_expr(b.m, b.e, 0);
    for (int i = 0; i < 1000; i++) assert_true(walk_next(&w));
    assert_true(walk_found(&w));
    model_free(b.m);
    diag_free(b.messages);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
