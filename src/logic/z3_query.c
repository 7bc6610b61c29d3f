// SPDX-License-Identifier: Apache-2.0
// The questions put to Z3. Serves where the ground engine does not end soon and, in the tests, as its twin.
//
// Most questions are answered at once by a solver that keeps the premises (axioms, guard, assumed lemmas)
// while the goal changes. The others are put to solvers of their own, which know everything when they begin and do
// better for it. Which way of branching ends in a second, and which in minutes, is a matter of luck: several
// are tried in turn, with limits that grow. Limits count Z3's own steps, so that answers do not depend on
// the machine's load; the user's limit in seconds comes on top. Any answer but sat and unsat is "unknown".
#include "logic/z3_int.h"

#include "base/clock.h"
#include "logic/after.h"
#include "model/expr.h"

#include <string.h>

enum { QUICK_STEPS = 400000, FIRST_STEPS = 6000000, STEP_GROWTH = 4, MOST_GROWTH = 4 };

// How to branch: towards false, by goals first, by relevance.
static const struct {
    const char *name;
    unsigned value;
} strategies[] = {{"phase_selection", 0}, {"case_split", 3}, {NULL, 0}};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

void z3_forget(z3_prover *z) {
    if (z->solver) Z3_solver_dec_ref(z->c, z->solver);
    z->solver = NULL;
    z->of = NULL;
    bits_free(&z->assumed);
}

// ---- premises

static void claim(z3_prover *z, Z3_solver s, expr e) {
    if (e.id) Z3_solver_assert(z->c, s, z3_translate(z, expr_inline(z->m, e)));
}

static void claim_premises(logic *l, z3_prover *z, Z3_solver s) {
    after_step step = after_of(z->of);
    rule_info r = z->of->r.id ? *rule_of(l->m, z->of->r) : (rule_info){0};
    for (uint32_t i = 0; i < sys_of(l->m, l->system)->axioms.len; i++)
        claim(z, s, sys_of(l->m, l->system)->axioms.data[i].cond);
    if (r.guard.id) claim(z, s, after_start(l->m, &step, expr_inline(l->m, r.guard)));
    if (r.relation.id) claim(z, s, after_relation(l->m, &step, r.relation));
    BITS_EACH(i, &z->assumed) claim(z, s, l->lemmas.data[i].e);
}

static void set_premises(z3_prover *z, const task *t, const bits *assumed, bool is_step) {
    z->is_step = is_step;
    if (z->of == t && bits_equal(&z->assumed, assumed)) return;
    z3_forget(z);
    z->of = t;
    bits_copy(&z->assumed, assumed);
}

// ---- one question

typedef struct {
    uint32_t strategy;
    unsigned steps;
    double seconds;  // 0: no limit
} effort;

static void set_uint(z3_prover *z, Z3_params p, const char *name, unsigned v) {
    Z3_params_set_uint(z->c, p, Z3_mk_string_symbol(z->c, name), v);
}

static void set_effort(z3_prover *z, Z3_solver s, effort e) {
    Z3_params p = Z3_mk_params(z->c);
    Z3_params_inc_ref(z->c, p);
    const char *name = strategies[e.strategy].name;
    Z3_params_set_bool(z->c, p, Z3_mk_string_symbol(z->c, "ctrl_c"), false);  // the signal is ours
    if (name) Z3_params_set_bool(z->c, p, Z3_mk_string_symbol(z->c, "auto_config"), false);
    if (name) set_uint(z, p, name, strategies[e.strategy].value);
    set_uint(z, p, "rlimit", e.steps);
    if (e.seconds > 0) set_uint(z, p, "timeout", (unsigned)(e.seconds * 1000) + 1);
    Z3_solver_set_params(z->c, s, p);
    Z3_params_dec_ref(z->c, p);
}

// Can `violated` be true, on top of what the solver knows?
static answer z3_query_check(logic *l, z3_prover *z, Z3_solver s, expr violated) {
    Z3_solver_assert(z->c, s, z3_translate(z, violated));
    for (uint32_t i = 0; i < z->axioms.len; i++) Z3_solver_assert(z->c, s, z->axioms.data[i]);
    z3_guard_asking(z->guard, &l->stop);
    Z3_lbool found = Z3_get_error_code(z->c) == Z3_OK ? Z3_solver_check(z->c, s) : Z3_L_UNDEF;
    z3_guard_asking(z->guard, NULL);
    if (Z3_get_error_code(z->c) != Z3_OK) found = Z3_L_UNDEF;
    if (found == Z3_L_TRUE) z3_witness(l, Z3_solver_get_model(z->c, s), violated);
    return found == Z3_L_TRUE ? ANSWER_REFUTED : found == Z3_L_FALSE ? ANSWER_PROVED : ANSWER_UNKNOWN;
}

static answer ask_kept(logic *l, z3_prover *z, expr violated, double seconds) {
    if (!z->solver) {
        z->solver = Z3_mk_simple_solver(z->c);
        Z3_solver_inc_ref(z->c, z->solver);
        claim_premises(l, z, z->solver);
    }
    set_effort(z, z->solver, (effort){0, QUICK_STEPS, seconds});
    Z3_solver_push(z->c, z->solver);
    answer a = z3_query_check(l, z, z->solver, violated);
    Z3_solver_pop(z->c, z->solver, 1);
    return a;
}

static answer ask_fresh(logic *l, z3_prover *z, expr violated, effort e) {
    Z3_solver s = Z3_mk_solver(z->c);
    Z3_solver_inc_ref(z->c, s);
    set_effort(z, s, e);
    claim_premises(l, z, s);
    answer a = z3_query_check(l, z, s, violated);
    Z3_solver_dec_ref(z->c, s);
    return a;
}

static answer ask_in_turn(logic *l, expr violated, uint32_t round, double until) {
    answer a = ANSWER_UNKNOWN;
    effort e = {.steps = FIRST_STEPS};
    for (uint32_t i = 0; i < round && i < MOST_GROWTH; i++) e.steps *= STEP_GROWTH;
    for (; e.strategy < STRATEGIES && a == ANSWER_UNKNOWN; e.strategy++) {
        if (until > 0) e.seconds = until - clock_seconds();
        if (limits_met(&l->stop) || e.seconds < 0) return ANSWER_UNKNOWN;
        a = ask_fresh(l, z3_of(l), violated, e);
    }
    return a;
}

// When a question must end: the first round by its steps, later ones by the limit of a query too.
static double end_of_round(const logic *l, uint32_t round) {
    double own = round && l->options.query_seconds > 0 ? clock_seconds() + l->options.query_seconds : 0;
    return own == 0 || (l->stop.until > 0 && l->stop.until < own) ? l->stop.until : own;
}

static answer z3_query_ask(logic *l, expr violated, uint32_t round) {
    double until = end_of_round(l, round);
    answer a = ANSWER_UNKNOWN;
    if (limits_met(&l->stop)) return a;
    if (!round) a = ask_kept(l, z3_of(l), violated, until > 0 ? until - clock_seconds() : 0);
    if (a == ANSWER_UNKNOWN && !l->is_brief) a = ask_in_turn(l, violated, round, until);
    l->stats.queries++;
    return a;
}

// ---- lemmas

static answer preserved(logic *l, const task *t, const bits *assumed, uint32_t lemma_index, uint32_t round) {
    after_step step = after_of(t);
    expr e = expr_inline(l->m, l->lemmas.data[lemma_index].e), after = after_lemma(l->m, &step, e);
    if (after.id == e.id && bits_has(assumed, lemma_index)) return ANSWER_PROVED;
    return z3_query_ask(l, expr_not(l->m, after), round);
}

// All that the countermodel falsifies, if there is one to look at.
static void z3_query_find_failed(logic *l, uint32_t refuted, const bits *asked, bits *failed) {
    bits_clear(failed);
    bits_add(failed, refuted);
    for (uint32_t i = bits_next(asked, 0); l->has_witness && i != UINT32_MAX; i = bits_next(asked, i + 1))
        if (witness_falsifies(l, l->lemmas.data[i].e)) bits_add(failed, i);
}

answer z3_task(logic *l, const task *t, const bits *assumed, const bits *asked, uint32_t round, bits *failed) {
    bits open = {0};
    answer a = ANSWER_PROVED;
    set_premises(z3_of(l), t, assumed, true);
    for (uint32_t i = bits_next(asked, 0); i != UINT32_MAX && a != ANSWER_REFUTED; i = bits_next(asked, i + 1)) {
        a = preserved(l, t, assumed, i, round);
        if (a == ANSWER_UNKNOWN) bits_add(&open, i);
        if (a == ANSWER_REFUTED) z3_query_find_failed(l, i, asked, failed);
    }
    if (a != ANSWER_REFUTED) a = bits_is_empty(&open) ? ANSWER_PROVED : ANSWER_UNKNOWN;
    if (a != ANSWER_REFUTED) bits_copy(failed, &open);
    bits_free(&open);
    return a;
}

answer z3_implied(logic *l, const task *t, const bits *assumed, expr e, uint32_t round) {
    set_premises(z3_of(l), t, assumed, false);
    return z3_query_ask(l, expr_not(l->m, expr_inline(l->m, e)), round);
}
