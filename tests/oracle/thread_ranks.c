// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads: see thread_ranks.h. Each says what it wants to do, all wait, each copies what it gets from
// the others' memory, all wait again.
#include "oracle/thread_ranks.h"

#include "base/mem.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef enum { DO_GATHER, DO_TELL, DO_SWAP, DO_LEAVE } action;

typedef struct {
    action what;
    const void *data;
    const uint64_t *words;
    size_t bytes;
    uint32_t from;
} request;

typedef struct {
    uint32_t count;
    request *requests;
    pthread_barrier_t barrier;
    thread_rank work;
    void *context;
} hall;

typedef struct {
    ranks_job base;
    hall *in;
    pthread_t thread;
} member;

// All ask for the same?
static void announce(ranks_job *r, request q) {
    hall *h = ((member *)r)->in;
    h->requests[r->mine] = q;
    pthread_barrier_wait(&h->barrier);
    for (uint32_t i = 0; i < h->count; i++) {
        const request *other = &h->requests[i];
        if (other->what != q.what || other->bytes != q.bytes || other->from != q.from) abort();
    }
}

static void finish(ranks_job *r) { pthread_barrier_wait(&((member *)r)->in->barrier); }

static void thread_gather(ranks_job *r, const void *own, void *all, size_t bytes) {
    announce(r, (request){.what = DO_GATHER, .data = own, .bytes = bytes});
    for (uint32_t i = 0; i < r->count; i++) memcpy((char *)all + i * bytes, ((member *)r)->in->requests[i].data, bytes);
    finish(r);
}

static void thread_tell(ranks_job *r, uint32_t from, void *data, size_t bytes) {
    announce(r, (request){.what = DO_TELL, .data = data, .bytes = bytes, .from = from});
    if (r->mine != from) memcpy(data, ((member *)r)->in->requests[from].data, bytes);
    finish(r);
}

static void thread_swap(ranks_job *r, const uint64_t *out, const uint64_t *out_words, uint64_t *in,
                        const uint64_t *in_words) {
    announce(r, (request){.what = DO_SWAP, .data = out, .words = out_words});
    for (uint32_t i = 0; i < r->count; i++) {
        const request *q = &((member *)r)->in->requests[i];
        const uint64_t *from = q->data;
        for (uint32_t k = 0; k < r->mine; k++) from += q->words[k];
        if (q->words[r->mine] != in_words[i]) abort();
        if (in_words[i]) memcpy(in, from, in_words[i] * sizeof *in);
        in += in_words[i];
    }
    finish(r);
}

static void thread_leave(ranks_job *r) {
    announce(r, (request){.what = DO_LEAVE});
    finish(r);
}

static void *member_main(void *self) {
    member *m = self;
    m->in->work(&m->base, m->in->context);
    m->base.leave(&m->base);
    return NULL;
}

void thread_ranks_run(uint32_t count, thread_rank work, void *context) {
    hall h = {.count = count, .requests = mem_zero(count, sizeof *h.requests), .work = work, .context = context};
    member *members = mem_zero(count, sizeof *members);
    pthread_attr_t how;
    pthread_attr_init(&how);
    pthread_attr_setstacksize(&how, 64 << 20);
    pthread_barrier_init(&h.barrier, NULL, count);
    for (uint32_t i = 0; i < count; i++) {
        members[i] = (member){.in = &h};
        members[i].base = (ranks_job){i, count, thread_gather, thread_tell, thread_swap, thread_leave};
        if (pthread_create(&members[i].thread, &how, member_main, &members[i]) != 0) abort();
    }
    for (uint32_t i = 0; i < count; i++) pthread_join(members[i].thread, NULL);
    pthread_attr_destroy(&how);
    pthread_barrier_destroy(&h.barrier);
    free(members);
    free(h.requests);
}
