// SPDX-License-Identifier: Apache-2.0
// Candidates at fixed sizes: which step of an instance leads from a state in which all that stand hold to one in which
// one of them is false, and which others a candidate rests on there.
//
// Such a question is one call of a SAT solver, a hundredth of the price of the same question about all sizes. So what
// is false by induction falls here, and only what the property rests on at these sizes is asked about all of them.
// Nothing is proved here.
#ifndef INFER_SIZED_H
#define INFER_SIZED_H

#include "infer/atoms.h"
#include "infer/clause.h"

#include "base/bits.h"
#include "base/limits.h"
#include "logic/sat.h"
#include "model/instance.h"

typedef struct sized sized;

// Clauses are over atoms of the pool. NULL: the instance is too large. Instance, pool and limits live as long.
sized *sized_new(const atom_pool *p, const instance *in, const limits *stop);
void sized_free(sized *s);

// One more candidate, which stands until it is taken away; its number. The formula is closed.
uint32_t sized_add_clause(sized *s, const clause *c);
uint32_t sized_add_formula(sized *s, expr e);
void sized_remove(sized *s, uint32_t number);
const bits *sized_standing(const sized *s);

// Is there an initial state in which one that stands is false? Then `after` becomes it.
sat_answer sized_breaks_initially(sized *s, value *after);

// On SAT_NO, `used` gets numbers of some that suffice, of those in `first` as many as possible.
sat_answer sized_implies_not(sized *s, expr e, const bits *first, bits *used);  // is e false before some step?
// Can a step break this one? Then `before` and `after` become it.
sat_answer sized_rests_on(sized *s, uint32_t number, const bits *first, bits *used, value *before, value *after);

#endif
