// SPDX-License-Identifier: Apache-2.0
// The whole search for a proof: see infer.h.
#include "infer/prover.h"
#include "infer/choices.h"
#include "infer/tried.h"
#include "infer/unknown.h"

#include "base/clock.h"
#include "model/compose.h"
#include "model/expr.h"
#include "result/doubt.h"

#include <string.h>

enum { LARGER_SIZE = 3, USER_SAMPLE = 20000 };
enum { FIRST_WORK = 3000000, FEW_TRIPLES = 1000000 };  // of the first schema, before other ways are tried

// ---- beginning and end

// Pushing may move the table of systems, so lists are read through the model each time.
#define COPY_ALL(m, to, from, list)                          \
    for (uint32_t i = 0; i < sys_of(m, from)->list.len; i++) \
    vec_push(&sys_of(m, to)->list, sys_of(m, from)->list.data[i])

static rule guarded_rule(prover *p, uint32_t number) {
    model *m = p->m;
    rule_info x = *rule_of(m, sys_of(m, p->system)->rules.data[number]);
    for (uint32_t k = 0; k < x.nrequires; k++)
    x.guard = x.guard.id ? expr_and(m, x.guard, x.requires[k].cond) : x.requires[k].cond;
    x.requires = NULL;
    x.nrequires = 0;
    determined_leave_out(p, number, &x);
    return model_add_rule(m, x);
}

static sys system_with(prover *x, rule (*make)(prover *x, uint32_t number)) {
    model *m = x->m;
    sys s = x->system;
    sys g = model_add_system(m, sys_of(m, s)->name, sys_of(m, s)->at);
    COPY_ALL(m, g, s, funcs);
    COPY_ALL(m, g, s, inits);
    COPY_ALL(m, g, s, axioms);
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) {
        rule r = make(x, i);
        vec_push(&sys_of(m, g)->rules, r);
    }
    return g;
}

// The system where what a rule requires is part of its guard. Induction may take for granted that a step is
// allowed, as long as the lemmas imply just that: they hold up to the step, so it is allowed, so they hold
// after it.
static void make_systems(prover *x) {
    x->guarded = system_with(x, guarded_rule);
    bool is_invariant = prop_of(x->m, x->property)->kind == PROP_INVARIANT;
    x->walked = is_invariant ? system_with(x, walked_rule) : x->system;
}

static bool start_logic(prover *x) {
    make_systems(x);
    x->logic = prover_new_logic(x);
    if (!x->logic) return false;
    x->nrules = sys_of(x->m, x->system)->rules.len;
    for (uint32_t r = 0; r < x->nrules; r++) vec_push(&x->settled, (bits){0});
    return true;
}

static void prove_stop(prover *x) {
    for (uint32_t i = 0; i < x->values.len; i++) valuation_free(x->values.data[i]);
    for (uint32_t i = 0; i < x->samples.len; i++) sample_free(x->samples.data[i]);
    for (uint32_t i = 0; i < x->wide.len; i++) sample_free(x->wide.data[i]);
    for (uint32_t i = 0; i < x->schemas.len; i++) rows_free(x->schemas.data[i]);
    for (uint32_t i = 0; i < x->settled.len; i++) bits_free(&x->settled.data[i]);
    vec_free(&x->values);
    vec_free(&x->samples);
    vec_free(&x->wide);
    vec_free(&x->schemas);
    vec_free(&x->settled);
    for (uint32_t i = 0; i < x->lemmas.len; i++) bits_free(&x->lemmas.data[i].purpose);
    vec_free(&x->lemmas);
    vec_free(&x->minimal);
    vec_free(&x->goals);
    vec_free(&x->hints);
    vec_free(&x->noted);
    vec_free(&x->orders);
    vec_free(&x->determined);
    vec_free(&x->wide_orders);
    vec_free(&x->found_states);
    map_free(x->by_clause);
    map_free(x->by_formula);
    bits_free(&x->stands);
    bits_free(&x->asked);
    bits_free(&x->banned);
    bits_free(&x->kept);
    if (x->pool != x->first_pool) atoms_free(x->pool);
    atoms_free(x->first_pool);
    logic_free(x->logic);
    crew_free(x->crew);
}

// What is not known because a limit was met is so for that reason alone.
static proof *unknown(prover *x, const char *reason) {
    if (limits_met(&x->o->limits)) reason = limits_why(&x->o->limits);
    x->out->verdict = VERDICT_UNKNOWN;
    x->out->reason = arena_str(x->out->memory, reason);
    return x->out;
}

// ---- lemmas and goals that the model gives

static void add_given(prover *x, lemma_kind kind, const char *name, expr e) {
    prover_add_lemma(x, expr_inline(x->m, e), (lemma){.kind = kind, .name = name, .shown = e});
}

// forall parameters. guard -> cond, for requirement k of a rule; definitions inlined.
static expr guarded_allowed(model *m, rule_info x, uint32_t k) {
    expr e = x.guard.id ? expr_implies(m, x.guard, x.requires[k].cond) : x.requires[k].cond;
    return expr_inline(m, expr_forall(m, x.params, x.nparams, e));
}

static void add_goals(prover *x) {
    const prop_info *p = prop_of(x->m, x->property);
    if (p->kind == PROP_INVARIANT) {
        x->property_formula = expr_inline(x->m, p->cond);
        add_given(x, LEMMA_PROPERTY, p->name, p->cond);
    }
    for (uint32_t r = 0; r < x->nrules; r++) {
        rule_info info = *rule_of(x->m, sys_of(x->m, x->system)->rules.data[r]);
        for (uint32_t i = 0; i < info.nrequires; i++)
            if (info.requires[i].property.id == x->property.id && !expr_is_true(x->m, info.requires[i].cond))
                vec_push(&x->goals, (goal){r, guarded_allowed(x->m, info, i), false});
    }
}

static void add_assumptions(prover *x) {
    for (uint32_t i = 0; i < sys_of(x->m, x->system)->assumes.len; i++) {
        named_expr a = sys_of(x->m, x->system)->assumes.data[i];
        add_given(x, LEMMA_ASSUME, a.name, a.cond);
    }
}

// The lemmas given must hold initially: an invariant that does not is violated, and exploration has found
// that.
static bool given_hold_initially(prover *x) {
    bits failed = {0};
    bool ok = bits_is_empty(&x->asked) || logic_initially(x->logic, &x->asked, &failed) == ANSWER_PROVED;
    bits_free(&failed);
    return ok;
}

// Formulas of logic have a value in every state.
static bool prove_can_fault(const prover *x) {
    const prop_info *p = prop_of(x->m, x->property);
    const sys_info *s = sys_of(x->m, x->system);
    bool found = p->kind == PROP_INVARIANT && expr_can_fault(x->m, p->cond);
    for (uint32_t i = 0; i < s->assumes.len; i++) found |= expr_can_fault(x->m, s->assumes.data[i].cond);
    return found;
}

// False if there is no proof to look for, and the answer is there.
static bool take_given(prover *x) {
    if (prove_can_fault(x)) {
        unknown(x, "an assumption or the property can fail (an argument outside its type, a division by zero)");
        return false;
    }
    add_goals(x);
    add_assumptions(x);
    if (given_hold_initially(x)) return true;
    unknown(x, "an assumption or the property is not true initially");
    return false;
}

// ---- the first schema

// All its candidates are counted.
static filter *filter_first(prover *x) {
    proof_stats *s = &x->out->stats;
    filter *f = side_filter(x);
    prover_report(x, "filtering");
    filter_options o = {.literals = prover_levels[0].literals, .limits = x->o->limits};
    for (uint32_t i = 0; i < x->nplain; i++) filter_add(f, x->schemas.data[i], &o);
    filter_park(f);
    s->candidates = f->total;
    s->invariants = f->all.len;
    s->nonredundant = filter_count_free(f);
    s->evaluations = f->evaluations;
    s->filter_seconds += f->seconds;
    return f;
}

// Of an invariant they are counted at once only where that is nothing: frames may not need them.
static bool counts_at_once(const prover *x) {
    uint64_t triples = 0;
    if (x->o->weaken_all || prop_of(x->m, x->property)->kind != PROP_INVARIANT) return true;
    for (uint32_t i = 0; i < x->nplain; i++) {
        uint64_t n = 2 * (uint64_t)x->schemas.data[i]->natoms;
        triples += n * n * n / 6;
    }
    return triples <= FEW_TRIPLES;
}

// ---- levels

// What stands and is inductive is the invariant so far; the property and the assumptions are still to be
// shown.
static void keep_inductive(prover *x, filter *f, const level_info *eager) {
    bits given = {0};
    for (uint32_t i = 0; i < x->lemmas.len; i++)
        if (x->lemmas.data[i].kind != LEMMA_FOUND && bits_has(&x->asked, i)) bits_add(&given, i);
    if (f) weaken_all(x, f);
    else if (eager) weaken_minimal(x, eager->eager, eager->plain);
    else weaken_rest(x);
    bits_copy(&x->kept, &x->asked);
    bits_join(&x->stands, &given);
    bits_join(&x->asked, &given);
    prover_unsettle(x);
    bits_free(&given);
}

static uint32_t prove_next_level(const prover *x) {
    uint32_t next = x->level + 1;
    bool refines = prop_of(x->m, x->property)->kind == PROP_REFINES;
    while (next < INFER_LEVELS && refines && prover_levels[next].for_invariants) next++;
    return next;
}

// Larger samples and a larger schema.
static void prove_grow(prover *x) {
    sort_size sizes[POOL_SORTS];
    uint32_t n;
    x->level = prove_next_level(x);
    const level_info *l = &prover_levels[x->level];
    survey_grown(x, LARGER_SIZE > l->variables ? LARGER_SIZE : l->variables, sizes, &n);
    schema_make(x);
    if (l->sample) survey_walk(x, sizes, n, l->sample, false);
    if (l->eager) weaken_find_minimal(x, l->eager, l->plain);
    if (l->eager) keep_inductive(x, NULL, l);
    prover_unsettle(x);
    prover_forget_obstacle(x);
}

// Strength check of the printed algorithm: the property itself must be among what is inductive.
static bool strong_enough(prover *x) { return bits_subset(&x->asked, &x->kept) && prover_goals_hold(x); }

// What the level has shown is kept, and its minimal clauses are tried once more where that is more than it began with.
// Is it a proof already? What is missing may be no clause of this level.
static bool prove_end_level(prover *x, filter *f) {
    uint32_t before = bits_count(&x->kept);
    const level_info *l = &prover_levels[x->level];
    proof_take_way(x->out, WAY_CANDIDATES);
    keep_inductive(x, f, NULL);
    if (!strong_enough(x) && l->eager && bits_count(&x->kept) > before) keep_inductive(x, NULL, l);
    return strong_enough(x);
}

// Back to what the levels before have shown, and to their samples.
static void forget_level(prover *x) {
    x->found_in = NULL;
    while (x->samples.len > 1) sample_free(vec_pop(&x->samples));
    while (x->values.len > 1) valuation_free(vec_pop(&x->values));
    bits_copy(&x->stands, &x->kept);
    bits_copy(&x->asked, &x->kept);
    for (uint32_t i = 0; i < x->lemmas.len; i++)
        if (x->lemmas.data[i].kind != LEMMA_FOUND) {
            bits_add(&x->stands, i);
            bits_add(&x->asked, i);
        }
    prover_unsettle(x);
}

// An assumption of the model that cannot be shown is taken for granted, and the answer will say so.
static outcome grant_assumptions(prover *x, outcome end) {
    while (end == OUTCOME_STUCK && x->stuck_on != UINT32_MAX && x->lemmas.data[x->stuck_on].kind == LEMMA_ASSUME) {
        bits_remove(&x->asked, x->stuck_on);
        x->stuck_on = UINT32_MAX;
        prover_unsettle(x);
        prover_forget_obstacle(x);
        end = guide_level(x);
    }
    return end;
}

// Few states for each size at first: what time is left is not to be spent on the smallest ones.
static bool fails_after_all(prover *x) {
    return (!x->has_looked && survey_further(x, FURTHER_FEW)) || survey_further(x, FURTHER_MANY);
}

static bool is_violated(const prover *x) { return x->out->verdict == VERDICT_VIOLATED; }

// A fourth, where there is a limit: the rest is for other ways.
static uint64_t first_work(const prover *x) {
    uint64_t share = x->o->limit_work / 4;
    return share && share < FIRST_WORK ? share : FIRST_WORK;
}

static outcome prove_guide(prover *x) {
    proof_take_way(x->out, WAY_CANDIDATES);
    return guide_level(x);
}

// As printed first if asked for; else on demand, and all candidates of the first schema only when that gets
// stuck: they make the countermodels of the larger schemas better.
static outcome prove_search(prover *x, filter **f) {
    if (x->o->weaken_all) keep_inductive(x, *f, NULL);
    if (x->o->only_weaken) return strong_enough(x) ? OUTCOME_PROVED : OUTCOME_STUCK;
    if (is_violated(x)) return OUTCOME_VIOLATED;
    if (!x->o->weaken_all && prop_of(x->m, x->property)->kind == PROP_INVARIANT) x->most_work = first_work(x);
    outcome end = x->o->weaken_all ? OUTCOME_STUCK : terms_search(x);
    if (end == OUTCOME_STUCK) end = prove_guide(x);
    x->most_work = 0;
    if (end == OUTCOME_STUCK && x->o->most_level > 0) end = tries_run(x);
    if (is_violated(x)) return OUTCOME_VIOLATED;
    if (end == OUTCOME_STUCK && x->o->most_level > 0 && survey_further(x, FURTHER_FEW)) return OUTCOME_VIOLATED;
    while (end == OUTCOME_STUCK && prove_next_level(x) <= x->o->most_level && prove_next_level(x) < INFER_LEVELS) {
        if (!*f) *f = filter_first(x);
        if (prover_levels[x->level].is_trial) forget_level(x);
        else if (prove_end_level(x, x->level == 0 && !x->o->weaken_all ? *f : NULL)) return OUTCOME_PROVED;
        if (prover_out_of_time(x)) end = OUTCOME_STOPPED;
        else prove_grow(x);
        if (is_violated(x)) return OUTCOME_VIOLATED;
        if (end == OUTCOME_STUCK) end = prove_guide(x);
    }
    end = grant_assumptions(x, end);
    return end != OUTCOME_PROVED && fails_after_all(x) ? OUTCOME_VIOLATED : end;
}

// A schema of the model with more variables than the instance has elements needs states of a larger one.
static void sample_for_schemas(prover *x) {
    sort_size sizes[POOL_SORTS];
    uint32_t n, least = 0;
    for (uint32_t i = 0; i < x->schemas.len; i++)
        for (uint32_t s = 0; s < x->pool->sorts.len && x->schemas.data[i]->nholes; s++) {
            uint32_t needed = x->schemas.data[i]->counts[s];
            if (needed > x->out->instances.data[0]->sort_size[x->pool->sorts.data[s].id] && needed > least)
                least = needed;
        }
    survey_grown(x, least, sizes, &n);
    if (least) survey_walk(x, sizes, n, USER_SAMPLE, false);
}

// ---- the answer

static void list_lemma(prover *x, uint32_t i, bool is_needed, const bits *asked) {
    lemma *l = &x->lemmas.data[i];
    expr e = l->c.n ? clause_readable(x->pool, &l->c) : l->shown;
    proof_lemma kept = {.kind = l->kind, .name = l->name, .formula = e, .is_needed = is_needed};
    kept.is_assumed = !bits_has(asked, i);
    vec_push(&x->out->lemmas, kept);
    x->out->nneeded += is_needed;
}

// Those that the proof needs, then the others.
static void list_lemmas(prover *x, const bits *needed, const bits *all, const bits *asked) {
    for (uint32_t pass = 0; pass < 2; pass++)
        BITS_EACH(i, all)
            if (bits_has(needed, i) == (pass == 0)) list_lemma(x, i, pass == 0, asked);
}

static void list_unknown(prover *x, const bits *all, const bits *asked) {
    lemma_numbers order = {0};
    unknown_order(x, all, &order);
    for (uint32_t i = 0; i < order.len; i++) list_lemma(x, order.data[i], false, asked);
    vec_free(&order);
    if (!x->out->proposal.id) unknown_propose(x);
}

// What is relied on is asked, but for assumptions of the model; and of an invariant, the property is.
static bool asks_enough(const prover *x) {
    bool has_property = prop_of(x->m, x->property)->kind != PROP_INVARIANT, ok = true;
    BITS_EACH(i, &x->stands)
        if (!bits_has(&x->asked, i)) ok &= x->lemmas.data[i].kind == LEMMA_ASSUME;
        else has_property |= logic_lemma(x->logic, i).id == x->property_formula.id;
    return ok && has_property;
}

// Everything once more at the end: the book-keeping of the search is not to be trusted with a verdict.
static bool is_proof(prover *x) {
    bits failed = {0};
    if (!asks_enough(x)) return false;
    bool ok = bits_is_empty(&x->asked) || logic_initially(x->logic, &x->asked, &failed) == ANSWER_PROVED;
    for (uint32_t r = 0; r < x->nrules && ok; r++)
        ok = logic_preserved(x->logic, r, &x->stands, &x->asked, &failed) == ANSWER_PROVED;
    ok = ok && prover_goals_hold(x);
    bits_free(&failed);
    return ok;
}

// ---- what stands in the way of an unknown property

enum { OBSTACLE_LEAST = 2, OBSTACLE_MOST = 15 };  // seconds

// A small part of the time is kept to say why.
static double obstacle_seconds(const limits *l) {
    double left = limits_left(l), share = left / 20;
    double seconds = share < OBSTACLE_LEAST ? OBSTACLE_LEAST : share > OBSTACLE_MOST ? OBSTACLE_MOST : share;
    return seconds < left / 10 ? seconds : left / 10;
}

static bool obstacle_of_goals(prover *x) {
    for (uint32_t i = 0; i < x->goals.len; i++) {
        countermodel c;
        if (logic_implied(x->logic, UINT32_MAX, &x->stands, x->goals.data[i].cond) != ANSWER_REFUTED) continue;
        bool known = prover_countermodel(x, &c);
        if (known) guide_blame_goal(x, &x->goals.data[i], &c);
        countermodel_free(&c);
        if (known) return true;
    }
    return false;
}

// A step from a state that satisfies the lemmas and the property to one that violates the property.
static void obstacle_of_property(prover *x, uint32_t property) {
    bits assumed = {0}, asked = {0}, failed = {0};
    bits_copy(&assumed, &x->stands);
    bits_add(&assumed, property);
    bits_add(&asked, property);
    bool found = false;
    for (uint32_t r = 0; r < x->nrules && !found; r++) {
        countermodel c;
        if (logic_preserved(x->logic, r, &assumed, &asked, &failed) != ANSWER_REFUTED) continue;
        found = prover_countermodel(x, &c);
        if (found) guide_blame_lemma(x, property, &c);
        countermodel_free(&c);
    }
    bits_free(&assumed);
    bits_free(&asked);
    bits_free(&failed);
}

static void find_obstacle(prover *x) {
    prover_forget_obstacle(x);
    if (obstacle_of_goals(x)) return;
    for (uint32_t i = 0; i < x->lemmas.len && !x->out->obstacle; i++)
        if (x->lemmas.data[i].kind == LEMMA_PROPERTY) obstacle_of_property(x, i);
}

// The obstacle, and a lemma that would exclude it.
static bool propose_against(prover *x, proof_obstacle *o) {
    x->out->obstacle = o;
    unknown_propose(x);
    return x->out->proposal.id;
}

// Against the lemmas that are shown, not against those that stood when the search ended. First any, then one with
// as few elements as can be, if the time suffices for all of it: a search that is cut short leaves no countermodel.
// Where a lemma would exclude the first one and none the second, the first is of more use.
static void show_obstacle(prover *x) {
    x->run = limits_within(&x->whole, x->obstacle_seconds / 2);
    logic_set_limits(x->logic, &x->run);
    find_obstacle(x);
    proof_obstacle *any = x->out->obstacle;
    if (!any || prover_out_of_time(x)) return;
    logic_set_small(x->logic, true);
    find_obstacle(x);
    logic_set_small(x->logic, false);
    proof_obstacle *least = prover_out_of_time(x) ? NULL : x->out->obstacle;
    if (!least || (!propose_against(x, least) && !propose_against(x, any))) x->out->obstacle = least ? least : any;
}

// What stands is inductive, with what was found on the way.
static void conclude_unproved(prover *x) {
    weaken_rest(x);
    bits_copy(&x->kept, &x->asked);
    prover_note_lemmas(x);
    x->run = limits_within(&x->whole, x->obstacle_seconds / 2);
    logic_set_limits(x->logic, &x->run);
    unknown_join_noted(x);
}

static void prove_conclude(prover *x, outcome end) {
    proof *p = x->out;
    bits all = {0}, asked = {0};
    if (end == OUTCOME_VIOLATED) return;
    if (end != OUTCOME_PROVED) conclude_unproved(x);
    bits_copy(&all, &x->stands);
    bits_copy(&asked, &x->asked);
    p->stats.validated = bits_count(&x->asked);
    if (end != OUTCOME_PROVED) show_obstacle(x);
    else if (!x->is_shown) shrink_proof(x);
    if (end == OUTCOME_PROVED) logic_set_limits(x->logic, &x->look);
    bool holds = end == OUTCOME_PROVED && (x->is_shown || is_proof(x));
    if (end == OUTCOME_PROVED && !holds) {  // what is listed is inductive in any case
        bits_copy(&asked, &x->asked);
        prover_check_initially(x, &asked);
        weaken_rest(x);
        bits_copy(&all, &x->stands);
        bits_copy(&asked, &x->asked);
    }
    if (holds) list_lemmas(x, &x->stands, &all, &asked);
    else list_unknown(x, &all, &asked);
    if (holds && x->o->explains) needs_find(x);
    bits_free(&all);
    bits_free(&asked);
    p->verdict = holds ? VERDICT_HOLDS : VERDICT_UNKNOWN;
    if (end == OUTCOME_PROVED && !holds) unknown(x, "the proof found did not pass its last check");
    if (end == OUTCOME_STUCK)
        unknown(x, x->samples.len ? "no clause of the largest schema excludes the state shown"
                                  : "frames found no invariant that excludes the state shown");
    if (holds || end != OUTCOME_PROVED) hints_report(x);
    if (end == OUTCOME_STOPPED) unknown(x, "out of time");
    p->stats.level = x->level;
    p->stats.variables = prover_levels[x->level].variables;
    p->stats.literals = prover_levels[x->level].literals;
    p->stats.queries = logic_statistics(x->logic)->queries;
    p->stats.query_seconds = logic_statistics(x->logic)->seconds;
    str why = {0};
    p->is_stratified = logic_is_stratified(x->logic, &why);
    p->fragment = arena_str(p->memory, str_get(&why));
    str_free(&why);
    uint32_t ninvariants = prop_of(x->m, x->property)->kind == PROP_INVARIANT;
    tried_by by = {.logic = x->logic, .lemmas = &x->stands, .first = p->small};
    if (holds) tried_look(p, &x->property, ninvariants, &by, x->o);
    doubt_forget(p->small);  // of one size
}

// Why the small instance is of no use: choices of the specification that lead nowhere, or a limit.
static const char *survey_reason(const prover *x) {
    const result *r = x->out->small;
    for (uint32_t i = 0; r && i < r->properties.len; i++)
        if (r->properties.data[i].trace && r->properties.data[i].reason) return r->properties.data[i].reason;
    return "the small instance could not be explored";
}

// Steps that only a formula describes: no states to learn from, no violation to find, but frames need neither.
static void prove_unexplored(prover *x) {
    if (!start_logic(x)) {
        unknown(x, "the model is outside what a proof can handle");
        return;
    }
    tries_use_pool(x, NULL);
    if (!take_given(x)) return;
    if (hints_load(x)) keep_inductive(x, NULL, NULL);
    prove_conclude(x, tries_unexplored(x));
}

// A limit was met before there was anything to learn from: what stands in the way can be said nevertheless.
static void prove_unsurveyed(prover *x) {
    if (!prover_out_of_time(x) || prove_can_fault(x) || !start_logic(x)) {
        unknown(x, survey_reason(x));
        return;
    }
    tries_use_pool(x, NULL);
    add_goals(x);
    add_assumptions(x);
    prove_conclude(x, OUTCOME_STOPPED);
}

static void prove_property(prover *x) {
    bool can_choose = choices_find(x->m, x->property, x->o);
    if (!can_choose && !compose_has_product(x->m, x->property)) {
        unknown(x, "none of the choices tried for the specification works; say them: refines ... with ...");
        return;
    }
    x->system = compose_for(x->m, x->property);
    x->out->system = x->system;
    if (!x->system.id) {
        unknown(x, "there is no product");
        return;
    }
    if (!tried_can_explore(x->m, x->system)) {
        prove_unexplored(x);
        return;
    }
    if (!survey_explore(x, x->o->sizes, x->o->nsizes)) {
        if (x->out->verdict != VERDICT_VIOLATED) prove_unsurveyed(x);
        return;
    }
    if (!start_logic(x)) {
        unknown(x, "the model is outside what a proof can handle");
        return;
    }
    tries_use_pool(x, NULL);
    if (!take_given(x)) return;
    schema_make(x);
    sample_for_schemas(x);
    bool has_cache = cache_load(x), has_hints = hints_load(x);
    if (has_cache || has_hints) keep_inductive(x, NULL, NULL);
    filter *f = counts_at_once(x) ? filter_first(x) : NULL;
    prove_conclude(x, prove_search(x, &f));
    if (x->out->verdict == VERDICT_HOLDS) cache_store(x);
    filter_free(f);
}

proof *infer_prove(model *m, prop p, const infer_options *options) {
    infer_options own = *options;
    if (!own.threads) own.threads = 1;
    prover x = {
        .m = m, .property = p, .o = &own, .out = proof_new(m, p), .by_clause = map_new(), .by_formula = map_new()};
    x.look_seconds = limits_left(&own.limits) / 10;
    x.obstacle_seconds = obstacle_seconds(&own.limits);
    x.whole = own.limits;
    x.look = limits_earlier(&x.whole, x.obstacle_seconds);
    own.limits = x.run = limits_earlier(&x.look, x.look_seconds);
    x.started = clock_seconds();
    x.stuck_on = UINT32_MAX;
    if (prop_of(m, p)->kind == PROP_DEADLOCK_FREE) unknown(&x, "freedom from deadlock is not proved for all sizes");
    else prove_property(&x);
    x.out->stats.seconds = clock_seconds() - x.started;
    prove_stop(&x);
    return x.out;
}
