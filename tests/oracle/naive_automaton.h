// SPDX-License-Identifier: Apache-2.0
// Slow, obviously right answers about small automata (at most 16 states), for tests of the fast ones.
#ifndef ORACLE_NAIVE_AUTOMATON_H
#define ORACLE_NAIVE_AUTOMATON_H

#include "base/rng.h"
#include "language/automaton.h"

enum { NAIVE_MOST_STATES = 16 };

// A random automaton; `silent` and `edges` are how many silent and other edges it gets.
automaton *naive_random(rng *r, uint32_t states, uint32_t letters, uint32_t edges, uint32_t silent);

// The set of states after a word, as bits, silent steps before, between and after included.
uint32_t naive_after(const automaton *a, const uint32_t *word, uint32_t length);

// The length of a shortest word of a that is none of b; UINT32_MAX: there is none. Both are determinised in
// full.
uint32_t naive_separation(const automaton *a, const automaton *b);

// Does b simulate a weakly? The greatest fixpoint over all pairs, straight from the definition.
bool naive_simulates(const automaton *a, const automaton *b);

#endif
