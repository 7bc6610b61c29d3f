// SPDX-License-Identifier: Apache-2.0
// Lemmas that stand, fall and are reported: see prover.h.
#include "infer/prover.h"

#include <string.h>

// clang-format off
const level_info prover_levels[INFER_LEVELS + 1] = {
    // variables, literals, atoms, sample, clauses, eager, plain, is_trial, for_invariants, patience
    {2, 3, ATOMS_OF_MODEL, 0,      4, 0, false, false, false, 400},
    {2, 3, ATOMS_ALL,      60000,  4, 0, false, true,  false, 20},
    {3, 4, ATOMS_OF_TERMS, 60000,  2, 0, false, true,  true,  100},
    {3, 3, ATOMS_OF_TERMS, 120000, 2, 3, false, false, false, 100},
    {3, 4, ATOMS_OF_TERMS, 80000,  1, 4, true,  false, false, 60},
    {3, 4, ATOMS_OF_TERMS, 400000, 1, 4, true,  false, false, 400},
    {3, 5, ATOMS_OF_TERMS, 200000, 1, 0, false, false, false, 400},
    {3, 6, ATOMS_ALL,      200000, 1, 0, false, false, false, 400},
    {4, 6, ATOMS_OF_TERMS, 200000, 1, 0, false, false, false, 400},
    {3, 4, ATOMS_OF_MODEL, 0,      4, 0, false, true,  true,  43},
};
// clang-format on

static bool prover_is_worn_out(const prover *x) {
    return x->o->limit_work && x->logic && logic_statistics(x->logic)->work >= x->o->limit_work;
}

bool prover_out_of_time(const prover *x) { return limits_met(&x->run) != LIMIT_NONE || prover_is_worn_out(x); }

void prover_report(const prover *x, const char *phase) {
    if (!progress_is_live(x->o->line)) return;
    const proof_stats *s = &x->out->stats;
    progress_figures p = {.phase = phase,
                          .states = s->states + s->sampled,
                          .candidates = s->invariants,
                          .lemmas = bits_count(&x->stands),
                          .dropped = s->dropped,
                          .queries = x->logic ? logic_statistics(x->logic)->queries : 0,
                          .level = x->level ? x->level + 1 : 0,
                          .round = s->iterations};
    progress_show(x->o->line, &p);
}

logic *prover_new_logic(const prover *x) {
    logic_options options = {.backend = x->o->backend, .query_seconds = x->o->query_seconds, .limits = x->o->limits};
    options.small_models = prop_of(x->m, x->property)->kind == PROP_REFINES;
    logic *l = logic_new(x->m, x->guarded, &options);
    if (l) logic_set_brief(l, x->o->is_brief);
    return l;
}

// ---- lemmas

uint32_t prover_add_lemma(prover *x, expr e, lemma is) {
    uint32_t n = logic_add_lemma(x->logic, e);
    while (x->lemmas.len <= n) vec_push(&x->lemmas, (lemma){0});
    x->lemmas.data[n] = is;
    bits_add(&x->stands, n);
    bits_add(&x->asked, n);
    return n;
}

uint32_t prover_add_clause(prover *x, const clause *c) {
    uint32_t known = map_get(x->by_clause, c, clause_bytes(c), UINT32_MAX);
    if (known == UINT32_MAX) {
        known = prover_add_lemma(x, clause_expr(x->pool, c), (lemma){.kind = LEMMA_FOUND, .c = *c});
        map_put(x->by_clause, c, clause_bytes(c), known);
    }
    bits_add(&x->stands, known);
    bits_add(&x->asked, known);
    return known;
}

void prover_unsettle(prover *x) {
    for (uint32_t r = 0; r < x->settled.len; r++) bits_clear(&x->settled.data[r]);
    for (uint32_t i = 0; i < x->goals.len; i++) x->goals.data[i].is_met = false;
}

bool prover_goals_hold(prover *x) {
    for (uint32_t i = 0; i < x->goals.len; i++)
        if (logic_implied(x->logic, UINT32_MAX, &x->stands, x->goals.data[i].cond) != ANSWER_PROVED) return false;
    return true;
}

void prover_drop(prover *x, uint32_t number) {
    bits_remove(&x->stands, number);
    bits_remove(&x->asked, number);
    x->out->stats.dropped++;
}

void prover_join_samples(prover *x, const instance *in, const value *state) {
    valuation *v = valuation_of_state(x->pool, in, state);
    side_add_sample(x, v, NULL);
    valuation_free(v);
}

// What is refuted or not decided cannot be relied on, either way.
void prover_check_initially(prover *x, const bits *fresh) {
    bits left = {0}, failed = {0};
    bits_copy(&left, fresh);
    while (!bits_is_empty(&left)) {
        bits_clear(&failed);
        if (logic_initially(x->logic, &left, &failed) == ANSWER_PROVED) break;
        const logic_witness *w = logic_last_witness(x->logic);
        if (w && w->before) prover_join_samples(x, w->in, w->before);
        if (bits_is_empty(&failed)) bits_copy(&failed, &left);
        BITS_EACH(i, &failed) prover_drop(x, i);
        bits_join(&x->banned, &failed);
        bits_minus(&left, &failed);
    }
    bits_free(&left);
    bits_free(&failed);
}

// ---- is it true in the states sampled?

bool prover_is_false(const prover *x, expr e) {
    bool found = false;
    if (!sample_can(x->m, e)) return false;
    for (uint32_t i = 0; i < x->samples.len && !found; i++) found = sample_is_false(x->samples.data[i], e);
    for (uint32_t i = 0; i < x->wide.len && !found; i++) found = sample_is_false(x->wide.data[i], e);
    return found;
}

// ---- the step that stands in the way

void prover_forget_obstacle(prover *x) { x->out->obstacle = NULL; }

static value *copy_values(const value *from, uint32_t n) {
    if (!from) return NULL;
    value *to = mem_zero(n + 1, sizeof *to);
    if (n) memcpy(to, from, n * sizeof *to);
    return to;
}

static instance *copy_instance(prover *x, const instance *in) {
    VEC(sort_size) sizes = {0};
    for (uint32_t i = 1; i < x->m->types.len; i++)
        if (x->m->types.data[i].kind == TYPE_SORT) vec_push(&sizes, (sort_size){{i}, in->sort_size[i]});
    instance *copy = instance_new(x->m, in->system, sizes.data, sizes.len);
    vec_free(&sizes);
    return copy;
}

bool prover_countermodel(prover *x, countermodel *out) {
    const logic_witness *w = logic_last_witness(x->logic);
    *out = (countermodel){0};
    if (!w || !w->before || !(out->in = copy_instance(x, w->in))) return false;
    out->before = copy_values(w->before, w->in->ncells);
    out->after = copy_values(w->after, w->in->ncells);
    out->r = w->r;
    out->args = w->r.id ? copy_values(w->args, rule_of(x->m, w->r)->nparams) : NULL;
    determined_put_back(x, out);
    return true;
}

void countermodel_free(countermodel *c) {
    if (c->in) instance_free(c->in);
    free(c->before);
    free(c->after);
    free(c->args);
    *c = (countermodel){0};
}

void prover_remember_obstacle(prover *x, countermodel *c, const char *what) {
    x->out->obstacle = NULL;
    if (c->in) proof_add_obstacle(x->out, c->in, c->before, c->after, c->r, c->args, what);
}

void prover_take_violation(prover *x, result *r, instance *in) {
    vec_push(&x->out->instances, in);
    proof_keep_small(x->out, r, in);
    x->out->verdict = VERDICT_VIOLATED;
}
