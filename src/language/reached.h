// SPDX-License-Identifier: Apache-2.0
// A system explored without symmetry: what comparisons, premises and liveness rest on.
#ifndef LANGUAGE_REACHED_H
#define LANGUAGE_REACHED_H

#include "explore/explore.h"
#include "language/automaton.h"
#include "model/instance.h"
#include "result/result.h"

typedef struct {
    const instance *in;
    explored *x;
    automaton *a;  // if it was asked for
    result_stats stats;
    const char *trouble;  // why no answer can rest on it; NULL: one can
} reached;

// The facts about the exploration go to `out`: its self-checks, and its doubts if the answers are about this system.
reached reached_explore(const instance *in, const explore_options *options, bool has_automaton, bool is_subject,
                        result *out);
void reached_free(reached *r);

#endif
