// SPDX-License-Identifier: Apache-2.0
// See columns.h. The choice is greedy: what is chosen has common rows in none, but need not be the fewest columns.
#include "base/columns.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

columns columns_new(uint32_t ncolumns, uint32_t nrows) {
    columns t = {.words = (nrows + 63) / 64};
    t.bits = mem_zero((size_t)ncolumns * t.words + 1, sizeof *t.bits);
    return t;
}

void columns_free(columns *t) {
    free(t->bits);
    *t = (columns){0};
}

static const uint64_t *column_of(const columns *t, uint32_t column) { return t->bits + (size_t)column * t->words; }

// Rows that are still open: the words that have one, packed, and where they stand.
typedef struct {
    uint64_t *bits;
    uint32_t *at;
    uint32_t n;
} open_rows;

// Without an instruction of a newer processor, and without a call.
static inline uint32_t count_bits(uint64_t w) {
    w -= w >> 1 & UINT64_C(0x5555555555555555);
    w = (w & UINT64_C(0x3333333333333333)) + (w >> 2 & UINT64_C(0x3333333333333333));
    return (uint32_t)(((w + (w >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >> 56);
}

// How many open rows are set in the column; `most` or more: there are at least so many.
static uint32_t count_common(const open_rows *open, const uint64_t *column, uint32_t most) {
    enum { AT_ONCE = 8 };
    uint32_t n = 0;
    for (uint32_t i = 0; i < open->n && n < most;) {
        uint32_t end = open->n - i > AT_ONCE ? i + AT_ONCE : open->n;
        for (; i < end; i++) n += count_bits(open->bits[i] & column[open->at[i]]);
    }
    return n;
}

static void close_rows(open_rows *open, const uint64_t *column) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < open->n; i++) {
        uint64_t left = open->bits[i] & column[open->at[i]];
        open->at[kept] = open->at[i];
        open->bits[kept] = left;
        kept += left != 0;
    }
    open->n = kept;
}

// All rows are, at first.
static open_rows rows_open(uint32_t words) {
    open_rows open = {mem_alloc((words + 1) * sizeof *open.bits), mem_alloc((words + 1) * sizeof *open.at), words};
    memset(open.bits, 0xff, words * sizeof *open.bits);
    for (uint32_t i = 0; i < words; i++) open.at[i] = i;
    return open;
}

// How many of the open rows the best column leaves goes to *left; UINT32_MAX: none leaves fewer than there are.
static uint32_t best_column(const columns *t, const uint32_t *list, uint32_t n, const open_rows *open, uint32_t *left) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t common = count_common(open, column_of(t, list[i]), *left);
        if (common < *left) *left = common, best = list[i];
    }
    return best;
}

bool columns_choose(const columns *t, const uint32_t *list, uint32_t nlist, uint32_t *chosen, uint32_t *n,
                    uint32_t most) {
    open_rows open = rows_open(t->words);
    close_rows(&open, column_of(t, chosen[0]));
    uint32_t left = count_common(&open, column_of(t, chosen[0]), UINT32_MAX), best = 0;
    for (*n = 1; left && *n < most;) {
        best = best_column(t, list, nlist, &open, &left);
        if (best == UINT32_MAX) break;
        chosen[(*n)++] = best;
        close_rows(&open, column_of(t, best));
    }
    free(open.bits);
    free(open.at);
    return !left;
}
