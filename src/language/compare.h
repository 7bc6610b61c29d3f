// SPDX-License-Identifier: Apache-2.0
// Two systems compared by their words: inclusion, equivalence, simulation. Each is explored on its own, so
// they need not belong to one model; letters are matched by what they do (letter.h).
#ifndef LANGUAGE_COMPARE_H
#define LANGUAGE_COMPARE_H

#include "explore/explore.h"
#include "language/inclusion.h"
#include "model/instance.h"
#include "result/result.h"

typedef enum { COMPARE_INCLUSION, COMPARE_EQUIVALENCE, COMPARE_SIMULATION } compare_kind;

typedef struct {
    const char *name;    // "inclusion: every word of A is one of B"
    const char *method;  // "product", "antichains", "simulation"
    uint64_t left_states, right_states;
    uint64_t pairs, sets;  // kept pairs; sets of states of the right side that were met
    double seconds;        // of the comparison alone
} compare_stats;

// Why a comparison holds, for certificates: pairs of states, or of a state and a set of states, by number.
typedef struct {
    const explored *left, *right;
    bool is_simulation;
    const uint32_t *pairs;  // two numbers each
    uint32_t npairs;
    const inclusion_kept *sets;  // NULL for a simulation
} compare_witness;

typedef struct {
    void (*holds)(const compare_witness *w, void *context);
    void *context;
} compare_sink;

// Adds one entry per direction to `out` (two for COMPARE_EQUIVALENCE), and as many to `stats`, which has room
// for two. A violated entry's trace is a run of the left side whose last visible step the right side refuses;
// for a simulation that fails although every word is included, it is a run against which one way of answering
// is lost. `sink` is told why a comparison holds; NULL: nobody wants that.
uint32_t compare_run(const instance *left, const instance *right, compare_kind kind, const explore_options *options,
                     result *out, compare_stats *stats, const compare_sink *sink);

#endif
