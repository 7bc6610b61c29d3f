// SPDX-License-Identifier: Apache-2.0
// The passed list: discrete states with the zones reached in them. Each zone is a node with its parent, so
// that runs can be found again. Zones are kept as closed matrices (cover.h), equal ones once.
#ifndef ZONE_PASSED_H
#define ZONE_PASSED_H

#include "base/tuples.h"
#include "zone/dbm.h"

typedef struct {
    uint32_t parent, label;  // parent UINT32_MAX: an initial state; label: see expand.h
    uint32_t state;          // number of the discrete state
    uint32_t next;           // another zone of it, or UINT32_MAX; the node itself: it is covered
    uint32_t zone;           // number of its matrix
    int32_t size, need;      // what cover_pack() gives for it, and for what it takes to cover it
} passed_node;

typedef struct {
    uint32_t n;
    bool is_wide;  // of matrices, see cover.h
    tuples *states, *zones;
    VEC(uint32_t) heads;  // first node of each state
    VEC(passed_node) nodes;
    VEC(uint64_t) signs;  // by node (diagonals.c); shorter where all others are 0
    VEC(uint8_t) loose;   // by node: whether it is (rates.c); shorter where none is
    uint32_t covered;     // nodes that a later one covers
    uint64_t *room;       // for two matrices
} passed;

passed *passed_new(uint32_t words, uint32_t n, bool is_wide);
void passed_free(passed *p);
void passed_clear(passed *p);
uint64_t passed_bytes(const passed *p);

// A zone of a state on its way into the list.
typedef struct {
    const uint64_t *state, *zone, *need;  // the matrices are packed
    const bound *d;                       // the zone
    const int32_t *lower, *upper;         // bounds of the state; NULL: to be covered is to be included
    int32_t size, need_size;
    uint64_t sign;  // a zone covers only those with the same one
    bool is_loose;
} passed_item;

// Packs what is needed of an item that has state, d and bounds; room: for two matrices. The second is what it takes to
// cover it: with that alone, it can be asked whether a stored zone does.
void passed_prepare(const passed *p, passed_item *i, uint64_t *room);
void passed_prepare_need(const passed *p, passed_item *i, uint64_t *room);
void passed_prepare_zone(const passed *p, passed_item *i, uint64_t *room);
bool passed_has_cover(const passed *p, const passed_item *i);
// Adds a zone, unless a stored one of the state covers it (or, if exact, equals it); a loose one covers only loose
// ones, so that what can be reached exactly is. The node's number, or
// that of the one which covers it; *is_new says which.
uint32_t passed_add(passed *p, const passed_item *i, uint32_t parent, uint32_t label, bool exact, bool *is_new);
// The same, without bounds.
uint32_t passed_put(passed *p, const uint64_t *state, const bound *d, uint32_t parent, uint32_t label, bool exact,
                    bool *is_new);
// Is the node's zone covered by a later one of the same state? Then what it leads to is found from there.
static inline bool passed_is_covered(const passed *p, uint32_t node) { return p->nodes.data[node].next == node; }
static inline uint64_t passed_sign(const passed *p, uint32_t node) {
    return node < p->signs.len ? p->signs.data[node] : 0;
}
static inline bool passed_is_loose(const passed *p, uint32_t node) {
    return node < p->loose.len && p->loose.data[node];
}
// Is d within one zone of the state; with ranks of nodes, one whose rank is below this?
bool passed_includes(const passed *p, const uint64_t *state, const bound *d, const uint32_t *ranks, uint32_t below);
// Does one zone of the item's state cover it, by the definition? It has state, d, sign and bounds.
bool passed_covers(const passed *p, const passed_item *i);
static inline uint32_t passed_count(const passed *p) { return p->nodes.len - p->covered; }
static inline const uint64_t *passed_state(const passed *p, uint32_t node) {
    return tuples_get(p->states, p->nodes.data[node].state);
}
void passed_zone(const passed *p, uint32_t node, bound *d);

#endif
