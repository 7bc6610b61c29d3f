// SPDX-License-Identifier: Apache-2.0
// The questions of an inductive proof: see logic.h. Ground first; what stays open goes to Z3, lemma by lemma.
#include "logic/logic_int.h"

#include "base/clock.h"

#include <assert.h>
#include <string.h>

logic *logic_new(model *m, sys s, const logic_options *options) {
    if (!admit_system(m, s)) return NULL;
    logic *l = mem_zero(1, sizeof *l);
    l->m = m;
    l->system = s;
    l->options = options ? *options : (logic_options){0};
    l->memory = arena_new();
    l->maker = (matrix_maker){.m = m, .memory = l->memory};
    l->most_vars = mem_zero(m->types.len, sizeof *l->most_vars);
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) {
        task t;
        query_make_task(l, &t, sys_of(m, s)->rules.data[i], false);
        vec_push(&l->rules, t);
    }
    for (uint32_t i = 0; i < sys_of(m, s)->inits.len || i == 0; i++) {
        task t;
        query_make_task(l, &t, sys_of(m, s)->inits.len ? sys_of(m, s)->inits.data[i] : (rule){0}, true);
        vec_push(&l->starts, t);
    }
    query_make_task(l, &l->still, (rule){0}, false);
    return l;
}

void logic_free(logic *l) {
    if (!l) return;
    for (uint32_t i = 0; i < l->rules.len; i++) query_free_task(&l->rules.data[i]);
    for (uint32_t i = 0; i < l->starts.len; i++) query_free_task(&l->starts.data[i]);
    query_free_task(&l->still);
    witness_clear(l);
    z3_free(l->z3);
    for (uint32_t i = 0; i < l->frees.lists.len; i++) vec_free(&l->frees.lists.data[i]);
    vec_free(&l->frees.lists);
    bits_free(&l->frees.known);
    vec_free(&l->maker.frees);
    vec_free(&l->maker.bounds);
    vec_free(&l->lemmas);
    vec_free(&l->rules);
    vec_free(&l->starts);
    free(l->most_vars);
    arena_free(l->memory);
    free(l);
}

const logic_stats *logic_statistics(const logic *l) { return &l->stats; }

uint32_t logic_add_lemma(logic *l, expr e) {
    lemma x = {e, matrix_of(&l->maker, e)};
    assert(!expr_can_fault(l->m, e));
    for (uint32_t c = 0; c < x.x.nclauses; c++) assert(x.x.clauses[c].nvars <= LOGIC_MOST_VARS);
    query_count_vars(l, &x.x);
    vec_push(&l->lemmas, x);
    return l->lemmas.len - 1;
}

expr logic_lemma(const logic *l, uint32_t lemma_index) { return l->lemmas.data[lemma_index].e; }

const logic_witness *logic_last_witness(const logic *l) { return l->has_witness ? &l->last : NULL; }

// ---- who is asked

static bool is_interrupted(const logic *l) { return l->options.interrupted && *l->options.interrupted; }

static bool ground_allowed(const logic *l) { return l->options.backend != BACKEND_Z3; }
static bool z3_allowed(const logic *l) { return l->options.backend != BACKEND_GROUND && !is_interrupted(l); }

// Z3 on each of the `asked`: they become `failed` if refuted, else if unanswered.
static answer z3_each(logic *l, const task *t, const bits *assumed, const bits *asked, bits *failed) {
    bits open = {0};
    bits_clear(failed);
    for (uint32_t i = bits_next(asked, 0); i != UINT32_MAX; i = bits_next(asked, i + 1)) {
        answer a = z3_preserved(l, t, assumed, i);
        if (a == ANSWER_REFUTED) bits_add(failed, i);
        if (a == ANSWER_UNKNOWN) bits_add(&open, i);
    }
    answer result = !bits_is_empty(failed) ? ANSWER_REFUTED
                    : bits_is_empty(&open) ? ANSWER_PROVED
                                           : ANSWER_UNKNOWN;
    if (result == ANSWER_UNKNOWN) bits_copy(failed, &open);
    bits_free(&open);
    return result;
}

static answer ask_task(logic *l, task *t, const bits *assumed, const bits *asked, bits *failed) {
    bits_clear(failed);
    if (!ground_allowed(l)) return z3_each(l, t, assumed, asked, failed);
    answer a = query_task(l, t, assumed, asked, failed);
    if (a != ANSWER_UNKNOWN || !z3_allowed(l)) return a;
    return z3_each(l, t, assumed, asked, failed);
}

answer logic_initially(logic *l, const bits *asked, bits *failed) {
    double started = clock_seconds();
    bits none = {0};
    answer a = ANSWER_PROVED;
    witness_clear(l);
    bits_clear(failed);
    for (uint32_t i = 0; i < l->starts.len && a == ANSWER_PROVED; i++)
        a = ask_task(l, &l->starts.data[i], &none, asked, failed);
    l->stats.seconds += clock_seconds() - started;
    return a;
}

answer logic_preserved(logic *l, uint32_t rule_index, const bits *assumed, const bits *asked, bits *failed) {
    double started = clock_seconds();
    witness_clear(l);
    answer a = ask_task(l, &l->rules.data[rule_index], assumed, asked, failed);
    l->stats.seconds += clock_seconds() - started;
    return a;
}

answer logic_implied(logic *l, uint32_t rule_index, const bits *assumed, expr e) {
    double started = clock_seconds();
    task *t = rule_index == UINT32_MAX ? &l->still : &l->rules.data[rule_index];
    answer a = ANSWER_UNKNOWN;
    witness_clear(l);
    if (ground_allowed(l)) a = query_implied(l, t, assumed, e);
    if (a == ANSWER_UNKNOWN && z3_allowed(l)) a = z3_implied(l, t, assumed, e);
    l->stats.seconds += clock_seconds() - started;
    return a;
}
