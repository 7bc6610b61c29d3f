// SPDX-License-Identifier: Apache-2.0
// When work must end: see limits.h.
#include "base/limits.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>

limits limits_of_seconds(double seconds) { return (limits){.seconds = seconds, .until = clock_seconds() + seconds}; }

static double limits_until(double until, double now) { return until <= 0 ? HUGE_VAL : until > now ? until - now : 0; }

static double time_left(const limits *l) { return limits_until(l->until, clock_seconds()); }

static double cpu_left(const limits *l) {
    return l->cpu_until > 0 ? limits_until(l->cpu_until, clock_cpu_seconds()) : HUGE_VAL;
}

double limits_left(const limits *l) {
    double time = time_left(l), cpu = cpu_left(l);
    return time < cpu ? time : cpu;
}

// A busy machine has more time pass than processor time: a part of the one alone would be less of the other.
static limits limits_part(const limits *l, double share) {
    limits part = *l;
    if (l->until > 0) {
        part.seconds = share * time_left(l);
        part.until = clock_seconds() + part.seconds;
    }
    part.cpu_seconds = share * cpu_left(l);
    part.cpu_until = clock_cpu_seconds() + part.cpu_seconds;
    return part;
}

limits limits_within(const limits *l, double seconds) {
    limits part = *l;
    double left = limits_left(l);
    if (left <= seconds) return part;
    if (l->cpu_until > 0) return limits_part(l, seconds / left);
    part.seconds = seconds;
    part.until = clock_seconds() + seconds;
    return part;
}

limits limits_earlier(const limits *l, double seconds) {
    double left = limits_left(l);
    if (!isfinite(left)) return *l;
    limits part = limits_within(l, left > seconds ? left - seconds : 0);
    part.seconds = l->seconds;
    part.cpu_seconds = l->cpu_seconds;
    return part;
}

void limits_set_phase(const limits *l, const char *phase) {
    if (l->board) atomic_store(&l->board->phase, phase);
}

void limits_saving(const limits *l, bool is_on) {
    if (l->board) atomic_fetch_add(&l->board->saving, is_on ? 1 : -1);
}

void limits_text(const limits *l, limit_kind met, str *out) {
    if (met == LIMIT_NONE) return;
    if (met == LIMIT_CPU && l->cpu_seconds <= 0) {  // SIGXCPU: what the system allows
        str_add(out, "stopped at the system's limit of processor time");
        return;
    }
    static const char *const texts[] = {[LIMIT_INTERRUPT] = "interrupted",
                                        [LIMIT_TIME] = "stopped at the time limit of ",
                                        [LIMIT_CPU] = "stopped at the limit of ",
                                        [LIMIT_MEMORY] = "stopped at the memory limit of "};
    bool is_share = l->is_share && (met == LIMIT_TIME || met == LIMIT_CPU);
    str_add(out, is_share ? "stopped at its share of the limit, " : texts[met]);
    if (met == LIMIT_TIME) units_seconds_text(l->seconds, out);
    if (met == LIMIT_CPU) units_seconds_text(l->cpu_seconds, out);
    if (met == LIMIT_CPU) str_add(out, " of processor time");
    if (met == LIMIT_MEMORY) units_bytes_text(l->bytes, out);
}

const char *limits_why(const limits *l) {
    static _Thread_local char text[4][96];
    static _Thread_local unsigned next;
    str s = {0};
    limits_text(l, limits_met(l), &s);
    char *kept = text[next++ % 4];
    snprintf(kept, sizeof *text, "%s", str_get(&s));
    str_free(&s);
    return kept;
}
