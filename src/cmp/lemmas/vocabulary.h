// SPDX-License-Identifier: Apache-2.0
// What lemmas are made of: atoms over one or two elements and the shared state, and the points where lemmas are needed.
//
// Terms are state functions of the elements, shared variables, and shared arrays at such terms (next[curr[i]]).
// Atoms compare terms with each other and with constants. A point is a rule at one of its parameters: what is needed
// there has the form `guard -> literal`, in lists of locks and pointers "at this line, …".
#ifndef CMP_LEMMAS_VOCABULARY_H
#define CMP_LEMMAS_VOCABULARY_H

#include "model/model.h"

enum { VOCABULARY_FORMALS = 2, VOCABULARY_MOST_ATOMS = 4000 };

typedef struct {
    rule r;                          // id 0: any, and no premise
    var params[VOCABULARY_FORMALS];  // the rule's parameter that the first formal is; the second is any element
    expr premise;                    // over the first formal; no run-time error
} point;

typedef struct {
    model *m;
    sys system;
    type sort;
    uint32_t nformals;
    var formals[VOCABULARY_FORMALS];
    VEC(var) singles;  // of other sorts with one element
    VEC(expr) terms;
    VEC(expr) atoms;  // over the formals; no run-time errors
    VEC(point) points;
    map *seen;  // atoms
} lemma_vocabulary;

// For lemmas about `nformals` elements at once.
lemma_vocabulary *lemma_vocabulary_new(model *m, sys s, type sort, uint32_t nformals);
void lemma_vocabulary_free(lemma_vocabulary *v);

#endif
