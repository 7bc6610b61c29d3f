// SPDX-License-Identifier: Apache-2.0
// The minimal deterministic automaton of a prefix-closed language. Its size does not depend on how the
// language was written, which makes it a test of specifications.
#ifndef LANGUAGE_MINIMIZE_H
#define LANGUAGE_MINIMIZE_H

#include "language/automaton.h"

// The minimal automaton of a deterministic one (precondition: automaton_is_deterministic). The rejecting sink
// is not one of its states. States are numbered in breadth-first order of letters from the initial one, so that two
// automata of one language become the same edges in the same order. NULL when a limit was met.
automaton *minimize_dfa(const automaton *dfa, const limits *l);

#endif
