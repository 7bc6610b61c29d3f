// SPDX-License-Identifier: Apache-2.0
// Does B simulate A? Weakly: B may take silent steps before it answers a letter, and answers a silent step by
// none.
#ifndef LANGUAGE_SIMULATION_H
#define LANGUAGE_SIMULATION_H

#include "language/automaton.h"

typedef enum { SIMULATION_HOLDS, SIMULATION_FAILS, SIMULATION_STOPPED } simulation_answer;

typedef struct {
    uint64_t limit_pairs;  // 0: none
    limits limits;
    bool keeps;  // the pairs, for a certificate
} simulation_options;

typedef struct {
    simulation_answer answer;
    VEC(automaton_edge) run;  // SIMULATION_FAILS: a run of A against which one line of B's play is lost
    uint64_t pairs;           // pairs that had to be looked at
    VEC(uint32_t) kept;       // SIMULATION_HOLDS, if asked for: p, q, p, q, … of the simulation
} simulation;

// Letters are matched as by inclusion_check().
simulation simulation_check(const automaton *a, const automaton *b, const simulation_options *options);
void simulation_free(simulation *s);

#endif
