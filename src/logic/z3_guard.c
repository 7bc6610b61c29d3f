// SPDX-License-Identifier: Apache-2.0
// A thread that interrupts Z3 when the run must end: Z3 has a timer of its own for time, and asks nobody about the rest
// (signals, processor time, memory). It checks every few milliseconds, so that questions, most of which are
// short, need not wake it. An interrupt never comes after its question: both are under one lock.
#include "logic/z3_int.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { LOOK_NANOSECONDS = 20000000 };

struct z3_guard {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool is_started, is_asking, is_over;
    Z3_context c;
    limits watched;  // without a time
};

static void wait_a_while(z3_guard *g) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += LOOK_NANOSECONDS;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&g->end, &g->lock, &t);
}

static void *z3_guard_watch(void *context) {
    z3_guard *g = context;
    pthread_mutex_lock(&g->lock);
    while (!g->is_over) {
        if (g->is_asking && limits_met(&g->watched)) Z3_interrupt(g->c);
        wait_a_while(g);
    }
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

z3_guard *z3_guard_new(Z3_context c, const limits *l) {
    z3_guard *g = mem_zero(1, sizeof *g);
    pthread_condattr_t how;
    g->c = c;
    g->watched.board = l->board;
    pthread_condattr_init(&how);
    pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    pthread_cond_init(&g->end, &how);
    pthread_condattr_destroy(&how);
    pthread_mutex_init(&g->lock, NULL);
    g->is_started = l->board && pthread_create(&g->thread, NULL, z3_guard_watch, g) == 0;
    return g;
}

void z3_guard_asking(z3_guard *g, const limits *until) {
    pthread_mutex_lock(&g->lock);
    g->is_asking = until;
    g->watched.cpu_until = until ? until->cpu_until : 0;
    pthread_mutex_unlock(&g->lock);
}

void z3_guard_free(z3_guard *g) {
    pthread_mutex_lock(&g->lock);
    g->is_over = true;
    pthread_cond_signal(&g->end);
    pthread_mutex_unlock(&g->lock);
    if (g->is_started) pthread_join(g->thread, NULL);
    pthread_cond_destroy(&g->end);
    pthread_mutex_destroy(&g->lock);
    free(g);
}
