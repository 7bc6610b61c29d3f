// SPDX-License-Identifier: Apache-2.0
// What a complete search kept, passed on to whoever writes it down: the zones of each discrete state; where
// states were reduced, swaps of what is alike, which make all others from them; and for queries about runs, the zones
// that were looked through, with ranks that fall along every step.
#ifndef ZONE_KEEP_H
#define ZONE_KEEP_H

#include "explore/explore.h"

typedef struct {
    prop p;
    bool is_ranked;    // states with ranks follow for it
    uint32_t states;   // how many
    bool is_measured;  // sup, inf: a number that no state is beyond, unless no state counts
    bool has_extreme, is_strict;
    int64_t extreme;
} zone_kept_query;

typedef struct {
    uint32_t clocks;  // with clock 0
    uint32_t swaps, states;
    const zone_kept_query *queries;
    uint32_t nqueries;
} zone_kept;

// Called in this order: begin, each swap, each state with its zones (bounds as in dbm.h), then for each query with
// ranks its states with their zones, a rank for each.
typedef struct {
    void (*begin)(const zone_kept *k, void *context);
    // A swap takes cell i to cell_to[i], with the values a[i] and b[i] in each other's place, and clocks likewise.
    void (*swap)(const uint32_t *cell_to, const value *a, const value *b, const uint32_t *clock_to, void *context);
    void (*state)(const value *cells, uint32_t nzones, void *context);
    void (*zone)(const int32_t *bounds, const uint32_t *rank,
                 void *context);  // rank: NULL where there are none
    void *context;
} zone_keeper;

// With a keeper, zone_run() stores every state, and tells what was kept for the queries that are decided by there being
// no state or run: A[], A<> and --> that hold, E<> and E[] that do not, a sup or inf that is a number. `begin` is
// not called if there is no such query.

#endif
