// SPDX-License-Identifier: Apache-2.0
// Concrete timed runs: exact delays for the steps of a path through the zone graph, and their replay.
#ifndef ZONE_RUN_H
#define ZONE_RUN_H

#include "model/eval.h"
#include "result/trace.h"
#include "zone/dbm.h"
#include "zone/expand.h"
#include "zone/net.h"
#include "zone/search.h"

// A point of a run: a step, or a moment at which the clocks are within a zone.
typedef struct {
    bool is_step;
    uint32_t label;
    const value *after;   // the state after a step
    const bound *zone;    // what holds then (of a step: before it); only its bounds that are not implied by being a
                          // clock. NULL: anything
    const bound *within;  // of a run that keeps a formula: where it is, from the step before until then. NULL: anywhere
    bool is_late;         // ... not from the step before, but from some moment after it
    uint32_t asked;       // 1 + the formula that holds then, and after a step; 0: none
    uint32_t restarts;    // a clock that a query sets to 0 here, after all else; 0: none
} run_point;

// How a maximal run ends.
typedef enum { RUN_ANYWHERE, RUN_DEAD, RUN_ENDLESS } run_end;

typedef struct {
    const net *x;
    const value *initial;
    VEC(run_point) points;
    uint32_t shown;  // so many of them; the others go around a loop once more, as the run can do for ever
    arena *memory;
    run_end end;
    bool counts_idle;      // steps that change nothing are steps
    const limits *within;  // NULL: none
    bool is_late;          // time has led to another part of a formula since the last point
    bool is_broken;        // a step up to symmetry was not found among the real ones
    int64_t unit;          // times are multiples of 1 / unit
    int64_t *times;        // of each point, and before them of the start
    int64_t *clocks;       // after each point, as the replay has them: x->n for each
} run;

// In a system with priorities: gives each step a zone in which nothing of higher priority is possible, so that
// the run exists. False: there are none.
bool run_narrow(run *r);

// The earliest run through the points, as a trace with delays; NULL, with the reason: there is none.
trace *run_through(const net *x, const value *initial, const run_point *points, uint32_t n, str *why);
// The run to a node of the search, as a trace with delays; with a query that was found there, ending (for a lasso:
// passing) where its formula holds. NULL, with the reason, if it could not be solved or replayed.
trace *zone_concrete_run(zone_search *s, uint32_t node, const zone_ask *a, const zone_lasso *lasso, str *why);
// The run to a node, and after it a step that fails; `why` and `what` get how (what: FAULT_NONE: it sets a clock to a
// negative number).
trace *zone_faulty_run(zone_search *s, uint32_t node, uint32_t label, str *why, fault *what);

#endif
