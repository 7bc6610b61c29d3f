// SPDX-License-Identifier: Apache-2.0
// Does B simulate A? Weakly: B may take silent steps before it answers a letter, and answers a silent step by
// none.
#ifndef LANGUAGE_SIMULATION_H
#define LANGUAGE_SIMULATION_H

#include "language/automaton.h"
#include "language/inclusion.h"

// As inclusion_check(); letters are matched as there. INCLUSION_FAILS: the run of A is one against which one line of
// B's play is lost. `pairs` are those that had to be looked at; kept are p, q, p, q, … of the simulation, and no sets.
inclusion simulation_check(const automaton *a, const automaton *b, const inclusion_options *options);

#endif
