// SPDX-License-Identifier: Apache-2.0
// The steps and the initial states of a system whose sorts have fixed sizes, each as one set of clauses.
//
// Every size is a question of its own, so nothing here says anything about all sizes: what is found is a candidate.
// A literal stands for a formula at elements, in the state before the step, in the state after it or in an initial
// state; it implies the formula, not more (formula.c).
#ifndef LOGIC_BOUNDED_H
#define LOGIC_BOUNDED_H

#include "base/bits.h"
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
// The state before the step is an initial one; 0 where no formula says so.
int bounded_initial(bounded *b);
// Clauses are about steps (BOUNDED_BEFORE, BOUNDED_AFTER) or about initial states.
int bounded_var(bounded *b, bounded_when when);
void bounded_clause(bounded *b, bounded_when when, const int *lits, uint32_t n);
sat_answer bounded_solve(bounded *b, bounded_when when, const int *assumed, uint32_t n);
bool bounded_needs(const bounded *b, bounded_when when, int lit);  // after SAT_NO: was the assumed literal used?
// After SAT_YES: the state, as the reference evaluator holds it. Elements of ordered sorts are in their order.
void bounded_state(bounded *b, bounded_when when, value *state);
// After SAT_YES about a step from a state, of which `state` are all literals: those of them that, whatever else holds,
// let some rule fire with the same parameters and lead to where `escapes` is false. `after` was true after the step.
// False if the step is not found again.
bool bounded_lift(bounded *b, const int *state, uint32_t nstate, const int *after, uint32_t nafter, int escapes,
                  bits *needed);
uint64_t bounded_work(const bounded *b);  // SAT variables of solver calls

#endif
