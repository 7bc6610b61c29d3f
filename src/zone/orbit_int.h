// SPDX-License-Identifier: Apache-2.0
// Inside orbit*.c: what a permutation of elements moves.
#ifndef ZONE_ORBIT_INT_H
#define ZONE_ORBIT_INT_H

#include "model/instance.h"
#include "zone/image.h"
#include "zone/orbit.h"
#include "zone/slots.h"

#define ORBIT_NONE 0xff

// A cell or clock whose place or value depends on elements.
typedef struct {
    uint32_t number;  // of the cell or clock
    uint32_t group;   // those whose indices differ only in elements
    uint64_t tag;     // of the group, and of which elements of the place are the same
    uint32_t nelements;
    uint8_t elements[2 * MEMBER_MOST_ARGS];
    uint8_t result;  // the class of its values, or ORBIT_NONE
} orbit_place;

typedef struct {
    uint32_t first;  // in the table
    uint32_t nelements;
    uint8_t blocks[2 * MEMBER_MOST_ARGS];
} orbit_group;

typedef struct {
    int32_t lo, hi;
    uint8_t *elements;  // by value - lo; ORBIT_NONE: it stays
} orbit_class;

typedef struct {
    uint8_t first, count;  // elements
} orbit_block;

struct orbit {
    arena *memory;
    const instance *in;
    uint32_t n;  // dimension of matrices
    uint32_t nelements;
    uint8_t block[ORBIT_MOST_ELEMENTS],
        rank[ORBIT_MOST_ELEMENTS];  // of an element, its number within the block
    int32_t value_of[ORBIT_MOST_ELEMENTS];
    VEC(orbit_class) classes;
    VEC(orbit_block) blocks;
    VEC(orbit_group) groups;
    VEC(uint32_t) table;     // cells or clocks of the groups
    VEC(orbit_place) cells;  // those that move
    orbit_place *clocks;     // all
};

// Adds what a class with its blocks moves (orbit_place.c). block_of: by value - lo; values of a block of one stay.
typedef struct {
    id_class c;
    uint32_t *block_of;
} found_class;
typedef VEC(found_class) found_classes;
void orbit_place_all(orbit *o, const slots *s, const found_classes *list);
// Which number stands where the place goes to.
static inline uint32_t orbit_target(const orbit *o, const orbit_place *at, const uint8_t *p) {
    const orbit_group *g = &o->groups.data[at->group];
    uint32_t index = 0;
    for (uint32_t i = 0; i < at->nelements; i++)
        index = index * o->blocks.data[g->blocks[i]].count + o->rank[p[at->elements[i]]];
    return o->table.data[g->first + index];
}

static inline uint8_t orbit_element(const orbit *o, uint8_t class, value v) {
    const orbit_class *c = &o->classes.data[class];
    return v < c->lo || v > c->hi ? ORBIT_NONE : c->elements[v - c->lo];
}

#endif
