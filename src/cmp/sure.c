// SPDX-License-Identifier: Apache-2.0
// See sure.h. Follows the reading order of model/model.h: `&`, `|`, `->` and `if` stop early, quantifiers do not.
#include "cmp/sure.h"

#include "model/expr.h"

static expr all_args(model *m, const expr_info *x) {
    expr e = m->true_expr;
    for (uint32_t i = 0; i < x->nargs; i++) e = expr_and(m, e, sure_has_value(m, x->args[i]));
    return e;
}

// The argument lies in the formal's range.
static expr in_range(model *m, expr a, type formal) {
    if (!type_is_number(m, formal)) return m->true_expr;
    int64_t lo, hi;
    const type_info t = *type_of(m, formal);
    expr e = m->true_expr;
    expr_bounds(m, a, &lo, &hi);
    if (lo < t.lo) e = expr_and(m, e, expr_arith(m, E_LE, expr_const(m, formal, t.lo), a));
    if (hi > t.hi) e = expr_and(m, e, expr_arith(m, E_LE, a, expr_const(m, formal, t.hi)));
    return e;
}

static expr cell(model *m, const expr_info *x) {
    const func_info f = *func_of(m, (func){x->ref});
    expr e = all_args(m, x);
    for (uint32_t i = 0; i < x->nargs; i++) e = expr_and(m, e, in_range(m, x->args[i], f.args[i]));
    return x->kind == E_APP ? expr_and(m, e, expr_defined(m, (func){x->ref}, x->args)) : e;
}

// After a condition that is known to have a value: nothing more to say is nothing to say.
static expr implies(model *m, expr a, expr b) { return expr_is_true(m, b) ? b : expr_implies(m, a, b); }

// The arguments are read one after the other until one is `stop`.
static expr until(model *m, const expr_info *x, bool stop) {
    expr e = m->true_expr;
    for (uint32_t i = x->nargs; i-- > 0;) {
        expr goes_on = stop ? expr_not(m, x->args[i]) : x->args[i];
        e = expr_and(m, sure_has_value(m, x->args[i]), implies(m, goes_on, e));
    }
    return e;
}

expr sure_has_value(model *m, expr e) {
    const expr_info x = *expr_of(m, e);
    if (!x.can_fault) return m->true_expr;
    switch (x.kind) {
    case E_APP:
    case E_DEFINED: return cell(m, &x);
    case E_AND: return until(m, &x, false);
    case E_OR: return until(m, &x, true);
    case E_IMPLIES: {
        expr then = implies(m, x.args[0], sure_has_value(m, x.args[1]));
        return expr_and(m, sure_has_value(m, x.args[0]), then);
    }
    case E_ITE: {
        expr a = sure_has_value(m, x.args[1]), b = sure_has_value(m, x.args[2]);
        bool is_same = expr_same(a, b);
        return expr_and(m, sure_has_value(m, x.args[0]), is_same ? a : expr_ite(m, x.args[0], a, b));
    }
    case E_FORALL:
    case E_EXISTS:
    case E_COUNT: return expr_quantify(m, E_FORALL, (var){x.ref}, sure_has_value(m, x.args[0]));
    case E_NARROW: return expr_and(m, all_args(m, &x), expr_is(m, (type){x.ref}, x.args[0]));
    case E_DIV:
    case E_MOD: {
        expr zero = expr_const(m, expr_type(m, x.args[1]), 0);
        return expr_and(m, all_args(m, &x), expr_not(m, expr_eq(m, x.args[1], zero)));
    }
    case E_CALL: return sure_has_value(m, expr_inline(m, e));
    default: return all_args(m, &x);
    }
}

expr sure_holds(model *m, expr e) { return expr_and(m, sure_has_value(m, e), e); }
