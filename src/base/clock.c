// SPDX-License-Identifier: Apache-2.0
// What the machine says: see clock.h.
#include "base/clock.h"

#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double clock_seconds_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double clock_seconds(void) { return clock_seconds_of(CLOCK_MONOTONIC); }
double clock_cpu_seconds(void) { return clock_seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

double clock_children_seconds(void) {
    struct rusage r;
    if (getrusage(RUSAGE_CHILDREN, &r)) return 0;
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

unsigned clock_cores(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}
