// SPDX-License-Identifier: Apache-2.0
// Obligations as text: formulas in the syntax of a dialect, and whole problems for each kind of prover.
//
// TPTP and DFG have no sorts. There a sort is a predicate that guards every quantifier; a function into a sort has an
// axiom that says so, a function into a small type has one that lists its values; values of a type are distinct
// constants; sorts are not empty. SMT-LIB has sorts, and datatypes of constants for other types.
#ifndef LOGIC_FOL_H
#define LOGIC_FOL_H

#include "logic/obligation.h"
#include "logic/vocabulary.h"

typedef struct {
    const char *before, *between, *after;
} fol_form;

typedef struct {
    fol_form negation, conjunction, disjunction, implication, equivalence, equation;
    fol_form application;        // of arguments; the name stands after `before`…
    const char *arguments;       // …and this after the name
    fol_form forall, exists;     // variable between `before` and `between`
    fol_form axiom, conjecture;  // name first or last: see is_name_first
    bool is_name_first;
    bool is_sorted;  // variables and functions have sorts
    const char *truth, *falsity;
    const char *true_term, *false_term;  // a bool in the place of a term (an argument, a parameter)
} fol_dialect;

void fol_formula(const fol_dialect *d, const vocabulary *v, expr e, str *out);
void fol_definition(const fol_dialect *d, const vocabulary *v, expr part, str *out);  // what a part stands for

// Axioms of the vocabulary and hypotheses, then the goal in `conjectures`; for dialects without sorts.
void fol_axioms(const fol_dialect *d, const vocabulary *v, const obligation_set *s, str *out);
void fol_goal(const fol_dialect *d, const vocabulary *v, expr goal, str *out);

// Symbols for the declaration that DFG needs.
typedef void (*fol_symbol)(const char *name, uint32_t arity, void *context);
void fol_symbols(const fol_dialect *d, const vocabulary *v, const obligation_set *s, bool predicates, fol_symbol found,
                 void *context);

// smtlib.c: one script for a set, one (check-sat) for each goal between (push 1) and (pop 1); "unsat" for the negated
// goal means that it is proved.
void smtlib_script(const obligations *o, const obligation_set *s, str *out);
// tptp.c, for E and other provers that read first-order form (FOF), and dfg.c, for SPASS: one goal.
void tptp_problem(const obligations *o, const obligation_set *s, uint32_t goal, str *out);
void dfg_problem(const obligations *o, const obligation_set *s, uint32_t goal, str *out);

#endif
