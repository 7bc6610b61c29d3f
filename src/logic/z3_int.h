// SPDX-License-Identifier: Apache-2.0
// What the files about Z3 share: its terms for a model's types, functions and formulas (z3.c), the solvers
// that hold the premises of the last question (z3_query.c), countermodels (z3_witness.c).
#ifndef LOGIC_Z3_INT_H
#define LOGIC_Z3_INT_H

#include "logic/logic.h"
#include "logic/logic_int.h"

#include <z3.h>

typedef struct {
    Z3_sort sort;
    Z3_func_decl *values;  // of an enumeration type
    Z3_func_decl before;   // of an ordered sort
    Z3_ast least;
} z3_type;

typedef struct z3_guard z3_guard;

struct z3_prover {
    model *m;
    Z3_context c;
    z3_type *types;  // by type id
    uint32_t ntypes;
    Z3_func_decl *funcs[2];  // by func id: now and next
    VEC(Z3_ast) memo;        // by expression id
    VEC(Z3_ast) axioms;      // of the orders
    const task *of;          // whose premises the last question had…
    bits assumed;            // …and which lemmas
    Z3_solver solver;        // that keeps them, or NULL
    bool is_step;            // the question is about the state after the step
    z3_guard *guard;         // interrupts Z3 when the run must end
};

// ---- z3.c

z3_prover *z3_of(logic *l);  // made when first needed
const z3_type *z3_type_of(z3_prover *z, type t);
Z3_func_decl z3_func(z3_prover *z, func f, bool next);
Z3_ast z3_constant(z3_prover *z, type t, value v);  // of an unbounded sort: its least element
Z3_ast z3_variable(z3_prover *z, var v);
Z3_ast z3_before(z3_prover *z, type t, Z3_ast a, Z3_ast b);
Z3_ast z3_translate(z3_prover *z, expr e);  // no definitions

// ---- z3_script.c

// Appends what Z3 answers to a script, with so many seconds for each question.
void z3_script(const char *script, double seconds, const limits *l, str *out);

// ---- z3_guard.c

z3_guard *z3_guard_new(Z3_context c, const limits *l);
void z3_guard_free(z3_guard *g);
// Around every question.
void z3_guard_asking(z3_guard *g, const limits *until);  // NULL: no longer

// ---- z3_query.c

void z3_forget(z3_prover *z);  // the last question

// ---- z3_witness.c

// Keeps a model of the premises and of `violated` as the last countermodel, unless it is too large or the
// reference evaluator does not find there what Z3 says.
void z3_witness(logic *l, Z3_model found, expr violated);

#endif
