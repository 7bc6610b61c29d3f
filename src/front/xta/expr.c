// SPDX-License-Identifier: Apache-2.0
// Expressions of UPPAAL's languages as expressions of the model. Numbers and truth values convert into each
// other where the other kind is wanted. Quantifiers and sums are unrolled: their variables may choose among
// processes.
//
// An effect inside an expression (i++, a call that writes) is possible where statements are: it is put in
// front, after what stands left of it was kept in a local.
#include "front/beyond.h"
#include "front/xta/internal.h"
#include "model/expr.h"

#include <string.h>

enum { MOST_VALUES = 4096, MOST_VALUES_IN_ALL = 1 << 20 };

expr xint(xlower *w, int64_t n) {
    return expr_const(w->m, model_range(w->m, (int32_t)n, (int32_t)n, (span){0}), (value)n);
}

static expr nothing(xlower *w) { return xint(w, 0); }

// A message, and a value that stands in.
#define refuse(w, ...) (xfail(w, __VA_ARGS__), nothing(w))

expr xas_number(xlower *w, expr e) {
    if (!type_same(expr_type(w->m, e), w->m->bool_type)) return e;
    return expr_ite(w->m, e, xint(w, 1), xint(w, 0));
}

expr xas_bool(xlower *w, expr e) {
    if (type_same(expr_type(w->m, e), w->m->bool_type)) return e;
    return expr_not(w->m, expr_eq(w->m, e, xint(w, 0)));
}

expr xnumber(xlower *w, const xta_ast *a) { return xas_number(w, xexpr(w, a)); }
expr xbool(xlower *w, const xta_ast *a) { return xas_bool(w, xexpr(w, a)); }

bool xconstant(xlower *w, const xta_ast *a, int32_t *out) {
    expr e = xnumber(w, a);
    value v = 0;
    if (w->failed) return false;
    if (!expr_is_const(w->m, e, &v)) return xfail(w, a->at, "this is not a constant");
    *out = v;
    return true;
}

// ---- operators

static expr arith(xlower *w, expr_kind kind, expr a, expr b, span at) {
    value v;
    bool is_division = kind == E_DIV || kind == E_MOD;
    if (is_division && expr_is_const(w->m, b, &v) && v == 0 && !w->out) return refuse(w, at, "division by zero");
    expr e = expr_arith(w->m, kind, a, b);
    if (expr_arith_fits(w->m, kind, a, b)) return expr_at(w->m, e, at);
    expr beyond = front_is_beyond(w->m, kind, a, b);
    if (!beyond.id || expr_is_true(w->m, beyond)) return refuse(w, at, "the number is too large");
    return expr_ite(w->m, beyond, xlimit(w, at), expr_at(w->m, e, at));
}

// Does every value that a can have lie below those of b (or, if it may, at them), and can neither fault?
static bool lies_below(const xlower *w, expr a, expr b, bool may_meet) {
    int64_t alo, ahi, blo, bhi;
    expr_bounds(w->m, a, &alo, &ahi);
    expr_bounds(w->m, b, &blo, &bhi);
    return (may_meet ? ahi <= blo : ahi < blo) && !expr_can_fault(w->m, a) && !expr_can_fault(w->m, b);
}

// Comparisons that the types decide fold, so that loops over bounded numbers end.
static expr xta_compare(xlower *w, xta_op op, expr a, expr b) {
    bool strict = op == OP_LT;
    if (lies_below(w, a, b, !strict)) return w->m->true_expr;
    if (lies_below(w, b, a, strict)) return w->m->false_expr;
    return expr_arith(w->m, strict ? E_LT : E_LE, a, b);
}

expr xin_range(xlower *w, const xtype *ty, expr e, span at) {
    int64_t lo, hi;
    expr_bounds(w->m, e, &lo, &hi);
    if (ty->kind == Y_BOOL || (lo >= ty->lo && hi <= ty->hi)) return e;
    expr fits = expr_and(w->m, xta_compare(w, OP_LE, xint(w, ty->lo), e), xta_compare(w, OP_LE, e, xint(w, ty->hi)));
    return expr_ite(w->m, fits, e, xfaulty(w, at));
}

static bool are_bools(const xlower *w, expr a, expr b) {
    return type_same(expr_type(w->m, a), w->m->bool_type) && type_same(expr_type(w->m, b), w->m->bool_type);
}

expr xchoose(xlower *w, expr c, expr a, expr b) {
    if (are_bools(w, a, b)) return expr_ite(w->m, c, a, b);
    return expr_ite(w->m, c, xas_number(w, a), xas_number(w, b));
}

static expr equal(xlower *w, expr a, expr b) {
    if (are_bools(w, a, b)) return expr_eq(w->m, a, b);
    a = xas_number(w, a);
    b = xas_number(w, b);
    bool differ = lies_below(w, a, b, false) || lies_below(w, b, a, false);
    return differ ? w->m->false_expr : expr_eq(w->m, a, b);
}

expr xbinary(xlower *w, xta_op op, expr a, expr b, span at) {
#define KIND(name, text, level, associates, kind) [OP_##name] = kind,
    static const expr_kind kinds[] = {XTA_OPERATORS(KIND)};
    switch (op) {
    case OP_OR: return expr_or(w->m, xas_bool(w, a), xas_bool(w, b));
    case OP_AND: return expr_and(w->m, xas_bool(w, a), xas_bool(w, b));
    case OP_IMPLY: return expr_implies(w->m, xas_bool(w, a), xas_bool(w, b));
    case OP_EQ: return equal(w, a, b);
    case OP_NE: return expr_not(w->m, equal(w, a, b));
    default: break;
    }
    a = xas_number(w, a);
    b = xas_number(w, b);
    switch (op) {
    case OP_LT: return xta_compare(w, OP_LT, a, b);
    case OP_LE: return xta_compare(w, OP_LE, a, b);
    case OP_GT: return xta_compare(w, OP_LT, b, a);
    case OP_GE: return xta_compare(w, OP_LE, b, a);
    case OP_MIN: return expr_ite(w->m, xta_compare(w, OP_LE, a, b), a, b);
    case OP_MAX: return expr_ite(w->m, xta_compare(w, OP_LE, a, b), b, a);
    default: return arith(w, kinds[op], a, b, at);
    }
}

// Keeps a value that later effects would change.
static expr xta_kept(xlower *w, expr e, span at) {
    value v;
    if (expr_is_const(w->m, e, &v)) return e;
    xlocal *l = xlocal_new(w, "kept", xtype_of_expr(w, e), (expr){0});
    xlocal_set(w, l, e, at);
    return xlocal_get(w, l);
}

// The left side decides: what stands right of it is not evaluated, so `i < N && a[i]` may have a constant i = N.
static bool xta_is_settled(xlower *w, xta_op op, expr left) {
    value v;
    if (op != OP_AND && op != OP_OR && op != OP_IMPLY) return false;
    return expr_is_const(w->m, left, &v) && (v != 0) == (op == OP_OR);
}

// == and != of structs and arrays.
static expr compare_structured(xlower *w, const xta_ast *a) {
    xplace x = xvalue(w, a->args[0]);
    if (w->failed) return nothing(w);
    if (w->out && xhas_effect(w, a->args[1])) x = xkept(w, &x, a->at);
    xplace y = xvalue(w, a->args[1]);
    expr same = w->failed ? nothing(w) : xsame(w, &x, &y, a->at);
    if (w->failed) return nothing(w);
    return expr_at(w->m, a->op == OP_EQ ? same : expr_not(w->m, same), a->at);
}

static expr lower_binary(xlower *w, const xta_ast *a) {
    bool is_equation = a->op == OP_EQ || a->op == OP_NE;
    if (is_equation && xis_structured(w, a->args[0])) return compare_structured(w, a);
    if (w->in_query && a->op >= OP_EQ && a->op <= OP_GE && xhas_clock(w, a)) return xclock_atom(w, a);
    bool effect = w->out && xhas_effect(w, a->args[1]);
    if (effect && (a->op == OP_AND || a->op == OP_OR || a->op == OP_IMPLY))
        return refuse(w, a->args[1]->at, "an effect that depends on a condition is not supported inside an expression");
    expr x = xexpr(w, a->args[0]);
    if (w->failed) return nothing(w);
    if (xta_is_settled(w, a->op, x)) return expr_bool(w->m, a->op != OP_AND);
    if (effect) x = xta_kept(w, x, a->at);
    expr y = xexpr(w, a->args[1]);
    return w->failed ? nothing(w) : expr_at(w->m, xbinary(w, a->op, x, y, a->at), a->at);
}

static expr lower_unary(xlower *w, const xta_ast *a) {
    if (a->op == OP_NOT) return expr_not(w->m, xbool(w, a->args[0]));
    expr x = xnumber(w, a->args[0]);
    if (w->failed || a->op == OP_PLUS) return x;
    return arith(w, E_NEG, x, x, a->at);
}

// i++, ++i: the value before or after; the write is a statement in front.
static expr xta_expr_lower_step(xlower *w, const xta_ast *a) {
    if (!w->out) return refuse(w, a->at, "a variable cannot be changed here");
    xplace p = xplace_of(w, a->args[0]);
    expr before = xread(w, &p, a->at);
    if (w->failed) return nothing(w);
    if (a->is_postfix) before = xta_kept(w, before, a->at);
    xupdate(w, a);
    return a->is_postfix ? before : xread(w, &p, a->at);
}

static expr lower_cond(xlower *w, const xta_ast *a) {
    expr c = xbool(w, a->args[0]);
    value v;
    if (!w->failed && expr_is_const(w->m, c, &v)) return xexpr(w, a->args[v ? 1 : 2]);
    if (w->out && (xhas_effect(w, a->args[1]) || xhas_effect(w, a->args[2])))
        xfail(w, a->at, "an effect that depends on a condition is not supported inside an expression");
    expr x = xexpr(w, a->args[1]), y = xexpr(w, a->args[2]);
    if (w->failed) return nothing(w);
    return xchoose(w, c, x, y);
}

// ---- quantifiers

void xfor_values(xlower *w, const char *name, const xtype *ty, span at, xeach each, void *context) {
    if (w->failed) return;
    if (ty->kind == Y_BOOL) ty = xtype_int(w, 0, 1);
    if (ty->kind != Y_INT || xtype_count(ty) > MOST_VALUES) {
        xfail(w, at, "this type has too many values to go through");
        return;
    }
    const xscope *outer = w->scope;
    for (int32_t i = ty->lo; i <= ty->hi && !w->failed; i++) {
        if (++w->nvalues > MOST_VALUES_IN_ALL) xfail(w, at, "quantifiers and loops go through too many values");
        xscope *s = xscope_new(w, outer);
        xscope_bind(w, s, name, at, (xplace){.kind = P_VALUE, .ty = ty, .value = xint(w, i)})->is_const = true;
        w->scope = s;
        each(w, context);
    }
    w->scope = outer;
}

typedef struct {
    const xta_ast *a;
    VEC(expr) parts;
} collecting;

static void xta_collect(xlower *w, void *context) {
    collecting *c = context;
    expr e = xexpr(w, c->a->args[0]);
    if (w->failed) return;
    vec_push(&c->parts, c->a->kind == X_SUM ? xas_number(w, e) : xas_bool(w, e));
}

static expr xta_lower_quantifier(xlower *w, const xta_ast *a) {
    collecting c = {.a = a};
    xfor_values(w, a->name, xtype_of(w, a->type), a->at, xta_collect, &c);
    expr e = a->kind == X_FORALL   ? expr_and_all(w->m, c.parts.data, c.parts.len)
             : a->kind == X_EXISTS ? expr_or_all(w->m, c.parts.data, c.parts.len)
                                   : xint(w, 0);
    for (uint32_t i = 0; a->kind == X_SUM && i < c.parts.len; i++) e = arith(w, E_ADD, e, c.parts.data[i], a->at);
    vec_free(&c.parts);
    return e;
}

// ---- all

static expr xta_lower_call(xlower *w, const xta_ast *a) {
    xplace p = xcall_value(w, a);
    if (w->failed || p.kind == P_NONE) return w->m->false_expr;
    return xread(w, &p, a->at);
}

static expr xta_lower_place(xlower *w, const xta_ast *a) {
    xplace p = xplace_of(w, a);
    return xread(w, &p, a->at);
}

// INT32_MIN is one below what values can be: what is computed with it is a limit of ours.
static bool is_least_number(xlower *w, const xta_ast *a) {
    return str_same(a->name, "INT32_MIN") && !xscope_find(w, w->scope, a->name);
}

expr xexpr(xlower *w, const xta_ast *a) {
    if (w->failed) return nothing(w);
    switch (a->kind) {
    case X_NUMBER:
        if (a->number <= INT32_MAX) return xint(w, a->number);
        return refuse(w, a->at, "the number is too large");
    case X_BOOL: return expr_bool(w->m, a->number != 0);
    case X_NAME:
        if (is_least_number(w, a)) return xlimit(w, a->at);
        return xta_lower_place(w, a);
    case X_INDEX:
    case X_FIELD: return xta_lower_place(w, a);
    case X_CALL: return xta_lower_call(w, a);
    case X_UNARY: return lower_unary(w, a);
    case X_BINARY: return lower_binary(w, a);
    case X_STEP: return xta_expr_lower_step(w, a);
    case X_COND: return lower_cond(w, a);
    case X_FORALL:
    case X_EXISTS:
    case X_SUM: return xta_lower_quantifier(w, a);
    case X_DEADLOCK:
        if (w->in_query) return xdeadlock(w);
        return refuse(w, a->at, "'deadlock' is for queries");
    case X_DOUBLE: return refuse(w, a->at, "%s", XTA_NO_DOUBLE);
    case X_RATE: return refuse(w, a->at, "the rate of a clock is set in an invariant only");
    case X_ASSIGN: xfail(w, a->at, "an assignment inside an expression is not supported"); return nothing(w);
    case X_LIST:
    case X_MEMBER: xfail(w, a->at, "a list has no place here"); return nothing(w);
    }
    return nothing(w);
}
