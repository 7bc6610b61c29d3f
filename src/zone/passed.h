// SPDX-License-Identifier: Apache-2.0
// The passed list: discrete states with the zones reached in them. Each zone is a node with its parent, so
// that runs can be found again; zones are stored by a least set of bounds.
#ifndef ZONE_PASSED_H
#define ZONE_PASSED_H

#include "base/tuples.h"
#include "zone/dbm.h"

typedef struct {
    uint32_t parent, label;  // parent UINT32_MAX: an initial state; label: see expand.h
    uint32_t state;          // number of the discrete state
    uint32_t next;           // another zone of it, or UINT32_MAX; the node itself: it is covered
    uint32_t zone;           // where its bounds begin in the pool: their number, then the bounds
    uint32_t size;           // dbm_size() of its matrix: a larger one is not within a smaller one
} passed_node;

typedef struct {
    uint32_t n;
    tuples *states;
    VEC(uint32_t) heads;  // first node of each state
    VEC(passed_node) nodes;
    VEC(uint32_t) pool;
    uint32_t covered;  // nodes that a later one includes
} passed;

passed *passed_new(uint32_t words, uint32_t n);
void passed_free(passed *p);
void passed_clear(passed *p);
uint64_t passed_bytes(const passed *p);

// Adds a zone, unless a stored one of the state includes it (or, if exact, equals it). The node's number, or
// that of the one which covers it; *is_new says which.
uint32_t passed_add(passed *p, const uint64_t *state, const bound *d, uint32_t parent, uint32_t label, bool exact,
                    bool *is_new);
// Was the node's zone included by a later one of the same state? Then what it leads to is found from there.
static inline bool passed_is_covered(const passed *p, uint32_t node) { return p->nodes.data[node].next == node; }
// Is d within one zone of the state; with ranks of nodes, one whose rank is below this?
bool passed_includes(const passed *p, const uint64_t *state, const bound *d, const uint32_t *ranks, uint32_t below);
static inline uint32_t passed_count(const passed *p) { return p->nodes.len - p->covered; }
static inline const uint64_t *passed_state(const passed *p, uint32_t node) {
    return tuples_get(p->states, p->nodes.data[node].state);
}
void passed_zone(const passed *p, uint32_t node, bound *d);

#endif
