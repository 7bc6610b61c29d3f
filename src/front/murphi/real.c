// SPDX-License-Identifier: Apache-2.0
// Real numbers of Murphi (model/real.h says what they are): CMurphi's `real(m, e)`, as far as values tell its numbers
// apart. Between whole numbers and real ones everything is real; what is stored is rounded to its type.
#include "front/murphi/internal.h"
#include "front/murphi/lower.h"
#include "model/expr.h"
#include "model/real.h"

bool murphi_is_real(const lowering *l, expr e) { return e.id && type_is_real(l->m, expr_type(l->m, e)); }

const murphi_type *murphi_real_type(lowering *l, const murphi_node *n) {
    int64_t digits, exponent;
    if (!murphi_constant(l, n->kids[0], &digits) || !murphi_constant(l, n->kids[1], &exponent)) return NULL;
    if (real_fits_values(digits, exponent))
        return murphi_simple(l, real_type(l->m, (uint32_t)digits, (uint32_t)exponent, n->at));
    murphi_error(l, n->at, "real(%lld, %lld) is too large: seven digits go with exponents of up to 119, six with 308",
                 (long long)digits, (long long)exponent);
    return NULL;
}

static bool is_quantity(const lowering *l, expr e) {
    return murphi_is_real(l, e) || type_is_number(l->m, expr_type(l->m, e));
}

static bool real_op_of(murphi_kind kind, real_op *op) {
    switch (kind) {
    case MX_ADD: *op = REAL_ADD; return true;
    case MX_SUB: *op = REAL_SUB; return true;
    case MX_MUL: *op = REAL_MUL; return true;
    case MX_DIV: *op = REAL_DIV; return true;
    case MX_NEG: *op = REAL_NEG; return true;
    case MX_EQ: *op = REAL_EQ; return true;
    case MX_GT:
    case MX_LT: *op = REAL_LT; return true;
    case MX_GE:
    case MX_LE: *op = REAL_LE; return true;
    default: return false;
    }
}

expr murphi_compute(lowering *l, const murphi_node *n, expr a, expr b) {
    real_op op;
    if (!is_quantity(l, a) || !is_quantity(l, b)) murphi_error(l, n->at, "a real number goes with numbers only");
    else if (!real_op_of(n->kind, &op)) murphi_error(l, n->at, "real numbers have + - * / and comparisons");
    else if (n->kind == MX_GT || n->kind == MX_GE) return real_compute(l->m, op, b, a);
    else return real_compute(l->m, op, a, b);
    return (expr){0};
}

// The type of what is one or the other; id 0: none of them is real.
type murphi_real_common(lowering *l, expr a, expr b) {
    bool is_same = type_same(expr_type(l->m, a), expr_type(l->m, b));
    if ((!murphi_is_real(l, a) && !murphi_is_real(l, b)) || !is_quantity(l, a) || !is_quantity(l, b)) return (type){0};
    return is_same ? expr_type(l->m, a) : real_type(l->m, 0, 0, (span){0});
}

expr murphi_as_real(lowering *l, expr e, type to, span at) {
    if (is_quantity(l, e)) return expr_at(l->m, real_as(l->m, to, e), at);
    murphi_wrong_type(l, at, "a number", murphi_simple(l, expr_type(l->m, e)));
    return (expr){0};
}
