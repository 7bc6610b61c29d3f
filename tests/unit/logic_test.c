// SPDX-License-Identifier: Apache-2.0
// The logic on small systems whose answers are plain: what is inductive, what is not, and why.
#include "oracle/unit.h"

#include "front/pv/pv.h"
#include "logic/logic.h"
#include "logic/obligation.h"
#include "logic/fol.h"
#include "model/compose.h"
#include "model/eval.h"
#include "model/expr.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    diag *messages;
    model *m;
    sys system;
    logic *l;
    bits all, failed;
} fixture;

static fixture open_text(const char *text, const char *system, logic_backend backend) {
    fixture f = {.messages = diag_new()};
    f.m = model_new(f.messages);
    pv_options o = {.text = text, .size = strlen(text), .alone = true};
    bool ok = pv_read(f.m, "test.pv", &o, NULL);
    if (!ok) {
        str s = {0};
        diag_print(f.messages, &s, false);
        print_message("%s\n", str_get(&s));
        str_free(&s);
    }
    assert_true(ok);
    f.system = model_find_system(f.m, system);
    f.l = logic_new(f.m, f.system, &(logic_options){.backend = backend, .query_seconds = 2});
    return f;
}

// Every invariant of the system becomes a lemma.
static void add_invariants(fixture *f) {
    const sys_info *s = sys_of(f->m, f->system);
    for (uint32_t i = 0; i < s->invariants.len; i++)
        bits_add(&f->all, logic_add_lemma(f->l, prop_of(f->m, sys_of(f->m, f->system)->invariants.data[i])->cond));
}

static void close_text(fixture *f) {
    logic_free(f->l);
    bits_free(&f->all);
    bits_free(&f->failed);
    model_free(f->m);
    diag_free(f->messages);
}

static const char lock_server[] = "sort Node\n"
                                  "system S {\n"
                                  "  rel held(Node)\n"
                                  "  var free: bool = true\n"
                                  "  action take(n: Node) when free { held(n) := true; free := false }\n"
                                  "  action give(n: Node) when held(n) { held(n) := false; free := true }\n"
                                  "  invariant mutex: forall a, b: Node. held(a) & held(b) -> a = b\n"
                                  "  invariant nobody: forall a: Node. free -> !held(a)\n"
                                  "}\n";

static void lock_server_is_inductive(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        fixture f = open_text(lock_server, "S", k ? BACKEND_Z3 : BACKEND_GROUND);
        add_invariants(&f);
        assert_int_equal(logic_initially(f.l, &f.all, &f.failed), ANSWER_PROVED);
        assert_int_equal(logic_preserved(f.l, 0, &f.all, &f.all, &f.failed), ANSWER_PROVED);
        assert_int_equal(logic_preserved(f.l, 1, &f.all, &f.all, &f.failed), ANSWER_PROVED);
        assert_true(logic_is_stratified(f.l, NULL));
        assert_null(logic_last_witness(f.l));
        close_text(&f);
    }
}

static void mutex_alone_is_not(void **state) {
    (void)state;
    fixture f = open_text(lock_server, "S", BACKEND_GROUND);
    add_invariants(&f);
    bits_remove(&f.all, 1);
    assert_int_equal(logic_preserved(f.l, 0, &f.all, &f.all, &f.failed), ANSWER_REFUTED);
    assert_true(bits_has(&f.failed, 0));
    const logic_witness *w = logic_last_witness(f.l);
    assert_non_null(w);
    eval *ev = eval_new(w->in);
    assert_true(eval_expr(ev, w->before, logic_lemma(f.l, 0)));
    assert_true(eval_enabled(ev, w->before, w->r, w->args));
    assert_false(eval_expr(ev, w->after, logic_lemma(f.l, 0)));
    assert_false(eval_expr(ev, w->before, logic_lemma(f.l, 1)));  // what the proof lacks
    eval_free(ev);
    close_text(&f);
}

static void failed_are_all_that_a_countermodel_falsifies(void **state) {
    (void)state;
    fixture f = open_text("sort T\n"
                          "system S {\n"
                          "  rel p(T), q(T)\n"
                          "  action a(t: T) { p(t) := true; q(t) := true }\n"
                          "  invariant x: forall t: T. !p(t)\n"
                          "  invariant y: forall t: T. !q(t)\n"
                          "  invariant z: forall t: T. p(t) -> q(t)\n"
                          "}\n",
                          "S", BACKEND_GROUND);
    add_invariants(&f);
    assert_int_equal(logic_preserved(f.l, 0, &f.all, &f.all, &f.failed), ANSWER_REFUTED);
    assert_true(bits_has(&f.failed, 0) && bits_has(&f.failed, 1) && !bits_has(&f.failed, 2));
    close_text(&f);
}

static void a_witness_may_be_needed(void **state) {
    (void)state;
    // From ∃v. r(t,v) before follows ∃v. r(t,v) after, by a location that is neither parameter nor goal variable.
    fixture f = open_text("sort T, L\n"
                          "system S {\n"
                          "  rel r(T, L) , on(T)\n"
                          "  action a(t: T) when on(t) { on(t) := false }\n"
                          "  action b(t: T, v: L) { r(t, v) := true; on(t) := true }\n"
                          "  invariant x: forall t: T. on(t) -> exists v: L. r(t, v)\n"
                          "  invariant y: forall t: T, v: L. r(t, v) -> exists w: L. r(t, w)\n"
                          "}\n",
                          "S", BACKEND_GROUND);
    add_invariants(&f);
    assert_int_equal(logic_initially(f.l, &f.all, &f.failed), ANSWER_PROVED);
    assert_int_equal(logic_preserved(f.l, 0, &f.all, &f.all, &f.failed), ANSWER_PROVED);
    assert_int_equal(logic_preserved(f.l, 1, &f.all, &f.all, &f.failed), ANSWER_PROVED);
    assert_true(logic_statistics(f.l)->witnesses > 0);
    close_text(&f);
}

static void initial_values_and_init_rules_count(void **state) {
    (void)state;
    fixture f = open_text("sort T\n"
                          "enum E { red, green, blue }\n"
                          "system S {\n"
                          "  var c(T): E = green\n"
                          "  var n: 0..3 = 2\n"
                          "  var lead: T = any\n"
                          "  init(t: T) { lead := t; c(t) := blue }\n"
                          "  invariant x: forall t: T. c(t) != red\n"
                          "  invariant y: c(lead) = blue & n = 2\n"
                          "  invariant z: forall t: T. c(t) = blue\n"
                          "}\n",
                          "S", BACKEND_GROUND);
    add_invariants(&f);
    assert_int_equal(logic_initially(f.l, &f.all, &f.failed), ANSWER_REFUTED);
    assert_true(!bits_has(&f.failed, 0) && !bits_has(&f.failed, 1) && bits_has(&f.failed, 2));
    bits_remove(&f.all, 2);
    assert_int_equal(logic_initially(f.l, &f.all, &f.failed), ANSWER_PROVED);
    close_text(&f);
}

static void order_and_least_element(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        fixture f = open_text("ordered sort T\n"
                              "system S {\n"
                              "  var turn: T\n"
                              "  action on(t: T) when turn < t { turn := t }\n"
                              "  action back(t: T) when t < turn { turn := t }\n"
                              "  rel seen(T)\n"
                              "  action see { seen(turn) := true }\n"
                              "  invariant x: forall t: T. seen(t) -> t <= turn\n"
                              "  invariant y: forall t: T. turn <= t\n"
                              "}\n",
                              "S", k ? BACKEND_Z3 : BACKEND_GROUND);
        add_invariants(&f);
        assert_int_equal(logic_initially(f.l, &f.all, &f.failed), ANSWER_PROVED);  // turn starts least
        bits_remove(&f.all, 1);
        assert_int_equal(logic_preserved(f.l, 0, &f.all, &f.all, &f.failed), ANSWER_PROVED);
        assert_int_equal(logic_preserved(f.l, 1, &f.all, &f.all, &f.failed), ANSWER_REFUTED);
        assert_int_equal(logic_preserved(f.l, 2, &f.all, &f.all, &f.failed), ANSWER_PROVED);
        close_text(&f);
    }
}

static void numbers_and_fixed_sizes(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        fixture f =
            open_text("sort Slot = 3\n"
                      "system S {\n"
                      "  var n: 0..5 = 0\n"
                      "  var k: 0..10 = 0\n"
                      "  rel full(Slot)\n"
                      "  action step(i: 0..5) { n := i }\n"
                      "  action set { k := n + n }\n"
                      "  action fill(s: Slot) { full(s) := true }\n"
                      "  invariant even: k % 2 = 0\n"
                      "  invariant low: k <= 8\n"
                      "  invariant few: forall a, b, c, d: Slot. a = b | a = c | a = d | b = c | b = d | c = d\n"
                      "}\n",
                      "S", k ? BACKEND_Z3 : BACKEND_GROUND);
        add_invariants(&f);
        assert_int_equal(logic_preserved(f.l, 0, &f.all, &f.all, &f.failed), ANSWER_PROVED);
        assert_int_equal(logic_preserved(f.l, 1, &f.all, &f.all, &f.failed), ANSWER_REFUTED);
        assert_true(!bits_has(&f.failed, 0) && bits_has(&f.failed, 1) && !bits_has(&f.failed, 2));
        bits_remove(&f.all, 1);
        assert_int_equal(logic_preserved(f.l, 1, &f.all, &f.all, &f.failed), ANSWER_PROVED);
        assert_int_equal(logic_preserved(f.l, 2, &f.all, &f.all, &f.failed), ANSWER_PROVED);
        close_text(&f);
    }
}

// What a rule assigns stays in its range wherever the guard, a condition or a loop's condition says so.
static const char counters[] = "sort Node\n"
                               "system S {\n"
                               "  var n(Node): 0..3\n"
                               "  rel top(Node)\n"
                               "  action up(x: Node) when n(x) < 3 { n(x) := n(x) + 1 }\n"
                               "  action all_down when forall x: Node. n(x) > 0 {\n"
                               "    forall x: Node { n(x) := n(x) - 1; top(x) := false } }\n"
                               "  action some_down {\n"
                               "    forall x: Node where n(x) > 1 { n(x) := n(x) - 2; top(x) := false } }\n"
                               "  action two_up(x: Node) { if n(x) <= 1 { n(x) := n(x) + 2 } }\n"
                               "  action mark(x: Node) when n(x) = 3 { top(x) := true }\n"
                               "  invariant high: forall x: Node. top(x) -> n(x) = 3\n"
                               "}\n";

static void guards_keep_values_in_range(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        fixture f = open_text(counters, "S", k ? BACKEND_Z3 : BACKEND_GROUND);
        assert_non_null(f.l);
        add_invariants(&f);
        assert_int_equal(logic_initially(f.l, &f.all, &f.failed), ANSWER_PROVED);
        for (uint32_t r = 0; r < sys_of(f.m, f.system)->rules.len; r++)
            assert_int_equal(logic_preserved(f.l, r, &f.all, &f.all, &f.failed), ANSWER_PROVED);
        close_text(&f);
    }
}

static void a_range_that_the_guard_does_not_keep_is_refused(void **state) {
    (void)state;
    const struct {
        const char *from, *to;
    } changes[] = {
        {"n(x) < 3", "n(x) < 4"}, {"n(x) > 0", "n(x) >= 0"}, {"n(x) > 1", "n(x) > 0"}, {"n(x) <= 1", "n(x) <= 2"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *at = strstr(counters, changes[i].from);
        char text[sizeof counters + 8];
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - counters), counters, changes[i].to,
                 at + strlen(changes[i].from));
        fixture f = open_text(text, "S", BACKEND_AUTO);
        str s = {0};
        assert_null(f.l);
        diag_print(f.messages, &s, false);
        assert_non_null(strstr(str_get(&s), "the value can leave its range here, and the guard does not"));
        str_free(&s);
        close_text(&f);
    }
}

static void what_can_fail_is_refused_with_its_place(void **state) {
    (void)state;
    fixture f = open_text("system S {\n"
                          "  var n: 0..3 = 0\n"
                          "  action up { n := n + 1 }\n"
                          "}\n",
                          "S", BACKEND_AUTO);
    assert_null(f.l);
    assert_int_equal(diag_errors(f.messages), 1);
    str text = {0};
    diag_print(f.messages, &text, false);
    assert_non_null(strstr(str_get(&text), "test.pv:3:"));
    str_free(&text);
    close_text(&f);
}

static const char endless[] = "sort T\n"
                              "system S {\n"
                              "  rel before(T, T), p(T)\n"
                              "  action a(t: T) when p(t) { p(t) := true }\n"
                              "  invariant next: forall x: T. exists y: T. before(x, y)\n"
                              "  invariant chain: forall x, y, z: T. before(x, y) & before(y, z) -> before(x, z)\n"
                              "  invariant strict: forall x: T. !before(x, x)\n"
                              "  invariant none: forall x: T. !p(x)\n"
                              "}\n";

static void outside_the_fragment_the_cycle_is_named(void **state) {
    (void)state;
    fixture f = open_text(endless, "S", BACKEND_GROUND);
    add_invariants(&f);
    str why = {0};
    assert_false(logic_is_stratified(f.l, &why));
    assert_non_null(strstr(str_get(&why), "T → T"));
    str_free(&why);
    close_text(&f);
}

static void an_endless_search_ends_unknown(void **state) {
    (void)state;
    // Only infinite models satisfy the assumed lemmas: no finite one is found, and p(x) is not refuted either.
    fixture f = open_text(endless, "S", BACKEND_GROUND);
    add_invariants(&f);
    expr x = logic_lemma(f.l, 3);
    bits_remove(&f.all, 3);
    assert_int_equal(logic_implied(f.l, UINT32_MAX, &f.all, x), ANSWER_UNKNOWN);
    assert_null(logic_last_witness(f.l));
    close_text(&f);
}

static void an_interrupt_is_unknown(void **state) {
    (void)state;
    fixture f = open_text(lock_server, "S", BACKEND_GROUND);
    logic_free(f.l);
    limits_board board = {.met = LIMIT_INTERRUPT};
    f.l = logic_new(f.m, f.system, &(logic_options){.limits = {.board = &board}});
    add_invariants(&f);
    assert_int_equal(logic_preserved(f.l, 0, &f.all, &f.all, &f.failed), ANSWER_UNKNOWN);
    assert_false(bits_is_empty(&f.failed));
    close_text(&f);
}

static void obligations_have_text(void **state) {
    (void)state;
    fixture f = open_text(lock_server, "S", BACKEND_GROUND);
    prop p = sys_of(f.m, f.system)->invariants.data[0];
    expr inv[2];
    for (int i = 0; i < 2; i++) inv[i] = prop_of(f.m, sys_of(f.m, f.system)->invariants.data[i])->cond;
    obligations o;
    assert_true(obligations_of(f.m, f.system, inv, 2, NULL, p, &o));
    assert_int_equal(o.sets.len, 4);  // start, take, give, safety
    str text = {0};
    smtlib_script(&o, &o.sets.data[1], &text);
    assert_non_null(strstr(str_get(&text), "; take preserves lemma 2"));
    assert_non_null(strstr(str_get(&text), "(check-sat)"));
    str_clear(&text);
    tptp_problem(&o, &o.sets.data[3], 0, &text);
    assert_non_null(strstr(str_get(&text), "conjecture"));
    str_free(&text);
    obligations_free(&o);
    close_text(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_server_is_inductive),
        cmocka_unit_test(mutex_alone_is_not),
        cmocka_unit_test(failed_are_all_that_a_countermodel_falsifies),
        cmocka_unit_test(a_witness_may_be_needed),
        cmocka_unit_test(initial_values_and_init_rules_count),
        cmocka_unit_test(order_and_least_element),
        cmocka_unit_test(numbers_and_fixed_sizes),
        cmocka_unit_test(guards_keep_values_in_range),
        cmocka_unit_test(a_range_that_the_guard_does_not_keep_is_refused),
        cmocka_unit_test(what_can_fail_is_refused_with_its_place),
        cmocka_unit_test(outside_the_fragment_the_cycle_is_named),
        cmocka_unit_test(an_endless_search_ends_unknown),
        cmocka_unit_test(an_interrupt_is_unknown),
        cmocka_unit_test(obligations_have_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
