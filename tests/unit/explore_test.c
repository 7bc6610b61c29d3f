// SPDX-License-Identifier: Apache-2.0
// The search on counters: n cells count from 0 to h, one step each, so that everything is known in closed
// form: (h+1)^n states, n h (h+1)^(n-1) transitions, depth n h; as orbits, C(n+h, n) states. Verdicts,
// limits, reasons.
#include "oracle/unit.h"

#include "explore/explore.h"
#include "model/expr.h"

#include <string.h>

typedef struct {
    diag *messages;
    model *m;
    sys s;
    type index, range;
    func cell;
    instance *in;
    uint32_t n;
    value most;
} counters;

static const span nowhere = {0};

static expr number(counters *c, value v) { return expr_const(c->m, model_range(c->m, v, v, nowhere), v); }

// c(i) relation v
static expr compare(counters *c, var i, expr_kind kind, value v) {
    expr e = expr_app(c->m, c->cell, (expr[]){expr_var(c->m, i)});
    return kind == E_EQ ? expr_eq(c->m, e, number(c, v)) : expr_arith(c->m, kind, e, number(c, v));
}

// inc(i) when c(i) < bound { c(i) := c(i) + 1 }; a bound beyond `most` lets it leave its range.
static void add_inc(counters *c, value bound) {
    var i = model_add_var(c->m, "i", c->index, nowhere);
    expr arg = expr_var(c->m, i), more = expr_arith(c->m, E_ADD, expr_app(c->m, c->cell, &arg), number(c, 1));
    const stmt *step = model_assign(c->m, c->cell, &arg, 1, more, nowhere);
    rule_info info = {.name = "inc",
                      .params = &i,
                      .nparams = 1,
                      .guard = compare(c, i, E_LT, bound),
                      .body = model_block(c->m, S_PAR, &step, 1, nowhere),
                      .is_visible = true};
    vec_push(&sys_of(c->m, c->s)->rules, model_add_rule(c->m, info));
}

static counters *counters_new(uint32_t n, value most, bool is_ordered, value bound) {
    counters *c = mem_zero(1, sizeof *c);
    *c = (counters){.messages = diag_new(), .n = n, .most = most};
    c->m = model_new(c->messages);
    c->index =
        model_add_type(c->m, (type_info){.kind = TYPE_SORT, .name = "I", .is_ordered = is_ordered, .default_size = n});
    c->range = model_range(c->m, 0, most, nowhere);
    c->s = model_add_system(c->m, "Counters", nowhere);
    c->cell = model_add_func(
        c->m, (func_info){.name = "c", .args = &c->index, .nargs = 1, .result = c->range, .owner = c->s});
    add_inc(c, bound);
    c->in = instance_new(c->m, c->s, NULL, 0);
    return c;
}

static void counters_free(counters *c) {
    instance_free(c->in);
    model_free(c->m);
    diag_free(c->messages);
    free(c);
}

// forall i. c(i) < v: first false after v steps.
static expr all_below(counters *c, value v) {
    var i = model_add_var(c->m, "i", c->index, nowhere);
    return expr_quantify(c->m, E_FORALL, i, compare(c, i, E_LT, v));
}

static prop invariant(counters *c, const char *name, expr cond) {
    return model_add_prop(c->m, (prop_info){.kind = PROP_INVARIANT, .name = name, .system = c->s, .cond = cond});
}

static uint64_t power(uint64_t x, uint32_t n) { return n ? x * power(x, n - 1) : 1; }

static uint64_t choose(uint64_t n, uint64_t k) { return k ? choose(n - 1, k - 1) * n / k : 1; }

static const result_property *entry(const result *r, const char *name) {
    for (uint32_t i = 0; i < r->properties.len; i++)
        if (str_same(r->properties.data[i].name, name)) return &r->properties.data[i];
    return NULL;
}

static void expect(const result *r, const char *name, verdict v, const char *reason) {
    const result_property *p = entry(r, name);
    assert_non_null(p);
    assert_int_equal(p->verdict, v);
    if (reason) assert_string_equal(p->reason, reason);
    else assert_null(p->reason);
}

// ---- counts

static void check_counts(uint32_t n, value most, uint32_t threads, uint32_t parallel_least, explore_engine engine) {
    counters *c = counters_new(n, most, true, most);
    result *r = result_new();
    explore_options o = {.threads = threads, .engine = engine, .parallel_least = parallel_least, .symmetry = true};
    explored *x = NULL;
    assert_int_equal(explore_run(c->in, NULL, 0, &o, r, &x), END_COMPLETE);
    uint64_t width = (uint64_t)most + 1;
    assert_int_equal(r->stats.states, power(width, n));
    assert_int_equal(r->stats.transitions, n * (uint64_t)most * power(width, n - 1));
    assert_int_equal(r->stats.depth, n * (uint32_t)most);
    assert_int_equal(r->stats.threads, threads);
    assert_int_equal(r->properties.len, 0);
    assert_int_equal(r->verdict, VERDICT_HOLDS);
    assert_false(r->stats.is_reduced);
    assert_int_equal(explored_count(x), r->stats.states);
    assert_int_equal(explored_initial_count(x), 1);
    explored_free(x);
    result_free(r);
    counters_free(c);
}

static void counts(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        check_counts(1, 1, threads, 1, ENGINE_BYTECODE);
        check_counts(1, 9000, threads, 0, ENGINE_BYTECODE);
        check_counts(3, 9, threads, 1, ENGINE_BYTECODE);
        check_counts(4, 9, threads, 0, ENGINE_BYTECODE);
    }
    check_counts(5, 8, 2, 0, ENGINE_AUTO);
}

static void native(void **state) {
    (void)state;
    check_counts(4, 9, 2, 0, ENGINE_NATIVE);
}

static void orbits(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 5; n++) {
        counters *c = counters_new(n, 6, false, 6);
        result *r = result_new();
        explore_options o = {.threads = 2, .engine = ENGINE_BYTECODE, .symmetry = true, .check_deadlock = true};
        assert_int_equal(explore_run(c->in, NULL, 0, &o, r, NULL), END_VIOLATION);
        assert_int_equal(r->stats.states, choose(n + 6, n));
        assert_int_equal(r->stats.is_reduced, n > 1);
        const result_property *p = entry(r, "deadlock");
        assert_int_equal(p->trace->steps.len, 6 * n);
        assert_string_equal(p->reason, "no action is enabled");
        result_free(r);
        counters_free(c);
    }
}

// Numbers go by levels: the sum of the cells never gets less.
static void numbers(void **state) {
    (void)state;
    counters *c = counters_new(3, 5, true, 5);
    result *r = result_new();
    explored *x = NULL;
    explore_options o = {.threads = 2, .engine = ENGINE_BYTECODE, .parallel_least = 1};
    explore_run(c->in, NULL, 0, &o, r, &x);
    uint64_t packed[4];
    value cells[3], last = 0;
    for (uint64_t k = 0; k < explored_count(x); k++) {
        explored_state(x, k, packed);
        space_unpack(explored_space(x), packed, cells);
        assert_true(cells[0] + cells[1] + cells[2] >= last);
        last = cells[0] + cells[1] + cells[2];
        assert_int_equal(explored_find(x, packed), k);
    }
    space_pack(explored_space(x), (value[]){5, 5, 5}, packed);
    assert_int_equal(explored_find(x, packed), 215);
    assert_int_equal(explored_end(x), END_COMPLETE);
    explored_free(x);
    result_free(r);
    counters_free(c);
}

// Whichever thread expands what, also where threads take from each other in small pieces.
static explored *explored_by(const counters *c, uint32_t threads) {
    result *r = result_new();
    explored *x = NULL;
    explore_options o = {
        .threads = threads, .engine = ENGINE_BYTECODE, .parallel_least = 1, .self_check = SELF_CHECK_OFF};
    assert_int_equal(explore_run(c->in, NULL, 0, &o, r, &x), END_COMPLETE);
    result_free(r);
    return x;
}

static void same_numbers(void **state) {
    (void)state;
    counters *c = counters_new(5, 7, true, 7);
    explored *alone = explored_by(c, 1);
    for (uint32_t round = 0; round < 12; round++) {
        explored *x = explored_by(c, 2 + round % 4);
        assert_int_equal(explored_count(x), explored_count(alone));
        for (uint64_t k = 0; k < explored_count(x); k++) {
            uint64_t expected[2] = {0}, got[2] = {0};
            explored_state(alone, k, expected);
            explored_state(x, k, got);
            assert_memory_equal(got, expected, sizeof got);
        }
        explored_free(x);
    }
    explored_free(alone);
    counters_free(c);
}

// ---- verdicts

static void several_properties(void **state) {
    (void)state;
    counters *c = counters_new(3, 9, true, 9);
    prop p[] = {invariant(c, "below_4", all_below(c, 4)),
                invariant(c, "below_10", all_below(c, 10)),
                invariant(c, "below_7", all_below(c, 7)),
                invariant(c, "never", expr_bool(c->m, false)),
                {0}};
    p[4] = p[0];  // asked twice: answered once
    vec_push(&sys_of(c->m, c->s)->assumes, (named_expr){"small", all_below(c, 8), nowhere});
    result *r = result_new();
    explore_options o = {.threads = 2, .engine = ENGINE_BYTECODE};
    assert_int_equal(explore_run(c->in, p, 5, &o, r, NULL), END_COMPLETE);
    assert_int_equal(r->properties.len, 5);
    expect(r, "below_4", VERDICT_VIOLATED, "below_4 does not hold");
    expect(r, "below_7", VERDICT_VIOLATED, "below_7 does not hold");
    expect(r, "below_10", VERDICT_HOLDS, NULL);
    expect(r, "never", VERDICT_VIOLATED, "never does not hold");
    expect(r, "assume small", VERDICT_VIOLATED, "small does not hold");
    assert_int_equal(entry(r, "below_4")->trace->steps.len, 4);
    assert_int_equal(entry(r, "below_7")->trace->steps.len, 7);
    assert_int_equal(entry(r, "never")->trace->steps.len, 0);
    assert_int_equal(entry(r, "assume small")->trace->steps.len, 8);
    assert_int_equal(r->verdict, VERDICT_VIOLATED);
    assert_int_equal(r->stats.states, 1000);
    result_free(r);
    counters_free(c);
}

// Once everything asked is decided the search stops, at the same place on any number of threads.
static void stops_early(void **state) {
    (void)state;
    uint64_t states = 0;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        counters *c = counters_new(6, 9, true, 9);
        prop p = invariant(c, "below_4", all_below(c, 4));
        result *r = result_new();
        explore_options o = {.threads = threads, .engine = ENGINE_BYTECODE, .parallel_least = 1};
        assert_int_equal(explore_run(c->in, &p, 1, &o, r, NULL), END_VIOLATION);
        assert_true(r->stats.states < 5000);
        if (threads > 1) assert_int_equal(r->stats.states, states);
        states = r->stats.states;
        result_free(r);
        counters_free(c);
    }
}

static void run_time_error(void **state) {
    (void)state;
    counters *c = counters_new(2, 3, true, 4);
    prop p = invariant(c, "below_9", all_below(c, 9));
    result *r = result_new();
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE, .check_deadlock = true};
    assert_int_equal(explore_run(c->in, &p, 1, &o, r, NULL), END_COMPLETE);
    expect(r, "run-time error", VERDICT_VIOLATED, "4 does not fit c(1): 0..3, in inc");
    assert_int_equal(entry(r, "run-time error")->trace->steps.len, 4);
    expect(r, "below_9", VERDICT_UNKNOWN, "a run-time error ends some runs early");
    expect(r, "deadlock", VERDICT_UNKNOWN, "a run-time error ends some runs early");
    assert_int_equal(r->stats.states, 16);
    result_free(r);
    counters_free(c);
}

static void refinement_without_product(void **state) {
    (void)state;
    counters *c = counters_new(2, 3, true, 3);
    prop p = model_add_prop(c->m, (prop_info){.kind = PROP_REFINES, .name = "p", .system = c->s, .spec = c->s});
    result *r = result_new();
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE};
    explore_run(c->in, &p, 1, &o, r, NULL);
    expect(r, "p", VERDICT_UNKNOWN, "internal error: not the product with the specification");
    result_free(r);
    counters_free(c);
}

// A rule `reset` that runs a statement in sequence; is the search reduced by symmetry?
static bool is_reduced_with(counters *c, const stmt *body) {
    rule_info info = {.name = "reset", .body = model_block(c->m, S_SEQ, &body, 1, nowhere)};
    vec_push(&sys_of(c->m, c->s)->rules, model_add_rule(c->m, info));
    result *r = result_new();
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE, .symmetry = true};
    assert_int_equal(explore_run(c->in, NULL, 0, &o, r, NULL), END_COMPLETE);
    bool is_reduced = r->stats.is_reduced;
    assert_int_equal(diag_count(c->messages), !is_reduced);
    result_free(r);
    counters_free(c);
    return is_reduced;
}

// forall i { c(to) := value }
static const stmt *loop_over(counters *c, var i, var to, expr written) {
    const stmt *step = model_assign(c->m, c->cell, (expr[]){expr_var(c->m, to)}, 1, written, nowhere);
    return model_forall(c->m, &i, 1, (expr){0}, &step, 1, nowhere);
}

static expr cell_of(counters *c, var i) { return expr_app(c->m, c->cell, (expr[]){expr_var(c->m, i)}); }

static counters *new_with_vars(var *i, var *j) {
    counters *c = counters_new(3, 2, false, 2);
    *i = model_add_var(c->m, "i", c->index, nowhere);
    *j = model_add_var(c->m, "j", c->index, nowhere);
    return c;
}

// Loops in a sequence go through elements in order: only where that order cannot show are elements alike.
static void elements_alike(void **state) {
    (void)state;
    var i, j;
    counters *c = new_with_vars(&i, &j);
    assert_true(is_reduced_with(c, loop_over(c, i, i, number(c, 0))));

    c = new_with_vars(&i, &j);  // c(i) := if c(i) = 2 then 0 else c(i)
    expr wrapped = expr_ite(c->m, compare(c, i, E_EQ, 2), number(c, 0), cell_of(c, i));
    assert_true(is_reduced_with(c, loop_over(c, i, i, wrapped)));

    c = new_with_vars(&i, &j);  // c(i) := if exists j. c(j) = 2 then 0 else 2: later rounds see earlier ones
    expr some = expr_quantify(c->m, E_EXISTS, j, compare(c, j, E_EQ, 2));
    expr later = expr_ite(c->m, some, number(c, 0), number(c, 2));
    assert_false(is_reduced_with(c, loop_over(c, i, i, later)));

    c = new_with_vars(&i, &j);  // one element is named
    expr named =
        expr_ite(c->m, expr_eq(c->m, expr_var(c->m, i), expr_const(c->m, c->index, 1)), number(c, 0), number(c, 1));
    assert_false(is_reduced_with(c, loop_over(c, i, i, named)));
}

// Such a rule must not be taken for one that changes nothing.
static void relation(void **state) {
    (void)state;
    counters *c = counters_new(2, 3, true, 3);
    prop p = invariant(c, "below_9", all_below(c, 9));
    rule_info info = {.name = "any", .chosen = &c->cell, .nchosen = 1, .is_visible = true};
    vec_push(&sys_of(c->m, c->s)->rules, model_add_rule(c->m, info));
    result *r = result_new();
    explored *x = NULL;
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE};
    explore_run(c->in, &p, 1, &o, r, &x);
    expect(r, "below_9", VERDICT_UNKNOWN, "the model cannot be explored (see the messages)");
    assert_int_equal(diag_errors(c->messages), 1);
    assert_int_equal(explored_count(x), 0);
    explored_free(x);
    result_free(r);
    counters_free(c);
}

static void no_start(void **state) {
    (void)state;
    counters *c = counters_new(2, 3, true, 3);
    prop p = invariant(c, "below_1", all_below(c, 1));
    vec_push(&sys_of(c->m, c->s)->axioms, (named_expr){"none", expr_bool(c->m, false), nowhere});
    result *r = result_new();
    explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE};
    assert_int_equal(explore_run(c->in, &p, 1, &o, r, NULL), END_COMPLETE);
    expect(r, "below_1", VERDICT_UNKNOWN, "there is no initial state, so nothing was tried");
    assert_int_equal(r->stats.states, 0);
    assert_int_equal(diag_count(c->messages), 1);
    result_free(r);
    counters_free(c);
}

// ---- limits

typedef struct {
    result *r;
    explore_end end;
} limited;

// 10^6 states; below_4 is violated after 4 steps, below_10 holds.
static limited run_limited(explore_options o) {
    counters *c = counters_new(6, 9, true, 9);
    prop p[] = {invariant(c, "below_4", all_below(c, 4)), invariant(c, "below_10", all_below(c, 10)), {0}};
    p[2] = model_add_prop(c->m, (prop_info){.kind = PROP_DEADLOCK_FREE, .name = "alive", .system = c->s});
    limited l = {.r = result_new()};
    o.engine = ENGINE_BYTECODE;
    l.end = explore_run(c->in, p, 3, &o, l.r, NULL);
    for (uint32_t i = 0; i < l.r->properties.len; i++) trace_free(l.r->properties.data[i].trace);
    for (uint32_t i = 0; i < l.r->properties.len; i++) l.r->properties.data[i].trace = NULL;
    counters_free(c);
    return l;
}

// States of six counters up to a sum of s < 10 number C(s+6, 6): 924 up to 6, 1716 up to 7.
static void limit_of_states(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        limited l = run_limited((explore_options){.threads = threads, .limit_states = 1500, .parallel_least = 1});
        assert_int_equal(l.end, END_STATES);
        assert_in_range(l.r->stats.states, 1501, 1506);
        expect(l.r, "below_4", VERDICT_VIOLATED, "below_4 does not hold");
        expect(l.r, "below_10", VERDICT_UNKNOWN,
               "stopped at the limit of 1,500 states; every state up to depth 6 was checked");
        expect(l.r, "alive", VERDICT_UNKNOWN,
               "stopped at the limit of 1,500 states; every state up to depth 5 was checked");
        result_free(l.r);
    }
}

static void limit_that_is_just_enough(void **state) {
    (void)state;
    for (uint64_t limit = 215; limit <= 216; limit++) {
        counters *c = counters_new(3, 5, true, 5);
        result *r = result_new();
        explore_options o = {.threads = 1, .engine = ENGINE_BYTECODE, .limit_states = limit};
        explore_end end = explore_run(c->in, NULL, 0, &o, r, NULL);
        assert_int_equal(end, limit < 216 ? END_STATES : END_COMPLETE);
        assert_int_equal(r->verdict, limit < 216 ? VERDICT_UNKNOWN : VERDICT_HOLDS);
        if (limit < 216) assert_non_null(r->reason);
        else assert_null(r->reason);
        result_free(r);
        counters_free(c);
    }
}

// Every state is an initial one: more of them than are stored at a time.
static void many_initial(void **state) {
    (void)state;
    for (uint64_t limit = 0; limit <= 5000; limit += 5000) {
        counters *c = counters_new(4, 9, true, 9);
        prop p = invariant(c, "below_10", all_below(c, 10));
        c->m->funcs.data[c->cell.id].starts_any = true;
        result *r = result_new();
        explored *x = NULL;
        explore_options o = {.threads = 2, .engine = ENGINE_BYTECODE, .limit_states = limit};
        assert_int_equal(explore_run(c->in, &p, 1, &o, r, &x), limit ? END_STATES : END_COMPLETE);
        assert_int_equal(explored_initial_count(x), explored_count(x));
        assert_int_equal(r->stats.depth, 0);
        if (limit) {
            expect(r, "below_10", VERDICT_UNKNOWN,
                   "stopped at the limit of 5,000 states; no level was checked completely");
        } else {
            assert_int_equal(r->stats.states, 10000);
            assert_int_equal(r->stats.transitions, 4 * 9 * 1000);
            expect(r, "below_10", VERDICT_HOLDS, NULL);
        }
        explored_free(x);
        result_free(r);
        counters_free(c);
    }
}

static void limit_of_memory(void **state) {
    (void)state;
    uint64_t before = 0;
    for (uint64_t limit = 100000; limit < 6000000; limit *= 3) {
        limited l = run_limited((explore_options){.threads = 2, .limit_bytes = limit});
        assert_int_equal(l.end, END_MEMORY);
        assert_true(l.r->stats.memory_bytes <= limit);
        assert_true(l.r->stats.states >= before);
        before = l.r->stats.states;
        const result_property *p = entry(l.r, "below_10");
        assert_int_equal(p->verdict, VERDICT_UNKNOWN);
        assert_true(str_starts(p->reason, "stopped at the limit of "));
        result_free(l.r);
    }
    assert_true(before > 20000);
}

static void limit_of_time(void **state) {
    (void)state;
    limited l = run_limited((explore_options){.threads = 2, .limits = limits_of_seconds(1e-9)});
    assert_int_equal(l.end, END_LIMIT);
    const char *why = "stopped at the time limit of 0.00 s; no level was checked completely";
    expect(l.r, "below_10", VERDICT_UNKNOWN, why);
    expect(l.r, "alive", VERDICT_UNKNOWN, why);
    result_free(l.r);
}

static void interrupt(void **state) {
    (void)state;
    limits_board board = {.met = LIMIT_INTERRUPT};
    limited l = run_limited((explore_options){.threads = 2, .limits = {.board = &board}});
    assert_int_equal(l.end, END_LIMIT);
    expect(l.r, "below_10", VERDICT_UNKNOWN, "interrupted; no level was checked completely");
    result_free(l.r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(native),
        cmocka_unit_test(orbits),
        cmocka_unit_test(numbers),
        cmocka_unit_test(same_numbers),
        cmocka_unit_test(several_properties),
        cmocka_unit_test(stops_early),
        cmocka_unit_test(run_time_error),
        cmocka_unit_test(refinement_without_product),
        cmocka_unit_test(elements_alike),
        cmocka_unit_test(relation),
        cmocka_unit_test(no_start),
        cmocka_unit_test(limit_of_states),
        cmocka_unit_test(limit_that_is_just_enough),
        cmocka_unit_test(many_initial),
        cmocka_unit_test(limit_of_memory),
        cmocka_unit_test(limit_of_time),
        cmocka_unit_test(interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
