// SPDX-License-Identifier: Apache-2.0
// region: the slow twin of src/zone. Explores the region graph of a timed system (Alur and Dill 1994) with the
// reference evaluator alone and decides every kind of query on it.
//
// A region fixes, for each clock, its whole part up to the largest constant K it is compared with (beyond K nothing
// is known of it, and nothing can be asked), and the order of the fractions of the clocks that are not beyond,
// those without a fraction first. Where conditions compare single clocks with integers, all points of a region agree
// on every condition, on what time leads to next (the next region is one and the same for all of them), and on what
// any step leads to, since clocks are set to integers. So regions are a time-abstract bisimulation: a state is
// reachable iff its region is, and a run exists iff a path of regions does. Differences of clocks are not
// taken: `is_supported` is false then.
//
// Runs, as doc/timed.md says: a maximal run is infinite (in bounded time or not), or lets time pass for ever, or ends
// where no step is possible and no time can pass (an end that lets time pass first stands for the point at which it
// stops). Idle steps are no steps of it unless `counts_idle`.
//
// Steps of a discrete state are computed once and kept; all else is computed where it is needed, from its definition.
#ifndef ORACLE_REGION_H
#define ORACLE_REGION_H

#include "model/eval.h"

enum { REGION_MOST_CLOCKS = 8 };

typedef struct region_graph region_graph;

typedef struct {
    uint32_t most;    // regions; more: is_complete is false
    int32_t horizon;  // clocks whose extremes are asked for are told apart up to this
} region_options;

typedef struct {
    bool is_supported, is_complete;
    bool has_start;   // false: the initial state violates an invariant
    bool has_faults;  // a run-time error is reachable
    uint32_t regions, states;
} region_facts;

// For walks: the region of a point, by its number. UINT32_MAX: it is not reachable. Clocks are multiples of 1 / unit.
uint32_t region_find(region_graph *g, const value *cells, const int64_t *clocks, int64_t unit);
// The region that time leads to next; UINT32_MAX: none, itself: for ever.
uint32_t region_later(const region_graph *g, uint32_t at);
bool region_is_still(const region_graph *g, uint32_t at);           // no time may pass, not even within it
uint32_t region_count(const region_graph *g, uint32_t at, rule r);  // steps by that rule
bool region_leads(const region_graph *g, uint32_t at, rule r, uint32_t to);
bool region_fails(const region_graph *g, uint32_t at);  // some step or condition is a run-time error there

// All PROP_TIMED properties of the model may be asked.
region_graph *region_explore(const instance *in, const region_options *o);
void region_free(region_graph *g);
region_facts region_facts_of(const region_graph *g);
// Is the edge of a template (timed_info.edges), other than one that listens to a broadcast, ever taken?
bool region_takes(const region_graph *g, uint32_t edge);

typedef struct {
    bool is_found;  // E<>, E[]: it holds. A[], A<>, -->: a state or run that violates it is there
    bool faults;    // the formula cannot be evaluated in some reachable state
    bool has_extreme, is_strict,
        is_beyond;  // sup, inf: some state counts; it is not attained; beyond the horizon
    int64_t extreme;
} region_answer;

region_answer region_ask(region_graph *g, prop p, bool counts_idle);

// A network from its text, with queries: its model, and its graph. False: it is not read. Close it in either case.
typedef struct {
    diag *messages;
    model *m;
    instance *in;
    region_graph *g;
} region_reading;

bool region_read(const char *text, const char *const *queries, uint32_t n, const region_options *o, region_reading *x);
void region_close(region_reading *x);

#endif
