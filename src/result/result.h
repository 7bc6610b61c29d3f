// SPDX-License-Identifier: Apache-2.0
// Results: what an engine found out, for reports. Reports read this and the model, never an engine.
#ifndef RESULT_RESULT_H
#define RESULT_RESULT_H

#include "result/trace.h"

typedef enum { VERDICT_HOLDS, VERDICT_VIOLATED, VERDICT_UNKNOWN } verdict;

const char *verdict_text(verdict v);         // "holds", "violated", "unknown"
verdict verdict_join(verdict a, verdict b);  // violated, else unknown, else holds

typedef struct {
    uint32_t exploration;  // its number in the result (result_explored); 0: none
    uint64_t states, transitions;
    uint64_t live_states;  // timed: visited again to decide a liveness query
    uint32_t depth;        // greatest distance of a state from the initial ones
    double seconds;
    uint64_t memory_bytes;  // state store: states, table, parents
    uint64_t disk_bytes;    // states in files
    uint32_t state_bits;    // packed state
    uint32_t threads;
    uint32_t ranks;          // that divided the work, each with that many threads; 0: one alone did it
    uint64_t sent_bytes;     // from rank to rank,
    uint64_t sent_states;    // and successors that were looked up, on whatever rank
    bool is_reduced;         // states are orbits,
    bool is_heuristic;       // some of which may be counted several times
    const char *symmetry;    // what is alike, and why no more is; may be NULL
    const char *engine;      // "bytecode", "machine code", "native"; "machine code, then native"
    double compile_seconds;  // native code, 0 if none
    double omission;         // probability that hash compaction missed a state; 0 without it
} result_stats;

typedef struct {
    const char *name;  // of the property, or "deadlock", "assume one_owner", "run-time error"
    prop property;     // id 0 when it is not one of the model's
    verdict verdict;
    char *reason;        // for unknown and for violated ("the specification refuses commit(1)"); may be NULL
    trace *trace;        // for violated; may be NULL
    result_stats stats;  // of the exploration that answered it
} result_property;

// What an engine tried while it relied on it: a kind of reduction or code, on how many states, and how it failed. After
// a failure the engine said so in a warning, switched it off and started again: verdicts do not rest on it.
typedef struct {
    const char *what;     // "symmetry", "code", "packing", …: never changes its meaning
    uint64_t samples;     // states, including those of searches that were given up
    const char *failure;  // the first one, in the user's words; NULL: none
} self_check;

// How often a rule fired in the explorations of a result.
typedef struct {
    const char *name;
    span at;
    uint64_t fired;
} rule_count;

// Facts that make a `holds` say less than it seems to (doubt.h).
typedef enum {
    DOUBT_START,     // there is no initial state
    DOUBT_NO_STEP,   // nothing ever happens
    DOUBT_RULE,      // a rule never fired
    DOUBT_EXCLUDED,  // a rule can never fire, by the lemmas of a proof
    DOUBT_PREMISE,   // the premise of a property was never true
    DOUBT_BOUND      // a counter reached the end of its range
} doubt_kind;

typedef struct {
    doubt_kind kind;
    const char *subject;  // the rule, the property, the function
    const char *text;     // a sentence without its full stop
    uint32_t what;        // bytes of it that tell which doubt it is; then where was looked
} doubt;

// How many elements a sort had.
typedef struct {
    const char *sort;
    uint32_t size;
} result_size;

typedef struct result {
    arena *memory;  // for names and reasons
    verdict verdict;
    char *scope;             // "Thread=2, Loc=2" or "all sizes"
    VEC(result_size) sizes;  // the same, of an instance
    char *reason;            // why unknown
    VEC(result_property) properties;
    uint32_t explorations;
    result_stats stats;     // summed over explorations; depth and memory: the largest
    VEC(rule_count) rules;  // of explorations that were asked to count
    VEC(uint64_t) levels;   // new states at each depth, summed over explorations
    VEC(doubt) doubts;
    map *known;                   // rules and doubts, by what makes two of them the same (doubt.c)
    VEC(self_check) self_checks;  // one per kind, summed over explorations
} result;

result *result_new(void);
void result_free(result *r);  // and the traces
// Numbers an exploration: properties with these statistics were decided by it, and are counted once.
void result_explored(result *r, result_stats *s);
// An exploration found so many new states at a depth.
void result_add_level(result *r, uint32_t depth, uint64_t states);
void result_add_size(result *r, const char *sort, uint32_t size);  // adds to the scope
void result_add(result *r, result_property p);                     // joins the verdict and the statistics
void result_take_back(result *r, uint32_t first);                  // forgets the properties from this one on
void result_add_stats(result *r, const result_stats *s);           // of an exploration without any property
// Adds samples to those of the same kind; the failure, if any, is copied, and only the first one is kept.
void result_add_self_check(result *r, const char *what, uint64_t samples, const char *failure);
void result_join_self_checks(result *r, const result *from);
// A text as printf() makes it, which lives as long as the result.
#define result_text(r, ...) arena_printf((r)->memory, __VA_ARGS__)

verdict verdict_of_runs(const result *const *runs, uint32_t count);  // of all together
const result_property *result_with_trace(const result *r);           // the first that has one; NULL: none

#endif
