// SPDX-License-Identifier: Apache-2.0
// Results beyond ±(2^31 - 1): see beyond.h. What is asked can be computed without going beyond.
#include "front/beyond.h"

#include "model/expr.h"

enum { MOST = INT32_MAX };

static expr beyond_int(model *m, int32_t n) { return expr_const(m, model_range(m, n, n, (span){0}), n); }
static expr beyond_less(model *m, expr a, expr b) { return expr_arith(m, E_LT, a, b); }
static expr beyond_negated(model *m, expr a) { return expr_arith(m, E_NEG, a, a); }

// |a| > limit, for a limit that is not negative
static expr beyond_exceeds(model *m, expr a, expr limit) {
    return expr_or(m, beyond_less(m, limit, a), beyond_less(m, a, beyond_negated(m, limit)));
}

static expr sum_is_beyond(model *m, expr a, expr b) {
    expr above = beyond_less(m, expr_arith(m, E_SUB, beyond_int(m, MOST), b), a);
    expr below = beyond_less(m, a, expr_arith(m, E_SUB, beyond_int(m, -MOST), b));
    return expr_ite(m, beyond_less(m, beyond_int(m, 0), b), above, below);
}

static expr product_is_beyond(model *m, expr a, expr b) {
    expr zero = beyond_int(m, 0), size = expr_ite(m, beyond_less(m, b, zero), beyond_negated(m, b), b);
    expr limit = expr_arith(m, E_DIV, beyond_int(m, MOST), size);
    return expr_ite(m, expr_eq(m, b, zero), m->false_expr, beyond_exceeds(m, a, limit));
}

// a << b, which is a >> -b where b is negative. By 64 places and more, nothing is left, which Rumur takes for right.
static expr shift_is_beyond(model *m, expr a, expr b) {
    expr zero = beyond_int(m, 0), limit = expr_arith(m, E_SHR, beyond_int(m, MOST), b);
    expr far = expr_arith(m, E_LE, beyond_int(m, 31), b);
    expr here = expr_ite(m, far, expr_not(m, expr_eq(m, a, zero)), beyond_exceeds(m, a, limit));
    expr is_plain = expr_or(m, beyond_less(m, b, zero), expr_arith(m, E_LE, beyond_int(m, 64), b));
    return expr_ite(m, is_plain, m->false_expr, here);
}

// Of two numbers, bits give -2^31 and nothing else that is beyond: the sign is left, and no other bit.
static expr low_bits(model *m, expr a) { return expr_arith(m, E_BITAND, a, beyond_int(m, MOST)); }

static expr and_is_beyond(model *m, expr a, expr b) {
    expr zero = beyond_int(m, 0), rest = expr_arith(m, E_BITAND, low_bits(m, a), low_bits(m, b));
    return expr_and(m, expr_and(m, beyond_less(m, a, zero), beyond_less(m, b, zero)), expr_eq(m, rest, zero));
}

static expr xor_is_beyond(model *m, expr a, expr b) {
    expr zero = beyond_int(m, 0);
    expr same = expr_eq(m, beyond_less(m, a, zero), beyond_less(m, b, zero));
    return expr_and(m, expr_not(m, same), expr_eq(m, low_bits(m, a), low_bits(m, b)));
}

expr front_is_beyond(model *m, expr_kind kind, expr a, expr b) {
    switch (kind) {
    case E_ADD: return sum_is_beyond(m, a, b);
    case E_SUB: return sum_is_beyond(m, a, beyond_negated(m, b));
    case E_MUL: return product_is_beyond(m, a, b);
    case E_SHL: return shift_is_beyond(m, a, b);
    case E_SHR: return shift_is_beyond(m, a, beyond_negated(m, b));
    case E_BITAND: return and_is_beyond(m, a, b);
    case E_BITOR: return m->false_expr;
    case E_BITXOR: return xor_is_beyond(m, a, b);
    case E_BITNOT: return expr_eq(m, a, beyond_int(m, MOST));
    default: return (expr){0};
    }
}
