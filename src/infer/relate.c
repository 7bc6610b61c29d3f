// SPDX-License-Identifier: Apache-2.0
// Relations between a memory and its specification: candidates weakened all at once, first at fixed sizes.
//
// All candidates start (related.h). In a small instance it is found what the property rests on, what no step breaking
// these rests on, and so on (sized.h). Where a step breaks one of them though all hold that stand, all are weakened by
// the state after it and by states that follow (follow.h). Candidates that nothing rests on are not asked about: nine
// of ten, for TL2. What the property rests on in the end is asked about all sizes. A countermodel of that brings in
// another candidate that is false before its step; if there is none, all are weakened by the state after it, and so on
// from the beginning, in a larger instance: what needs a third thread to fall is refuted there, at a small price too.
//
// Only what does not follow from others that stand by propositional reasoning (entail.h) takes part. It comes in when
// one of those falls. Invariant: a candidate that takes no part follows from some that do.
#include "infer/related.h"
#include "infer/entail.h"
#include "infer/follow.h"
#include "infer/sized.h"

#include "logic/sat.h"

#include <string.h>

enum { RELATE_NONE = UINT32_MAX, RELATE_BROUGHT = 3 };

// What takes part: a candidate, or a lemma that the user offers.
typedef struct {
    uint32_t candidate;  // RELATE_NONE: a formula
    clause c;
    uint32_t lemma;  // in the logic of all sizes; RELATE_NONE: not there
    expr e;          // of a formula
    bits rests_on;   // of one that was asked about: parts that suffice for no step to break it
} partaker;

typedef struct {
    bool is_gone;
    uint32_t part;     // its number among those that take part, or RELATE_NONE
    entail_core core;  // else: numbers of those that it follows from
} standing_candidate;

typedef struct {
    prover *x;
    related_set of;
    VEC(standing_candidate) all;  // by candidate
    VEC(partaker) parts;          // by number in `sized`
    sized *at;
    instance *in;  // of fixed sizes
    entail *known;
    follower_list followers;
    uint64_t seed;
    uint32_t rule;  // to ask about first, of all sizes
    bits roots;     // parts from which the goals follow, once is_reduced
    bool is_reduced;
    bits brought;                // parts that all sizes call for
    bits needed;                 // what these rest on, directly or not
    bits asked;                  // parts whose reasons are known
    const relate_sizes *stages;  // the instances after this one
    uint32_t nstages;
    bool is_too_small;  // a step of all sizes broke what no step of the instance does
} relating;

// ---- who takes part

static bool relate_follows_still(const relating *w, const standing_candidate *c) {
    for (uint32_t i = 0; i < c->core.len; i++)
        if (!bits_has(sized_standing(w->at), c->core.data[i])) return false;
    return c->core.len > 0;
}

static void relate_remove(relating *w, uint32_t part) {
    partaker *p = &w->parts.data[part];
    sized_remove(w->at, part);
    w->is_reduced &= !bits_has(&w->roots, part);
    bits_remove(&w->brought, part);
    bits_remove(&w->asked, part);
    BITS_EACH(i, &w->asked)
        if (bits_has(&w->parts.data[i].rests_on, part)) bits_remove(&w->asked, i);
    if (p->candidate != RELATE_NONE) entail_remove(w->known, part);
    if (p->lemma != RELATE_NONE && bits_has(&w->x->stands, p->lemma)) {
        prover_drop(w->x, p->lemma);
        prover_unsettle(w->x);
    }
}

static void relate_withdraw(relating *w, uint32_t number) {
    standing_candidate *c = &w->all.data[number];
    vec_clear(&c->core);
    if (c->part != RELATE_NONE) relate_remove(w, c->part);
    c->part = RELATE_NONE;
}

static void relate_admit(relating *w, uint32_t number) {
    standing_candidate *s = &w->all.data[number];
    const related *c = &w->of.all.data[number];
    clause now;
    if (s->is_gone || s->part != RELATE_NONE || relate_follows_still(w, s)) return;
    s->is_gone = !related_clause(&w->of, c, &now);
    if (s->is_gone || entail_follows(w->known, c->schema, &now, &s->core)) return;
    s->part = sized_add_clause(w->at, &now);
    vec_push(&w->parts, (partaker){.candidate = number, .c = now, .lemma = RELATE_NONE});
    entail_add(w->known, s->part, &now);
}

static void relate_admit_all(relating *w) {
    for (uint32_t i = 0; i < w->all.len && !prover_out_of_time(w->x); i++) relate_admit(w, i);
}

// ---- weakening

// A candidate that was made weaker has another clause now, or none.
static void relate_renew(relating *w, uint32_t number) {
    const standing_candidate *s = &w->all.data[number];
    clause now;
    bool is_same = related_clause(&w->of, &w->of.all.data[number], &now) && s->part != RELATE_NONE &&
                   !memcmp(&now, &w->parts.data[s->part].c, clause_bytes(&now));
    if (!is_same) relate_withdraw(w, number);
}

static void relate_drop_formulas(relating *w, const sample *states) {
    BITS_EACH(i, sized_standing(w->at))
        if (w->parts.data[i].candidate == RELATE_NONE && sample_is_false(states, w->parts.data[i].e))
            relate_remove(w, i);
}

static rows **relate_rows_of(relating *w, valuation *v) {
    prover *x = w->x;
    rows **of = mem_zero(x->schemas.len + 1, sizeof *of);
    for (uint32_t s = 0; s < x->schemas.len; s++) {
        of[s] = rows_new(x->pool, x->schemas.data[s]->counts, prover_levels[x->level].atoms);
        rows_add_sample(of[s], v, &x->o->limits, NULL);
    }
    return of;
}

static void relate_free_rows(const relating *w, rows **of) {
    for (uint32_t s = 0; s < w->x->schemas.len; s++) rows_free(of[s]);
    free(of);
}

static void relate_weaken_one(relating *w, uint32_t i, const phased_rows *states) {
    related *c = &w->of.all.data[i];
    related was = *c;
    if (w->all.data[i].is_gone || !related_weaken(c, &states[was.schema])) return;
    if (w->all.data[i].part != RELATE_NONE) related_extend(&w->of, &was, &states[was.schema]);
    relate_renew(w, i);
}

// All that stand become true in the state, and in those that follow it.
static void relate_weaken(relating *w, const instance *in, const value *state) {
    sample *states = follow_state(&w->followers, in, state, &w->seed);
    valuation *v = valuation_new(w->x->pool, states);
    rows **of = relate_rows_of(w, v);
    phased_rows *phased = mem_zero(w->x->schemas.len + 1, sizeof *phased);
    for (uint32_t s = 0; s < w->x->schemas.len; s++) phased[s] = related_phased(&w->of, of[s]);
    for (uint32_t i = 0; i < w->all.len; i++) relate_weaken_one(w, i, phased);
    for (uint32_t s = 0; s < w->x->schemas.len; s++) related_free_phased(&phased[s]);
    free(phased);
    while (w->all.len < w->of.all.len) vec_push(&w->all, (standing_candidate){.part = RELATE_NONE});
    relate_drop_formulas(w, states);
    relate_free_rows(w, of);
    valuation_free(v);
    sample_free(states);
}

// ---- at fixed sizes

// What the goals rest on; false: not on what stands.
static bool relate_needs_of_goals(relating *w) {
    sat_answer found = SAT_NO;
    if (w->is_reduced) return true;
    bits_clear(&w->roots);
    for (uint32_t i = 0; i < w->x->goals.len && found == SAT_NO; i++)
        found = sized_implies_not(w->at, w->x->goals.data[i].cond, &w->needed, &w->roots);
    return w->is_reduced = found == SAT_NO;
}

// The roots, and what those that were asked about rest on.
static void relate_find_needed(relating *w) {
    bits left = {0};
    bits_copy(&w->needed, &w->roots);
    bits_join(&w->needed, &w->brought);
    bits_copy(&left, &w->needed);
    for (uint32_t i = bits_next(&left, 0); i != UINT32_MAX; i = bits_next(&left, 0)) {
        bits fresh = {0};
        bits_remove(&left, i);
        if (!bits_has(&w->asked, i)) continue;
        bits_copy(&fresh, &w->parts.data[i].rests_on);
        bits_minus(&fresh, &w->needed);
        bits_join(&w->needed, &fresh);
        bits_join(&left, &fresh);
        bits_free(&fresh);
    }
    bits_free(&left);
}

// A step that breaks what the goals rest on, from a state in which all hold that stand; SAT_NO: there is none.
static sat_answer relate_find_step(relating *w, value *before, value *after) {
    if (!relate_needs_of_goals(w)) return SAT_STOPPED;
    relate_find_needed(w);
    bits left = {0};
    sat_answer found = SAT_NO;
    while (!bits_subset(&w->needed, &w->asked) && found == SAT_NO && !prover_out_of_time(w->x)) {
        bits_copy(&left, &w->needed);
        bits_minus(&left, &w->asked);
        uint32_t i = bits_next(&left, 0);
        partaker *p = &w->parts.data[i];
        bits_clear(&p->rests_on);
        found = sized_rests_on(w->at, i, &w->needed, &p->rests_on, before, after);
        if (found != SAT_NO) break;
        bits_join(&w->needed, &p->rests_on);
        bits_add(&w->asked, i);
    }
    bits_free(&left);
    return prover_out_of_time(w->x) ? SAT_STOPPED : found;
}

// Until no step breaks what the goals rest on; false: there is no end to it, or no time.
static bool relate_settle(relating *w) {
    value *before = mem_zero(w->in->ncells + 1, sizeof *before), *after = mem_zero(w->in->ncells + 1, sizeof *after);
    sat_answer found = SAT_YES;
    while (found == SAT_YES && !prover_out_of_time(w->x)) {
        relate_admit_all(w);
        found = sized_breaks_initially(w->at, after);
        bool is_step = found == SAT_NO;
        if (is_step) found = relate_find_step(w, before, after);
        if (found != SAT_YES) break;
        uint32_t standing = bits_count(sized_standing(w->at));
        uint32_t last = w->parts.len;
        relate_weaken(w, w->in, after);
        bool changed = standing != bits_count(sized_standing(w->at)) || last != w->parts.len;
        if (!changed) found = SAT_STOPPED;
        else if (is_step) relate_weaken(w, w->in, before);
        prover_report(w->x, "weakening");
    }
    free(before);
    free(after);
    return found == SAT_NO;
}

// ---- at all sizes

// What is no longer needed stands no longer.
static void relate_retire(relating *w) {
    prover *x = w->x;
    for (uint32_t i = 0; i < w->parts.len; i++) {
        uint32_t l = w->parts.data[i].lemma;
        bool is_standing = l != RELATE_NONE && bits_has(&x->stands, l) && !bits_has(&x->kept, l);
        if (bits_has(&w->needed, i) || !is_standing) continue;
        bits_remove(&x->stands, l);
        bits_remove(&x->asked, l);
        prover_unsettle(x);
    }
}

// The needed ones stand in the logic of all sizes.
static void relate_state(relating *w, bits *fresh) {
    prover *x = w->x;
    relate_retire(w);
    BITS_EACH(i, &w->needed) {
        partaker *p = &w->parts.data[i];
        bool is_new = p->lemma == RELATE_NONE;
        if (is_new) p->lemma = prover_add_clause(x, &p->c);
        if (is_new || !bits_has(&x->stands, p->lemma)) bits_add(fresh, p->lemma);
        bits_add(&x->stands, p->lemma);
        bits_add(&x->asked, p->lemma);
    }
}

// Parts that are false in the state and not needed so far: the shortest few are.
static bool relate_bring(relating *w, const instance *in, const value *state) {
    valuation *v = valuation_of_state(w->x->pool, in, state);
    rows **of = relate_rows_of(w, v);
    uint32_t brought = 0;
    for (uint32_t n = 1; n <= CLAUSE_MOST && !brought; n++)
        BITS_EACH(i, sized_standing(w->at)) {
            const partaker *p = &w->parts.data[i];
            if (p->candidate == RELATE_NONE || p->c.n != n || bits_has(&w->needed, i) || brought == RELATE_BROUGHT)
                continue;
            if (rows_satisfy(of[w->of.all.data[p->candidate].schema], &p->c)) continue;
            bits_add(&w->needed, i);
            bits_add(&w->brought, i);
            brought++;
        }
    relate_free_rows(w, of);
    valuation_free(v);
    return brought > 0;
}

static void relate_drop_lemmas(relating *w, const bits *failed) {
    BITS_EACH(i, sized_standing(w->at)) {
        const partaker *p = &w->parts.data[i];
        if (p->lemma == RELATE_NONE || !bits_has(failed, p->lemma)) continue;
        if (p->candidate == RELATE_NONE) {
            relate_remove(w, i);
            continue;
        }
        w->all.data[p->candidate].is_gone = true;
        relate_withdraw(w, p->candidate);
    }
}

// After a refuted question about lemmas: one more is needed, or these fall, and all else that the state speaks against.
static void relate_learn(relating *w, const bits *failed, bool is_initial) {
    countermodel c;
    bool known = prover_countermodel(w->x, &c);
    bool brought = known && !is_initial && c.before && relate_bring(w, c.in, c.before);
    const value *state = !known || brought ? NULL : is_initial ? c.before : c.after;
    if (state) relate_weaken(w, c.in, state);
    countermodel_free(&c);
    w->is_too_small |= !brought && !is_initial;
    if (!brought) relate_drop_lemmas(w, failed);
}

static bool relate_holds_initially(relating *w, const bits *fresh) {
    bits failed = {0};
    bool ok = bits_is_empty(fresh) || logic_initially(w->x->logic, fresh, &failed) == ANSWER_PROVED;
    if (!ok) relate_learn(w, bits_is_empty(&failed) ? fresh : &failed, true);
    bits_free(&failed);
    return ok;
}

static bool relate_is_kept(relating *w, uint32_t r) {
    prover *x = w->x;
    bits left = {0}, failed = {0};
    bits_copy(&left, &x->asked);
    bits_minus(&left, &x->settled.data[r]);
    bits_minus(&left, &x->kept);
    bool ok = bits_is_empty(&left) || logic_preserved(x->logic, r, &x->stands, &left, &failed) == ANSWER_PROVED;
    if (ok) bits_join(&x->settled.data[r], &left);
    else relate_learn(w, bits_is_empty(&failed) ? &left : &failed, false);
    bits_free(&left);
    bits_free(&failed);
    return ok;
}

// The rule that broke something last breaks most likely something again.
static bool relate_rules_keep(relating *w) {
    for (uint32_t i = 0; i < w->x->nrules; i++) {
        if (!relate_is_kept(w, w->rule) || prover_out_of_time(w->x)) return false;
        w->rule = (w->rule + 1) % w->x->nrules;
    }
    return true;
}

// OUTCOME_STOPPED: lemmas were brought in or fell.
static outcome relate_meet_goals(relating *w) {
    prover *x = w->x;
    for (uint32_t i = 0; i < x->goals.len; i++) {
        countermodel c;
        answer a = logic_implied(x->logic, UINT32_MAX, &x->stands, x->goals.data[i].cond);
        if (a == ANSWER_PROVED) continue;
        bool brought = prover_countermodel(x, &c) && relate_bring(w, c.in, c.before);
        countermodel_free(&c);
        return brought ? OUTCOME_STOPPED : OUTCOME_STUCK;
    }
    return OUTCOME_PROVED;
}

// One try with what is needed now. OUTCOME_STOPPED: something has changed.
static outcome relate_try(relating *w) {
    bits fresh = {0};
    relate_state(w, &fresh);
    bool ok = relate_holds_initially(w, &fresh) && relate_rules_keep(w);
    bits_free(&fresh);
    return ok ? relate_meet_goals(w) : OUTCOME_STOPPED;
}

// ---- beginning and end

// What is known to be inductive, and what the user offers: that is asked only where it is needed.
static void relate_offered(relating *w) {
    prover *x = w->x;
    BITS_EACH(i, &x->stands) {
        expr e = logic_lemma(x->logic, i);
        if (!sample_can(x->m, e)) continue;
        sized_add_formula(w->at, e);
        vec_push(&w->parts, (partaker){.candidate = RELATE_NONE, .lemma = i, .e = e});
    }
    bits_intersect(&x->stands, &x->kept);
    bits_intersect(&x->asked, &x->kept);
    prover_unsettle(x);
}

// An instance, without anything that takes part.
static bool relate_open(relating *w) {
    prover *x = w->x;
    if (!w->nstages) return false;
    w->in = instance_try(x->m, x->guarded, w->stages->of, w->stages->n);
    w->stages++;
    w->nstages--;
    w->is_too_small = false;
    w->at = w->in ? sized_new(x->pool, w->in, &x->o->limits) : NULL;
    if (w->at) w->known = entail_new(x->schemas.data, x->schemas.len, &x->o->limits);
    return w->at;
}

static void relate_close(relating *w) {
    if (w->known) entail_free(w->known);
    sized_free(w->at);
    if (w->in) instance_free(w->in);
    w->known = NULL;
    w->at = NULL;
    w->in = NULL;
    for (uint32_t i = 0; i < w->parts.len; i++) bits_free(&w->parts.data[i].rests_on);
    vec_clear(&w->parts);
    w->is_reduced = false;
    bits_clear(&w->roots);
    bits_clear(&w->brought);
    bits_clear(&w->needed);
    bits_clear(&w->asked);
}

static bool relate_begin(relating *w) {
    if (!relate_open(w)) return false;
    related_find(&w->of);
    for (uint32_t i = 0; i < w->of.all.len; i++) vec_push(&w->all, (standing_candidate){.part = RELATE_NONE});
    relate_offered(w);
    return true;
}

// What stands begins again in the larger instance, as weak as it has become.
static bool relate_enlarge(relating *w) {
    prover *x = w->x;
    bits_intersect(&x->stands, &x->kept);
    BITS_EACH(i, sized_standing(w->at))
        if (w->parts.data[i].candidate == RELATE_NONE) bits_add(&x->stands, w->parts.data[i].lemma);
    relate_close(w);
    for (uint32_t i = 0; i < w->all.len; i++) {
        w->all.data[i].part = RELATE_NONE;
        vec_clear(&w->all.data[i].core);
    }
    if (!relate_open(w)) return false;
    relate_offered(w);
    return true;
}

static outcome relate_run(relating *w) {
    outcome end = OUTCOME_STOPPED;
    while (end == OUTCOME_STOPPED && !prover_out_of_time(w->x)) {
        w->x->out->stats.iterations++;
        if (!relate_settle(w)) return OUTCOME_STUCK;
        end = relate_try(w);
        if (end == OUTCOME_STOPPED && w->is_too_small && w->nstages && !relate_enlarge(w)) return OUTCOME_STUCK;
    }
    return end;
}

static void relate_end(relating *w) {
    relate_close(w);
    follow_free(&w->followers);
    for (uint32_t i = 0; i < w->all.len; i++) vec_free(&w->all.data[i].core);
    vec_free(&w->all);
    vec_free(&w->parts);
    related_free(&w->of);
    bits_free(&w->roots);
    bits_free(&w->brought);
    bits_free(&w->needed);
    bits_free(&w->asked);
}

outcome relate_search(prover *x, uint32_t literals, const relate_sizes *stages, uint32_t nstages) {
    relating w = {
        .x = x, .seed = x->o->seed, .of = {.x = x, .literals = literals}, .stages = stages, .nstages = nstages};
    outcome end = relate_begin(&w) ? relate_run(&w) : OUTCOME_STUCK;
    relate_end(&w);
    return end;
}
