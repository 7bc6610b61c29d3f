// SPDX-License-Identifier: Apache-2.0
// Private to the zone engine: the search for reachability queries, and what liveness shares with it.
#ifndef ZONE_SEARCH_H
#define ZONE_SEARCH_H

#include "base/crew.h"
#include "result/trace.h"
#include "explore/explore.h"
#include "model/eval.h"
#include "model/expr.h"
#include "model/instance.h"
#include "result/result.h"
#include "zone/dbm.h"
#include "zone/expand.h"
#include "zone/keep.h"
#include "zone/net.h"
#include "zone/orbit.h"
#include "zone/passed.h"
#include "zone/trial.h"
#include "zone/zone.h"

typedef struct {
    prop p;
    const prop_info *info;
    uint32_t formula;  // where it holds the query is decided (A[] : the negation of its condition)
    uint32_t then;     // -->: the negation of the second condition
    bool is_decided;
    bool is_found;  // a node was found where the formula holds
    uint32_t node;
    bound *piece;     // the part of the node's zone where it does
    int64_t extreme;  // sup, inf
    bool extreme_strict, has_extreme;
    bool is_infinite;  // the largest value: in some zone nothing holds time back
    bool is_beyond;    // it may be larger than the values told apart
    bool is_loose;     // an extreme that may not be reached: `node` and `piece` say where
    uint32_t doubts;   // runs to loose nodes that could not be confirmed (rates.c)
    fault what;        // why its formula cannot be evaluated at the node found; FAULT_NONE: it can
} zone_ask;

// A place where a query's formula seems to hold, which needs a run to be believed.
typedef struct {
    uint32_t ask, node;
    bound *piece;
} zone_doubt;

typedef struct zone_share zone_share;

struct zone_search {
    const instance *in;
    const explore_options *o;
    const zone_keeper *keeper;  // NULL: nobody wants to know what was kept
    net *x;
    orbit *y;  // NULL: states are not reduced
    passed *p;
    zone_worker *workers;
    uint32_t nworkers;
    crew *team;   // NULL: one worker
    net_room *w;  // of the first worker
    bool stores_all;
    VEC(zone_ask) asks;
    VEC(zone_doubt) doubts;  // of the block
    zone_arrival trouble;    // the first step found to fail
    trace *trouble_run;      // that leads to it, NULL: it could not be shown
    str trouble_why;
    bool is_at_limit;        // it is no error of the model: we cannot compute it
    orbit *given;            // used instead of what is found, in tests of the self-check; NULL: none
    const char *unreplayed;  // why a run that was found could not be shown; NULL: all could
    zone_trial *check;       // NULL: nothing is tried
    bool is_exact;           // zones are not abstracted, and kept unless they are equal
    bool by_evaluator;       // discrete steps only by the evaluator
    search_order order;      // which node is expanded next
    bool is_whole;           // everything reachable was expanded: no query ended the search, and no limit
    bool is_impossible;      // there is no initial state: invariants exclude it
    int32_t horizon;         // up to where clocks whose extreme is asked for are told apart
    double started;
    zone_share *shared;  // with other ranks (divide.h); NULL: there are none
    uint64_t transitions;
    uint32_t depth;
    const char *stopped;  // why not everything was looked at; NULL: it was
    str note;             // about symmetry
    result_stats stats;   // of the search for reachability
};

static inline bool zone_is_reachability(const zone_ask *a) {
    query_kind k = a->info->query;
    return k == QUERY_ALWAYS || k == QUERY_POSSIBLY || k == QUERY_SUP || k == QUERY_INF;
}
static inline bool zone_is_measure(const zone_ask *a) { return a->info->query >= QUERY_SUP; }

// Why the query is not decided, in a text that lives as long as `out` (NULL: only whether); NULL: it is (refuse.c).
const char *zone_refusal(const instance *in, prop p, result *out);
// Adds the answers to queries that are not decided; those from `first` on are then in the order of the queries.
void zone_answer_refused(const instance *in, const prop *props, uint32_t nprops, uint32_t first, result *out);
// Of a search whose fields `in`, `o`, `horizon`, `order` and what it may not rely on are set: everything before its
// first state. False: the model is not supported, and a message says why. In any case, finish it.
bool zone_search_prepare(zone_search *s, const prop *props, uint32_t nprops);
void zone_search_finish(zone_search *s);
// Do the query's formulas fail to evaluate in the state that w looks at?
bool zone_cannot_ask(net_room *w, const zone_ask *a, fault *what);
// The search, from the initial states on, until all queries about reachability are decided
// (blocks.c).
void zone_search_all(zone_search *s);
void zone_found(zone_search *s, zone_ask *a, uint32_t node, const bound *piece);

// The parts of d, in `state`, which w looks at, where the formula holds; with `first_only` at most one.
void zone_pieces(net_room *w, uint32_t formula, const uint64_t *state, const bound *d, bool first_only, dbm_list *out);
// The parts of d (a state's zone) from which some step is possible, now or after a delay.
// counts_idle: steps that change neither the state nor a clock count too. w then looks at the state.
void zone_alive(net_room *w, const uint64_t *state, const bound *d, bool counts_idle, dbm_list *out);
// Can time pass for ever in d, a zone of the state that w looks at? Abstraction forgets bounds that invariants set, so
// these are looked at too.
bool zone_is_endless(const net_room *w, const bound *d);
// d without all of `cuts`.
void zone_without(const bound *d, const dbm_list *cuts, uint32_t n, dbm_list *out);
// ... of the state looked at, where d may be abstracted: each part that has a point which can do what one that is
// reached can, has one that is reached.
void zone_rest(net_room *w, const bound *d, const dbm_list *cuts, dbm_list *out);

// What cannot be evaluated, and where.
void zone_fault_text(const zone_search *s, fault what, str *out);
// Has a limit been reached, with what p has by now? Then it says why in s->stopped.
bool zone_is_over(zone_search *s, const passed *p);

#define ZONE_TIME UINT32_MAX  // instead of a label: by time, from another part of the formula

typedef struct {
    uint32_t node;   // of `seen`, whose zone is within the formula
    uint32_t label;  // by which it was reached
} zone_lasso_point;

// A run that stays within a formula for ever, or until nothing can happen.
typedef struct {
    VEC(zone_lasso_point) path;
    VEC(uint8_t) perms;   // what was done to each state of the path (zone_represent)
    uint32_t loop;        // the position to which the end goes back; UINT32_MAX: it does not
    bool met_idle;        // a step that changes neither the state nor a clock was met
    bool forever;         // time passes for ever at the end
    bool is_unknown;      // the formula's zones are not convex: cannot tell
    bool has_parts;       // the formula holds in several parts of a zone: there may be edges by time
    bool met_stop;        // clocks stood still on the way (rates.c): what was found needs a run to be believed
    bound *last;          // where the run must be able to end; NULL: anywhere
    passed *seen;         // nodes without such a run, kept for further starts
    VEC(uint8_t) colour;  // of `seen`
    VEC(uint32_t) ranks;  // of `seen`, once it is done: those of what its steps lead to are lower
    uint32_t finished;
} zone_lasso;

// Is there a maximal run from `start` in `state` on which the formula always holds?
bool zone_maximal_run(zone_search *s, uint32_t formula, const uint64_t *state, const bound *start, zone_lasso *out);
void zone_lasso_free(zone_lasso *l);
// When there was none: do all steps of the node of l->seen lead, without abstraction, to nodes of lower rank?
bool zone_lasso_falls(zone_search *s, uint32_t formula, const zone_lasso *l, uint32_t node);

// What such a search rests on, tried on some of its nodes (trial.c).
void trial_live(zone_trial *c, uint32_t formula, const zone_lasso *l);

// As zone_run(), with symmetries that may be wrong (it owns them): the self-check must notice.
void zone_run_given(const instance *in, const prop *props, uint32_t nprops, const explore_options *options,
                    orbit *given, result *out);

// How often each edge was taken, and doubts about those that never were (untaken.c).
void zone_find_untaken(const zone_search *s, result *out);

// Tells the keeper what was kept; lassos: by query (keep.c).
void zone_keep(zone_search *s, const zone_keeper *k, const zone_lasso *lassos);

#endif
