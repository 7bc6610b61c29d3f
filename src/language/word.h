// SPDX-License-Identifier: Apache-2.0
// Is this a word of the automaton? And by which run?
#ifndef LANGUAGE_WORD_H
#define LANGUAGE_WORD_H

#include "language/automaton.h"

typedef VEC(automaton_edge) word_run;

// A run with the given letters and as few steps as possible, appended to `run`; false: it is not a word.
bool word_find(const automaton *a, const uint32_t *word, uint32_t n, word_run *run);

#endif
