// SPDX-License-Identifier: Apache-2.0
// Finite automata whose states all accept: the prefix-closed languages of systems. A letter is what a
// visible step does (letter.h); internal steps are silent.
//
//   automaton.c    edges
//   letter.c       what a visible step does: action and arguments, never a printed label
//   reached.c      explorations without symmetry, and their automata
//   subsets.c      the subset construction, on demand and the whole of it
//   minimize.c     partition refinement
//   inclusion.c    by product or antichains
//   simulation.c   on demand
//   compare.c      two instances compared
//   graph.c        steps of an exploration, and runs as traces
//   liveness.c     loops of a graph
//   live.c         liveness properties of an instance
//   structural.c   the premises of the reduction to two threads
//   statement.c    letters as reads, writes, commits and aborts
//   transform.c    changed words as automata
//   monotone.c     monotonicity
//   word.c         runs of a word
//   follow.c       whether a run's word is one of a specification that chooses
//   placement.c    runs with values where words have none, and whether they show a wrong read
#ifndef LANGUAGE_AUTOMATON_H
#define LANGUAGE_AUTOMATON_H

#include "base/limits.h"
#include "base/vec.h"
#include "explore/explore.h"
#include "language/letter.h"

#include <stdbool.h>
#include <stdint.h>

#define AUTOMATON_SILENT UINT32_MAX

typedef struct {
    uint32_t from, letter, to;
} automaton_edge;

typedef struct {
    uint32_t nstates, nletters;
    VEC(uint32_t) initial;
    VEC(automaton_edge) edges;
    letter_table *letters;  // what they are; NULL: numbers only
} automaton;

automaton *automaton_new(uint32_t nstates, uint32_t nletters);
void automaton_free(automaton *a);
const char *automaton_letter_text(const automaton *a, uint32_t letter);
void automaton_add(automaton *a, uint32_t from, uint32_t letter, uint32_t to);

// The automaton of a complete exploration without symmetry; NULL when a limit was met meanwhile.
automaton *automaton_of(const explored *x, const limits *l);

// At most one initial state, no silent step, no two steps from a state with one letter.
bool automaton_is_deterministic(const automaton *a);

// The reachable subsets of `a` under its letters, closed under silent steps: deterministic, same language.
// States are numbered in breadth-first order of letters. NULL when there are more than `limit` (0: none) or
// a limit was met.
automaton *automaton_determinise(const automaton *a, uint64_t limit, const limits *l);

// Edges by their state of origin: those of state s are edges[first[s]] … edges[first[s+1]-1], in order of
// letters, then of targets. The caller frees both.
typedef struct {
    uint32_t *first;
    automaton_edge *edges;
} automaton_index;
int automaton_order(const void *x, const void *y);  // of edges, for qsort(): by letter, then by target
automaton_index automaton_index_new(const automaton *a);
void automaton_index_free(automaton_index *i);

// A list of states that grows: closed under silent steps, each state once (those with seen[q] == stamp are in it).
typedef VEC(uint32_t) automaton_states;
void automaton_close(const automaton_index *i, uint32_t *seen, uint32_t stamp, automaton_states *states);

#endif
