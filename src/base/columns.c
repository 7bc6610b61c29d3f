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

static uint32_t count_common(const uint64_t *a, const uint64_t *b, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < words; i++) n += (uint32_t)__builtin_popcountll(a[i] & b[i]);
    return n;
}

// How many of the open rows the best column leaves goes to *left; UINT32_MAX: none leaves fewer than there are.
static uint32_t best_column(const columns *t, const uint32_t *list, uint32_t n, const uint64_t *open, uint32_t *left) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t common = count_common(open, column_of(t, list[i]), t->words);
        if (common < *left) *left = common, best = list[i];
    }
    return best;
}

bool columns_choose(const columns *t, const uint32_t *list, uint32_t nlist, uint32_t *chosen, uint32_t *n,
                    uint32_t most) {
    const uint64_t *first = column_of(t, chosen[0]);
    uint32_t left = count_common(first, first, t->words), best = 0;
    uint64_t *open = mem_zero(t->words + 1, sizeof *open);
    memcpy(open, first, t->words * sizeof *open);
    for (*n = 1; left && *n < most;) {
        best = best_column(t, list, nlist, open, &left);
        if (best == UINT32_MAX) break;
        chosen[(*n)++] = best;
        for (uint32_t i = 0; i < t->words; i++) open[i] &= column_of(t, best)[i];
    }
    free(open);
    return !left;
}
