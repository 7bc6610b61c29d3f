// SPDX-License-Identifier: Apache-2.0
// Clauses over atoms: forall variables. literal | … | literal. A literal is twice an atom's number, plus one
// if negated. A clause is *canonical* when its literals are sorted and no renaming of its variables gives a
// smaller list.
#ifndef INFER_CLAUSE_H
#define INFER_CLAUSE_H

#include "infer/atoms.h"

enum { CLAUSE_MOST = 16 };

typedef struct {
    uint16_t n;
    uint16_t lits[CLAUSE_MOST];
} clause;

typedef VEC(clause) clause_list;

static inline size_t clause_bytes(const clause *c) { return (1 + (size_t)c->n) * sizeof(uint16_t); }

uint32_t clause_vars(const atom_pool *p, const clause *c);  // mask
void clause_sort(clause *c);
void clause_canonical(const atom_pool *p, clause *c);
clause clause_part(const atom_pool *p, const clause *c, uint32_t keep);  // those literals, made canonical
bool clause_is_canonical(const atom_pool *p, const clause *c);
// Renames (or identifies) variables; false if the result is trivially true.
bool clause_rename(const atom_pool *p, const clause *c, const uint8_t *to, clause *out);
// True for every state, or equal to a shorter clause, because of an enum term's values or equality.
bool clause_is_trivial(const atom_pool *p, const clause *c);

// The closed formula; and the same in a form to read: premises -> conclusions.
expr clause_expr(atom_pool *p, const clause *c);
expr clause_readable(atom_pool *p, const clause *c);

#endif
