// SPDX-License-Identifier: Apache-2.0
// Weakening on demand: the greatest inductive set of a schema's clauses, as far as the property needs it.
//
// Weakening all clauses of a schema at once (weaken.c) computes the greatest subset S that is inductive. Here
// clauses are added only when a countermodel calls for them. A countermodel is a state s that satisfies what
// stands and violates the property, or steps to a state that violates a lemma. If some clause that holds in
// all samples is false in s, it is added and the question is asked again. If there is none, every clause of
// the schema that is left holds in s, so weakening all of them would meet this countermodel too: the lemmas
// false after the step fall, and the state after the step joins the samples, which takes all other clauses
// that are false in it out of the schema. So the outcome is the same as that of weakening all, and a weaker
// clause takes the place of one that fell without any book-keeping.
#include "infer/prover.h"

// ---- goals

static void guide_refusal_text(prover *x, const goal *g, str *out) {
    if (g->rule == UINT32_MAX) {
        str_add(out, "the invariant does not follow from the lemmas in this state");
        return;
    }
    rule r = sys_of(x->m, x->system)->rules.data[g->rule];
    str_printf(out, "%s is not allowed in this state, which satisfies all lemmas found", rule_of(x->m, r)->name);
}

void guide_blame_goal(prover *x, const goal *g, countermodel *c) {
    str what = {0};
    guide_refusal_text(x, g, &what);
    prover_remember_obstacle(x, c, str_get(&what));
    str_free(&what);
}

static void stuck_at_goal(prover *x, const goal *g, countermodel *c) {
    x->stuck_on = UINT32_MAX;
    guide_blame_goal(x, g, c);
}

// False when stuck.
static bool meet_goal(prover *x, goal *g) {
    while (!prover_out_of_time(x)) {
        answer a = logic_implied(x->logic, UINT32_MAX, &x->stands, g->cond);
        if (a == ANSWER_PROVED) g->is_met = true;
        if (a == ANSWER_PROVED) return true;
        countermodel c;
        bool ok = prover_countermodel(x, &c) && a == ANSWER_REFUTED && bring_in(x, c.in, c.before, NULL);
        if (!ok) stuck_at_goal(x, g, &c);
        countermodel_free(&c);
        if (!ok) return false;
        prover_report(x, "strengthening");
    }
    return true;
}

// ---- lemmas

// Lemmas whose every purpose has fallen go too.
static void drop_orphans(prover *x) {
    for (bool again = true; again;) {
        again = false;
        BITS_EACH(i, &x->asked) {
            const lemma *l = &x->lemmas.data[i];
            if (!l->depth || bits_has(&x->kept, i) || bits_meet(&l->purpose, &x->stands)) continue;
            prover_drop(x, i);
            again = true;
        }
    }
}

void guide_blame_lemma(prover *x, uint32_t number, countermodel *c) {
    const lemma *l = &x->lemmas.data[number];
    str what = {0};
    str_printf(&what, "this step violates %s%s", l->kind == LEMMA_ASSUME ? "the assumption " : "", l->name);
    prover_remember_obstacle(x, c, str_get(&what));
    str_free(&what);
}

// A property must not fall; an assumption neither.
static bool falls(prover *x, const bits *failed, countermodel *c) {
    BITS_EACH(i, failed)
        if (x->lemmas.data[i].kind != LEMMA_FOUND) {
            guide_blame_lemma(x, i, c);
            x->stuck_on = i;
            return false;
        }
    BITS_EACH(i, failed) prover_drop(x, i);
    drop_orphans(x);
    prover_unsettle(x);
    return true;
}

static void missing(const prover *x, uint32_t r, bits *out) {
    bits_copy(out, &x->asked);
    bits_minus(out, &x->settled.data[r]);
    bits_minus(out, &x->kept);
}

// Nobody could decide these: they fall, and do not come back.
static bool guide_undecided(prover *x, const bits *asked, const bits *failed) {
    countermodel none = {0};
    bits lost = {0};
    bits_copy(&lost, bits_is_empty(failed) ? asked : failed);
    bits_join(&x->banned, &lost);
    bool ok = falls(x, &lost, &none);
    bits_free(&lost);
    return ok;
}

static bool step_fails(prover *x, const bits *failed) {
    countermodel c;
    bool known = prover_countermodel(x, &c);
    bool ok = known && bring_in(x, c.in, c.before, failed);
    if (!ok) {
        ok = falls(x, failed, &c);
        if (ok && known && c.after) prover_join_samples(x, c.in, c.after);
    }
    countermodel_free(&c);
    return ok;
}

// The lemmas not settled for some rule that were brought in last; false when all are settled.
static bool guide_deepest(prover *x, bits *out) {
    bits left = {0};
    uint32_t depth = 0;
    bits_clear(out);
    for (uint32_t r = 0; r < x->nrules; r++) {
        missing(x, r, &left);
        BITS_EACH(i, &left) {
            if (x->lemmas.data[i].depth < depth) continue;
            if (x->lemmas.data[i].depth > depth) bits_clear(out);
            depth = x->lemmas.data[i].depth;
            bits_add(out, i);
        }
    }
    bits_free(&left);
    return !bits_is_empty(out);
}

// One question: which of these lemmas does the rule not preserve? False when stuck.
static bool guide_ask(prover *x, uint32_t r, const bits *asked) {
    bits failed = {0};
    bool ok = true;
    answer a = logic_preserved(x->logic, r, &x->stands, asked, &failed);
    if (a == ANSWER_PROVED) bits_join(&x->settled.data[r], asked);
    else if (a == ANSWER_REFUTED) ok = step_fails(x, &failed);
    else ok = guide_undecided(x, asked, &failed);
    prover_report(x, "weakening");
    bits_free(&failed);
    return ok;
}

// The deepest lemmas, one rule at a time, until one of them fails or all are settled. False when stuck.
static bool guide_settle(prover *x) {
    bits asked = {0}, left = {0};
    bool ok = true;
    if (guide_deepest(x, &asked))
        for (uint32_t r = 0; r < x->nrules; r++) {
            missing(x, r, &left);
            bits_intersect(&left, &asked);
            if (bits_is_empty(&left)) continue;
            uint64_t events = x->out->stats.dropped + x->out->stats.blocked;
            ok = guide_ask(x, r, &left);
            if (!ok || events != x->out->stats.dropped + x->out->stats.blocked) break;
        }
    bits_free(&asked);
    bits_free(&left);
    return ok;
}

static bool guide_is_settled(prover *x) {
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

static bool meet_goals(prover *x) {
    for (uint32_t i = 0; i < x->goals.len; i++)
        if (!x->goals.data[i].is_met && !meet_goal(x, &x->goals.data[i])) return false;
    return true;
}

outcome guide_level(prover *x) {
    x->blocked_before = x->out->stats.blocked;
    while (!guide_is_settled(x)) {
        if (prover_out_of_time(x)) return OUTCOME_STOPPED;
        x->out->stats.iterations++;
        if (!meet_goals(x) || !guide_settle(x)) return OUTCOME_STUCK;
        bool is_worn_out = x->most_work && logic_statistics(x->logic)->work >= x->most_work;
        if (is_worn_out || x->out->stats.blocked - x->blocked_before > prover_levels[x->level].patience) {
            x->stuck_on = UINT32_MAX;
            return OUTCOME_STUCK;
        }
    }
    return OUTCOME_PROVED;
}
