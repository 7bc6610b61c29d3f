// SPDX-License-Identifier: Apache-2.0
// A crew of threads: see crew.h. Helpers sleep on a condition until the round's number changes; the caller
// sleeps until none of them is busy. The mutex makes everything written before a round visible in it, and
// everything written in it visible after it. Rounds follow each other closely and waking a thread takes a few
// tens of microseconds, so a waiting thread spins for a while before it sleeps.
#include "base/crew.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LOOKS = 1 << 17 };  // about a hundred microseconds

typedef struct {
    crew *c;
    uint32_t number;
    pthread_t thread;
} helper;

struct crew {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    crew_job job;
    void *context;
    _Atomic uint64_t round;
    _Atomic uint32_t busy;
    _Atomic bool is_over;
    helper *helpers;
    uint32_t nhelpers;
};

static bool is_next_there(crew *c, uint64_t seen) { return c->round != seen || c->is_over; }

static bool is_round_done(crew *c) { return c->busy == 0; }

// Waits for the next round; NULL when the crew is over.
static crew_job next_job(crew *c, uint64_t *seen, void **context) {
    for (uint32_t i = 0; i < LOOKS && !is_next_there(c, *seen);) i++;
    pthread_mutex_lock(&c->lock);
    while (!is_next_there(c, *seen)) pthread_cond_wait(&c->wake, &c->lock);
    *seen = c->round;
    *context = c->context;
    crew_job job = c->is_over ? NULL : c->job;
    pthread_mutex_unlock(&c->lock);
    return job;
}

static void report_done(crew *c) {
    pthread_mutex_lock(&c->lock);
    if (--c->busy == 0) pthread_cond_signal(&c->done);
    pthread_mutex_unlock(&c->lock);
}

static void *helper_main(void *self) {
    helper *h = self;
    uint64_t seen = 0;
    void *context;
    for (crew_job job; (job = next_job(h->c, &seen, &context));) {
        job(context, h->number);
        report_done(h->c);
    }
    return NULL;
}

crew *crew_new(uint32_t threads) {
    crew *c = mem_zero(1, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->wake, NULL);
    pthread_cond_init(&c->done, NULL);
    c->helpers = mem_zero(threads, sizeof *c->helpers);
    for (uint32_t i = 1; i < threads; i++) {
        helper *h = &c->helpers[c->nhelpers];
        *h = (helper){.c = c, .number = i};
        if (pthread_create(&h->thread, NULL, helper_main, h) != 0) break;
        c->nhelpers++;
    }
    return c;
}

void crew_free(crew *c) {
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    c->is_over = true;
    pthread_cond_broadcast(&c->wake);
    pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 0; i < c->nhelpers; i++) pthread_join(c->helpers[i].thread, NULL);
    pthread_cond_destroy(&c->done);
    pthread_cond_destroy(&c->wake);
    pthread_mutex_destroy(&c->lock);
    free(c->helpers);
    free(c);
}

uint32_t crew_size(const crew *c) { return c->nhelpers + 1; }

void crew_run(crew *c, crew_job job, void *context) {
    pthread_mutex_lock(&c->lock);
    c->job = job;
    c->context = context;
    c->busy = c->nhelpers;
    c->round++;
    pthread_cond_broadcast(&c->wake);
    pthread_mutex_unlock(&c->lock);
    job(context, 0);
    for (uint32_t i = 0; i < LOOKS && !is_round_done(c);) i++;
    pthread_mutex_lock(&c->lock);
    while (!is_round_done(c)) pthread_cond_wait(&c->done, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

// ---- one thing after the other

typedef struct {
    crew_item item;
    void *context;
    uint32_t n;
    _Atomic uint32_t next;
} crew_list;

static void crew_work_off(void *list_context, uint32_t number) {
    crew_list *l = list_context;
    for (uint32_t i; (i = atomic_fetch_add(&l->next, 1)) < l->n;) l->item(l->context, i, number);
}

void crew_each(crew *c, uint32_t n, crew_item item, void *context) {
    crew_list l = {.item = item, .context = context, .n = n};
    if (c && n > 1) crew_run(c, crew_work_off, &l);
    else crew_work_off(&l, 0);
}
