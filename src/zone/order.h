// SPDX-License-Identifier: Apache-2.0
// Which nodes of the passed list are expanded next. Every node is given out once, unless a later one covers it by then;
// whatever the order, the search ends with a closed set, and verdicts do not depend on it.
//
//   breadth   level by level, in blocks; the large zones of a level first. Unless every state is to be stored, those
//             that cover nodes which were expanded before come first of all
//   depth     the node found last, its siblings in the order in which they were found
//   random    the same, with siblings in random order (always from the same seed)
//   fastest   the one that can be reached earliest, by a clock that is never set, until no other can be earlier than
//             what was found
#ifndef ZONE_ORDER_H
#define ZONE_ORDER_H

#include "base/rng.h"
#include "zone/expand.h"
#include "zone/search.h"

enum { ORDER_SEED = 18 };

typedef VEC(uint32_t) node_list;

typedef struct {
    node_list nodes;       // a level, a stack, or a heap
    VEC(uint32_t) levels;  // breadth: by node, its level
    VEC(int32_t) time;     // fastest: by node, twice the earliest time, and one more if only later
    uint32_t at;           // breadth: how many of the level were given out
    uint32_t end;          // nodes from this one on are new
    rng r;
} zone_order;

// The next nodes to expand; false: there are none that matter, and if that is all of them, the search is whole.
bool zone_order_next(zone_search *s, zone_order *o, node_list *out);
void zone_order_free(zone_order *o);
// The longest way to a node, in steps between nodes.
uint32_t zone_order_depth(const zone_search *s);

#endif
