// SPDX-License-Identifier: Apache-2.0
// Symmetry of timed systems: which processes and values can change places without changing the system or what
// is asked about it, and one representative of all states and zones that differ only in that.
//
// It finds the largest group of this kind: for every family of processes (free parameters of a template) and
// for every class of values that are only copied, compared and used as indices, *blocks* of values any two of
// which can be swapped. That a swap changes nothing is checked on the rules themselves (image.h), so what
// breaks a symmetry (a constant, arithmetic, an order, a query that names one process) makes blocks smaller,
// never an answer wrong.
#ifndef ZONE_ORBIT_H
#define ZONE_ORBIT_H

#include "model/instance.h"
#include "zone/dbm.h"
#include "zone/image.h"
#include "zone/slots.h"

enum { ORBIT_MOST_ELEMENTS = 128 };

// An element is a value of a block of two or more. A permutation maps elements to elements of the same block.
typedef uint8_t orbit_perm[ORBIT_MOST_ELEMENTS];

typedef struct orbit orbit;
typedef struct orbit_room orbit_room;  // scratch memory of one thread

// NULL: no two values can be swapped, or a limit was met. `note` gets what was found, and why no more was;
// nothing if there is no family of processes.
orbit *orbit_new(const instance *in, const asked *a, const limits *within, str *note);
void orbit_free(orbit *o);
orbit_room *orbit_room_new(const orbit *o);
void orbit_room_free(orbit_room *w);

// The representative of a state with a closed matrix, in place; p is the permutation that was applied. False: it
// is the identity.
bool orbit_canonical(orbit_room *w, value *cells, bound *d, uint8_t *p);
// Did some search for a representative try only a part of the orders? Then an orbit may have several.
bool orbit_was_cut(const orbit_room *w);

uint32_t orbit_elements(const orbit *o);
void orbit_identity(const orbit *o, uint8_t *p);
void orbit_invert(const orbit *o, const uint8_t *p, uint8_t *out);
void orbit_compose(const orbit *o, const uint8_t *first, const uint8_t *then, uint8_t *out);
void orbit_apply_cells(const orbit *o, const uint8_t *p, const value *cells, value *out);
void orbit_apply_zone(const orbit *o, const uint8_t *p, const bound *d, bound *out);
uint32_t orbit_clock(const orbit *o, const uint8_t *p, uint32_t clock);

// Swaps of two neighbours of a block, as permutations: they generate all. What one does to cells that it moves: where
// each goes, and the two values that change places in it; other cells are left as they are.
uint32_t orbit_swaps(const orbit *o);
void orbit_swap(const orbit *o, uint32_t number, uint8_t *p);
void orbit_swap_cells(const orbit *o, const uint8_t *p, uint32_t *cell_to, value *a, value *b);

#endif
