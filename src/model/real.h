// SPDX-License-Identifier: Apache-2.0
// Real numbers as CMurphi has them: `real(m, e)` holds decimal numbers of m significant digits, with exponents from
// -e + 1 to e. What is stored is rounded to such a number; in between, expressions are computed as doubles.
//
// A stored number is a value like any other: decimals of one type are numbered in their order, 0 is zero, so the values
// of a type compare as their numbers do, and packing, symmetry, code and certificates see nothing new. Only E_REAL,
// which computes with doubles, is left to the evaluator. Its operator is `ref`; an operand is a stored number, a whole
// one or, of the type without digits that only expressions have, another E_REAL (or an `if` between two).
#ifndef MODEL_REAL_H
#define MODEL_REAL_H

#include "model/model.h"

typedef enum {
    REAL_CONST,   // of three whole constants: its bits
    REAL_ITSELF,  // of a number that is not computed
    REAL_ADD,
    REAL_SUB,
    REAL_MUL,
    REAL_DIV,
    REAL_NEG,
    REAL_ROUND,  // these have values: the number as one of the type; a fault where it is too large for it, or none
    REAL_FITS,   // is it none of these? The second argument is a constant of the type
    REAL_EQ,
    REAL_LT,
    REAL_LE
} real_op;

static inline bool type_is_real(const model *m, type t) { return type_of(m, t)->kind == TYPE_REAL; }
static inline bool type_is_exact(const model *m, type t) { return type_is_real(m, t) && type_of(m, t)->digits; }

// Can a value tell so many numbers apart? Seven digits go with exponents of up to 119, eight with 11.
bool real_fits_values(int64_t digits, int64_t exponent);
// One type for each pair; without digits: that of results before they are rounded.
type real_type(model *m, uint32_t digits, uint32_t exponent, span at);

// The number that a value of the type is; the value nearest to a number, false: there is none.
double real_of(const type_info *t, value v);
bool real_round(const type_info *t, double x, value *v);
// A constant in a text has seven digits.
double real_shortened(double x);
double real_const(const model *m, expr e);  // of a REAL_CONST
void real_text(const type_info *t, value v, str *out);
bool real_read(const type_info *t, const char *text, value *v);  // false: it is no such number

expr real_literal(model *m, double x);
bool real_is_literal(const model *m, expr e);
// REAL_ADD to REAL_NEG, REAL_EQ to REAL_LE; of REAL_NEG, b does not count.
expr real_compute(model *m, real_op op, expr a, expr b);
expr real_as(model *m, type to, expr e);    // rounded; without digits: as it is
expr real_fits(model *m, type to, expr e);  // can it be?
expr real_rebuild(model *m, const expr_info *x, const expr *args);
const char *real_op_name(real_op op);

#endif
