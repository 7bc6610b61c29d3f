// SPDX-License-Identifier: Apache-2.0
// A timed system stepped through by hand, in two ways. A *concrete* walk has exact clock values: time passes by so
// much, then a step is taken, and of each step it is known after which delays it is possible. A *symbolic* walk has
// zones: all clock values that the steps so far may lead to. A walk changes from one to the other at any time, with the
// same steps.
//
// A concrete walk asks the reference evaluator alone (judge.h); zones are those of the search, without abstraction.
// Times of a symbolic walk are solved, and replayed, as those of every run (run.h).
#ifndef ZONE_TIMEWALK_H
#define ZONE_TIMEWALK_H

#include "model/eval.h"
#include "model/instance.h"
#include "result/trace.h"
#include "result/zones.h"
#include "zone/dbm.h"
#include "zone/judge.h"
#include "zone/net.h"

typedef struct {
    uint32_t label;
    int64_t first, last;  // of a concrete walk: delays, in halves of the unit (judge.h)
    const bound *part;    // of a symbolic walk: from where in the zone
    bool fails;           // a run-time error…
    fault what;           // …this one; FAULT_NONE: a clock is set to a negative number
} timewalk_move;

// A point of the walk: how it was reached, and what is true then.
typedef struct {
    bool is_step;
    uint32_t label;  // of a step
    const value *cells;
    int64_t time;       // of a concrete walk, in units
    int64_t *clocks;    // the same: by clock
    const bound *zone;  // of a symbolic walk
    const bound *from;  // the same: the part of the zone before from which the step was taken
} timewalk_point;

typedef struct {
    arena *memory;
    net *x;
    net_room *room;
    const instance *in;
    bool is_symbolic;
    int64_t unit;                // times are multiples of 1 / unit
    VEC(timewalk_point) points;  // [0] is the start
    VEC(timewalk_move) moves;    // from the last point
    int64_t longest;             // of a concrete walk: how long time may pass, in halves
} timewalk;

// A fraction: num / den, den > 0.
typedef struct {
    int64_t num, den;
} timewalk_time;

// NULL, with a message or with `why`: the system cannot be walked through, or it has no start.
timewalk *timewalk_new(const instance *in, str *why);
void timewalk_free(timewalk *s);

const timewalk_point *timewalk_now(const timewalk *s);
uint32_t timewalk_steps(const timewalk *s);  // taken so far

// These two: of a concrete walk. False, with the reason.
bool timewalk_wait(timewalk *s, timewalk_time delay, str *why);
// A delay at which the move is possible: now if it can be, else the earliest; or the latest. Where that is no delay but
// only a bound, one close to it.
bool timewalk_choose_delay(const timewalk *s, const timewalk_move *v, bool is_latest, timewalk_time *delay, str *why);
// Takes a move, in a concrete walk now. False, with the reason.
bool timewalk_take(timewalk *s, uint32_t move, str *why);
// The same after a delay, in a concrete walk. False, with the reason: nothing was done.
bool timewalk_take_after(timewalk *s, uint32_t move, timewalk_time delay, str *why);
// Takes the step that leads there, in a concrete walk now: one of the rule's name, after which clocks have these values
// (texts of fractions; NULL: any). False, with the reason.
bool timewalk_take_named(timewalk *s, const char *rule_name, const value *after, const char *const *clocks, str *why);
void timewalk_back(timewalk *s, uint32_t points);
// The other kind of walk, with the same steps. False, with the reason: as it was.
bool timewalk_set_symbolic(timewalk *s, bool is_symbolic, str *why);

// The zones of a run, without abstraction: the run is walked through once more. Where clocks stand still they may have
// more than is reached, as UPPAAL's do. False, with the reason.
bool timewalk_zones(const trace *t, trace_zones *out, str *why);

// The walk as a run with times, to be freed; NULL, with the reason.
trace *timewalk_trace(const timewalk *s, str *why);
// Is the point, of a concrete walk, in the zone?
bool timewalk_is_within(const timewalk *s, const timewalk_point *p, const bound *zone);
// Of a concrete walk: the invariant that ends the delay; NULL: none does.
const clock_bound *timewalk_invariant(const timewalk *s);
// Does time stand still?
bool timewalk_is_still(const timewalk *s);

// "3/2", "2.5", "4"; false: it is no time, or too fine or large for a walk.
bool timewalk_read_time(const char *text, timewalk_time *out);
// Is it this time, and do the clocks have these values? Texts may be NULL: no time is none, no clocks are any.
bool timewalk_is_at(const timewalk *s, const char *time, const char *const *clocks);
// A number of units, or with halves an end of an interval, as text.
void timewalk_units_text(const timewalk *s, int64_t units, str *out);

#endif
