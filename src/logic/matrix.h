// SPDX-License-Identifier: Apache-2.0
// Lemmas as clauses: ∀x1..xk. l1 | … | ln, in a form that can be instantiated and evaluated fast.
//
// A lemma becomes one clause, or several where it is a conjunction. A literal is a cell f(x,y) = c, an
// equality of two variables, or any other formula, in which case it is *canonical*: free and bound variables
// are renamed by type and position, so that the same ∃z. φ(x,y,z) in hundreds of lemmas is one expression,
// grounded and evaluated once.
#ifndef LOGIC_MATRIX_H
#define LOGIC_MATRIX_H

#include "model/expr.h"

enum { MATRIX_MOST_ARGS = 16, MATRIX_MOST_VARS = 32 };  // of a function or rule; of a clause

typedef enum { LITERAL_CELL, LITERAL_SAME, LITERAL_FORMULA } literal_kind;

// An argument: the clause's variable `slot`, or, when slot < 0, the constant `fixed`.
typedef struct {
    int32_t slot;
    value fixed;
} matrix_arg;

typedef struct {
    literal_kind kind;
    bool is_negated;
    uint32_t depth;  // variables 0..depth-1 decide it
    func f;          // LITERAL_CELL: f(args) = equals
    value equals;
    expr e;                  // the atom over the clause's variables; LITERAL_FORMULA: canonical
    const var *frees;        // LITERAL_FORMULA: e's variables, args[i] says what stands for frees[i]
    const matrix_arg *args;  // LITERAL_SAME: two
    uint32_t nargs;
} matrix_literal;

// What a variable ranges over.
typedef struct {
    type ty;
    bool is_unbounded;
    value first, last;  // of a bounded type
} matrix_range;

typedef struct {
    const var *vars;
    const matrix_range *ranges;
    uint32_t nvars;
    const matrix_literal *lits;  // by depth
    uint32_t nlits;
    const uint32_t *starts;  // the literals of depth d are [starts[d], starts[d + 1])
} matrix_clause;

typedef struct {
    const matrix_clause *clauses;
    uint32_t nclauses;
} matrix;

// Renames to canonical variables, which are kept here.
typedef struct {
    model *m;
    arena *memory;
    VEC(var) frees, bounds;  // canonical variables made so far
} matrix_maker;

// e may have free variables (a rule's parameters): they stay as they are and are not among a clause's variables.
matrix matrix_of(matrix_maker *k, expr e);

#endif
