// SPDX-License-Identifier: Apache-2.0
// Rows in which each of a growing list of literals is false, worked out only as far as somebody looks.
//
// Most clauses fail in one of the first rows: whole sets of rows would be written for nothing. left[i] has the rows in
// which the first i literals are false, in its first known[i] words; a question that goes further extends it,
// and those before it, by a block at a time.
#ifndef INFER_NARROW_H
#define INFER_NARROW_H

#include "infer/clause.h"
#include "infer/rows.h"

typedef struct {
    const rows *r;
    uint32_t words;  // of a set of rows
    uint32_t depth;  // literals taken
    uint32_t literals[CLAUSE_MOST];
    uint32_t known[CLAUSE_MOST + 1];
    uint64_t *left[CLAUSE_MOST + 1];
} narrowing;

// No literal taken, all rows left; no rows may be added meanwhile. left[0] may be made smaller before the first
// question.
void narrow_start(narrowing *n, const rows *r);
void narrow_stop(narrowing *n);
// Literals are over columns: twice the column, plus one if negated.
void narrow_take(narrowing *n, uint32_t literal);
void narrow_back(narrowing *n);
uint32_t narrow_first(narrowing *n);  // a row in which all that were taken are false, or UINT32_MAX
// The next such row, from this one on; those before have been asked for, one after the other.
uint32_t narrow_next(narrowing *n, uint32_t row);
bool narrow_some_false(narrowing *n, uint32_t literal);  // would there be one with this literal too?

#endif
