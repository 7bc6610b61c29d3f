// SPDX-License-Identifier: Apache-2.0
// The passed list: discrete states with the zones reached in them. Each zone is a node with its parent, so
// that runs can be found again. Zones are kept as closed matrices (cover.h), equal ones once.
#ifndef ZONE_PASSED_H
#define ZONE_PASSED_H

#include "base/tuples.h"
#include "zone/crowd.h"
#include "zone/dbm.h"

typedef struct {
    uint32_t parent, label;  // parent UINT32_MAX: an initial state; label: see expand.h
    uint32_t state;          // number of the discrete state
    uint32_t next;           // another zone of it, or UINT32_MAX; the node itself: it is covered
    uint32_t zone;           // number of its matrix
    int32_t size, need;      // what cover_pack() gives for it, and for what it takes to cover it
    uint32_t rank : 31;      // one more than that of nodes which it covers and which lead on; else 0 (order.h)
    uint32_t leads_on : 1;   // it is somebody's parent
} passed_node;

typedef struct {
    uint32_t n;
    bool is_wide;  // of matrices, see cover.h
    tuples *states, *zones;
    VEC(uint32_t) heads;  // first node of each state
    VEC(passed_node) nodes;
    VEC(uint32_t)
    crowd_of;  // by state: 1 + the number of its crowd, 0: it has few zones; shorter where all others have
    VEC(crowd) crowds;
    uint64_t crowd_bytes;           // of memory in them
    uint16_t places[CROWD_SKETCH];  // bounds in a sketch
    VEC(uint64_t) signs;            // by node (diagonals.c); shorter where all others are 0
    VEC(uint8_t) loose;             // by node: whether it is (rates.c); shorter where none is
    uint32_t covered;               // nodes that a later one covers
    VEC(uint32_t) gone;             // what passed_add() took out of lists, if that is to be noted
    bool notes_gone;
    uint64_t *room;  // for two matrices
} passed;

passed *passed_new(uint32_t words, uint32_t n, bool is_wide);
void passed_free(passed *p);
void passed_clear(passed *p);
uint64_t passed_bytes(const passed *p);

// Where the state and the zone of an item are: numbers that they have for good, or TUPLES_NONE and where they would go.
typedef struct {
    uint64_t state_hash, zone_hash;
    uint32_t state, zone;
} passed_keys;

// A zone of a state on its way into the list.
typedef struct {
    const uint64_t *state, *zone, *need;  // the matrices are packed
    const bound *d;                       // the zone
    const int32_t *lower, *upper;         // bounds of the state; NULL: to be covered is to be included
    int32_t size, need_size;
    uint64_t sign;  // a zone covers only those with the same one
    bool is_loose;
    const passed_keys *keys;  // NULL: they were not looked up
} passed_item;

// Packs what is needed of an item that has state, d and bounds; room: for two matrices. The second is what it takes to
// cover it: with that alone, it can be asked whether a stored zone does.
void passed_prepare(const passed *p, passed_item *i, uint64_t *room);
void passed_prepare_need(const passed *p, passed_item *i, uint64_t *room);
void passed_prepare_zone(const passed *p, passed_item *i, uint64_t *room);
// Looks the item's state up, and its zone; it need not be done again when the item is added (by another thread).
void passed_find_state(const passed *p, const passed_item *i, passed_keys *keys);
void passed_find_zone(const passed *p, const passed_item *i, passed_keys *keys);
void passed_prefetch(const passed *p, const passed_keys *keys);
// Does a stored zone cover it? Its state was looked up.
bool passed_has_cover(const passed *p, const passed_item *i);
// Adds a zone, unless a stored one of the state covers it (or, if exact, equals it); a loose one covers only loose
// ones, so that what can be reached exactly is. The node's number, or
// that of the one which covers it; *is_new says which.
uint32_t passed_add(passed *p, const passed_item *i, uint32_t parent, uint32_t label, bool exact, bool *is_new);
// The same, without bounds.
uint32_t passed_put(passed *p, const uint64_t *state, const bound *d, uint32_t parent, uint32_t label, bool exact,
                    bool *is_new);
// Of a search on several ranks (divide.h): a list has the nodes of all, but states and zones of some.
static inline bool passed_is_here(const passed *p, uint32_t node) { return p->nodes.data[node].state != TUPLES_NONE; }
// The nodes from `base` on get the numbers to[0], to[1], …, which rise and are below base + total; the others up to
// there are not here.
void passed_spread(passed *p, uint32_t base, const uint32_t *to, uint32_t total);
// Would the item take the place of the node in its list: covers it, and is not covered by it?
bool passed_replaces(const passed *p, uint32_t node, const passed_item *i);
// A later node covers this one, says who has it.
void passed_drop(passed *p, uint32_t node);

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
