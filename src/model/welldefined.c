// SPDX-License-Identifier: Apache-2.0
// See welldefined.h. Follows the reading order of model/model.h: `&`, `|`, `->` and `if` stop early, quantifiers do
// not. What is below a large expression is looked at once.
#include "model/welldefined.h"

#include "model/expr.h"
#include "model/real.h"

enum { LARGE = 64 };  // expr_info.weight

typedef struct {
    model *m;
    map *known;  // of large expressions; NULL: there was none so far
} defining;

static expr where_of(defining *d, expr e);

static expr all_args(defining *d, const expr_info *x) {
    expr e = d->m->true_expr;
    for (uint32_t i = 0; i < x->nargs; i++) e = expr_and(d->m, e, where_of(d, x->args[i]));
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

static expr where_cell(defining *d, const expr_info *x) {
    model *m = d->m;
    const func_info f = *func_of(m, (func){x->ref});
    expr e = all_args(d, x);
    for (uint32_t i = 0; i < x->nargs; i++) e = expr_and(m, e, in_range(m, x->args[i], f.args[i]));
    return x->kind == E_APP ? expr_and(m, e, expr_defined(m, (func){x->ref}, x->args)) : e;
}

// After a condition that is known to have a value: nothing more to say is nothing to say.
static expr then_where(model *m, expr a, expr b) { return expr_is_true(m, b) ? b : expr_implies(m, a, b); }

// The arguments are read one after the other until one is `stop`.
static expr where_until(defining *d, const expr_info *x, bool stop) {
    model *m = d->m;
    expr e = m->true_expr;
    for (uint32_t i = x->nargs; i-- > 0;) {
        expr goes_on = stop ? expr_not(m, x->args[i]) : x->args[i];
        e = expr_and(m, where_of(d, x->args[i]), then_where(m, goes_on, e));
    }
    return e;
}

bool welldefined_is_said(const model *m, expr e) {
    const expr_info *x = expr_of(m, e), *then = x->kind == E_ITE ? expr_of(m, x->args[1]) : x;
    return x->kind == E_ITE && then->kind == E_APP && func_of(m, (func){then->ref})->is_said;
}

static expr where_plain(defining *d, expr e) {
    model *m = d->m;
    const expr_info x = *expr_of(m, e);
    switch (x.kind) {
    case E_APP:
    case E_DEFINED: return where_cell(d, &x);
    case E_AND: return where_until(d, &x, false);
    case E_OR: return where_until(d, &x, true);
    case E_IMPLIES: {
        expr then = then_where(m, x.args[0], where_of(d, x.args[1]));
        return expr_and(m, where_of(d, x.args[0]), then);
    }
    case E_ITE: {
        if (welldefined_is_said(m, e)) return expr_and(m, where_of(d, x.args[0]), expr_not(m, x.args[0]));
        expr a = where_of(d, x.args[1]), b = where_of(d, x.args[2]);
        bool is_same = expr_same(a, b);
        return expr_and(m, where_of(d, x.args[0]), is_same ? a : expr_ite(m, x.args[0], a, b));
    }
    case E_FORALL:
    case E_EXISTS:
    case E_COUNT: return expr_quantify(m, E_FORALL, (var){x.ref}, where_of(d, x.args[0]));
    case E_REAL: {
        expr all = all_args(d, &x);
        return x.ref == REAL_ROUND ? expr_and(m, all, real_fits(m, x.ty, x.args[0])) : all;
    }
    case E_NARROW: return expr_and(m, all_args(d, &x), expr_is(m, (type){x.ref}, x.args[0]));
    case E_DIV:
    case E_MOD: {
        expr zero = expr_const(m, expr_type(m, x.args[1]), 0);
        return expr_and(m, all_args(d, &x), expr_not(m, expr_eq(m, x.args[1], zero)));
    }
    case E_CALL: return where_of(d, expr_inline(m, e));
    default: return all_args(d, &x);
    }
}

static expr where_of(defining *d, expr e) {
    const expr_info *x = expr_of(d->m, e);
    if (!x->can_fault) return d->m->true_expr;
    if (x->weight <= LARGE) return where_plain(d, e);
    if (!d->known) d->known = map_new();
    expr known = {map_get(d->known, &e.id, sizeof e.id, 0)};
    if (known.id) return known;
    known = where_plain(d, e);
    map_put(d->known, &e.id, sizeof e.id, known.id);
    return known;
}

expr welldefined_as_known(model *m, map *known, expr e) {
    defining d = {.m = m, .known = known};
    return where_of(&d, e);
}

expr welldefined_where(model *m, expr e) {
    defining d = {.m = m};
    expr where = where_of(&d, e);
    map_free(d.known);
    return where;
}

expr welldefined_holds(model *m, expr e) { return expr_and(m, welldefined_where(m, e), e); }

expr welldefined_as(model *m, type ty, expr e) {
    const type_info r = *type_of(m, ty);
    int64_t lo, hi;
    if (!type_is_number(m, ty)) return m->true_expr;
    expr_bounds(m, e, &lo, &hi);
    expr above = lo < r.lo ? expr_arith(m, E_LE, expr_const(m, ty, r.lo), e) : m->true_expr;
    expr below = hi > r.hi ? expr_arith(m, E_LE, e, expr_const(m, ty, r.hi)) : m->true_expr;
    return expr_and(m, above, below);
}
