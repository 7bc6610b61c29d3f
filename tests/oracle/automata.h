// SPDX-License-Identifier: Apache-2.0
// automata: networks of timed automata as data, with a slow explorer of their own. The other twin of src/zone,
// oracle/region.h, starts from the model that src/front/xta makes of a text, and shares the evaluator; this one
// knows neither. A network is written as UPPAAL's text (for the program) and explored as it stands here, rule by rule
// from the language's description: guards before updates, the sender's update before the receivers' in the order of
// the system line, one enabled edge of every process that can hear a broadcast, committed locations first, then
// priorities of channels and of processes; where an invariant does not hold nobody can go.
//
// Clocks are regions (Alur and Dill 1994): whole parts up to the largest constant, and the order of fractions.
#ifndef ORACLE_AUTOMATA_H
#define ORACLE_AUTOMATA_H

#include "base/rng.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    AUTO_IDS = 9,
    AUTO_PROCESSES = AUTO_IDS + 1,
    AUTO_CLOCKS = 6,
    AUTO_LOCATIONS = 4,
    AUTO_EDGES = 8,
    AUTO_TERMS = 3,
    AUTO_CHANNELS = 6
};

typedef enum { BY_CONST, BY_ME, BY_SELECT, BY_OWNER } auto_by;

typedef struct {
    auto_by by;
    int is;
} auto_index;

typedef enum { CLOCK_G, CLOCK_Y, CLOCK_X } auto_clock_kind;

typedef struct {
    auto_clock_kind kind;
    auto_index index;  // of y; of a process, in formulas about its x
} auto_clock;

typedef enum {
    TERM_CLOCK,
    TERM_EVERY_CLOCK,  // forall (i : id_t) y[i]
    TERM_IF_CLOCK,     // v == other imply the clock
    TERM_OR_CLOCK,     // v == other || the clock
    TERM_NOT_CLOCK,
    TERM_V,
    TERM_A,
    TERM_OWNER,
    TERM_EVERY_A,
    TERM_ODD,     // by a function
    TERM_AT,      // formulas: a process is there
    TERM_ALL_AT,  // ... all of the many, or some of them
    TERM_SOME_AT,
    TERM_DEADLOCK
} auto_term_kind;

typedef struct {
    auto_term_kind kind;
    int op;  // < <= == >= > !=
    int is, other;
    auto_clock clock;
    auto_index index;
} auto_term;

typedef enum {
    SET_V,
    SET_V_NEXT,
    SET_OWNER,
    SET_A,
    SET_A_FLIP,
    SET_CLOCK,
    SET_CLOCK_V,    // to the value of v
    SET_BY_CALL,    // touch(i): y[i] = 0, v moves on
    SET_BY_BRANCH,  // branch(i): another clock by the value of a[i]
    SET_BY_LOOP     // sweep(): a clock of each id of which a is 0
} auto_set_kind;

typedef struct {
    auto_set_kind kind;
    int is;
    auto_clock clock;
    auto_index index;
} auto_set;

typedef struct {
    int from, to;
    bool has_select, sends, hears;
    int channel;
    auto_index index;  // of the channel, if it is one of many
    auto_term terms[AUTO_TERMS];
    auto_set sets[AUTO_TERMS];
    int nterms, nsets;
} auto_edge;

typedef struct {
    bool has_me, has_x;
    int locations, nedges;
    bool is_urgent[AUTO_LOCATIONS], is_committed[AUTO_LOCATIONS], has_invariant[AUTO_LOCATIONS];
    auto_term invariants[AUTO_LOCATIONS];
    auto_edge edges[AUTO_EDGES];
} auto_template;

// A formula is a conjunction or a disjunction of terms, perhaps negated.
typedef struct {
    auto_term terms[AUTO_TERMS];
    int nterms;
    bool is_or, is_not;
} auto_formula;

typedef enum { AUTO_SOME, AUTO_ALWAYS, AUTO_STAYS, AUTO_EVENTUALLY, AUTO_LEADS } auto_query_kind;

// With a bound on time: p counts only up to it; of p --> q, it counts from p on.
typedef struct {
    auto_query_kind kind;
    bool is_bounded, is_strict;
    int bound;
    auto_formula p, q;
} auto_query;

// Template 0 has a process for each id, template 1 one. The system line names them in this order or the other.
typedef struct {
    rng r;
    int ids, largest, scale;  // the text has all times so many times as large
    bool has_y, many_last, has_levels, has_ranks;
    bool many_rank_higher, many_speak;
    int favourite;                 // channel
    int level[AUTO_CHANNELS + 1];  // of each channel, 0 to 2; the last: of `default`
    auto_template templates[2];
} auto_network;

void auto_random(auto_network *n, uint64_t seed);
void auto_random_query(auto_network *n, auto_query *q);
void auto_text(const auto_network *n, str *out);
void auto_query_text(const auto_network *n, const auto_query *q, str *out);

typedef struct auto_graph auto_graph;

// NULL: there are more regions, or none (the initial state is not possible).
auto_graph *auto_explore(const auto_network *n, uint32_t most);
uint32_t auto_regions(const auto_graph *g);
// False: there are too many regions for an answer.
bool auto_ask(const auto_graph *g, const auto_query *q, bool counts_idle, bool *holds);
void auto_free(auto_graph *g);

#endif
