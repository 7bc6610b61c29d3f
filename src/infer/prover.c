// SPDX-License-Identifier: Apache-2.0
// Lemmas that stand, fall and are reported: see prover.h.
#include "infer/prover.h"

#include <string.h>

const level_info prover_levels[INFER_LEVELS] = {
    {.variables = 2, .literals = 3, .atoms = ATOMS_OF_MODEL, .clauses = 4, .patience = 400},
    {.variables = 2,
     .literals = 3,
     .atoms = ATOMS_ALL,
     .sample = 60000,
     .clauses = 4,
     .is_trial = true,
     .patience = 20},
    {.variables = 3,
     .literals = 4,
     .atoms = ATOMS_OF_TERMS,
     .sample = 60000,
     .clauses = 2,
     .is_trial = true,
     .for_invariants = true,
     .patience = 100},
    {.variables = 3,
     .literals = 3,
     .atoms = ATOMS_OF_TERMS,
     .sample = 50000,
     .clauses = 2,
     .eager = 3,
     .patience = 100},
    {.variables = 3,
     .literals = 4,
     .atoms = ATOMS_OF_TERMS,
     .sample = 80000,
     .clauses = 1,
     .eager = 4,
     .plain = true,
     .patience = 60},
    {.variables = 3,
     .literals = 4,
     .atoms = ATOMS_OF_TERMS,
     .sample = 400000,
     .clauses = 1,
     .eager = 4,
     .plain = true,
     .patience = 400},
    {.variables = 3, .literals = 5, .atoms = ATOMS_OF_TERMS, .sample = 200000, .clauses = 1, .patience = 400},
    {.variables = 3, .literals = 6, .atoms = ATOMS_ALL, .sample = 200000, .clauses = 1, .patience = 400},
    {.variables = 4, .literals = 6, .atoms = ATOMS_OF_TERMS, .sample = 200000, .clauses = 1, .patience = 400},
};

bool prover_out_of_time(const prover *x) { return limits_met(&x->o->limits) != LIMIT_NONE; }

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

// ---- lemmas

uint32_t prover_add_clause(prover *x, const clause *c) {
    uint32_t known = map_get(x->by_clause, c, clause_bytes(c), UINT32_MAX);
    if (known == UINT32_MAX) {
        known = logic_add_lemma(x->logic, clause_expr(x->pool, c));
        map_put(x->by_clause, c, clause_bytes(c), known);
        while (x->lemmas.len <= known) vec_push(&x->lemmas, (lemma){0});
        x->lemmas.data[known] = (lemma){.kind = LEMMA_FOUND, .c = *c};
    }
    bits_add(&x->stands, known);
    bits_add(&x->asked, known);
    return known;
}

void prover_unsettle(prover *x) {
    for (uint32_t r = 0; r < x->settled.len; r++) bits_clear(&x->settled.data[r]);
    for (uint32_t i = 0; i < x->goals.len; i++) x->goals.data[i].is_met = false;
}

void prover_drop(prover *x, uint32_t number) {
    bits_remove(&x->stands, number);
    bits_remove(&x->asked, number);
    x->out->stats.dropped++;
}

void prover_join_samples(prover *x, const instance *in, const value *state) {
    sample *one = sample_new(in, 1);
    sample_add(one, state);
    valuation *v = valuation_new(x->pool, one);
    for (uint32_t i = 0; i < x->schemas.len; i++) rows_add_sample(x->schemas.data[i], v, &x->o->limits, NULL);
    valuation_free(v);
    sample_free(one);
}

// Refuted or not decided: either way they cannot be relied on.
static void ban_all(prover *x, const bits *failed, bits *left) {
    for (uint32_t i = bits_next(failed, 0); i != UINT32_MAX; i = bits_next(failed, i + 1)) {
        prover_drop(x, i);
        bits_add(&x->banned, i);
        bits_remove(left, i);
    }
}

void prover_check_initially(prover *x, const bits *fresh) {
    bits left = {0}, failed = {0}, all = {0};
    bits_copy(&left, fresh);
    while (!bits_is_empty(&left)) {
        bits_clear(&failed);
        if (logic_initially(x->logic, &left, &failed) == ANSWER_PROVED) break;
        const logic_witness *w = logic_last_witness(x->logic);
        if (w && w->before) prover_join_samples(x, w->in, w->before);
        bits_copy(&all, &left);
        ban_all(x, bits_is_empty(&failed) ? &all : &failed, &left);
    }
    bits_free(&left);
    bits_free(&failed);
    bits_free(&all);
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
