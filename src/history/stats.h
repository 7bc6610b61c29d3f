// SPDX-License-Identifier: Apache-2.0
// What is in a recorded history, counted.
//
//   stats.c   counts
#ifndef HISTORY_STATS_H
#define HISTORY_STATS_H

#include "history/recorded.h"

typedef struct {
    uint64_t sessions, transactions, outcomes[TX_OUTCOMES];
    uint64_t events, reads, writes, keys;
    uint64_t repeated;  // writes of a value that some write before, or the initial state, put at the same key
    uint64_t longest;   // operations of the longest transaction
    bool has_times;
    uint64_t most_open;   // transactions at one time; the next too only with times
    double mean_overlap;  // how many others a transaction overlaps
} history_stats;

void stats_count(const recorded *h, history_stats *out);

#endif
