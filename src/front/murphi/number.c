// SPDX-License-Identifier: Apache-2.0
// Numbers of Murphi that the model does not have: Rumur computes with 64 bits, a value of the model lies within
// ±(2^31 - 1).
//
// - Constants are folded with more than 64 bits. A range that goes further than values do is cut off there.
// - Comparing with a larger constant is decided by its sign.
// - Arithmetic that may leave the values is preceded by a question whether it does; then the run ends in a fault that
//   is no error of the model (FAULT_LIMIT): the answer is `unknown`, never a verdict. So all that is assigned lies
//   within the values, and what was cut off from a range is never missed.
#include "front/beyond.h"
#include "front/murphi/internal.h"
#include "front/murphi/lower.h"
#include "model/expr.h"

enum { MOST = INT32_MAX };

// ---- constants

static bool fold_name(lowering *l, const murphi_node *n, murphi_wide *out) {
    symbol *s = murphi_find(l, n->name);
    value v = 0;
    if (!s || s->kind != SYMBOL_VALUE) return false;
    if (s->is_large) *out = s->large;
    else if (!s->e.id || !type_is_number(l->m, expr_type(l->m, s->e)) || !expr_is_const(l->m, s->e, &v)) return false;
    else *out = v;
    return true;
}

static bool fold_binary(murphi_kind kind, murphi_wide a, murphi_wide b, murphi_wide *out) {
    murphi_wide negated;
    bool divides = b != 0 && (b != -1 || !__builtin_sub_overflow((murphi_wide)0, a, &negated));
    switch (kind) {
    case MX_ADD: return !__builtin_add_overflow(a, b, out);
    case MX_SUB: return !__builtin_sub_overflow(a, b, out);
    case MX_MUL: return !__builtin_mul_overflow(a, b, out);
    case MX_DIV: return divides && (*out = a / b, true);
    case MX_MOD: return divides && (*out = a % b, true);
    case MX_SHL: return a >= 0 && b >= 0 && b < 62 && a >> (62 - b) == 0 && (*out = a << b, true);
    default: return false;
    }
}

bool murphi_fold(lowering *l, const murphi_node *n, murphi_wide *out) {
    murphi_wide a, b;
    switch (n->kind) {
    case MX_NUMBER: *out = (uint64_t)n->number; return true;
    case MX_NAME: return fold_name(l, n, out);
    case MX_PLUS: return murphi_fold(l, n->kids[0], out);
    case MX_NEG: return murphi_fold(l, n->kids[0], &a) && fold_binary(MX_SUB, 0, a, out);
    case MX_ADD:
    case MX_SUB:
    case MX_MUL:
    case MX_DIV:
    case MX_MOD:
    case MX_SHL:
        return murphi_fold(l, n->kids[0], &a) && murphi_fold(l, n->kids[1], &b) && fold_binary(n->kind, a, b, out);
    default: return false;
    }
}

bool murphi_is_large(murphi_wide x) { return x > MOST || x < -MOST; }

int32_t murphi_cut(int64_t x) { return x > MOST ? MOST : x < -MOST ? -MOST : (int32_t)x; }

static bool fold_large(lowering *l, const murphi_node *n, murphi_wide *out) {
    return murphi_fold(l, n, out) && murphi_is_large(*out);
}

// Where a body computes with such a number, the run ends before; false: there is no body.
static bool stop_before(lowering *l, expr beyond, span at) {
    if (!l->out || !beyond.id) return false;
    stmt *stop = model_fail(l->m, "a number lies beyond ±(2^31 - 1), which is as far as they go here", at);
    stop->is_limit = true;
    const stmt *fail = stop;
    murphi_emit(l, model_if(l->m, beyond, &fail, 1, NULL, 0, at));
    return true;
}

expr murphi_large_constant(lowering *l, const murphi_node *n) {
    murphi_wide x;
    if (!murphi_fold(l, n, &x)) return (expr){0};
    if (!murphi_is_large(x)) return murphi_int(l, (int64_t)x);
    if (stop_before(l, l->m->true_expr, n->at)) return murphi_int(l, 0);
    murphi_error(l, n->at, "this number lies beyond ±(2^31 - 1): it may only bound a range or be compared with");
    return (expr){0};
}

// Comparisons with a large constant: the other side is less, or it is greater. It is still evaluated.
static expr is_above(lowering *l, expr e) { return expr_arith(l->m, E_LT, murphi_int(l, MOST), e); }
static expr is_at_most(lowering *l, expr e) { return expr_arith(l->m, E_LE, e, murphi_int(l, MOST)); }

static bool is_true_if_less(murphi_kind kind) { return kind == MX_LT || kind == MX_LE || kind == MX_NE; }
static bool is_true_if_greater(murphi_kind kind) { return kind == MX_GT || kind == MX_GE || kind == MX_NE; }

bool murphi_compare_large(lowering *l, const murphi_node *n, expr *out) {
    murphi_wide x;
    bool on_right = fold_large(l, n->kids[1], &x), on_left = !on_right && fold_large(l, n->kids[0], &x);
    if (!on_right && !on_left) return false;
    const murphi_node *other = n->kids[on_right ? 0 : 1];
    murphi_wide y;
    bool is_less = on_right == (x > 0);  // the left side is less than the right one
    bool is_known = murphi_fold(l, other, &y);
    if (is_known && murphi_is_large(y)) is_less = on_right ? y < x : x < y;
    bool is_equal = is_known && x == y;
    bool holds = is_equal  ? n->kind == MX_EQ || n->kind == MX_LE || n->kind == MX_GE
                 : is_less ? is_true_if_less(n->kind)
                           : is_true_if_greater(n->kind);
    expr e = is_known ? murphi_int(l, 0) : murphi_number(l, other);
    *out = holds ? is_at_most(l, e) : is_above(l, e);
    return true;
}

// ---- arithmetic

static bool shifts_all_out(lowering *l, expr_kind k, expr b) {
    value by;
    bool is_shift = (k == E_SHL || k == E_SHR) && expr_is_const(l->m, b, &by);
    return is_shift && (k == E_SHL ? by >= 64 : by <= -64);
}

expr murphi_arith(lowering *l, expr_kind kind, expr a, expr b, span at) {
    if (shifts_all_out(l, kind, b)) return expr_arith(l->m, E_MUL, a, murphi_int(l, 0));
    if (expr_arith_fits(l->m, kind, a, b)) return expr_arith(l->m, kind, a, b);
    value x, y = 0;
    bool is_constant = expr_is_const(l->m, a, &x) && expr_is_const(l->m, b, &y);
    if (is_constant && stop_before(l, l->m->true_expr, at)) return murphi_int(l, 0);
    if (!is_constant && stop_before(l, front_is_beyond(l->m, kind, a, b), at)) return expr_arith(l->m, kind, a, b);
    murphi_error(l, at, "a result here may lie beyond ±(2^31 - 1), which is as far as numbers go");
    return (expr){0};
}
