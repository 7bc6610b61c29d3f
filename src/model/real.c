// SPDX-License-Identifier: Apache-2.0
// See real.h. Value v > 0 of a type of m digits is mantissa * 10^exponent, where the mantissa has m digits: exponents
// count first, and within one exponent the mantissa. -v is the negative number.
#include "model/real.h"

#include "model/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- numbers and values

static int64_t least_mantissa(uint32_t digits) {
    int64_t n = 1;
    for (uint32_t i = 1; i < digits; i++) n *= 10;
    return n;
}

bool real_fits_values(int64_t digits, int64_t exponent) {
    return digits >= 1 && digits <= 9 && exponent >= 1 && exponent <= 308 &&
           9 * least_mantissa((uint32_t)digits) * 2 * exponent <= INT32_MAX;
}

type real_type(model *m, uint32_t digits, uint32_t exponent, span at) {
    const char *name = digits ? arena_printf(m->memory, "real(%u, %u)", digits, exponent) : "real";
    type known = model_find_type(m, name);
    if (known.id) return known;
    int32_t most = digits ? (int32_t)(9 * least_mantissa(digits) * 2 * exponent) : 0;
    return model_add_type(m, (type_info){.kind = TYPE_REAL,
                                         .name = name,
                                         .at = at,
                                         .lo = -most,
                                         .hi = most,
                                         .digits = digits,
                                         .exponent = exponent});
}

// Powers of ten up to 22 are doubles, so the result is the nearest one.
static double scaled(double mantissa, int exponent) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (exponent >= 0 && exponent <= 22) return mantissa * powers[exponent];
    if (exponent < 0 && exponent >= -22) return mantissa / powers[-exponent];
    char text[64];
    snprintf(text, sizeof text, "%.0fe%d", mantissa, exponent);
    return strtod(text, NULL);
}

double real_of(const type_info *t, value v) {
    if (!v) return 0;
    int64_t least = least_mantissa(t->digits), at = (v < 0 ? -(int64_t)v : v) - 1;
    int exponent = (int)(at / (9 * least)) - (int)t->exponent + 1;  // of the first digit
    double x = scaled((double)(least + at % (9 * least)), exponent - (int)t->digits + 1);
    return v < 0 ? -x : x;
}

// Too small for the type is zero, as for CMurphi; so is -0, which CMurphi takes for undefined.
bool real_round(const type_info *t, double x, value *v) {
    char text[64];
    int64_t mantissa = 0, least = least_mantissa(t->digits);
    if (!isfinite(x)) return false;
    snprintf(text, sizeof text, "%.*e", (int)t->digits - 1, fabs(x));
    int exponent = atoi(strchr(text, 'e') + 1);
    for (const char *p = text; *p != 'e'; p++)
        if (*p != '.') mantissa = mantissa * 10 + (*p - '0');
    if (exponent > (int)t->exponent) return false;
    bool is_zero = !mantissa || exponent < 1 - (int)t->exponent;
    int64_t at = is_zero ? 0 : (exponent + (int64_t)t->exponent - 1) * 9 * least + mantissa - least + 1;
    *v = (value)(x < 0 ? -at : at);
    return true;
}

double real_shortened(double x) {
    char text[64];
    snprintf(text, sizeof text, "%.6e", x);
    return strtod(text, NULL);
}

void real_text(const type_info *t, value v, str *out) { str_printf(out, "%.*g", (int)t->digits, real_of(t, v)); }

bool real_read(const type_info *t, const char *text, value *v) {
    char *end;
    double x = strtod(text, &end);
    return end != text && !*end && real_round(t, x, v);
}

// ---- expressions

static type unrounded(model *m) { return real_type(m, 0, 0, (span){0}); }

enum { PART = 24 };  // bits of a part of a constant

expr real_literal(model *m, double x) {
    uint64_t bits;
    expr parts[3];
    memcpy(&bits, &x, sizeof bits);
    for (uint32_t i = 0; i < 3; i++) {
        int32_t part = (int32_t)(bits >> (i * PART) & ((1 << PART) - 1));
        parts[i] = expr_const(m, model_range(m, part, part, (span){0}), part);
    }
    return expr_real(m, unrounded(m), REAL_CONST, parts, 3);
}

bool real_is_literal(const model *m, expr e) {
    return expr_kind_of(m, e) == E_REAL && expr_of(m, e)->ref == REAL_CONST;
}

double real_const(const model *m, expr e) {
    uint64_t bits = 0;
    double x;
    for (uint32_t i = 0; i < 3; i++) bits |= (uint64_t)expr_of(m, expr_arg(m, e, i))->ref << (i * PART);
    memcpy(&x, &bits, sizeof x);
    return x;
}

// What CMurphi works out while it reads: constants of a text, and what is made of them.
static bool is_known(const model *m, expr e, double *x) {
    const expr_info *i = expr_of(m, e);
    value v;
    if (real_is_literal(m, e)) return *x = real_const(m, e), true;
    return !type_is_real(m, i->ty) && expr_is_const(m, e, &v) && (*x = v, true);
}

static bool folds(real_op op, double a, double b, double *x) {
    switch (op) {
    case REAL_ADD: *x = a + b; return true;
    case REAL_SUB: *x = a - b; return true;
    case REAL_MUL: *x = a * b; return true;
    case REAL_DIV: *x = b != 0 ? a / b : 0; return b != 0;
    case REAL_NEG: *x = -a; return true;
    default: return false;
    }
}

// Values of one type compare as their numbers; so does one with a constant that is a value of its type.
static bool same_scale(model *m, expr *a, expr *b) {
    type t = expr_type(m, *a), u = expr_type(m, *b);
    double x;
    value v;
    if (type_is_exact(m, t) && type_same(t, u)) return true;
    if (!type_is_exact(m, t) || !is_known(m, *b, &x)) return false;
    x = type_is_real(m, u) ? real_shortened(x) : x;
    if (!real_round(type_of(m, t), x, &v) || real_of(type_of(m, t), v) != x) return false;
    *b = expr_const(m, t, v);
    return true;
}

static expr real_comparison(model *m, real_op op, expr a, expr b) {
    if (!same_scale(m, &a, &b) && !same_scale(m, &b, &a)) return expr_real(m, m->bool_type, op, (expr[]){a, b}, 2);
    return op == REAL_EQ ? expr_eq(m, a, b) : expr_arith(m, op == REAL_LT ? E_LT : E_LE, a, b);
}

expr real_compute(model *m, real_op op, expr a, expr b) {
    double x = 0, y = 0, result;
    if (op >= REAL_EQ) return real_comparison(m, op, a, b);
    bool is_one = op == REAL_NEG;
    if (is_known(m, a, &x) && (is_one || is_known(m, b, &y)) && folds(op, x, y, &result))
        return real_literal(m, result);
    return expr_real(m, unrounded(m), op, (expr[]){a, b}, is_one ? 1 : 2);
}

expr real_as(model *m, type to, expr e) {
    double x;
    value v;
    if (type_same(expr_type(m, e), to)) return e;
    if (!type_is_exact(m, to)) return expr_real(m, to, REAL_ITSELF, &e, 1);
    bool is_literal = is_known(m, e, &x);
    if (is_literal && type_is_real(m, expr_type(m, e))) x = real_shortened(x);
    if (is_literal && real_round(type_of(m, to), x, &v)) return expr_const(m, to, v);
    return expr_real(m, to, REAL_ROUND, &e, 1);
}

expr real_fits(model *m, type to, expr e) {
    return expr_real(m, m->bool_type, REAL_FITS, (expr[]){e, expr_const(m, to, 0)}, 2);
}

expr real_rebuild(model *m, const expr_info *x, const expr *args) {
    real_op op = (real_op)x->ref;
    if (op == REAL_ROUND) return real_as(m, x->ty, args[0]);
    if (op == REAL_CONST || op == REAL_ITSELF || op == REAL_FITS) return expr_real(m, x->ty, op, args, x->nargs);
    return real_compute(m, op, args[0], x->nargs > 1 ? args[1] : args[0]);
}

const char *real_op_name(real_op op) {
    static const char *const names[] = {
        [REAL_ITSELF] = "number",    [REAL_ADD] = "real_sum",      [REAL_SUB] = "real_difference",
        [REAL_MUL] = "real_product", [REAL_DIV] = "real_quotient", [REAL_NEG] = "real_negative",
        [REAL_ROUND] = "round",      [REAL_FITS] = "fits",         [REAL_EQ] = "real_equal",
        [REAL_LT] = "real_less",     [REAL_LE] = "real_at_most"};
    return names[op];
}
