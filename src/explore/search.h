// SPDX-License-Identifier: Apache-2.0
// Private to src/explore: the data of one search, and what its files do with it.
//
//   explore.c        the public functions
//   search.c         the breadth-first levels, cut into blocks; limits, progress, engine
//   expand.c         phase 1 of a block: successors, sorted by partition
//   recent.h         states seen recently
//   ranges.c         how the work of a phase is dealt out to threads
//   merge.c          phase 2 of a block: new states into the store, checked
//   share.c          one search on several ranks
//   store.c          every state once, in partitions
//   disk.c           states in files
//   settle.c         states that go to files, and which of them are old
//   buckets.c        its tables, from fingerprints to records
//   packing.c        states as the bits that vary
//   weigh.c          whether hashes in place of states save memory
//   pages.c          large pieces of memory
//   order.c          the numbers of states
//   strips.c         the order of the states of a batch
//   batches.c        the order of the states of the level that is expanded
//   checkpoint.c     the search in a file
//   selfcheck.c      when the search tries what it relies on
//   selfcheck_try.c  one state, tried
//   sameorbit.c      whether one state is a renaming of another
//   finding.c        what went wrong where, decided by the reference evaluator
//   reaches.c        from where a state can be reached
//   rebuild.c        the trace of a finding
//   vacuous.c        whether the search tried anything: rules that never fired, premises never true
//   further.c        larger instances
//
// Why the answer does not depend on the number of threads. The states of a level have positions, which follow from the
// sizes of its partitions and where it was cut, by counts (batches.h). A block is a range of positions and a chunk a
// range of a block, in one partition or several. Whichever thread expands a chunk, phase 2 goes through runs of chunks
// in order of positions, so each partition sees candidates in order of position and label: which states are new, their
// numbers and their parents are decided by that order alone. Blocks are cut by counts that have the same property, so a
// search also stops at the same place.
#ifndef EXPLORE_SEARCH_H
#define EXPLORE_SEARCH_H

#include "base/crew.h"
#include "explore/batches.h"
#include "explore/budget.h"
#include "explore/disk.h"
#include "explore/explore.h"
#include "explore/order.h"
#include "explore/ranges.h"
#include "explore/selfcheck.h"
#include "explore/store.h"
#include "model/eval.h"
#include "model/instance.h"
#include "result/result.h"
#include "result/trace.h"
#include "space/space.h"

// ---- findings

typedef enum {
    ASK_INVARIANT,
    ASK_ASSUMPTION,
    ASK_COVER,    // found: a state where it holds
    ASK_REACHES,  // decided after the search, by reaches.c
    ASK_REQUIREMENT,
    ASK_DEADLOCK,
    ASK_FAULT
} ask_kind;

// Something that can go wrong, and whether it did.
typedef struct {
    ask_kind kind;
    bool is_asked;  // the search may stop once all of these are found
    prop property;  // or id 0
    const char *name;
    expr cond;       // ASK_INVARIANT, ASK_ASSUMPTION, ASK_COVER, ASK_REACHES
    uint32_t check;  // of the space, for those
    bool is_found;
    store_id state;  // the first state where it went wrong,
    bool is_step;    // in a step from there
    trace *run;      // that leads there, replayed; NULL, with a reason in `why`, if there is none
    str reason, why;
} ask;

// What one worker found in the current block. Order: phase 1 by position, then phase 2 by id.
typedef struct {
    bool is_found, is_step;
    uint64_t order;
    store_id state;
} finding;

#define ORDER_PHASE_2 (UINT64_C(1) << 63)

// ---- workers

// Candidates for one partition: each an entry of `words` words for the state and one with the fingerprint
// (upper half) and the parent's place in the block (lower half).
typedef struct {
    uint64_t *data;
    uint64_t len, cap;  // in words
} stream;

// The candidates of one run of chunks for one partition, in the stream of the worker that expanded the run.
typedef struct {
    uint64_t begin;
    uint32_t words;
    uint32_t worker;  // or PARCEL_RECEIVED: it came from another rank
} parcel;

#define PARCEL_RECEIVED UINT32_MAX

// States of a block that one thread expands, one after the other. All are of one rank.
typedef struct {
    uint64_t position;    // of the first,
    batches_place first;  // and where it is
    uint32_t count;
    bool is_first;  // of a run of chunks that one thread expanded
} chunk;

#define PLACE_INITIAL UINT32_MAX  // in an entry: no parent

typedef struct search search;

// Successors of one state that will be sent: some of `states`.
typedef struct {
    uint64_t *states;
    uint64_t *hashes;
    uint32_t *which;
    uint32_t n, place;
} sending;

typedef struct worker {
    arena *memory;
    search *s;
    uint32_t number;
    space_run *run;
    eval *ev;  // reference evaluator, for findings
    uint64_t *state, *next, *failed;
    uint64_t *forms, *form_hashes;  // canonical ones, of a sending
    sending sendings[2];  // the successors of w->next are noted in that of this turn, in the other one they wait
    bool turn;
    uint64_t *strip;  // states of a strip, read from a file
    uint32_t *labels;
    value *cells, *after, *args;
    stream out[STORE_PARTS];
    uint64_t *sent;       // cache of candidates sent recently (recent.h),
    uint64_t cache_size;  // for so many states: a power of two
    uint64_t transitions;
    uint64_t *fired;      // by label: how often, troubled steps too
    uint32_t most_next;   // successors that a state had at the most
    uint32_t until_look;  // transitions until the clock is looked at
    finding *found;       // by ask
    selfcheck *check;     // NULL: nothing was tried yet
    uint64_t sample_at;   // the next place that is tried
    selfcheck_failure broken;
    char apart[64];  // shares no cache line with another worker
} worker;

struct explored {
    space *sp;
    store *states;
    budget memory;
    order numbers;
    uint64_t ninitial;
    explore_end end;
};

enum { SEARCH_GOES_ON = -1 };

// What failed when it was tried, and is no longer relied on: bits of search.without.
enum {
    WITHOUT_SYMMETRY = 1,
    WITHOUT_MACHINE = 2,
    WITHOUT_BYTECODE = 4,
    WITHOUT_ALL = 8,  // but the evaluator, with a word for each cell
    SEARCH_WITHOUTS = 16
};

typedef struct checkpoint checkpoint;  // checkpoint.c
typedef struct share_data share_data;  // share.c
typedef struct settling settling;      // settle.c

struct search {
    const instance *in;
    const explore_options *options;
    explored *x;
    uint32_t words, nlabels, nparams, nthreads;
    bool is_reduced, is_compact;
    bool weighs_hashes;  // it keeps states, until it turns out that hashes take less:
    bool wants_hashes;   // then it must start again with these
    uint32_t without;
    bool is_alone;  // nobody wants the states afterwards

    VEC(ask) asks;
    uint32_t nrefusals;   // of steps, by specifications: counted at the end
    uint32_t nfault;      // which ask is the run-time error
    uint32_t *check_ask;  // by check of the space
    uint32_t nchecks;

    bool has_met;              // ranks have met; from then on
    bool is_shared;            // they may have divided the work
    share_data *shared;        // if so
    uint64_t *seed;            // a state that is stored, if this rank may have none
    const uint64_t *received;  // parcels from other ranks

    crew *threads;  // NULL until a block is worth it
    worker **workers;
    uint32_t nworkers;

    // the level that is expanded: its states have positions 0, 1, … (batches.h)
    uint32_t depth;
    uint32_t level_begin[STORE_PARTS], level_end[STORE_PARTS];
    uint32_t first_cut, ncuts;  // where it is cut: marks of the order
    store_number level_first;
    uint64_t level_size, last_size, last_last_size;

    // the block that is worked on
    uint64_t block_begin, block_size, chunk_size, nchunks;
    store_number block_first;  // the number of its first state
    chunk *chunks;
    parcel *parcels;  // by the first chunk of a run, and partition
    uint64_t chunks_cap;
    uint32_t *runs;  // their first chunks
    uint32_t nruns;
    bool is_turned;                          // threads have their ranges in the opposite order
    work_range *chunk_ranges, *part_ranges;  // by thread,
    uint32_t nactive;                        // of those that work on the block

    uint64_t order_bytes;  // taken for the numbers

    _Atomic int end;  // explore_end or SEARCH_GOES_ON
    selfcheck_plan tried;
    bool has_no_start;             // the initial states cannot be computed
    eval_start_fault start_fault;  // why, if it is a run-time error
    bool is_at_limit;              // the fault found is not an error of the model
    bool is_started;               // all initial states are stored and checked
    uint32_t levels_done;          // levels expanded completely
    checkpoint *file;              // NULL: none is written
    settling *settled;             // NULL: all states stay in memory
    uint64_t transitions_before;   // of the runs before this one
    uint64_t transitions, states_expanded;
    double started, cpu_started, reported_at;
    uint64_t reported_states;

    native_state native;
    double compile_started, compile_seconds;
    bool has_used[SPACE_NATIVE + 1];  // by engine
};

// search.c
void search_run(search *s);      // to x->end
void search_release(search *s);  // workers and threads
void search_stop(search *s, explore_end why);
bool search_is_over(search *s);                                // a limit was met; workers look at it often
void search_look(search *s, worker *w);                        // limits, and progress in the main thread
store_id search_place_id(const search *s, uint64_t position);  // of a state of the level
uint64_t search_block_most(const search *s);                   // transitions of the next block, at most

// weigh.c
void weigh_hashes(search *s);    // at the beginning of a level: a search that should keep hashes ends
void weigh_at_limit(search *s);  // where memory was full

// expand.c
void expand_block(void *search_context, uint32_t number);  // a crew_job
void expand_initial(search *s, worker *w, const uint64_t *state);
bool expand_reserve(search *s, uint64_t nchunks);
void expand_begin(search *s, uint32_t nthreads);  // before a block, for so many
void expand_find_runs(search *s);                 // after it, for what follows
void expand_free_cache(const search *s, worker *w);
void expand_seed_cache(search *s, worker *w);  // once a state is stored, before it expands
void expand_fit_caches(search *s);             // before a block: to the number of states

// merge.c
void merge_begin(search *s);
void merge_block(void *search_context, uint32_t number);  // a crew_job

// settle.c
void settle_begin(search *s);  // after the store was made: files may be used
void settle_free(search *s);   // removes the files unless the search can go on from them
disk *settle_files(const search *s);
bool settle_has_begun(const search *s);                 // are there states in files?
bool settle_has_failed(const search *s);                // a file could not be read or written
void settle_resume(search *s, const uint32_t *counts);  // so many were found there, of each partition
uint64_t settle_peak(const search *s);                  // of memory, when states were moved to files
uint64_t settle_bytes(const search *s);                 // of files, of all ranks
bool settle_is_due(const search *s);                    // there is not much memory left
void settle_before_block(search *s);                    // moves states to files if that is due
void settle_at_limit(search *s);                        // after a block, before a limit of states is looked at
void settle_level(search *s);                           // before a level is closed: counts are those of states
void settle_end(search *s);                             // after a search that was cut short
bool settle_is_saved(search *s);                        // since it was asked last, all states were moved to files
void settle_read_failed(search *s);                     // by any thread, errno says why
bool settle_expect(search *s, const uint64_t *state);   // it must be in memory or in a file; false: there are no files

// finding.c
void finding_ask_all(search *s, const prop *props, uint32_t nprops);
void finding_check(search *s, worker *w, store_id id);  // the state of w->state was stored: check it
void finding_trouble(search *s, worker *w, uint32_t i, uint64_t position);  // successor i of w->state
void finding_deadlock(search *s, worker *w, uint64_t position);
uint64_t finding_key(const search *s, uint32_t ask);   // after a block: where it was first found; UINT64_MAX: nowhere
void finding_settle(search *s, const uint64_t *keys);  // the first of each ask over all ranks
void finding_collect(search *s);                       // both, on one rank
bool finding_all(const search *s);                     // everything asked was found
uint32_t finding_count(const search *s);               // violations
bool finding_enough(const search *s);                  // as many violations as are wanted
void finding_fault_text(const search *s, const fault *f, const char *where, str *out);  // "…, in RULE"
bool finding_refuses(worker *w, const value *cells, rule r, const value *args, prop p);

// selfcheck_try.c, for selfcheck.c
bool selfcheck_find_suspects(search *s);             // does the symmetry rest on loops with rounds in any order?
void selfcheck_count(search *s, selfcheck *c);       // adds the worker's counts to the plan's
void selfcheck_keep_promises(search *s, worker *w);  // successors of states that were tried are in the store by now
// Promises in words, each of as many as a promise has; those that other ranks keep are theirs to look at.
const uint64_t *selfcheck_promises(const worker *w, uint32_t *words);
uint32_t selfcheck_promise_words(const search *s);
const uint64_t *selfcheck_promised(const search *s, const uint64_t *promise);  // the state that must be stored
void selfcheck_keep_given(search *s, const uint64_t *promises, uint64_t words);

// reaches.c
void reaches_decide(search *s);  // after a complete search without run-time errors

// rebuild.c
// The replayed trace of every ask that was found, kept there; one that fails is a failure of the self-check.
void rebuild_all(search *s);

// vacuous.c
void vacuous_find(search *s, result *out);  // after the search: counts of rules, and doubts

#endif
