// SPDX-License-Identifier: Apache-2.0
// When work must end: at a time, or when a watcher sets a flag (signal, processor time, memory). One type for
// all engines, one check, one text for why.
//
// Limits are copied freely; limits_within() gives part of the work its own limits. A limit that is met stays met, so a
// loop may ask as rarely as it likes, and whoever explains the end can ask again.
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include "base/clock.h"
#include "base/str.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum { LIMIT_NONE, LIMIT_INTERRUPT, LIMIT_TIME, LIMIT_CPU, LIMIT_MEMORY } limit_kind;

// Shared with whoever watches the run (cli/watchdog.h) and ends it by force when nobody has looked here for long.
typedef struct {
    _Atomic int met;              // limit_kind
    _Atomic int saving;           // how many threads are writing results: they are not interrupted
    _Atomic(const char *) phase;  // what is being done now, for the answer of a run that was ended; may be NULL
} limits_board;

typedef struct {
    double seconds;      // the limit of time, as the user gave it; 0: none
    double until;        // clock_seconds() at which it is over
    double cpu_seconds;  // the two limits that a watcher checks
    uint64_t bytes;
    double cpu_until;     // clock_cpu_seconds() at which it is over, so that a part of it can be kept; 0: nobody asks
    bool is_share;        // of what the user gave, which others get too
    limits_board *board;  // may be NULL
} limits;

// Reads a clock, so it is slow to ask often: limits_met_lately() is for loops of small steps.
static inline limit_kind limits_met(const limits *l) {
    if (!l) return LIMIT_NONE;
    int met = l->board ? atomic_load_explicit(&l->board->met, memory_order_relaxed) : LIMIT_NONE;
    if (met != LIMIT_NONE) return (limit_kind)met;
    if (l->cpu_until > 0 && clock_cpu_seconds() >= l->cpu_until) return LIMIT_CPU;
    return l->until > 0 && clock_seconds() >= l->until ? LIMIT_TIME : LIMIT_NONE;
}

// A limit that was met elsewhere, by others who work on the same; the first one counts.
static inline void limits_note(const limits *l, limit_kind met) {
    int expected = LIMIT_NONE;
    if (met != LIMIT_NONE && l->board) atomic_compare_exchange_strong(&l->board->met, &expected, (int)met);
}

enum { LIMITS_EVERY = 1024 };

static inline limit_kind limits_met_lately(const limits *l, uint32_t *steps) {
    return ++*steps % LIMITS_EVERY ? LIMIT_NONE : limits_met(l);
}

// From now on, without a watcher.
limits limits_of_seconds(double seconds);
// The same with at most this many seconds from now on; where processor time is limited too, that share of both.
limits limits_within(const limits *l, double seconds);
// The same, but so many seconds less; the text of why it ended stays.
limits limits_earlier(const limits *l, double seconds);
// What is left of the time, or of the processor time if that is less: never negative; HUGE_VAL without a limit.
double limits_left(const limits *l);

void limits_set_phase(const limits *l, const char *phase);
// Around the writing of results that must not be interrupted.
void limits_saving(const limits *l, bool is_on);

// "interrupted", "stopped at the time limit of 2 s"; LIMIT_NONE: nothing.
void limits_text(const limits *l, limit_kind met, str *out);
// The same for the limit met now; one of four static buffers per thread.
const char *limits_why(const limits *l);

#endif
