// SPDX-License-Identifier: Apache-2.0
// The reference evaluator: slow, direct, shares nothing with the compiled successor relation.
// Traces are replayed with it before they are shown, and every faster evaluation is tested against it.
#ifndef MODEL_EVAL_H
#define MODEL_EVAL_H

#include "base/limits.h"
#include "base/rng.h"
#include "model/instance.h"

typedef enum {
    FAULT_NONE,
    FAULT_RANGE,
    FAULT_INDEX,
    FAULT_DIVISION,
    FAULT_REAL,  // too large for its type, or a division by zero
    FAULT_UNDEFINED,
    FAULT_MEMBER,
    FAULT_LOOP,
    FAULT_USER,
    FAULT_LIMIT  // not an error of the model: it needs more than we can compute
} fault_kind;

enum { EVAL_MOST_ROUNDS = 100000 };  // of a while loop: more is FAULT_LOOP
enum { EVAL_LIGHT = 256 };           // expressions that weigh more (expr_info.weight) are evaluated once

typedef struct {
    fault_kind kind;
    span at;
    const char *text;  // FAULT_USER, FAULT_LIMIT: what the model says, may be NULL
    uint32_t cell;     // FAULT_RANGE, FAULT_UNDEFINED: 1 + the cell that is written or read; 0: none
    func f;            // FAULT_INDEX: the function, and which of its arguments
    uint32_t position;
    value number;  // FAULT_RANGE, FAULT_INDEX: what does not fit
} fault;

const char *fault_text(fault_kind kind);

typedef struct eval eval;  // holds the variables' values and the last fault

eval *eval_new(const instance *in);
void eval_free(eval *ev);
void eval_bind(eval *ev, var v, value x);
void eval_set_light(eval *ev, uint32_t weight);  // instead of EVAL_LIGHT, for tests
// Evaluations from now on may take `steps` steps together (a step is an expression or a statement); what would take
// more is cut short and then looks like FAULT_LIMIT. Without a call there is no limit.
void eval_set_limit(eval *ev, uint64_t steps);
uint64_t eval_steps_left(const eval *ev);
bool eval_is_cut(const eval *ev);  // by that limit, the last time
fault eval_fault(const eval *ev);  // since the last call of one of the functions below

// The value of e in a state; 0 when it faults.
value eval_expr(eval *ev, const value *state, expr e);
// Runs a statement on `state` in place; false when it faults or an S_ASSUME makes it impossible.
bool eval_stmt(eval *ev, value *state, const stmt *s);

// Did the last statement or rule stop at an S_ASSUME? Then there is no such step, and no fault.
bool eval_is_impossible(const eval *ev);
// …at an assumption of the user's, not at part of a guard?
bool eval_is_excluded(const eval *ev);

// Binds the rule's parameters to args. `fire` copies and changes, and leaves multisets in order (bag.h): next may not
// be state.
bool eval_enabled(eval *ev, const value *state, rule r, const value *args);
bool eval_fire(eval *ev, const value *state, rule r, const value *args, value *next);

// What a step is, the first of these that applies: faulty, when its guard is; none, when the guard is false or an
// S_ASSUME ends the body; faulty, when a requirement is; refused, when a requirement does not hold (the first of them
// is then in *refused); faulty, when its body is.
typedef enum { EVAL_NONE, EVAL_FIRES, EVAL_REFUSED, EVAL_FAULTY } eval_end;
eval_end eval_step(eval *ev, const value *state, rule r, const value *args, value *next, prop *refused);

// Every binding of the rule's parameters, in row-major order, `args` holding it; start with *first = true.
bool eval_next_binding(const instance *in, rule r, value *args, bool *first);

// Calls `found` for every initial state, each once; `found` returns false to stop.
typedef bool (*eval_found)(const value *state, void *context);
// False, with a message in the model's diagnostics, when there are too many rigid values to try or a start faults.
bool eval_initial(const instance *in, eval_found found, void *context);

// The same, except that an init rule that faults is reported here, without a message.
typedef struct {
    rule r;
    fault what;
} eval_start_fault;
bool eval_initial_within(const instance *in, const limits *l, eval_found found, void *context,
                         eval_start_fault *failed);
// The same in an order drawn at random, as far as some thousand steps lead: any initial state may come first.
bool eval_initial_random(const instance *in, const limits *l, rng *random, eval_found found, void *context);

#endif
