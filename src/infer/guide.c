// SPDX-License-Identifier: Apache-2.0
// Weakening on demand: the greatest inductive set of a schema's clauses, as far as the property needs it.
//
// Weakening all clauses of a schema at once (weaken.c) computes the greatest subset S that is inductive. Here
// clauses come in only when a countermodel asks for them. A countermodel is a state s that satisfies what
// stands and violates the property, or steps to a state that violates a lemma. If some clause that holds in
// all samples is false in s, it comes in and the question is asked again. If there is none, every clause of
// the schema that is left holds in s, so weakening all of them would meet this countermodel too: the lemmas
// false after the step fall, and the state after the step joins the samples, which takes all other clauses
// that are false in it out of the schema. So the outcome is the same as that of weakening all, and a weaker
// clause takes the place of one that fell without any book-keeping.
#include "infer/prover.h"

#include "model/expr.h"

#include <stdio.h>

// Adds lemmas that are false in the state; false if the schema has none. Where those found do not hold
// initially, the samples know it now, and the question that led here may be asked again.
static bool block(prover *x, const instance *in, const value *state) {
    clause_list found = {0};
    block_state(x->schemas.data, x->schemas.len, in, state, &x->limits, &found, &x->nodes);
    bits fresh = {0};
    for (uint32_t i = 0; i < found.len; i++) {
        const clause *c = &found.data[i];
        uint32_t known = map_get(x->by_clause, c, clause_bytes(c), UINT32_MAX);
        if (known != UINT32_MAX && (bits_has(&x->banned, known) || bits_has(&x->stands, known))) continue;
        bits_add(&fresh, prover_add_clause(x, c));
    }
    bool some = !bits_is_empty(&fresh);
    prover_check_initially(x, &fresh);
    x->out->stats.blocked += some;
    bits_free(&fresh);
    vec_free(&found);
    return some;
}

// ---- goals

static void refusal_text(prover *x, const goal *g, str *out) {
    if (g->rule == UINT32_MAX) {
        str_add(out, "the invariant does not follow from the lemmas in this state");
        return;
    }
    rule r = sys_of(x->m, x->system)->rules.data[g->rule];
    str_printf(out, "%s is not allowed in this state, which satisfies all lemmas found",
               rule_of(x->m, r)->name);
}

static bool stuck_at_goal(prover *x, const goal *g) {
    str what = {0};
    refusal_text(x, g, &what);
    prover_remember_obstacle(x, str_get(&what));
    str_free(&what);
    return false;
}

// False when stuck.
static bool meet_goal(prover *x, goal *g) {
    while (!prover_out_of_time(x)) {
        answer a = logic_implied(x->logic, UINT32_MAX, &x->stands, g->cond);
        if (a == ANSWER_PROVED) g->is_met = true;
        if (a == ANSWER_PROVED) return true;
        const logic_witness *w = logic_last_witness(x->logic);
        if (a == ANSWER_UNKNOWN || !w || !block(x, w->in, w->before)) return stuck_at_goal(x, g);
        prover_report(x, "strengthening");
    }
    return true;
}

// ---- lemmas

// A property must not fall; an assumption neither.
static bool falls(prover *x, const bits *failed) {
    for (uint32_t i = bits_next(failed, 0); i != UINT32_MAX; i = bits_next(failed, i + 1))
        if (x->lemmas.data[i].kind != LEMMA_FOUND) {
            char what[200];
            snprintf(what, sizeof what, "this step violates %s%s",
                     x->lemmas.data[i].kind == LEMMA_ASSUME ? "the assumption " : "", x->lemmas.data[i].name);
            prover_remember_obstacle(x, what);
            return false;
        }
    for (uint32_t i = bits_next(failed, 0); i != UINT32_MAX; i = bits_next(failed, i + 1)) prover_drop(x, i);
    prover_unsettle(x);
    return true;
}

static void missing(const prover *x, uint32_t r, bits *out) {
    bits_copy(out, &x->asked);
    const bits *done = &x->settled.data[r];
    for (uint32_t i = bits_next(done, 0); i != UINT32_MAX; i = bits_next(done, i + 1)) bits_remove(out, i);
    for (uint32_t i = bits_next(&x->kept, 0); i != UINT32_MAX; i = bits_next(&x->kept, i + 1))
        bits_remove(out, i);
}

// The answer for all was unknown: each for itself; those without an answer fall.
static bool ask_singly(prover *x, uint32_t r, const bits *asked) {
    bits one = {0}, failed = {0}, lost = {0};
    for (uint32_t i = bits_next(asked, 0); i != UINT32_MAX; i = bits_next(asked, i + 1)) {
        bits_clear(&one);
        bits_add(&one, i);
        bits_clear(&failed);
        if (logic_preserved(x->logic, r, &x->stands, &one, &failed) == ANSWER_UNKNOWN) bits_add(&lost, i);
    }
    for (uint32_t i = bits_next(&lost, 0); i != UINT32_MAX; i = bits_next(&lost, i + 1))
        bits_add(&x->banned, i);
    bool ok = bits_is_empty(&lost) || falls(x, &lost);
    bits_free(&one);
    bits_free(&failed);
    bits_free(&lost);
    return ok;
}

static bool step_fails(prover *x, const bits *failed) {
    const logic_witness *w = logic_last_witness(x->logic);
    if (w && w->before && block(x, w->in, w->before)) return true;
    if (!falls(x, failed)) return false;
    if (w && w->after) prover_join_samples(x, w->in, w->after);
    return true;
}

// One rule, all lemmas not settled for it. False when stuck.
static bool settle_rule(prover *x, uint32_t r) {
    bits asked = {0}, failed = {0};
    bool ok = true;
    for (missing(x, r, &asked); ok && !bits_is_empty(&asked) && !prover_out_of_time(x);
         missing(x, r, &asked)) {
        bits_clear(&failed);
        answer a = logic_preserved(x->logic, r, &x->stands, &asked, &failed);
        if (a == ANSWER_PROVED) bits_copy(&x->settled.data[r], &x->asked);
        else if (a == ANSWER_REFUTED) ok = step_fails(x, &failed);
        else ok = ask_singly(x, r, &asked);
        prover_report(x, "weakening");
    }
    bits_free(&asked);
    bits_free(&failed);
    return ok;
}

static bool is_settled(prover *x) {
    bits left = {0};
    bool done = true;
    for (uint32_t r = 0; r < x->nrules && done; r++) {
        missing(x, r, &left);
        done = bits_is_empty(&left);
    }
    for (uint32_t i = 0; i < x->goals.len; i++) done &= x->goals.data[i].is_met;
    bits_free(&left);
    return done;
}

outcome guide_level(prover *x) {
    while (!is_settled(x)) {
        if (prover_out_of_time(x)) return OUTCOME_STOPPED;
        x->out->stats.iterations++;
        for (uint32_t i = 0; i < x->goals.len; i++)
            if (!x->goals.data[i].is_met && !meet_goal(x, &x->goals.data[i])) return OUTCOME_STUCK;
        for (uint32_t r = 0; r < x->nrules; r++)
            if (!settle_rule(x, r)) return OUTCOME_STUCK;
    }
    return OUTCOME_PROVED;
}
