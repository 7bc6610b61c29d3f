// SPDX-License-Identifier: Apache-2.0
// The graph of a complete exploration without symmetry, step by step with its labels, and runs of it as
// traces.
#ifndef LANGUAGE_GRAPH_H
#define LANGUAGE_GRAPH_H

#include "explore/explore.h"
#include "language/automaton.h"
#include "language/letter.h"
#include "result/trace.h"

typedef struct graph graph;

graph *graph_new(const explored *x);  // x must outlive it
void graph_free(graph *g);

typedef struct {
    uint32_t label, to;
} graph_step;

// The steps from a state, in order of labels; valid until the next call.
const graph_step *graph_next(graph *g, uint32_t state, uint32_t *count);

// The letter of a label, added if it is new; AUTOMATON_SILENT: it has none.
uint32_t graph_letter(const graph *g, letter_table *letters, uint32_t label);

// The run that starts in a state and takes the steps, replayed by the reference evaluator; the end goes back
// to step `loop` (UINT32_MAX: it is not a lasso). NULL, with the reason in `why`, when the evaluator does not
// follow it.
trace *graph_trace(graph *g, uint32_t start, const graph_step *steps, uint32_t count, uint32_t loop, str *why);

// A run of the automaton of x as a trace, in the same way; one without steps is an initial state.
trace *graph_run_trace(const explored *x, const automaton *a, const automaton_edge *run, uint32_t n, str *why);

#endif
