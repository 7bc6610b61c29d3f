// SPDX-License-Identifier: Apache-2.0
// Private to symmetry: tables made once (symmetry.c), read by the search for canonical forms (canonical.c),
// by the quick way to them (ranking.c) and by the lowering of small groups (lower_walk.c).
#ifndef SPACE_SYMMETRY_INT_H
#define SPACE_SYMMETRY_INT_H

#include "space/bags.h"
#include "space/layout.h"
#include "space/symmetry.h"

enum {
    SYMMETRY_FEW = 6,  // permutations
    SYMMETRY_MOST_TRIED = 24,
    SYMMETRY_FEW_ORDERED = 2,  // permutations, with multisets
    SYMMETRY_WALK_WORDS = 8,
    SYMMETRY_MOST_ARGS = 17,
    NO_SORT = UINT16_MAX,
    SYMMETRY_NONES = 8
};

// Bits under `mask` in word a change places with those `shift` higher in word b.
typedef struct {
    uint32_t a, b;
    uint32_t shift;
    uint64_t mask;
} exchange;

typedef struct {
    uint32_t first, n;  // in symmetry.exchanges
} exchange_list;

// Cells of one word, equally wide, whose values may be elements of a sort: their bits are then the element's
// number and `offset`. Elements are renamed in all of them at once.
typedef struct {
    uint32_t word, bits, offset;
    uint64_t lowest;  // the lowest bit of each cell
} value_fields;

typedef struct {
    type ty;
    uint32_t size, first;      // its elements are numbered from here
    uint32_t pairs;            // exchange lists of its pairs a < b, row by row, from here
    VEC(value_fields) valued;  // a union's values may be elements of several sorts
} sorted;

// What a cell with a certain value says about at most two elements. Elements from `nelements` on stand for none:
// several, so that sums that nobody reads do not wait for each other.
typedef struct {
    uint16_t e[2];
    uint64_t hash[2], start[2];  // start: what it adds in the first round
} saying;

// A cell of a few bits, each of whose values says something about at most two elements.
typedef struct {
    uint32_t word, shift;
    uint64_t mask;
    uint32_t sayings;  // by value, in symmetry.sayings
    uint32_t slot;     // 1 + the slot of a multiset that it belongs to; 0: none
} small_cell;

// Cells that say something only while a slot is taken: its bit under `taken` (0: they always do).
typedef struct {
    uint32_t word, first, n;  // of symmetry.small or symmetry.wide
    uint64_t taken;
} cell_group;
typedef VEC(cell_group) cell_groups;

// Bits from `start` on stand for elements from `first` on.
typedef struct {
    uint32_t start, size, first;
} value_range;

// A cell that mentions an element.
typedef struct {
    layout_cell place;
    uint16_t nargs, nranges;  // the ranges of its bits that stand for elements, in symmetry.ranges
    uint32_t ranges;
    uint32_t slot;  // as that of a small cell
    uint16_t e[SYMMETRY_MOST_ARGS];
    uint64_t hash;
} wide_cell;

typedef struct ranking ranking;

struct symmetry {
    const layout *l;
    const bags *bags;  // NULL: none holds a name
    ranking *ranking;  // NULL: canonical forms are not found by rows
    VEC(sorted) sorts;
    uint32_t nelements, words;
    uint32_t first_slot;              // elements from here on are slots of multisets, which have colours but no names
    uint64_t *bit_mask;               // by word: where cells of one bit are
    saying *bits;                     // by bit of the state: what it says if it is one
    VEC(small_cell) small;            // by slot
    cell_groups groups, wide_groups;  // all of them
    VEC(saying) sayings;
    VEC(wide_cell) cells;  // all that mention an element
    VEC(wide_cell) wide;   // those that are not small, by slot
    VEC(value_range) ranges;
    VEC(exchange) exchanges;
    VEC(exchange_list) pairs;
    // A small group: sort, a, b (8, 12, 12 bits) whose exchanges, one after the other, lead through all of
    // it.
    VEC(uint32_t) walk_step;
};

// Colours are made of hashes; at the start all elements have the same.
static inline uint64_t symmetry_mix(uint64_t x) {
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    return x ^ (x >> 29);
}

#define SYMMETRY_START_COLOUR UINT64_C(0x5851F42D4C957F2D)

static inline bool symmetry_is_silent(const cell_group *g, const uint64_t *state) {
    return g->taken && !(state[g->word] & g->taken);
}

// The element that bits of a cell stand for, or UINT32_MAX.
static inline uint32_t symmetry_element(const symmetry *y, const wide_cell *c, uint64_t bits) {
    for (uint32_t i = c->ranges; i < c->ranges + c->nranges; i++) {
        const value_range *r = &y->ranges.data[i];
        if (bits >= r->start && bits < r->start + r->size) return r->first + (uint32_t)bits - r->start;
    }
    return UINT32_MAX;
}

// The highest bit of those cells that hold the value v. A cell differs from v if the bits below its highest
// one do (then adding all ones to them carries) or if that one does; no sum leaves its cell.
static inline uint64_t symmetry_equal(const value_fields *f, uint64_t w, uint64_t v) {
    uint64_t highest = f->lowest << (f->bits - 1), below = highest - f->lowest, differs = w ^ v * f->lowest;
    return ~(((differs & below) + below) | differs) & highest;
}

// a < b
static inline const exchange_list *symmetry_pair(const symmetry *y, const sorted *s, uint32_t a, uint32_t b) {
    uint32_t row = a * s->size - a * (a + 1) / 2;
    return &y->pairs.data[s->pairs + row + (b - a - 1)];
}

// Of a depth of the search: nelements + SYMMETRY_NONES of each.
typedef struct {
    uint64_t *colour;
    uint16_t *order;  // elements of each sort by colour
} symmetry_level;

struct symmetry_run {
    arena *memory;
    const symmetry *y;
    VEC(symmetry_level) levels;  // the first is there from the beginning, others when a search gets there
    uint64_t *sums;
    uint16_t *at, *place;  // while renaming
    uint64_t *candidate, *best;
    bool has_best;
    bool is_heuristic;
};

// canonical.c
// Sorts the elements of a sort by their colours; returns the number of pairs that tie.
uint32_t symmetry_rank(const sorted *s, const uint64_t *colour, uint16_t *order);
// Does each tie in this order consist of twins, elements whose exchange leaves the state as it is?
bool symmetry_ties_are_twins(symmetry_run *run, const sorted *s, const uint64_t *state, const uint64_t *colour,
                             const uint16_t *order);
// Names the elements of a sort in the given order.
void symmetry_name(symmetry_run *run, const sorted *s, const uint16_t *order, uint64_t *state);

// ranking.c
ranking *ranking_new(const symmetry *y);  // NULL: a cell has several elements for arguments
void ranking_free(ranking *r);
// The canonical form, in place. False: rows do not tell elements apart; the state is another one of its
// orbit.
bool ranking_canonical(symmetry_run *run, uint64_t *state);

#endif
