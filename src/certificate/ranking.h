// SPDX-License-Identifier: Apache-2.0
// Liveness by ranks: why no loop of a graph breaks the promise (language/liveness.h says which loops do).
//
// A table gives every state a number. If along every step of some kind the number does not rise, a loop of such steps
// keeps it the same all the way; so a step along which it falls is on no such loop. Each table is checked step by step.
// With n threads, a property has these tables:
// - obstruction freedom: for each thread t one in which steps of t other than commits do not rise and aborts of t fall
//   (no loop of t alone, without a commit, with an abort), then for each t one in which internal steps of t fall
//   (t does not run for ever alone without completing a command);
// - wait freedom: for each t one in which all steps but commits of t do not rise and aborts of t fall; then for each t
//   one in which steps of others and internal steps of t do not rise and internal steps of t fall;
// - livelock freedom: those of obstruction freedom, then one or more for rounds. A loop that breaks the promise
//   has no commit, and a thread that completes commands in it is aborted in it. So in each round: steps that are
//   left do not rise; those that fall are removed, and so are the completed commands of t at a number at which no abort
//   of t remains. In the end no step of a thread is left.
#ifndef CERTIFICATE_RANKING_H
#define CERTIFICATE_RANKING_H

#include "model/instance.h"

typedef enum { RANKING_STEP, RANKING_DONE, RANKING_COMMIT, RANKING_ABORT } ranking_kind;

typedef struct {
    uint32_t from, to;  // states
    uint32_t thread;    // below the number of threads; UINT32_MAX: no thread's
    ranking_kind kind;
} ranking_edge;

typedef VEC(ranking_edge) ranking_edges;

// Which thread takes a rule's steps (model/actor.h), and what they do; the sort of threads (actor_transactions()) has
// id 0 where the system has no commit and abort.
ranking_edge ranking_classify(const model *m, type threads, rule r, const value *args);

// How many tables a property has: exactly `least`, or more where more are allowed.
uint32_t ranking_least_tables(prop_kind kind, uint32_t nthreads);

// False when the tables do not prove it; `why` says which step.
bool ranking_check(prop_kind kind, uint32_t nthreads, const ranking_edges *edges, const uint32_t *const *tables,
                   uint32_t ntables, str *why);

#endif
