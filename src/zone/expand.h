// SPDX-License-Identifier: Apache-2.0
// Steps of the search: from nodes of the passed list to the states and zones they lead to. Each thread has a
// *worker*, which expands some nodes of a block and keeps what they lead to, in order, for merging.
//
// Where time stands still (committed and urgent locations) states are passed through: they are not kept but
// expanded at once, unless every state is to be stored, one of them answers a query, or there are more than
// EXPAND_MOST_PASSED of them on the way from one node (so that the search ends whatever loops there are).
#ifndef ZONE_EXPAND_H
#define ZONE_EXPAND_H

#include "model/eval.h"
#include "zone/dbm.h"
#include "zone/net.h"
#include "zone/orbit.h"
#include "zone/passed.h"
#include "zone/recall.h"

enum { EXPAND_MOST_PASSED = 8 };
#define EXPAND_CHAIN UINT32_MAX  // instead of a label: by several steps through states that were passed through

typedef struct zone_search zone_search;

typedef struct {
    uint32_t parent, label;  // of the passed list
    uint32_t from;           // the state passed through that it was reached from; UINT32_MAX: none
    uint32_t step;           // by this label
    bool is_trouble;         // the step fails
    bool is_loose;           // the zone has more than is reached (rates.c)
    fault what;         // ... as something cannot be evaluated at the node or after the step; FAULT_NONE: it just fails
    const char *where;  // "in an invariant after the step"
    uint32_t place;     // in the worker's memory (recall.h)
    bool is_left_out;   // when it was taken: as its parent is covered
} zone_arrival;

// A step to what an arrival of the same block is already: told only if that one is left out.
typedef struct {
    uint32_t before;  // it came before the arrival of this number
    uint32_t same, parent, label;
} zone_repeat;

typedef struct {
    zone_search *s;
    net_room *w;  // its memory is the worker's too
    orbit_room *yw;
    uint64_t *canonical;  // room for a state
    net_steps steps;      // of the node that is expanded
    uint64_t *fired;      // by label: how often it was taken
    passed *transit;      // states passed through from one node; their parents are within it
    bool retraces;        // for a trace: everything is passed through, zones are told apart exactly
    recall *met;          // NULL: nothing is remembered
    int32_t *effect;      // of the last step that was one of several, and room for the next one's
    bound *after;         // the node's zone after that effect
    uint32_t effect_of;   // its rule; UINT32_MAX: none
    bool has_after;       // it is not empty
    uint64_t afters;      // how many there were: the number of the last
    VEC(zone_arrival) out;
    VEC(zone_repeat) repeats;
    VEC(uint64_t) states, bits;
    dbm_list zones;
    VEC(uint64_t) packed;   // each zone and what it takes to cover it (passed_item)
    VEC(int32_t) limits;    // lower and upper bounds of each state
    VEC(int32_t) sizes;     // size and need_size of each
    VEC(passed_keys) keys;  // of each, in the passed list
    VEC(uint64_t) signs;    // of each, where there are differences of clocks (diagonals.c)
    uint64_t transitions;
} zone_worker;

void expand_init(zone_worker *k, zone_search *s);
void expand_done(zone_worker *k);
void expand_clear(zone_worker *k);
// What was found number i, ready for the passed list.
passed_item expand_item(const zone_worker *k, uint32_t i);
// The same on its way to another rank (divide.h): so many words; read there, it is the last of the worker's.
uint32_t expand_words(const zone_search *s);
void expand_write(const zone_worker *k, uint32_t i, uint64_t *to);
void expand_read(zone_worker *k, const uint64_t *from);
// Enters an initial state, which is then k->steps.state; d gets its zone. False: impossible.
bool expand_enter(zone_worker *k, const value *cells, bound *d);
// What an initial state leads to, and a node.
void expand_start(zone_worker *k, const value *cells);
void expand_node(zone_worker *k, uint32_t node);

// Makes the state that the worker's room looks at, and the matrix entered in it, the representative of their
// orbit; the room then looks at that, and has its bounds. The representative state, or `state`; perm (room for an
// orbit_perm) says what was done.
const uint64_t *zone_represent(zone_worker *k, const uint64_t *state, bound *d, uint8_t *perm);
// The same, and `plain`, another matrix of the state, goes with it.
const uint64_t *zone_represent_both(zone_worker *k, const uint64_t *state, bound *d, bound *plain);

#endif
