// SPDX-License-Identifier: Apache-2.0
// Random small recorded histories: transactions run in some order on a memory, with times around it, and now and then
// something is wrong, so that about half of them have each level.
#ifndef ORACLE_RANDOM_RECORDED_H
#define ORACLE_RANDOM_RECORDED_H

#include "base/rng.h"
#include "history/recorded.h"

typedef struct {
    uint32_t txs, sessions, keys, ops;  // at most
    bool has_repeats;                   // values are few
    bool has_lists;
    bool has_times, has_instants;  // instants: of all events in one sequence
    bool has_unfinished;           // aborted, live, pending
    bool has_snapshots;            // some read what was there a little earlier
    uint32_t faults;               // in 100 reads
} random_recorded_shape;

random_recorded_shape random_recorded_pick(rng *r);
// As .hist text, in which a failure can be shown.
void random_recorded(rng *r, const random_recorded_shape *shape, str *text);
void random_recorded_read(const char *text, size_t size, recorded *h);

#endif
