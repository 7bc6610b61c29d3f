// SPDX-License-Identifier: Apache-2.0
// Values for a transactional memory whose words have none (`check --values`).
//
// What would transactions read if the loads and stores were where the model's visible steps are, or a little earlier or
// later? A run of the model is taken as it is. Every write gets a value of its own. A read loads what memory holds,
// unless its transaction has written the location; a commit stores what its transaction has written. These accesses are
// at the read's and the commit's own step, or somewhere between it and the step before it, or after it, of the same
// thread (but no load before its transaction's first statement). What was read then is a recorded history, and its
// level is decided exactly, since all values differ.
#ifndef LANGUAGE_PLACEMENT_H
#define LANGUAGE_PLACEMENT_H

#include "base/limits.h"
#include "base/str.h"
#include "history/level.h"
#include "model/instance.h"

typedef enum {
    PLACED_AT_STEPS,
    PLACED_LOADS_EARLIER,
    PLACED_LOADS_LATER,
    PLACED_STORES_EARLIER,
    PLACED_STORES_LATER,
    PLACED_WAYS
} placement_way;

const char *placement_way_text(placement_way w);  // "loads earlier"

typedef struct {
    uint32_t runs;        // that were tried
    uint32_t wrong;       // of them
    uint32_t steps;       // of the shortest wrong one
    str word;             // it, in the order of its instants: "load1_1 w1_2 store1_2 c_2 r1_1=0"
    bool is_stopped;      // a limit was met
    const char *trouble;  // why nothing could be tried; NULL: it could
} placement_found;

// Is this a specification by conflicts, of reads, writes and commits without values? Then an answer says so:
bool placement_is_assumed(const model *m, sys spec);
#define PLACEMENT_ASSUMED \
    "words without values: that reads and commits take effect at their steps is assumed (check --values)\n"

// Is this a memory whose words have reads, writes and commits, without values?
bool placement_suits(const instance *in);
// Tries random runs, which the seed determines. The caller frees found->word.
void placement_try(const instance *in, placement_way way, level l, uint32_t runs, uint64_t seed, const limits *stop,
                   placement_found *found);

#endif
