// SPDX-License-Identifier: Apache-2.0
// Traces: runs of an instance, replayed by the reference evaluator before anyone sees them.
#ifndef RESULT_TRACE_H
#define RESULT_TRACE_H

#include "model/eval.h"
#include "model/instance.h"

typedef struct {
    rule r;
    const value *args;
    const value *after;         // the state after the step; NULL when the step was refused or faulted
    const char *delay, *time;   // in a timed run: the delay before the step, and its time; "3/2". Else NULL
    const char *const *clocks;  // and the values of timed_info.clocks after it, from the second on
} trace_step;

typedef struct {
    const instance *in;  // not owned
    const value *initial;
    VEC(trace_step) steps;
    uint32_t loop;                     // a lasso: the step to which the end goes back, else UINT32_MAX
    const char *end_delay, *end_time;  // in a timed run: the delay after the last step
    const char *const *end_clocks;     // and the clocks then
    arena *memory;
} trace;

trace *trace_new(const instance *in, const value *initial);
void trace_free(trace *t);
void trace_add(trace *t, rule r, const value *args, const value *after);
// The state before step i (i = number of steps: the last state).
const value *trace_state(const trace *t, uint32_t i);
// Visible steps only: the word's length.
uint32_t trace_word_length(const trace *t);

// Is the first state initial, every step enabled, every state what the evaluator says? If not, `why` gets the reason.
bool trace_replay(const trace *t, str *why);
// Does the evaluator follow the step from this state? `after` has room for a state.
bool trace_follows(eval *ev, const instance *in, const value *state, const trace_step *step, value *after);

// A step as the papers' statement of a transaction: read and write of a thread and a location, commit and abort of a
// thread. False: it is none of these.
typedef struct {
    rule_role kind;
    value thread, location;  // location: of reads and writes
    type thread_type, location_type;
} trace_statement;

bool trace_statement_of(const instance *in, rule r, const value *args, trace_statement *out);

// "w1_2": the papers' notation where the action's name and arguments allow it (see trace.c), else
// "lock(1,2)". Without hidden choices, which are not part of a label.
void trace_label_text(const instance *in, rule r, const value *args, str *out);
// The visible labels, separated by spaces.
void trace_word_text(const trace *t, str *out);

#endif
