// SPDX-License-Identifier: Apache-2.0
// A guard and a body over variables whose values are to be found: fewer of them. What an equation of the guard gives is
// replaced, what the body does not read is quantified in the guard; the rest stays open, to be tried out.
#ifndef PASS_ELIMINATE_H
#define PASS_ELIMINATE_H

#include "model/expr.h"

typedef struct {
    var v;
    expr given;  // over variables that are solved later, quantified or open
} solution;

typedef struct {
    model *m;
    expr_list conjuncts;  // of the guard
    const stmt *body;
    var_list open;
    VEC(solution) solved;  // in order
    var_list quantified;
} elimination;

// Adds to the guard. never_fails: where it would be an error of run time it is false.
void eliminate_add(elimination *g, expr e, bool never_fails);
// The same, simplified by what the guard says already.
void eliminate_add_new(elimination *g, expr e, bool never_fails);
void eliminate_solve(elimination *g);
void eliminate_quantify(elimination *g);
void eliminate_free(elimination *g);

#endif
