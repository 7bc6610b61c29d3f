// SPDX-License-Identifier: Apache-2.0
// When work must end: see limits.h.
#include "base/limits.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>

limits limits_of_seconds(double seconds) { return (limits){.seconds = seconds, .until = clock_seconds() + seconds}; }

limits limits_within(const limits *l, double seconds) {
    limits part = *l;
    double until = clock_seconds() + seconds;
    if (l->until > 0 && l->until <= until) return part;
    part.seconds = seconds;
    part.until = until;
    return part;
}

double limits_left(const limits *l) {
    if (l->until <= 0) return HUGE_VAL;
    double left = l->until - clock_seconds();
    return left > 0 ? left : 0;
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
    str_add(out, texts[met]);
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
