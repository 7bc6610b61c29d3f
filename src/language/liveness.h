// SPDX-License-Identifier: Apache-2.0
// Liveness of a transactional memory as questions about loops (Guerraoui, Henzinger, Jobstmann, Singh, PLDI
// 2008). Every step belongs to a thread; a loop that can be repeated for ever and in which the promise is
// broken is a violation:
// - obstruction freedom: a thread that runs alone from some point on, and is aborted for ever, commits for
//   ever;
// - livelock freedom: if threads are aborted for ever, then some thread commits for ever, or one goes on for
//   ever without being aborted;
// - wait freedom: every thread that is aborted for ever commits for ever. A thread that takes steps for ever
//   and completes no command (it spins) counts as one that is aborted for ever.
#ifndef LANGUAGE_LIVENESS_H
#define LANGUAGE_LIVENESS_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { LIVE_OBSTRUCTION_FREE, LIVE_LIVELOCK_FREE, LIVE_WAIT_FREE } live_promise;

typedef enum {
    LIVE_STEP,  // part of a command, not a statement yet
    LIVE_DONE,  // a command other than commit is completed
    LIVE_COMMIT,
    LIVE_ABORT
} live_kind;

typedef struct {
    uint32_t from, to;
    uint32_t thread;  // below nthreads; any other number: no thread's step
    live_kind kind;
    uint32_t label;  // the caller's
} live_edge;

typedef struct {
    uint32_t nstates, nthreads, ninitial;  // states below ninitial are initial
    VEC(live_edge) edges;
} live_graph;

typedef struct {
    bool holds;
    uint32_t thread;           // the thread that the violation affects; UINT32_MAX: all that take part
    bool is_spin;              // it is not aborted but never completes a command
    VEC(uint32_t) stem, loop;  // edges: from an initial state to the loop, and around it
} live_answer;

// Why it holds, as ranks (certificate/ranking.h): by table, by state. Freed by liveness_free_tables().
typedef VEC(uint32_t *) live_tables;

// `tables` gets the ranks when the promise is kept; NULL: nobody wants them.
live_answer liveness_check(const live_graph *g, live_promise promise, live_tables *tables);
void liveness_free_tables(live_tables *t);
void liveness_free(live_answer *a);

// Is the closed walk `loop` a violation? `thread` as in live_answer. For checking answers.
bool liveness_breaks(const live_graph *g, live_promise promise, const uint32_t *loop, uint32_t length);

#endif
