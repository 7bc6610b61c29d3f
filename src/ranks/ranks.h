// SPDX-License-Identifier: Apache-2.0
// Ranks: processes that run the same command, usually on several machines, and work on one search together.
//
//   ranks.c   loads the plug-in that moves bytes between them
//   mpi.c     that plug-in, parvis-mpi.so: the only file that knows MPI, and no part of the program
//
// All a search needs are three operations. Every rank calls the same ones in the same order with the same sizes; each
// returns when this rank has what it is to get. There are no answers for failure: a rank that dies ends the job, by the
// launcher's hand.
#ifndef RANKS_RANKS_H
#define RANKS_RANKS_H

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ranks_job ranks_job;

struct ranks_job {
    uint32_t mine, count;
    // `bytes` of every rank, to all, in order of ranks.
    void (*gather)(ranks_job *r, const void *own, void *all, size_t bytes);
    // `bytes` of one rank, to all others.
    void (*tell)(ranks_job *r, uint32_t from, void *data, size_t bytes);
    // Words from everyone to everyone: out_words[i] of them to rank i, in_words[i] from it, one after the other.
    void (*swap)(ranks_job *r, const uint64_t *out, const uint64_t *out_words, uint64_t *in, const uint64_t *in_words);
    // The last call: the launcher learns that this rank ends as it should.
    void (*leave)(ranks_job *r);
};

// What the plug-in exports: called once, before any thread is started. NULL if there is no job to join.
#define RANKS_PLUGIN_ENTRY "parvis_ranks_1"  // changes whenever the struct above does
typedef ranks_job *(*ranks_entry)(void);

// Loads the plug-in and joins the job; NULL with a reason if that fails.
ranks_job *ranks_load(const char *path, str *why);

#endif
