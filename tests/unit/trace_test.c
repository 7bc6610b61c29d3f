// SPDX-License-Identifier: Apache-2.0
// Traces: notation, word length, and what replay accepts and refuses. The model is a toy of two threads and
// two locations: read(t, v) enters (t, v) into rs; commit(t) needs a read, clears them and counts up to 2
// commits (the third leaves the range); tick is internal; a requirement forbids a commit while another thread
// has a read of the same location.
#include "oracle/unit.h"

#include "model/expr.h"
#include "result/trace.h"

typedef struct {
    diag *messages;
    model *m;
    sys s;
    prop p;
    rule read, commit, tick, odd;
    instance *in;
} toy;

static const span nowhere = {0};

static rule add_rule(toy *t, const char *name, const var *params, uint32_t n, expr guard, const stmt *body) {
    rule r = model_add_rule(
        t->m,
        (rule_info){
            .name = name, .params = params, .nparams = n, .guard = guard, .body = body, .is_visible = name[0] != 't'});
    vec_push(&sys_of(t->m, t->s)->rules, r);
    return r;
}

static void add_commit(toy *t, type thread, type loc, func rs, func done) {
    model *m = t->m;
    var c = model_add_var(m, "t", thread, nowhere), v = model_add_var(m, "v", loc, nowhere);
    var w = model_add_var(m, "w", loc, nowhere), u = model_add_var(m, "u", thread, nowhere);
    expr mine = expr_app(m, rs, (expr[]){expr_var(m, c), expr_var(m, v)});
    expr theirs = expr_app(m, rs, (expr[]){expr_var(m, u), expr_var(m, v)});
    expr other = expr_not(m, expr_eq(m, expr_var(m, c), expr_var(m, u)));
    expr meets = expr_exists(m, (var[]){u, v}, 2, expr_and_all(m, (expr[]){other, mine, theirs}, 3));
    expr more = expr_arith(m, E_ADD, expr_app(m, done, NULL), expr_const(m, model_range(m, 1, 1, nowhere), 1));
    const stmt *clear = model_assign(m, rs, (expr[]){expr_var(m, c), expr_var(m, w)}, 2, expr_bool(m, false), nowhere);
    const stmt *body[] = {model_forall(m, &w, 1, (expr){0}, &clear, 1, nowhere),
                          model_assign(m, done, NULL, 0, more, nowhere)};
    requirement needs = {t->p, expr_not(m, meets), false};
    t->commit = model_add_rule(m, (rule_info){.name = "commit",
                                              .params = &c,
                                              .nparams = 1,
                                              .guard = expr_exists(m, &v, 1, mine),
                                              .is_visible = true,
                                              .body = model_block(m, S_PAR, body, 2, nowhere),
                                              .requires = &needs,
                                              .nrequires = 1});
    vec_push(&sys_of(m, t->s)->rules, t->commit);
}

static toy toy_new(void) {
    toy t = {.messages = diag_new()};
    model *m = t.m = model_new(t.messages);
    type thread = model_add_type(m, (type_info){.kind = TYPE_SORT, .name = "Thread", .default_size = 2});
    type loc = model_add_type(m, (type_info){.kind = TYPE_SORT, .name = "Loc", .default_size = 2});
    t.s = model_add_system(m, "Toy", nowhere);
    t.p = model_add_prop(m, (prop_info){.kind = PROP_REFINES, .name = "safe", .system = t.s, .spec = t.s});
    func rs = model_add_func(
        m, (func_info){.name = "rs", .args = (type[]){thread, loc}, .nargs = 2, .result = m->bool_type, .owner = t.s});
    func done = model_add_func(m, (func_info){.name = "done", .result = model_range(m, 0, 2, nowhere), .owner = t.s});
    var a = model_add_var(m, "t", thread, nowhere), b = model_add_var(m, "v", loc, nowhere);
    const stmt *enter = model_assign(m, rs, (expr[]){expr_var(m, a), expr_var(m, b)}, 2, expr_bool(m, true), nowhere);
    t.read = add_rule(&t, "read", (var[]){a, b}, 2, (expr){0}, enter);
    add_commit(&t, thread, loc, rs, done);
    t.tick = add_rule(&t, "tick", NULL, 0, (expr){0}, NULL);
    var flag = model_add_var(m, "f", m->bool_type, nowhere), who = model_add_var(m, "t", thread, nowhere);
    t.odd = add_rule(&t, "write", (var[]){who, flag}, 2, (expr){0}, NULL);  // a write of another kind
    t.in = instance_new(m, t.s, NULL, 0);
    return t;
}

static void toy_free(toy *t) {
    instance_free(t->in);
    model_free(t->m);
    diag_free(t->messages);
}

static void assert_label(const toy *t, rule r, const value *args, const char *expected) {
    str s = {0};
    trace_label_text(t->in, r, args, &s);
    assert_string_equal(str_get(&s), expected);
    str_free(&s);
}

// read(2,1), thread 2 at location 1, is r1_2 in the papers.
static void labels(void **state) {
    (void)state;
    toy t = toy_new();
    assert_label(&t, t.read, (value[]){1, 0}, "r1_2");
    assert_label(&t, t.read, (value[]){0, 1}, "r2_1");
    assert_label(&t, t.commit, (value[]){1}, "c_2");
    assert_label(&t, t.tick, NULL, "tick");
    assert_label(&t, t.odd, (value[]){1, 1}, "write(2,true)");
    toy_free(&t);
}

// Cells: rs(1,1) rs(1,2) rs(2,1) rs(2,2) done.
static void assert_replay(const trace *t, const char *expected) {
    str why = {0};
    assert_int_equal(trace_replay(t, &why), expected == NULL);
    assert_string_equal(str_get(&why), expected ? expected : "");
    str_free(&why);
}

static void good_run(void **state) {
    (void)state;
    toy y = toy_new();
    trace *t = trace_new(y.in, (value[]){0, 0, 0, 0, 0});
    assert_replay(t, NULL);
    trace_add(t, y.read, (value[]){0, 1}, (value[]){0, 1, 0, 0, 0});
    trace_add(t, y.tick, NULL, (value[]){0, 1, 0, 0, 0});
    trace_add(t, y.commit, (value[]){0}, (value[]){0, 0, 0, 0, 1});
    assert_replay(t, NULL);
    assert_int_equal(trace_word_length(t), 2);
    assert_int_equal(trace_state(t, 0)[1], 0);
    assert_int_equal(trace_state(t, 2)[1], 1);
    assert_int_equal(trace_state(t, 3)[4], 1);
    str word = {0};
    trace_word_text(t, &word);
    assert_string_equal(str_get(&word), "r2_1 c_1");
    str_free(&word);
    trace_free(t);
    toy_free(&y);
}

static void bad_runs(void **state) {
    (void)state;
    toy y = toy_new();
    trace *t = trace_new(y.in, (value[]){0, 1, 0, 0, 0});
    assert_replay(t, "the first state is not an initial one");
    trace_free(t);
    t = trace_new(y.in, (value[]){0, 0, 0, 0, 0});
    trace_add(t, y.commit, (value[]){0}, (value[]){0, 0, 0, 0, 1});
    assert_replay(t, "step 1, c_1, is not enabled");
    trace_free(t);
    t = trace_new(y.in, (value[]){0, 0, 0, 0, 0});
    trace_add(t, y.read, (value[]){0, 1}, (value[]){1, 0, 0, 0, 0});
    assert_replay(t, "step 1, r2_1, leads to another state");
    trace_free(t);
    t = trace_new(y.in, (value[]){0, 0, 0, 0, 0});
    trace_add(t, y.read, (value[]){0, 1}, NULL);
    assert_replay(t, "step 1, r2_1, is neither refused nor faults");
    trace_add(t, y.read, (value[]){0, 1}, NULL);
    trace_free(t);
    toy_free(&y);
}

static void refused_step(void **state) {
    (void)state;
    toy y = toy_new();
    trace *t = trace_new(y.in, (value[]){0, 0, 0, 0, 0});
    trace_add(t, y.read, (value[]){0, 0}, (value[]){1, 0, 0, 0, 0});
    trace_add(t, y.read, (value[]){1, 0}, (value[]){1, 0, 1, 0, 0});
    trace_add(t, y.commit, (value[]){1}, NULL);
    assert_replay(t, NULL);
    assert_int_equal(trace_word_length(t), 3);
    assert_null(trace_state(t, 3));
    trace_add(t, y.tick, NULL, (value[]){1, 0, 1, 0, 0});
    assert_replay(t, "step 4, tick, follows a step without a state");
    trace_free(t);
    t = trace_new(y.in, (value[]){0, 0, 0, 0, 0});
    trace_add(t, y.read, (value[]){0, 0}, (value[]){1, 0, 0, 0, 0});
    trace_add(t, y.read, (value[]){1, 0}, (value[]){1, 0, 1, 0, 0});
    trace_add(t, y.commit, (value[]){1}, (value[]){1, 0, 0, 0, 1});
    assert_replay(t, "step 3, c_2, is refused");
    trace_free(t);
    toy_free(&y);
}

// The third commit leaves 0..2.
static trace *count_up(const toy *y, const value *last) {
    trace *t = trace_new(y->in, (value[]){0, 0, 0, 0, 0});
    for (value i = 0; i < 3; i++) {
        trace_add(t, y->read, (value[]){0, 0}, (value[]){1, 0, 0, 0, i});
        trace_add(t, y->commit, (value[]){0}, i < 2 ? (value[]){0, 0, 0, 0, i + 1} : last);
    }
    return t;
}

static void faulty_step(void **state) {
    (void)state;
    toy y = toy_new();
    trace *t = count_up(&y, NULL);
    assert_replay(t, NULL);
    trace_free(t);
    t = count_up(&y, (value[]){0, 0, 0, 0, 3});
    assert_replay(t, "step 6, c_1, faults");
    trace_free(t);
    toy_free(&y);
}

static void loops(void **state) {
    (void)state;
    toy y = toy_new();
    trace *t = trace_new(y.in, (value[]){0, 0, 0, 0, 0});
    trace_add(t, y.read, (value[]){0, 0}, (value[]){1, 0, 0, 0, 0});
    trace_add(t, y.tick, NULL, (value[]){1, 0, 0, 0, 0});
    t->loop = 1;
    assert_replay(t, NULL);
    t->loop = 0;
    assert_replay(t, "the loop does not close");
    t->loop = 2;
    assert_replay(t, "the loop is empty");
    trace_free(t);
    toy_free(&y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels),       cmocka_unit_test(good_run),    cmocka_unit_test(bad_runs),
        cmocka_unit_test(refused_step), cmocka_unit_test(faulty_step), cmocka_unit_test(loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
