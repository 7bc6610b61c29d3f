// SPDX-License-Identifier: Apache-2.0
// The discrete states of a timed system and their steps, by the reference evaluator alone: clock conditions as numbers,
// the clocks that a step sets, priorities; and what steps and time do to plain matrices. The basis for rechecking
// claims about zones.
#ifndef CERTIFICATE_TIMEDSTEP_H
#define CERTIFICATE_TIMEDSTEP_H

#include "certificate/plaindbm.h"
#include "model/eval.h"
#include "model/instance.h"

// left - right within `b` (plaindbm.h).
typedef struct {
    uint32_t left, right;
    int32_t b;
} timed_limit;

typedef struct {
    uint32_t clock;
    int32_t to;
} timed_setting;

typedef VEC(timed_limit) timed_limits;

typedef struct {
    uint32_t to;   // place
    bool fails;    // a run-time error, where its clock conditions hold
    bool is_idle;  // changes neither the state nor a clock
    value priority;
    timed_limits guard;
    VEC(timed_setting) sets;  // in order
    rule r;
} timed_move;

// A discrete state.
typedef struct {
    value *cells;  // locals have no value
    bool is_still, is_valid;
    bool fails;                    // its invariants cannot be evaluated
    bool is_explored, moves_fail;  // moves_fail: clock conditions of a step cannot be evaluated
    timed_limits invariants;
    VEC(timed_move) moves;
} timed_place;

typedef struct timedstep timedstep;

// NULL, with the reason, for what cannot be rechecked (numbers that are too large).
timedstep *timedstep_new(const instance *in, str *why);
void timedstep_free(timedstep *t);
eval *timedstep_eval(timedstep *t);
uint32_t timedstep_count(const timedstep *t);  // places known

// The number of a state's place. Places stay where they are until a further one is made.
uint32_t timedstep_place(timedstep *t, const value *cells);
timed_place *timedstep_at(timedstep *t, uint32_t place);
// Finds the steps of a place, once.
void timedstep_explore(timedstep *t, uint32_t place);
// The initial places; false: a start fails.
typedef VEC(uint32_t) place_list;
bool timedstep_initial(timedstep *t, place_list *out);
void timedstep_first_zone(const timedstep *t, int32_t *d);  // the clocks as the system starts

// Only what satisfies the place's invariants; false: nothing does.
bool timedstep_within(timedstep *t, uint32_t place, int32_t *d);
// Enters the place: invariants, any delay if time may pass, invariants. False: impossible.
bool timedstep_enter(timedstep *t, uint32_t place, int32_t *d);
// The parts of d from which move i may be taken: its guard holds, after it the target's invariants do, and nothing of
// higher priority is possible. Of a move that fails: where it does.
void timedstep_parts(timedstep *t, uint32_t place, uint32_t i, const int32_t *d, plain_list *out);
// What the move does to the clocks of one of its parts.
void timedstep_set(timedstep *t, uint32_t place, uint32_t i, int32_t *d);
// From where in the place some move (without_idle: but idle ones) is possible, now or after a delay within d.
void timedstep_alive(timedstep *t, uint32_t place, const int32_t *d, bool without_idle, plain_list *out);

#endif
