// SPDX-License-Identifier: Apache-2.0
// From a run through representatives to a run of the system: at each point the real state, and the permutation
// that makes it the representative. A step of the representative is matched by the step of the real state
// that does the same under that permutation. Without symmetry both are the same.
#ifndef ZONE_UNFOLD_H
#define ZONE_UNFOLD_H

#include "zone/dbm.h"
#include "zone/expand.h"
#include "zone/search.h"

typedef struct {
    zone_search *s;
    value *cells;      // of the real state
    orbit_perm sigma;  // of the real state: gives the representative
} unfold;

// At the initial state that the node represents.
void unfold_start(unfold *u, zone_search *s, uint32_t node);
void unfold_free(unfold *u);
// By a label of the representative to a state whose representative, by rho, is `after`. The real label, or
// UINT32_MAX if there is none (a defect).
uint32_t unfold_step(unfold *u, uint32_t label, const uint64_t *after, const uint8_t *rho);
// The same for the step, or steps, by which a node of the search was found: `found` is called after each.
typedef void (*unfold_found)(unfold *u, uint32_t label, void *context);
void unfold_node(unfold *u, uint32_t node, unfold_found found, void *context);
// The real label of a step that fails.
uint32_t unfold_trouble(unfold *u, uint32_t label);
// rho was applied to the representative without a step.
void unfold_turn(unfold *u, const uint8_t *rho);
// A zone of the representative as one of the real state.
void unfold_zone(const unfold *u, const bound *d, bound *out);

#endif
