// SPDX-License-Identifier: Apache-2.0
// A table of bits by columns: in which rows each column is set.
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t words;  // of a column
    uint64_t *bits;  // NULL: there is no table
} columns;

columns columns_new(uint32_t ncolumns, uint32_t nrows);
void columns_free(columns *t);
static inline void columns_set(columns *t, uint32_t column, uint32_t row) {
    t->bits[(uint64_t)column * t->words + row / 64] |= UINT64_C(1) << (row % 64);
}

// Goes on from chosen[0] with columns of the list, each time the one that leaves fewest rows in which all chosen are
// set, until there are none. False if none gets nearer, or there would be more than `most`.
bool columns_choose(const columns *t, const uint32_t *list, uint32_t nlist, uint32_t *chosen, uint32_t *n,
                    uint32_t most);

#endif
