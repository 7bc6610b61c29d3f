// SPDX-License-Identifier: Apache-2.0
// Breadth-first exploration of an instance, on any number of threads and ranks, with one answer:
// counts, verdicts and traces do not depend on how many.
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include "base/limits.h"
#include "base/progress.h"
#include "model/instance.h"
#include "ranks/ranks.h"
#include "result/result.h"
#include "space/space.h"

typedef enum { ENGINE_AUTO, ENGINE_BYTECODE, ENGINE_MACHINE, ENGINE_NATIVE, ENGINE_EVALUATOR } explore_engine;

// How many states of a search are used to try what the search relies on: the symmetry, the code that computes
// successors, the packing of states. What fails is switched off, and the search starts again without it.
typedef enum { SELF_CHECK_SAMPLE, SELF_CHECK_OFF, SELF_CHECK_ALL } self_check_rate;

typedef enum { SEARCH_BREADTH, SEARCH_DEPTH, SEARCH_RANDOM, SEARCH_FASTEST } search_order;

typedef struct {
    uint32_t threads;  // 0: all cores
    space_symmetry symmetry;
    self_check_rate self_check;
    bool all_must_hold;   // else the answer is of no use: a small search that finds a violation tries samples alone
    bool needs_symmetry;  // refuse a model that tells elements apart; else warn and leave such sorts alone
    bool is_compact;      // keep hashes instead of states where these take more: what is not found is then unknown
    bool hashes_at_once;  // and do not look where that is: for tests
    explore_engine engine;
    const char *checkpoint;              // a file to continue from if it exists, and to write to; may be NULL
    const char *disk;                    // a folder for states that do not fit into memory; may be NULL
    uint64_t disk_least;                 // move states there when so many are in memory; 0: when there is no more room
    uint64_t limit_states, limit_bytes;  // 0: none
    uint32_t limit_depth;                // states so many steps from the start are not expanded; 0: none
    limits limits;                       // of time, and what the command line watches
    uint32_t most_errors;                // stop when this many properties are violated; 0: when all are decided
    bool finds_doubts;                   // count how often rules fire, and look for what makes an answer empty,
    bool doubts_of_part;                 // even for a search that a limit ended, as far as it went
    bool check_deadlock;                 // also without a property that asks for it
    bool is_stuttering_stuck;            // a state that only steps to itself counts as a deadlock
    bool calls_bodies;                   // all bodies as code with calls (space/space.h): for tests
    space_apart taken_apart;             // timed: which broadcasts are: for tests
    bool stores_all;                     // timed: states in which time stands still too
    bool counts_idle;                    // timed: a step that changes neither the state nor a clock counts as a step
    search_order order;                  // timed: which state is expanded next
    bool finds_fastest;                  // timed: runs that take the least time, by the system's time_clock
    uint32_t parallel_least;  // states of a block worth waking threads for; 0: some dozen, once there are thousands
    uint64_t batch_states;    // whose successors make a batch of the next level (batches.h); 0: 2^17
    ranks_job *ranks;         // that search together, each with these options; NULL: there are no others
    uint64_t share_least;     // states from which on they divide the work; 0: 100,000
    progress *line;           // shown a few times a second; may be NULL
} explore_options;

// What was reached, for those who need more than a verdict (minimisation, state graphs, candidate filters).
typedef struct explored explored;

typedef enum { END_COMPLETE, END_VIOLATION, END_STATES, END_MEMORY, END_LIMIT, END_DISK, END_DEPTH } explore_end;

// Explores an instance and adds one entry per property to `out` (all are over the instance's system; an
// invariant or deadlock property is decided along the way, a failing requirement decides its PROP_REFINES
// property). The model's assumptions are always checked: one that fails is an entry of its own, and so is a
// run-time error. Exploration goes on past a violated property until every property is decided. If `kept` is given,
// it gets what was reached.
// With ranks, all of them call this with the same arguments, and the result of rank 0 is the answer; then no property
// is PROP_REACHES, and nothing is kept.
explore_end explore_run(const instance *in, const prop *props, uint32_t nprops, const explore_options *options,
                        result *out, explored **kept);

void explored_free(explored *x);
const space *explored_space(const explored *x);  // NULL when the model could not be compiled
uint64_t explored_count(const explored *x);
explore_end explored_end(const explored *x);
// States by number, in an order that does not depend on the number of threads; initial states first.
void explored_state(const explored *x, uint64_t number, uint64_t *state);
// All of them in this order, which is faster than one by one. False: there are no more.
typedef struct explored_walk explored_walk;
explored_walk *explored_walk_new(const explored *x);
bool explored_walk_next(explored_walk *w, uint64_t *state);
void explored_walk_free(explored_walk *w);
uint64_t explored_initial_count(const explored *x);
// The number of a state (canonical if reduced), or UINT64_MAX.
uint64_t explored_find(const explored *x, const uint64_t *state);

#endif
