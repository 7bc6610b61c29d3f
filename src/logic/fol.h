// SPDX-License-Identifier: Apache-2.0
// Formulas for provers without sorts, in the syntax of a dialect (TPTP, DFG).
//
// A sort is a predicate that guards every quantifier; a function into a sort has an axiom that says so, a function
// into a small type has one that lists its values; values of a type are distinct constants; sorts are not empty.
#ifndef LOGIC_FOL_H
#define LOGIC_FOL_H

#include "logic/vocabulary.h"

typedef struct {
    const char *before, *between, *after;
} fol_form;

typedef struct {
    fol_form negation, conjunction, disjunction, implication, equivalence, equation;
    fol_form forall, exists;     // variable between `before` and `between`
    fol_form axiom, conjecture;  // name first or last: see is_name_first
    bool is_name_first;
    const char *truth, *falsity;
} fol_dialect;

// Axioms of the vocabulary and hypotheses, then the goal in `conjectures`.
void fol_axioms(const fol_dialect *d, const vocabulary *v, const obligation_set *s, str *out);
void fol_goal(const fol_dialect *d, const vocabulary *v, expr goal, str *out);

// Symbols for the declaration that DFG needs.
typedef void (*fol_symbol)(const char *name, uint32_t arity, void *context);
void fol_symbols(const vocabulary *v, const obligation_set *s, bool predicates, fol_symbol found, void *context);

#endif
