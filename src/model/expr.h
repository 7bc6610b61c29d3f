// SPDX-License-Identifier: Apache-2.0
// Building, walking and rewriting expressions.
//
// Constructors simplify what is plain from the arguments (true & e is e, e = e is true, constants fold),
// flatten nested `&` and `|`, and keep the order of arguments. They expect well-typed arguments.
#ifndef MODEL_EXPR_H
#define MODEL_EXPR_H

#include "model/model.h"

// The greatest depth of a model's expressions, counting the definitions they use: model_add_def() refuses
// deeper ones, and front ends texts that are nested deeper than front/depth.h says. Walking one of this depth takes
// less than STACK_LEAST of stack. Bodies that are executed while they are read, and pieces that are put together, are
// looked at in the end.
enum { EXPR_DEEPEST = 10000 };

expr expr_const(model *m, type ty, value v);
expr expr_bool(model *m, bool b);
expr expr_var(model *m, var v);
expr expr_app(model *m, func f, const expr *args);      // as many as the function takes
expr expr_next(model *m, func f, const expr *args);     // the same in the state after
expr expr_defined(model *m, func f, const expr *args);  // does the cell have a value?
expr expr_widen(model *m, type u, expr a);              // a member's value as the union's
expr expr_narrow(model *m, type member, expr a);        // a union's value as a member's
expr expr_is(model *m, type member, expr a);            // is the union's value one of the member?
expr expr_call(model *m, def d, const expr *args);
expr expr_not(model *m, expr a);
expr expr_and(model *m, expr a, expr b);
expr expr_or(model *m, expr a, expr b);
expr expr_and_all(model *m, const expr *args, uint32_t n);  // n = 0: true
expr expr_or_all(model *m, const expr *args, uint32_t n);   // n = 0: false
expr expr_implies(model *m, expr a, expr b);
expr expr_eq(model *m, expr a, expr b);
expr expr_ite(model *m, expr c, expr a, expr b);
expr expr_quantify(model *m, expr_kind kind, var v, expr body);  // E_FORALL, E_EXISTS, E_COUNT
expr expr_forall(model *m, const var *vars, uint32_t n, expr body);
expr expr_exists(model *m, const var *vars, uint32_t n, expr body);
// E_LT, E_LE, E_ADD … E_SHR (E_NEG and E_BITNOT do not look at b). An arithmetic result has the range type that
// holds every possible result.
expr expr_arith(model *m, expr_kind kind, expr a, expr b);
// A node as it is: real.h has the constructors.
expr expr_real(model *m, type ty, uint32_t op, const expr *args, uint32_t nargs);
// Do all possible results lie within ±(2^31 - 1)? The front ends refuse arithmetic that does not fit.
bool expr_arith_fits(const model *m, expr_kind kind, expr a, expr b);

// The result of arithmetic (E_ADD … E_SHR) on numbers; false: there is none, or it does not fit.
bool expr_fold(expr_kind kind, int64_t a, int64_t b, int64_t *out);

// Remembers where an expression was written, if nothing is remembered yet.
expr expr_at(model *m, expr e, span at);

static inline bool expr_too_deep(const model *m, expr e) { return expr_of(m, e)->depth > EXPR_DEEPEST; }
// Reports an error if anything that was built is deeper. Every reader ends with this.
bool expr_all_shallow(const model *m);

bool expr_is_true(const model *m, expr e);
bool expr_is_false(const model *m, expr e);
bool expr_is_const(const model *m, expr e, value *v);
bool expr_has_var(const model *m, expr e, var v);  // free in e
bool expr_reads(const model *m, expr e, func f);   // f applied, or whether it has a value

// The parts of a conjunction (or of a disjunction: E_OR), of which none is one, or e itself; valid as long as *e and
// the model.
static inline const expr *expr_parts(const model *m, const expr *e, expr_kind kind, uint32_t *n) {
    const expr_info *x = expr_of(m, *e);
    *n = x->kind == kind ? x->nargs : 1;
    return x->kind == kind ? x->args : e;
}
static inline const expr *expr_conjuncts(const model *m, const expr *e, uint32_t *n) {
    return expr_parts(m, e, E_AND, n);
}
// Free variables of e, each once, in order of first occurrence, appended to out.
// Can evaluating e fault (leave a range in an argument, divide by zero)?
bool expr_can_fault(const model *m, expr e);
// Bounds of a number expression; for a bool, enum or known sort its indices.
void expr_bounds(const model *m, expr e, int64_t *lo, int64_t *hi);

// Replaces vars[i] by with[i], all at once.
expr expr_subst(model *m, expr e, const var *vars, const expr *with, uint32_t n);
// Replaces every call of a definition by its body.
expr expr_inline(model *m, expr e);
// Rebuilds e bottom-up: `visit` gets each node once, after its arguments were rebuilt, and returns its replacement;
// it does not get what it returned again.
typedef expr (*expr_visit)(model *m, expr e, void *context);
expr expr_rewrite(model *m, expr e, expr_visit visit, void *context);

// e without definitions, implications, bool equalities and if-then-else of bool, negations pushed to the atoms.
expr expr_nnf(model *m, expr e, bool negated);

#endif
