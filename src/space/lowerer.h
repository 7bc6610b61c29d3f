// SPDX-License-Identifier: Apache-2.0
// Private to lowering: what lower.c (rules), lower_expr.c and lower_stmt.c share.
//
// Expressions are lowered in one of two ways. As a *scalar* every variable in them is bound to a constant
// or a node. As a *mask* some variables depend on a *lane*: the expression is computed for all values of
// one quantified variable at once, bit i of the result for its i-th value.
#ifndef SPACE_LOWERER_H
#define SPACE_LOWERER_H

#include "model/instance.h"
#include "space/bodies.h"
#include "space/dag.h"
#include "space/layout.h"
#include "space/lower.h"
#include "space/sym.h"

// From this many on, cells that lie equally far apart are read and written at an index by shifting.
enum { LOWER_SHIFT_LEAST = 4 };

typedef enum { BOUND_NOT, BOUND_NODE, BOUND_LANE, BOUND_MASK } bound_kind;

typedef struct {
    bound_kind kind;
    node v;  // BOUND_NODE: its value; BOUND_MASK: one truth value per lane
} binding;

// A value, and whether computing it faults (in a mask, both have one bit per lane).
typedef struct {
    node v, fault;
} lowered;

typedef struct {
    uint32_t size;  // number of lanes; 0: none
    value first;    // of the variable in lane 0
    uint32_t base;  // its variables are lowerer.lanes from here
} lane_range;

typedef struct {
    const instance *in;
    const model *m;
    const layout *l;
    dag *d;
    arena *memory;
    arena *scratch;  // for symbolic states of one label
    binding *env;    // by variable id
    lane_range lane;
    VEC(var) lanes;     // variables bound to a lane or a mask
    sym before;         // the state before the step
    const sym *state;   // which expressions read
    bool reads_before;  // it is the state before the step, so results may be remembered
    map *memo;
    VEC(lowered) remembered;
    uint64_t steps;  // expressions lowered so far
    bool is_too_large;
    lower_how how;
    bool is_endless;  // the label is given up: its body, or a loop in it, is too long to be unrolled
    bool is_in_body;
    bodies *code;          // for bodies that become large; NULL: there is none
    bool is_frugal;        // the rule's body may still be compiled there
    uint64_t label_steps;  // steps and nodes when the label began
    uint32_t label_nodes;
} lowerer;

static inline uint64_t lower_lane_full(const lowerer *w) { return layout_mask(w->lane.size); }

void lower_read_from(lowerer *w, const sym *state);

lowered lower_scalar(lowerer *w, expr e);
lowered lower_index(lowerer *w, node v, type t);  // its place in the type, counted from 0; the fault: it lies outside
lowered lower_mask(lowerer *w, expr e);

// Starts lanes for the values of v and binds v to them; pair with lower_leave_lane.
lane_range lower_enter_lane(lowerer *w, var v);
void lower_leave_lane(lowerer *w, var v, lane_range outer);

// Binds v for a while: keep the old binding and put it back.
static inline binding lower_bind(lowerer *w, var v, binding b) {
    binding old = w->env[v.id];
    w->env[v.id] = b;
    return old;
}
binding lower_constant(lowerer *w, int64_t x);

// How a statement may end other than well; at most one of them holds.
typedef struct {
    node fault, impossible;
} outcome;

// Runs a statement. from == to: in sequence.
outcome lower_stmt(lowerer *w, const stmt *s, const sym *from, sym *to);

#endif
