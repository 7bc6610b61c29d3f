// SPDX-License-Identifier: Apache-2.0
// The plug-in parvis-mpi.so: ranks (ranks/ranks.h) over MPI.
//
// Every operation is a non-blocking collective that is looked at until it is done, more and more rarely: MPI libraries
// wait with all of a core, and a rank that waits long, for a prover on rank 0 or on a machine with fewer cores than
// ranks, must not. Errors end the job, which is what MPI does unless told otherwise.
#include "ranks/ranks.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum { LOOKS_AT_ONCE = 200, LOOKS_IN_TURN = 200, LONGEST_PAUSE = 1000000 };  // nanoseconds

typedef struct {
    ranks_job base;
    int *counts;  // four lists: sizes and places of what is sent, then of what comes
} mpi_ranks;

static void pause_for(long nanoseconds) { nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL); }

static void mpi_wait(MPI_Request *request) {
    int is_done = 0;
    long pause = 20000;
    for (uint32_t looks = 0; MPI_Test(request, &is_done, MPI_STATUS_IGNORE), !is_done; looks++) {
        if (looks < LOOKS_AT_ONCE) continue;
        if (looks < LOOKS_AT_ONCE + LOOKS_IN_TURN) {
            sched_yield();
            continue;
        }
        pause_for(pause);
        if (pause < LONGEST_PAUSE) pause += pause / 4;
    }
}

// MPI counts with int; what a search sends is far below, and a number that is not ends the job.
static int mpi_count(uint64_t n) {
    if (n > INT_MAX) MPI_Abort(MPI_COMM_WORLD, 3);
    return (int)n;
}

static void mpi_gather(ranks_job *r, const void *own, void *all, size_t bytes) {
    MPI_Request request;
    (void)r;
    MPI_Iallgather(own, mpi_count(bytes), MPI_BYTE, all, mpi_count(bytes), MPI_BYTE, MPI_COMM_WORLD, &request);
    mpi_wait(&request);
}

static void mpi_tell(ranks_job *r, uint32_t from, void *data, size_t bytes) {
    MPI_Request request;
    (void)r;
    MPI_Ibcast(data, mpi_count(bytes), MPI_BYTE, (int)from, MPI_COMM_WORLD, &request);
    mpi_wait(&request);
}

static void mpi_places(const uint64_t *words, uint32_t n, int *counts, int *places) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        counts[i] = mpi_count(words[i]);
        places[i] = mpi_count(at);
        at += words[i];
    }
}

static void mpi_swap(ranks_job *r, const uint64_t *out, const uint64_t *out_words, uint64_t *in,
                     const uint64_t *in_words) {
    uint32_t n = r->count;
    int *c = ((mpi_ranks *)r)->counts;
    MPI_Request request;
    mpi_places(out_words, n, c, c + n);
    mpi_places(in_words, n, c + 2 * n, c + 3 * n);
    MPI_Ialltoallv(out, c, c + n, MPI_UINT64_T, in, c + 2 * n, c + 3 * n, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    mpi_wait(&request);
}

static void mpi_leave(ranks_job *r) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    mpi_wait(&request);
    MPI_Finalize();
    free(((mpi_ranks *)r)->counts);
    free(r);
}

ranks_job *parvis_ranks_1(void);

ranks_job *parvis_ranks_1(void) {
    int given, mine, count;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &mine);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    mpi_ranks *r = calloc(1, sizeof *r);
    int *counts = calloc(4 * (size_t)count, sizeof *counts);
    if (!r || !counts) MPI_Abort(MPI_COMM_WORLD, 3);
    *r = (mpi_ranks){.base = {.mine = (uint32_t)mine,
                              .count = (uint32_t)count,
                              .gather = mpi_gather,
                              .tell = mpi_tell,
                              .swap = mpi_swap,
                              .leave = mpi_leave},
                     .counts = counts};
    return &r->base;
}
