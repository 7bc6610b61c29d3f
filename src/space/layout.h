// SPDX-License-Identifier: Apache-2.0
// Where each cell of a state lies in the packed words.
//
// A cell takes the bits that its type needs (none for a type of one value) and never straddles a word. The
// cells of a row f(a,·) lie side by side when the row fits into a word, so a row of a relation is a bit
// field that can be read and written as a mask. Functions whose first argument has the same type share a
// word where they can, with all that belongs to one element side by side, so that swapping two elements is
// one swap of bit fields for all of them.
#ifndef SPACE_LAYOUT_H
#define SPACE_LAYOUT_H

#include "model/instance.h"

//
// A cell that may be undefined has zero bits then, and one more than its value's index otherwise. Locals of
// bodies (scratch functions) are not part of the state: they have words of their own after it, which only
// lowering uses.
typedef struct {
    uint32_t word;
    uint8_t shift, bits;
    uint8_t above;  // 1 for a cell that may be undefined: its bits are above its value's index by this
    value first;    // the least value
} layout_cell;

typedef struct {
    const instance *in;
    uint32_t words, bits;    // of a state
    uint32_t scratch_words;  // behind them
    layout_cell *cells;      // by cell
} layout;

// A plain layout has one word per cell: large, and simple enough to be right when the other one is not.
layout *layout_new(const instance *in, bool is_plain);
void layout_free(layout *l);

void layout_pack(const layout *l, const value *cells, uint64_t *state);
void layout_unpack(const layout *l, const uint64_t *state, value *cells);

// How far apart cells first .. first + n - 1 lie, if they lie in one word, one after the other and equally far
// apart; else 0. They are a *row* if nothing lies between them.
uint32_t layout_stride(const layout *l, uint32_t first, uint32_t n);
bool layout_is_row(const layout *l, uint32_t first, uint32_t n);

static inline uint64_t layout_mask(uint32_t bits) { return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX; }

#endif
