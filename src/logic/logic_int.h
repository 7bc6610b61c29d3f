// SPDX-License-Identifier: Apache-2.0
// What the files of src/logic share about a `logic`: lemmas, settings, the last countermodel.
#ifndef LOGIC_LOGIC_INT_H
#define LOGIC_LOGIC_INT_H

#include "logic/ground.h"
#include "logic/logic.h"
#include "logic/matrix.h"
#include "logic/sat.h"
#include "model/instance.h"
#include "model/update.h"

typedef struct {
    expr e;  // as given
    matrix x;
    bool is_retired;
} lemma;

// What is known about a lemma in a setting.
typedef struct {
    uint32_t proof;        // 0: none
    bool leans_on_itself;  // the proof left out bindings that the step does not change
} goal;

// A rule (or start, or nothing) with its parameters mapped to elements.
typedef struct {
    rule r;  // id 0: none
    value *args;
    bool is_made;
    int first_vars;  // SAT variables after the first question; 0: not asked yet
    ground g;
    lit_list activation;   // by lemma, 0: no instance yet
    lit_list also;         // assumed in every call of the solver, beside lemmas
    bool is_frozen;        // no witness is added: a refutation for want of one is no answer
    VEC(uint32_t) active;  // lemmas with instances
    VEC(goal) goals;       // by lemma
    VEC(bits) proofs;      // the assumed lemmas each used; [0] is unused
} setting;

// All parameter patterns of one rule.
typedef struct {
    rule r;
    bool is_start;
    update_list updates;
    VEC(setting) settings;
} task;

typedef struct z3_prover z3_prover;

struct logic {
    model *m;
    sys system;
    logic_options options;
    limits stop;
    logic_stats stats;
    arena *memory;
    matrix_maker maker;
    uint32_t *most_vars;  // by type id: of one lemma
    VEC(lemma) lemmas;
    VEC(task) rules, starts;  // starts: one per init rule, or one without a rule
    task still;               // no rule
    uint32_t surveyed;        // number of lemmas + 1 when is_stratified was last found
    bool is_stratified;
    bool is_brief;              // see logic_set_brief()
    bool is_alone;              // see logic_set_alone()
    bool wants_small;           // see logic_set_small()
    uint64_t work, work_limit;  // of the present question: see query_task()
    uint64_t most_work;         // see logic_set_most_work()
    z3_prover *z3;              // made when first needed
    instance *in;               // of the countermodel
    value *before, *after;
    value args[MATRIX_MOST_ARGS];
    logic_witness last;
    bool has_witness;
};

// ---- admit.c

// A condition over the rule's parameters that must follow from the axioms and its guard; otherwise `what` can happen.
typedef struct {
    rule r;
    span at;
    expr cond;
    const char *what;
} admit_condition;

typedef VEC(admit_condition) admit_list;

// Can a proof handle the system, under the conditions that it adds? If not, says why.
bool admit_system(model *m, sys s, admit_list *conditions);

// ---- logic.c

bool logic_is_worn_out(const logic *l);  // see logic_set_most_work()

// ---- query.c

void query_make_task(logic *l, task *t, rule r, bool is_start);
void query_free_task(task *t);
// `work` limits the SAT variables of all solver calls together; 0: no limit. ANSWER_UNKNOWN: `failed` are the
// unanswered.
answer query_task(logic *l, task *t, const bits *assumed, const bits *asked, uint64_t work, bits *failed);
// Adds the lemmas that the task's proof of a lemma rests on; false if it has none that rests on assumed ones.
bool query_used(const task *t, uint32_t lemma, const bits *assumed, bits *used);
// `used` becomes the assumed lemmas that a proof rests on.
answer query_implied(logic *l, task *t, const bits *assumed, expr e, uint64_t work, bits *used);
bool query_is_stratified(logic *l);          // everything asked so far
void query_retire(task *t, uint32_t lemma);  // see logic_retire()
void query_count_vars(logic *l, const matrix *x);
void query_forget_large(const logic *l, task *t);
// For questions that bring their own clauses: the setting's elements and solver, made when first needed; then whether
// the selector can be true. ANSWER_PROVED: `used` become the lemmas that the refutation needs.
void query_make_ground(logic *l, const task *t, setting *s);
answer query_search(logic *l, setting *s, int selector, const bits *assumed, bits *used);
// After ANSWER_REFUTED, where small countermodels are wanted: the last model becomes one with few elements. False: a
// limit was met meanwhile, and there is no model.
bool query_make_small(logic *l, setting *s, int selector, const bits *assumed);

// ---- cube.c

answer cube_task(logic *l, task *t, const bits *assumed, const logic_cube *c, uint64_t work, bits *used);

// ---- witness.c

void witness_clear(logic *l);
void witness_keep(logic *l, setting *s, bool is_start, bool is_step);
// Begins a countermodel of these sizes (by type id): l->in; false if it is too large to show.
bool witness_instance(logic *l, const uint32_t *sizes);
bool witness_falsifies(const logic *l, expr e);  // in the state after the step, or at the start

// ---- z3.c

void z3_free(z3_prover *z);
// The asked lemmas after the step of a task, given the assumed ones before it: as query_task(). Every round
// takes more effort than those before it.
answer z3_task(logic *l, const task *t, const bits *assumed, const bits *asked, uint32_t round, bits *failed);
answer z3_implied(logic *l, const task *t, const bits *assumed, expr e, uint32_t round);

#endif
