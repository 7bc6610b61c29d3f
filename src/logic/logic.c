// SPDX-License-Identifier: Apache-2.0
// The questions of an inductive proof: see logic.h. Ground first; what stays open goes to Z3, lemma by lemma.
#include "logic/logic_int.h"

#include "base/clock.h"
#include "logic/matrix.h"
#include "model/expr.h"

#include <assert.h>
#include <string.h>

static uint32_t logic_index_of(const logic *l, rule r) {
    uint32_t i = 0;
    while (sys_of(l->m, l->system)->rules.data[i].id != r.id) i++;
    return i;
}

// Says what can happen at the first place where a condition does not follow.
static bool conditions_hold(logic *l, const admit_list *conditions) {
    bits none = {0};
    for (uint32_t i = 0; i < conditions->len; i++) {
        const admit_condition *c = &conditions->data[i];
        if (logic_implied(l, logic_index_of(l, c->r), &none, expr_inline(l->m, c->cond)) == ANSWER_PROVED) continue;
        diag_error(l->m->messages, c->at, "no proof for all sizes: %s, and the guard does not exclude it", c->what);
        return false;
    }
    return true;
}

static logic *make_logic(model *m, sys s, const logic_options *options) {
    logic *l = mem_zero(1, sizeof *l);
    l->m = m;
    l->system = s;
    l->options = options ? *options : (logic_options){0};
    l->stop = l->options.limits;
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

logic *logic_new(model *m, sys s, const logic_options *options) {
    admit_list conditions = {0};
    logic *l = admit_system(m, s, &conditions) ? make_logic(m, s, options) : NULL;
    if (l && !conditions_hold(l, &conditions)) {
        logic_free(l);
        l = NULL;
    }
    vec_free(&conditions);
    return l;
}

void logic_set_limits(logic *l, const limits *until) { l->options.limits = l->stop = *until; }

bool logic_is_over(const logic *l) { return limits_met(&l->stop) != LIMIT_NONE; }
void logic_set_brief(logic *l, bool is_brief) { l->is_brief = is_brief; }

void logic_set_alone(logic *l, bool is_alone) { l->is_alone = is_alone; }

void logic_set_most_work(logic *l, uint64_t work) { l->most_work = work; }

bool logic_is_worn_out(const logic *l) { return l->most_work && l->stats.work >= l->most_work; }

void logic_set_small(logic *l, bool wants_small) { l->wants_small = wants_small; }

void logic_free(logic *l) {
    if (!l) return;
    for (uint32_t i = 0; i < l->rules.len; i++) query_free_task(&l->rules.data[i]);
    for (uint32_t i = 0; i < l->starts.len; i++) query_free_task(&l->starts.data[i]);
    query_free_task(&l->still);
    witness_clear(l);
    z3_free(l->z3);
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

void logic_add_statistics(logic *l, const logic_stats *other) {
    l->stats.questions += other->questions;
    l->stats.queries += other->queries;
    l->stats.witnesses += other->witnesses;
    l->stats.work += other->work;
    l->stats.seconds += other->seconds;
}

uint32_t logic_add_lemma(logic *l, expr e) {
    lemma x = {e, matrix_of(&l->maker, e), false};
    assert(!expr_can_fault(l->m, e));
    query_count_vars(l, &x.x);
    vec_push(&l->lemmas, x);
    return l->lemmas.len - 1;
}

expr logic_lemma(const logic *l, uint32_t lemma_index) { return l->lemmas.data[lemma_index].e; }

void logic_retire(logic *l, uint32_t lemma_index) {
    for (uint32_t i = 0; i < l->rules.len; i++) query_retire(&l->rules.data[i], lemma_index);
    query_retire(&l->still, lemma_index);
    l->lemmas.data[lemma_index].is_retired = true;
    l->surveyed = 0;
}

void logic_compact(logic *l) {
    for (uint32_t i = 1; i < l->m->types.len; i++)
        if (type_is_unbounded(l->m, (type){i})) l->most_vars[i] = 0;
    for (uint32_t i = 0; i < l->lemmas.len; i++)
        if (!l->lemmas.data[i].is_retired) query_count_vars(l, &l->lemmas.data[i].x);
    for (uint32_t i = 0; i < l->rules.len; i++) query_forget_large(l, &l->rules.data[i]);
    for (uint32_t i = 0; i < l->starts.len; i++) query_forget_large(l, &l->starts.data[i]);
    query_forget_large(l, &l->still);
}

const logic_witness *logic_last_witness(const logic *l) { return l->has_witness ? &l->last : NULL; }

// ---- who is asked

static bool ground_allowed(const logic *l) { return l->options.backend != BACKEND_Z3; }
static bool z3_allowed(const logic *l) {
    return l->options.backend != BACKEND_GROUND && !l->is_alone && !limits_met(&l->stop) && !logic_is_worn_out(l);
}

// Rounds of growing effort: the ground engine, then Z3. Most questions need nothing but the first step of this.
// Inside the fragment the ground engine ends; outside it gets one round, and its limits are Z3's after that.
enum { DEFAULT_WORK = 400000000, BRIEF_WORK = 4000000, WORK_GROWTH = 8, GROUND_ROUNDS = 4, Z3_ROUNDS = 2 };

static uint64_t work_of(const logic *l, uint32_t round) {
    uint64_t work = l->options.ground_work ? l->options.ground_work : DEFAULT_WORK;
    if (l->is_brief) return work < BRIEF_WORK ? work : BRIEF_WORK;
    if (l->is_alone) return work;
    if (!z3_allowed(l) || round + 1 >= GROUND_ROUNDS) return 0;
    for (uint32_t i = 0; i < round; i++) work *= WORK_GROWTH;
    return work;
}

static bool ground_has_turn(logic *l, uint32_t round) {
    return ground_allowed(l) && (round == 0 || (z3_allowed(l) && query_is_stratified(l)));
}

static bool has_round(logic *l, uint32_t round) {
    if (limits_met(&l->stop) || l->is_brief || l->is_alone || logic_is_worn_out(l)) return false;
    return ground_allowed(l) && query_is_stratified(l) ? round < GROUND_ROUNDS : round < Z3_ROUNDS;
}

static answer ask_task(logic *l, task *t, const bits *assumed, const bits *asked, bits *failed) {
    double started = clock_seconds();
    bits open = {0};
    answer a = ANSWER_UNKNOWN;
    l->stats.questions++;
    bits_copy(failed, asked);
    for (uint32_t i = 0; a == ANSWER_UNKNOWN && (i == 0 || has_round(l, i)); i++) {
        bits_copy(&open, failed);
        if (ground_has_turn(l, i)) a = query_task(l, t, assumed, &open, work_of(l, i), failed);
        if (a != ANSWER_UNKNOWN || !z3_allowed(l)) continue;
        bits_copy(&open, failed);
        a = z3_task(l, t, assumed, &open, i, failed);
    }
    bits_free(&open);
    l->stats.seconds += clock_seconds() - started;
    return a;
}

answer logic_implied_by(logic *l, uint32_t rule_index, const bits *assumed, expr e, bits *used) {
    double started = clock_seconds();
    task *t = rule_index == UINT32_MAX ? &l->still : &l->rules.data[rule_index];
    answer a = ANSWER_UNKNOWN;
    l->stats.questions++;
    witness_clear(l);
    for (uint32_t i = 0; a == ANSWER_UNKNOWN && (i == 0 || has_round(l, i)); i++) {
        if (ground_has_turn(l, i)) a = query_implied(l, t, assumed, e, work_of(l, i), used);
        if (a != ANSWER_UNKNOWN || !z3_allowed(l)) continue;
        a = z3_implied(l, t, assumed, e, i);
        bits_copy(used, assumed);
    }
    l->stats.seconds += clock_seconds() - started;
    return a;
}

answer logic_implied(logic *l, uint32_t rule_index, const bits *assumed, expr e) {
    bits used = {0};
    answer a = logic_implied_by(l, rule_index, assumed, e, &used);
    bits_free(&used);
    return a;
}

// Without cores Z3 is of no use here: what the ground engine does not settle is unknown.
static answer reaches_by(logic *l, task *t, const bits *assumed, const logic_cube *c, bits *used) {
    double started = clock_seconds();
    l->stats.questions++;
    witness_clear(l);
    answer a = ground_allowed(l) ? cube_task(l, t, assumed, c, work_of(l, 0), used) : ANSWER_UNKNOWN;
    l->stats.seconds += clock_seconds() - started;
    return a;
}

answer logic_reaches(logic *l, uint32_t rule_index, const bits *assumed, const logic_cube *c, bits *used) {
    answer a = ANSWER_PROVED;
    bits_clear(used);
    if (rule_index != LOGIC_START) return reaches_by(l, &l->rules.data[rule_index], assumed, c, used);
    bits none = {0};
    for (uint32_t i = 0; i < l->starts.len && a == ANSWER_PROVED; i++)
        a = reaches_by(l, &l->starts.data[i], &none, c, used);
    return a;
}

answer logic_initially(logic *l, const bits *asked, bits *failed) {
    bits none = {0};
    answer a = ANSWER_PROVED;
    witness_clear(l);
    bits_clear(failed);
    for (uint32_t i = 0; i < l->starts.len && a == ANSWER_PROVED; i++)
        a = ask_task(l, &l->starts.data[i], &none, asked, failed);
    return a;
}

answer logic_preserved(logic *l, uint32_t rule_index, const bits *assumed, const bits *asked, bits *failed) {
    witness_clear(l);
    return ask_task(l, &l->rules.data[rule_index], assumed, asked, failed);
}

bool logic_used(const logic *l, uint32_t lemma_index, const bits *assumed, bits *used) {
    for (uint32_t i = 0; i < l->rules.len; i++)
        if (!query_used(&l->rules.data[i], lemma_index, assumed, used)) return false;
    return true;
}

// The survey of the fragment does not know e, so the ground engine is never left alone with it.
answer logic_theorem(logic *l, expr e) {
    double started = clock_seconds();
    bits none = {0}, used = {0};
    answer a = ANSWER_UNKNOWN;
    witness_clear(l);
    if (ground_allowed(l) && !expr_of(l->m, e)->has_next)
        a = query_implied(l, &l->still, &none, e, DEFAULT_WORK, &used);
    for (uint32_t i = 0; i < Z3_ROUNDS && a == ANSWER_UNKNOWN && z3_allowed(l); i++)
        a = z3_implied(l, &l->still, &none, e, i);
    bits_free(&used);
    l->stats.seconds += clock_seconds() - started;
    return a;
}
