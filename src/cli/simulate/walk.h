// SPDX-License-Identifier: Apache-2.0
// A walk through an instance with the reference evaluator: where it is, how it got there, where it can go.
//
//   simulate.c  the command
//   walk.c      what it walks on
//   timed.c     the command for timed automata
//   zonetext.c  zones and delays as text
//   shell.c     the commands of a walk, and moves by name
//   lines.c     reading lines: editing, history, completion
#ifndef CLI_SIMULATE_WALK_H
#define CLI_SIMULATE_WALK_H

#include "model/eval.h"
#include "model/instance.h"
#include "result/trace.h"

typedef struct {
    rule r;
    const value *args;
    eval_end kind;     // not EVAL_NONE
    fault what;        // of EVAL_FAULTY
    prop refused_for;  // of EVAL_REFUSED
} walk_move;

typedef struct {
    const instance *in;
    arena *memory;
    eval *ev;
    VEC(const value *) starts;  // initial states
    bool has_more_starts;       // than are kept
    uint32_t start;             // the chosen one
    VEC(trace_step) steps;
    VEC(walk_move) moves;  // from the present state, refused and faulting ones too
} walk;

// False, with a message in the model's diagnostics, when there is no initial state or there are too many to
// list.
bool walk_begin(walk *w, const instance *in);
void walk_end(walk *w);

const value *walk_state(const walk *w);
void walk_start(walk *w, uint32_t start);  // back to an initial state
bool walk_take(walk *w, uint32_t move);    // false when the move is not free
void walk_back(walk *w, uint32_t steps);
// Takes all steps of the trace, which was replayed, but a refused one.
void walk_follow(walk *w, const trace *t);
// Is the walk exactly that trace?
bool walk_is_after(const walk *w, const trace *t);
// The walk as a trace, to be freed.
trace *walk_trace(const walk *w);

#endif
