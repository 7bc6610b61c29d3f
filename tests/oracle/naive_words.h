// SPDX-License-Identifier: Apache-2.0
// Words, simulation and liveness of an instance by brute force: the graph of its states by the reference evaluator,
// then the definitions of doc/language-view.md as they are written there. Shares nothing with src/language, src/space
// and src/explore.
#ifndef ORACLE_NAIVE_WORDS_H
#define ORACLE_NAIVE_WORDS_H

#include "model/instance.h"

enum { NAIVE_MOST_STATES = 192, NAIVE_MOST_ARGS = 8, NAIVE_MOST_PAIRS = 20000 };

#define NAIVE_SILENT UINT32_MAX
#define NAIVE_NOBODY UINT32_MAX
#define NAIVE_NEVER  UINT32_MAX

// One argument of a letter: of a group, the name of a sort, "#" for numbers, "'" for literals and truth values.
typedef struct {
    const char *group, *literal;  // literal: NULL for others
    int32_t number;
} naive_arg;

// Two letters are the same if the actions are called the same and, group by group, the arguments are the same in the
// same order, where the one that the model says is acting (`by`) is the first of its group.
typedef struct {
    const char *action;
    bool is_internal;  // of a step without a letter, where such steps are to be seen
    uint32_t nargs;
    naive_arg args[NAIVE_MOST_ARGS];
} naive_letter;

typedef VEC(naive_letter) naive_letters;

uint32_t naive_intern(naive_letters *all, const naive_letter *l);
naive_letter naive_letter_of(const instance *in, rule r, const value *args);

typedef struct {
    uint64_t bits[NAIVE_MOST_STATES / 64];
} naive_set;

typedef enum { NAIVE_STEP, NAIVE_DONE, NAIVE_COMMIT, NAIVE_ABORT } naive_kind;

typedef struct {
    uint32_t from, letter, to;
    uint32_t thread;  // NAIVE_NOBODY: nobody's step
    naive_kind kind;
} naive_edge;

typedef struct {
    uint32_t nstates, nthreads;  // no threads: liveness is not asked for
    naive_set initial;
    VEC(naive_edge) edges;
    uint32_t depth[NAIVE_MOST_STATES];  // steps from an initial state
} naive_graph;

// The states and steps of an instance; its letters go to `letters`, which several graphs share. Internal steps have
// letters, too, if they are to be seen. False: too many states, or a fault.
bool naive_graph_of(const instance *in, naive_letters *letters, bool sees_internal, naive_graph *g);
void naive_graph_free(naive_graph *g);

bool naive_is_empty(const naive_set *s);
void naive_set_add(naive_set *s, uint32_t q);
bool naive_set_has(const naive_set *s, uint32_t q);
// The states that are reached by silent steps, and by a letter followed by such.
naive_set naive_close(const naive_graph *g, naive_set s);
naive_set naive_after_letter(const naive_graph *g, const naive_set *s, uint32_t letter);

// The length of a shortest word of a that is none of b; NAIVE_NEVER: there is none. *is_known: it could be found out.
uint32_t naive_separating(const naive_graph *a, const naive_graph *b, uint32_t nletters, bool *is_known);
// The fewest steps, internal ones too, of a run of a whose word is none of b; NAIVE_NEVER: there is none.
uint32_t naive_separating_steps(const naive_graph *a, const naive_graph *b);
// Does b simulate a? The greatest relation that is one.
bool naive_is_simulated(const naive_graph *a, const naive_graph *b);
// Steps to the next state from which no step leads on; NAIVE_NEVER: there is none.
uint32_t naive_stuck(const naive_graph *g);

// Does some infinite run break the promise?
bool naive_obstructed(const naive_graph *g);
bool naive_livelocked(const naive_graph *g);
bool naive_waits(const naive_graph *g);
// Is it broken by the run that takes these edges, given by their numbers, for ever? The definitions word by word.
bool naive_run_breaks(const naive_graph *g, prop_kind promise, const uint32_t *edges, uint32_t n);

#endif
