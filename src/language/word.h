// SPDX-License-Identifier: Apache-2.0
// Is this a word of the automaton? And by which run?
#ifndef LANGUAGE_WORD_H
#define LANGUAGE_WORD_H

#include "language/automaton.h"

typedef VEC(automaton_edge) word_run;

// A run with the given letters and as few steps as possible, appended to `run`; false: it is not a word.
bool word_find(const automaton *a, const uint32_t *word, uint32_t n, word_run *run);
// "w1_2 r1_1" as letters by their names, appended; false: one of them is not a letter of the automaton.
typedef VEC(uint32_t) word_letters;
bool word_parse(const automaton *a, const char *text, word_letters *out);

#endif
