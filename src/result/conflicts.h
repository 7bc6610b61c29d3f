// SPDX-License-Identifier: Apache-2.0
// Why a word of transactions cannot be put in an order: the graph over its transactions and a cycle in it.
//
// Guerraoui, Henzinger and Singh (CONCUR 2008), section 2: an edge leads from x to y if a statement of x conflicts with
// a later one of y (a global read of a location and the commit of one who writes it, or two commits of writers), or if
// x is finished before y begins. The specifications that people write are automata; this is the definition behind them,
// and says in words what a refused step would do.
#ifndef RESULT_CONFLICTS_H
#define RESULT_CONFLICTS_H

#include "result/trace.h"

typedef enum { TRANSACTION_RUNNING, TRANSACTION_COMMITTED, TRANSACTION_ABORTED } transaction_end;

typedef struct {
    const char *name;  // "T2", and "T2.3" for the third transaction of a thread that has several
    value thread;
    uint32_t first, last;  // steps of the trace
    transaction_end end;
} conflicts_transaction;

typedef enum {
    CONFLICT_READ_COMMIT,    // x reads a location, then y commits a write of it
    CONFLICT_COMMIT_READ,    // x commits a write, then y reads it
    CONFLICT_COMMIT_COMMIT,  // both write it, and x commits first
    CONFLICT_TIME            // x is finished before y begins
} conflict_kind;

typedef struct {
    uint32_t from, to;  // transactions
    conflict_kind kind;
    uint32_t first, last;  // the two steps
    const char *text;      // "T1 read Loc 1 before T2 committed its write"
} conflicts_edge;

typedef struct {
    VEC(conflicts_transaction) transactions;
    VEC(conflicts_edge) edges;  // conflicts, one for each ordered pair; of the order in time only what the cycle needs
    VEC(uint32_t) cycle;        // edges, each beginning where the one before it ends
    type thread_type;
    bool is_of_committed;  // every transaction of the cycle is committed
    const char *sentence;  // the whole in words
    arena *memory;
} conflicts;

enum { CONFLICTS_LONGEST = 400 };  // statements: a longer word is not explained

// For a trace whose last visible step makes its word one that a specification refuses; a refused step counts as taken.
// NULL: the visible steps are not all reads, writes, commits and aborts of threads, or there is no cycle through the
// last one's transaction; of a run that goes on for ever.
conflicts *conflicts_find(const trace *t);
void conflicts_free(conflicts *c);

const char *conflict_kind_text(conflict_kind k);  // "read before commit", …

#endif
