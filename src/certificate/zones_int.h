// SPDX-License-Identifier: Apache-2.0
// Inside zones_*.c: cells and zones in a file, and sets of pairs as they are checked.
#ifndef CERTIFICATE_ZONES_INT_H
#define CERTIFICATE_ZONES_INT_H

#include "certificate/certfile.h"
#include "certificate/plaindbm.h"
#include "certificate/timedstep.h"
#include "certificate/zones.h"
#include "model/instance.h"

typedef struct {
    value first;    // its least value
    uint32_t size;  // how many it has
    bool is_local;
} zones_cell;

zones_cell *zones_cells(const instance *in);  // by cell; freed by free()
bool zones_read_value(certfile *file, const zones_cell *k, value *out);
bool zones_read_zone(certfile *file, uint32_t clocks, int32_t *d);  // any matrix: not closed

// ---- sets of pairs, by place (timedstep.h); a zone of a set without ranks has rank 0

typedef struct {
    plain_list zones;
    VEC(uint32_t) ranks;
} zones_at;

typedef struct {
    VEC(zones_at) places;
    uint64_t count;
} zones_set;

// A swap, as an image of cells, values and clocks.
typedef struct {
    uint32_t *cell_to, *clock_to;
    value *a, *b;
} zones_swap;

typedef VEC(zones_swap) zones_swaps;

typedef struct {
    arena *memory;
    const instance *in;
    timedstep *t;
    uint32_t n;
    zones_cell *cells;
    zones_swaps swaps;
    uint64_t limit;
    const limits *limits;
    uint32_t asked;  // how often limits were checked
    bool counts_idle, is_stopped;
    uint64_t steps;
} zones_work;

bool zones_read_swaps(certfile *file, const json_t *claim, zones_work *w);
// Reads this many states with their zones, and makes all images. False where the file is broken; w->is_stopped when
// there are too many.
bool zones_read_set(certfile *file, zones_work *w, uint64_t states, bool is_ranked, zones_set *out, uint64_t *given);
void zones_set_free(zones_set *s);
bool zones_is_over(zones_work *w);
// The zones of a place; NULL: there are none. And one of them.
const zones_at *zones_of(const zones_set *s, uint32_t place);
static inline const int32_t *zones_get(const zones_work *w, const zones_at *at, uint32_t i) {
    return at->zones.data + (size_t)i * w->n * w->n;
}

// ---- which valuations do what others do (zones_bounds.c)

// A query of the claim; `extreme` is the number of a sup or inf of a clock.
typedef struct {
    const prop_info *p;
    int64_t extreme;
} zones_asked;

typedef struct {
    VEC(int32_t) numbers;  // by place: lower of each clock, then upper; -1: none
    bool is_there;         // there are none where differences of clocks are compared
} zones_bounds;

// Finds the numbers for every place of the set; is_equal: what cannot be done matters too.
void zones_find_bounds(zones_work *w, const zones_set *s, const zones_asked *queries, uint32_t nqueries, bool is_equal,
                       zones_bounds *out);
void zones_bounds_free(zones_bounds *b);
// Is every valuation of d, in the place, simulated by one of the zone?
bool zones_simulate(const zones_work *w, const zones_bounds *b, uint32_t place, const int32_t *zone, const int32_t *d);

#endif
