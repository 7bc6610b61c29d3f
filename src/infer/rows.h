// SPDX-License-Identifier: Apache-2.0
// Rows: what the atoms of a schema are worth in the sampled states, each combination once.
//
// A schema is a number of variables of each sort. For every sampled state and every binding of these
// variables to elements there is a row of atom values; equal rows are kept once. They are held both by rows
// and by columns: column a has bit r set when atom a holds in row r. A clause is an invariant of the sample
// iff no row makes all its literals false, which a handful of vector operations over its columns decide.
#ifndef INFER_ROWS_H
#define INFER_ROWS_H

#include "base/bits.h"
#include "base/limits.h"
#include "base/tuples.h"
#include "infer/atoms.h"
#include "infer/clause.h"
#include "infer/valuation.h"

typedef struct {
    const atom_pool *p;
    uint32_t counts[POOL_SORTS];  // variables of each sort
    uint32_t mask;                // of pool variables
    uint32_t nvars;
    clause fixed;     // of a user's schema: literals that every clause has
    uint32_t nholes;  // and how many more; 0: not a user's schema
    uint8_t vars[POOL_SORTS * POOL_PER_SORT];
    uint32_t natoms;
    uint16_t *atoms;           // by column: pool atom
    uint16_t *column_of;       // by pool atom: column, or ATOM_NONE
    uint32_t row_words;        // 64-bit words of a row
    uint32_t nrows, capacity;  // capacity: a multiple of 256
    tuples *rows;
    uint64_t *columns;  // column-major, capacity / 64 words each
} rows;

// Atoms up to this kind whose variables are among the schema's.
rows *rows_new(const atom_pool *p, const uint32_t *counts, atom_kind kind);
void rows_free(rows *r);
// Adds the rows of every state of the sample under every binding. Bindings that need more elements than
// the sample's instance has are those that map variables together. States that gave a new row are added to
// `novel` unless it is NULL.
// A sample of several states may be cut short by limits: then there are more candidates.
void rows_add_sample(rows *r, valuation *v, const limits *l, bits *novel);
// Has the valuation work out every column that this will ask for, so that several schemas can be asked at once.
void rows_prepare(const rows *r, valuation *v);
// The row of the sample's only state when pool variable i is element to[i].
void rows_of_state(const rows *r, valuation *v, const value *to, uint64_t *row);
bool rows_has(const rows *r, const uint64_t *row);

static inline const uint64_t *rows_column(const rows *r, uint32_t column) {
    return r->columns + (size_t)column * (r->capacity / 64);
}
// Words of a column that have rows, a multiple of 4 (256 bits).
static inline uint32_t rows_words(const rows *r) { return (r->nrows + 255) / 256 * 4; }

// All rows.
void rows_all(const rows *r, uint64_t *out);
// Keeps in `out` the rows of `in` in which the literal (over columns: twice the column, plus one if negated)
// is false; true if some are left.
bool rows_where_false(const rows *r, uint32_t literal, const uint64_t *in, uint64_t *out);
// Does every row satisfy the clause (over pool atoms)? Its atoms must be among the schema's.
bool rows_satisfy(const rows *r, const clause *c);

#endif
