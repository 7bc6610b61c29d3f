// SPDX-License-Identifier: Apache-2.0
// When the nodes of a label are needed: a side of a select only if its condition chooses that side.
//
// A *gate* is a list of such choices, the last one first. The gate of a node is what the gates of all its
// uses have in common; what is computed behind a gate can be skipped while the gate is shut, since it is then read by
// nobody.
#ifndef SPACE_GATES_H
#define SPACE_GATES_H

#include "base/map.h"
#include "space/dag.h"

typedef uint32_t gate;

enum { GATE_ALWAYS = 0 };  // the empty list

typedef struct {
    gate parent;
    uint32_t depth;
    node cond;
    bool when;  // open if the condition has this value
} gate_info;

typedef struct {
    dag *d;
    VEC(gate_info) all;
    map *known;  // by parent, condition and value
    gate *of;    // by node that is needed
    node_list needed;
} gates;

// No node may be added to the graph from here on.
gates gates_new(dag *d, arena *memory);
void gates_free(gates *g);

// Finds the gates of all nodes that `roots` need.
void gates_assign(gates *g, const node *roots, uint32_t nroots);

// The gate of one side of a select; false where lists would be too long: the side has no gate of its own
// then.
bool gates_side(gates *g, node select, bool when, gate *out);
bool gates_is_behind(const gates *g, node n, gate outer);

#endif
