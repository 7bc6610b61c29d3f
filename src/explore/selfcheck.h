// SPDX-License-Identifier: Apache-2.0
// Self-check: what a search relies on, tried on states of its own by the reference evaluator.
//
// A verdict "holds" rests on four things that no trace shows: that exchanging elements of symmetric sorts maps
// steps to steps and answers to answers, that representatives of states are right, that compiled code computes
// what the model says, and that states come out of the store as they went in. All of them are tried on some of
// the states that are expanded (selfcheck.c says which), each with a permutation of its own:
//
//   symmetry  what every rule does in g(s), by the evaluator, is g of what it does in s, up to renaming; every
//             condition asked for has the same value; g(s) has the representative of s, and that of a successor is a
//             renaming of it
//   code      successors and conditions computed by bytecode, machine code or native code are the evaluator's
//   packing   a state packed and unpacked is the same, a stored one is found again, and successors of a state were
//             stored
//
// A failure ends the search, which then starts again without what failed. Which states are tried, the
// permutations and the failure reported do not depend on the number of threads, nor on a clock.
#ifndef EXPLORE_SELFCHECK_H
#define EXPLORE_SELFCHECK_H

#include "explore/store.h"
#include "model/model.h"

typedef enum { TRIED_SYMMETRY, TRIED_CODE, TRIED_PACKING, TRIED_TRACE, TRIED_KINDS } tried_kind;

// The first failure, in the order of the block.
typedef struct {
    bool is_found;
    uint64_t order;
    tried_kind kind;
    span at;
    str text;
} selfcheck_failure;

// The evaluator's steps that were spent, on how many states, and of these how many for each kind.
typedef struct {
    uint64_t steps, states, tried[TRIED_KINDS];
} selfcheck_counts;

// Which states of a block are tried: first, first + every, …; every 0: none. All by counts that do not depend on
// threads.
typedef struct {
    uint64_t first, every;
    uint64_t cap;    // steps of the evaluator for one state
    uint64_t whole;  // and for all of a small search
    selfcheck_counts done;
    uint64_t ninitial;  // initial states looked at
    bool *is_suspect;   // by rule: what it does may depend on an order of elements; NULL: not found yet
    bool has_suspects;
    bool is_all;   // in each state everything is tried
    bool is_over;  // no more states are stored
    selfcheck_failure failed;
} selfcheck_plan;

struct search;
struct worker;
typedef struct selfcheck selfcheck;  // of one worker

void selfcheck_free(selfcheck *c);

// Before and after a block, when nobody works. After a failure the search is over.
void selfcheck_plan_block(struct search *s);
void selfcheck_end_block(struct search *s);
// The first place from `position` on that is tried.
uint64_t selfcheck_place(const struct search *s, uint64_t position);

// The state of w->state, stored as `id`, was expanded to n successors, which are not canonical yet.
void selfcheck_state(struct search *s, struct worker *w, store_id id, uint64_t position, uint32_t n);
void selfcheck_initial(struct search *s, const value *cells, const uint64_t *packed);

// After a search of few states: all of them are tried, as far as a fixed number of steps allows.
void selfcheck_whole(struct search *s);

// Something showed that the search cannot be relied on: noted by a worker, in a state (NULL: none), or after the
// search.
void selfcheck_note(struct worker *w, uint64_t place, tried_kind kind, span at, const value *cells, const char *format,
                    ...) __attribute__((format(printf, 6, 7)));
void selfcheck_note_trace(struct search *s, const char *why);

#endif
