// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of a test: each runs the same function with a job of its own to join.
#ifndef ORACLE_THREAD_RANKS_H
#define ORACLE_THREAD_RANKS_H

#include "ranks/ranks.h"

typedef void (*thread_rank)(ranks_job *with, void *context);

// Runs `work` on `count` ranks, and returns when all have ended. An operation that ranks do not all call, or not with
// the same sizes, ends the test.
void thread_ranks_run(uint32_t count, thread_rank work, void *context);

#endif
