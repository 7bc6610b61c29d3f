// SPDX-License-Identifier: Apache-2.0
// The steps and the initial states of a system whose sorts have fixed sizes, each as one set of clauses.
//
// Every size is a question of its own, so nothing here says anything about all sizes: what is found is a candidate.
// A literal stands for a formula at elements, in the state before the step, in the state after it or in an initial
// state; it implies the formula, not more (formula.c).
#ifndef LOGIC_BOUNDED_H
#define LOGIC_BOUNDED_H

#include "base/limits.h"
#include "logic/sat.h"
#include "model/instance.h"

typedef enum { BOUNDED_BEFORE, BOUNDED_AFTER, BOUNDED_START } bounded_when;

typedef struct bounded bounded;

// The sizes are those of the instance, whose system is the one meant; it must live longer, and so must the limits.
// NULL if the clauses would be too many.
bounded *bounded_new(const instance *in, const limits *stop);
void bounded_free(bounded *b);

// e is without definitions; `at` are the elements of its free variables.
int bounded_literal(bounded *b, bounded_when when, expr e, bool negated, const var *vars, const value *at, uint32_t n);
// Clauses are about steps (BOUNDED_BEFORE, BOUNDED_AFTER) or about initial states.
int bounded_var(bounded *b, bounded_when when);
void bounded_clause(bounded *b, bounded_when when, const int *lits, uint32_t n);
sat_answer bounded_solve(bounded *b, bounded_when when, const int *assumed, uint32_t n);
bool bounded_needs(const bounded *b, bounded_when when, int lit);  // after SAT_NO: was the assumed literal used?
// After SAT_YES: the state, as the reference evaluator holds it. Elements of ordered sorts are in their order.
void bounded_state(bounded *b, bounded_when when, value *state);
uint64_t bounded_work(const bounded *b);  // SAT variables of solver calls

#endif
