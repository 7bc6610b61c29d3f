// SPDX-License-Identifier: Apache-2.0
// One search of a random model, with options that follow from the seed, on one rank or on several: what came of it, as
// text that is the same wherever the answer is.
#ifndef ORACLE_SEEDED_SEARCH_H
#define ORACLE_SEEDED_SEARCH_H

#include "base/str.h"
#include "explore/explore.h"
#include "oracle/thread_ranks.h"

enum { SEEDED_MOST_RANKS = 7, SEEDED_MOST_STATES = 4000 };

typedef struct seeded_search {
    uint64_t seed;
    unsigned features;                // of the model: random_model.h
    const char *folder, *checkpoint;  // NULL: none
    uint64_t limit;                   // of states; 0: as the seed says
    // What a test wants different; may be NULL.
    void (*adapt)(const struct seeded_search *s, uint32_t nranks, explore_options *o);
    str texts[SEEDED_MOST_RANKS];  // by rank
    result_stats stats;            // on rank 0
} seeded_search;

// For thread_ranks_run(). One rank runs as if there were none.
void seeded_search_on_rank(ranks_job *with, void *search);
void seeded_search_free(seeded_search *s);

#endif
