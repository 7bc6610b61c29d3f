// SPDX-License-Identifier: Apache-2.0
// Which clauses follow from others by propositional reasoning over the atoms of one schema, with what is known of
// order, equality and the values of enums. A clause that follows is not asked of the solvers.
//
// Incomplete on purpose: a clause that is said to follow does, for the same elements; one that is not may follow by
// others. So candidates are lost to nobody, and questions become few.
#ifndef INFER_ENTAIL_H
#define INFER_ENTAIL_H

#include "infer/clause.h"
#include "infer/rows.h"

#include "base/vec.h"

typedef struct entail entail;
typedef VEC(uint32_t) entail_core;

// Over the atoms of these schemas, which live as long.
entail *entail_new(rows *const *schemas, uint32_t nschemas, const limits *stop);
void entail_free(entail *e);
// Lemma number `lemma`, which stands until it is taken away.
void entail_add(entail *e, uint32_t lemma, const clause *c);
void entail_remove(entail *e, uint32_t lemma);
// Does the clause, over atoms of that schema, follow from lemmas that stand? Then `core` becomes some that suffice.
bool entail_follows(entail *e, uint32_t schema, const clause *c, entail_core *core);

#endif
