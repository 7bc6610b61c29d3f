// SPDX-License-Identifier: Apache-2.0
// Sets of rows, extended by blocks where they are looked at: see narrow.h.
#include "infer/narrow.h"

#include "base/mem.h"

#include <assert.h>

enum { NARROW_BLOCK = 64 };  // words

// 256 bits at a time.
typedef uint64_t narrow_lane __attribute__((vector_size(32), aligned(8), may_alias));

void narrow_start(narrowing *n, const rows *r) {
    *n = (narrowing){.r = r, .words = rows_words(r)};
    for (uint32_t i = 0; i <= CLAUSE_MOST; i++) n->left[i] = mem_zero(n->words + 4, 8);
    n->known[0] = n->words;
    rows_all(r, n->left[0]);
}

void narrow_stop(narrowing *n) {
    for (uint32_t i = 0; i <= CLAUSE_MOST; i++) free(n->left[i]);
    *n = (narrowing){0};
}

void narrow_take(narrowing *n, uint32_t literal) {
    assert(n->depth < CLAUSE_MOST);
    n->literals[n->depth++] = literal;
    n->known[n->depth] = 0;
}

void narrow_back(narrowing *n) { n->depth--; }

// The next block of left[depth].
static void narrow_extend(narrowing *n, uint32_t depth) {
    uint32_t from = n->known[depth], literal = n->literals[depth - 1];
    uint32_t to = from + NARROW_BLOCK < n->words ? from + NARROW_BLOCK : n->words;
    if (n->known[depth - 1] < to) narrow_extend(n, depth - 1);
    const narrow_lane *column = (const narrow_lane *)rows_column(n->r, literal / 2);
    const narrow_lane *in = (const narrow_lane *)n->left[depth - 1];
    narrow_lane *out = (narrow_lane *)n->left[depth];
    uint64_t flip = literal % 2 ? 0 : ~UINT64_C(0);
    for (uint32_t i = from / 4; i < to / 4; i++) out[i] = in[i] & (column[i] ^ (narrow_lane){flip, flip, flip, flip});
    n->known[depth] = to;
}

// Words up to which left[depth] is known, extended where `at` is the end of them.
static uint32_t narrow_known(narrowing *n, uint32_t at) {
    if (at == n->known[n->depth] && at < n->words) narrow_extend(n, n->depth);
    return n->known[n->depth];
}

uint32_t narrow_next(narrowing *n, uint32_t row) {
    const uint64_t *left = n->left[n->depth];
    uint64_t from = ~UINT64_C(0) << (row % 64);
    for (uint32_t i = row / 64; i < narrow_known(n, i); i++, from = ~UINT64_C(0))
        if (left[i] & from) return i * 64 + (uint32_t)__builtin_ctzll(left[i] & from);
    return UINT32_MAX;
}

uint32_t narrow_first(narrowing *n) { return narrow_next(n, 0); }

bool narrow_some_false(narrowing *n, uint32_t literal) {
    const narrow_lane *column = (const narrow_lane *)rows_column(n->r, literal / 2);
    const narrow_lane *left = (const narrow_lane *)n->left[n->depth];
    uint64_t flip = literal % 2 ? 0 : ~UINT64_C(0);
    for (uint32_t from = 0, to; (to = narrow_known(n, from)) > from; from = to)
        for (uint32_t i = from / 4; i < to / 4; i++) {
            narrow_lane some = left[i] & (column[i] ^ (narrow_lane){flip, flip, flip, flip});
            if (some[0] | some[1] | some[2] | some[3]) return true;
        }
    return false;
}
