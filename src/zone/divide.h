// SPDX-License-Identifier: Apache-2.0
// One search of the zone graph on several ranks (ranks/ranks.h), with the answer that one rank gives.
//
// A discrete state belongs, with all its zones, to the rank that its hash names: which zone covers another is decided
// there. The table of nodes (parents, sizes, which are covered: 32 bytes each) is on every rank and the same on all;
// states and matrices are only where they belong. So all ranks know which nodes come next, and each expands its own.
//
// A block. What a step leads to has a key: the position of its node in the block, and a number that rises. One rank
// alone takes arrivals in the order of keys. What comes of one depends on the others in two ways only:
//
//   - on the zones of its state: its owner has these, and takes all that arrives there in the order of keys
//   - on whether its parent is covered by then, by an arrival with a lower key: then it is left out
//
// For the second, owners say which arrivals cover which nodes of the block, and all go through that in the order of
// keys, without arrivals whose parent is covered by then. So all know at which key a node of the block is covered
// (`ends`). It does not matter whether the arrival is itself covered by a zone that was kept, unless that is the node
// itself: as covering is transitive, another one would cover the node too, which then was covered or never taken.
//
// Then owners take what arrived, and say which keys were new and what they cover; the new nodes get their numbers in
// the order of keys, on all ranks. Of what answers a query, the lowest key counts. A limit of one rank is one of all.
//
// A search begins on every rank, all doing the same, and is divided from some number of nodes on. At its end the runs
// that it found, and the discrete states where doubts are looked for, come together. Not divided: models whose zones
// may have more than is reached (rates.c), are cut (diagonals.c), or whose conditions can fail (faults.c), and all but
// A[] and E<>. After Behrmann, Hune, Vaandrager: Distributing timed model checking (2000), whose order is free.
#ifndef ZONE_DIVIDE_H
#define ZONE_DIVIDE_H

#include "zone/dbm.h"
#include "zone/expand.h"
#include "zone/search.h"

// A step of the block, to what its worker has under this number.
typedef struct {
    uint64_t key;
    zone_worker *k;
    uint32_t at, parent, label, owner;
    bool is_repeat;  // one of the same rank leads there as well (zone_repeat)
} divide_step;

typedef VEC(divide_step) divide_steps;

// Before the search: true if this rank takes part; the others leave the search to rank 0. False with a message on all
// if ranks do not search the same.
bool divide_begin(zone_search *s);
void divide_free(zone_search *s);

// Before a block, and when the search is over: from some number of nodes on, ranks divide the work.
void divide_meet(zone_search *s, bool is_end);
// Does the search go on, everywhere?
bool divide_agree(zone_search *s, bool goes_on);
// The nodes of the block that are expanded here.
void divide_block(zone_search *s, const uint32_t *nodes, uint32_t count, const uint32_t **own, uint32_t *nown);
// After they were expanded: what is to be taken here, in order.
const divide_steps *divide_exchange(zone_search *s);
void divide_took(zone_search *s, const divide_step *t, uint32_t nodes_before);
void divide_end_block(zone_search *s);

// Does a state belong to another rank? Then it can be told that a zone of it must be covered, and is asked at the end.
bool divide_is_elsewhere(const zone_search *s, const uint64_t *state);
void divide_promise(zone_search *s, const uint64_t *state, const bound *d, const int32_t *lower, const int32_t *upper);
// After the search: what all ranks counted and tried.
void divide_end(zone_search *s);
// The list of nodes becomes one that has the runs to what was found, and all discrete states if they are wanted.
void divide_collect(zone_search *s, bool wants_states);

uint32_t divide_ranks(const zone_search *s);  // how many divide the work; 0: it is not divided
uint64_t divide_memory(const zone_search *s);
uint64_t divide_sent(const zone_search *s, uint64_t *arrivals);
bool divide_speaks(const zone_search *s);  // is this the rank that answers?

#endif
