// SPDX-License-Identifier: Apache-2.0
// Expressions of UPPAAL's languages as expressions of the model. Numbers and truth values convert into each
// other where the other kind is wanted. Quantifiers and sums are unrolled: their variables may choose among
// processes.
//
// An effect inside an expression (i++, a call that writes) is possible where statements are: it is put in
// front, after what stands left of it was kept in a local.
#include "front/xta/internal.h"

#include <string.h>

enum { MOST_VALUES = 4096, MOST_VALUES_IN_ALL = 1 << 20 };

expr xint(xlower *w, int64_t n) {
    return expr_const(w->m, model_range(w->m, (int32_t)n, (int32_t)n, (span){0}), (value)n);
}

static expr nothing(xlower *w) { return xint(w, 0); }

// A message, and a value that stands in.
#define refuse(w, ...)       (xfail(w, __VA_ARGS__), nothing(w))
#define refuse_place(w, ...) (xfail(w, __VA_ARGS__), (xplace){0})

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

// ---- places

bool xis_place(const xta_ast *a) { return a->kind == X_NAME || a->kind == X_INDEX || a->kind == X_FIELD; }

static xplace named_place(xlower *w, const xta_ast *a) {
    const xsym *sym = xscope_find(w, w->scope, a->name);
    if (sym && sym->kind == SYM_PLACE) return sym->place;
    return refuse_place(w, a->at, sym ? "'%s' is not a variable" : "'%s' is not declared", a->name);
}

static xplace indexed_place(xlower *w, const xta_ast *a) {
    xplace p = xplace_of(w, a->args[0]);
    if (w->failed) return p;
    if (p.ty->kind != Y_ARRAY || p.kind == P_VALUE) return refuse_place(w, a->args[0]->at, "this is not an array");
    expr index = xnumber(w, a->args[1]);
    value v;
    if (w->failed) return p;
    if (expr_is_const(w->m, index, &v) && (v < p.ty->lo || v > p.ty->hi) && !w->in_query && !w->out && !w->call)
        xfail(w, a->args[1]->at, "index %d is not within %d..%d", v, p.ty->lo, p.ty->hi);
    if (p.nindex == XTA_MOST_INDICES) xfail(w, a->at, "there are too many indices");
    if (w->failed) return p;
    p.index[p.nindex++] = index;
    if (p.kind == P_STORE) p.store = p.store->kids[0];
    p.ty = p.ty->element;
    return p;
}

// The process that P or P(1) names; NULL: none.
xprocess *xprocess_of(xlower *w, const xta_ast *a) {
    const xsym *sym = a->kind == X_NAME || a->kind == X_CALL ? xscope_find(w, w->scope, a->name) : NULL;
    if (a->kind == X_NAME) return sym && sym->kind == SYM_PLACE ? NULL : xprocess_find(w, a->name);
    if (a->kind != X_CALL || (sym && sym->kind == SYM_FUNC)) return NULL;
    str name = {0};
    str_printf(&name, "%s(", a->name);
    for (uint32_t i = 0; i < a->nargs; i++) {
        int32_t v = 0;
        if (!xconstant(w, a->args[i], &v)) break;
        str_printf(&name, "%s%d", i ? "," : "", v);
    }
    str_char(&name, ')');
    xprocess *p = xprocess_find(w, str_get(&name));
    if (!p) xfail(w, a->at, "there is no process '%s'", str_get(&name));
    str_free(&name);
    return p;
}

static xplace value_place(xlower *w, expr e) {
    return (xplace){.kind = P_VALUE, .ty = xtype_of_expr(w, e), .value = e};
}

static xplace process_member(xlower *w, const xprocess *p, const xta_ast *a) {
    const xsym *sym = xscope_own(w, p->scope, a->name);
    uint32_t location = xta_location_named(p->templ, a->name);
    if (location != UINT32_MAX) return value_place(w, xlocation_is(w, p, location));
    if (sym && sym->kind == SYM_PLACE) return sym->place;
    return refuse_place(w, a->at, "process '%s' has no location or variable '%s'", p->name, a->name);
}

// Member i of the structs that stand under `depth` indices, as a constant array of its own.
static const xconst *const_member(xlower *w, const xconst *c, uint32_t depth, uint32_t i) {
    if (!depth) return c->kids[i];
    xconst *out = arena_copy(w->file->memory, c, sizeof *c);
    out->kids = arena_alloc(w->file->memory, (c->nkids + 1) * sizeof *out->kids);
    for (uint32_t k = 0; k < c->nkids; k++) out->kids[k] = (xconst *)const_member(w, c->kids[k], depth - 1, i);
    return out;
}

static xplace field_place(xlower *w, const xta_ast *a) {
    const xprocess *process = xprocess_of(w, a->args[0]);
    if (w->failed) return (xplace){0};
    if (process) return process_member(w, process, a);
    if (!xis_place(a->args[0])) return refuse_place(w, a->args[0]->at, "this has no members");
    xplace p = xplace_of(w, a->args[0]);
    if (w->failed) return p;
    const xsym *sym = p.ty->kind == Y_STRUCT ? xscope_own(w, p.ty->scope, a->name) : NULL;
    if (!sym) return refuse_place(w, a->at, "this has no member '%s'", a->name);
    if (p.kind == P_STORE) p.store = p.store->kids[sym->member];
    else if (p.kind == P_CONST) p.constant = const_member(w, p.constant, p.nindex, sym->member);
    p.ty = p.ty->members[sym->member];
    return p;
}

xplace xplace_of(xlower *w, const xta_ast *a) {
    if (a->kind == X_NAME) return named_place(w, a);
    if (a->kind == X_INDEX) return indexed_place(w, a);
    if (a->kind == X_FIELD) return field_place(w, a);
    return refuse_place(w, a->at, "a variable is expected here");
}

// A number that faults: a value leaves its range. The function has no argument but 0, and gets 1.
static expr faulty(xlower *w, span at) {
    if (!w->leaves.id) {
        type zero = model_range(w->m, 0, 0, at);
        w->leaves = model_add_func(w->m, (func_info){.name = "range'",
                                                     .at = at,
                                                     .args = &zero,
                                                     .nargs = 1,
                                                     .result = zero,
                                                     .is_scratch = true,
                                                     .owner = w->system});
    }
    expr one = xint(w, 1);
    return expr_at(w->m, expr_app(w->m, w->leaves, &one), at);
}

// The element of a constant array, as nested conditions on its indices.
static expr pick(xlower *w, const xplace *p, const xconst *c, uint32_t k, span at) {
    if (k == p->nindex) return c->ty->kind == Y_BOOL ? expr_bool(w->m, c->number) : xint(w, c->number);
    int64_t lo, hi;
    expr_bounds(w->m, p->index[k], &lo, &hi);
    expr e = lo < c->ty->lo || hi > c->ty->hi ? faulty(w, at) : (expr){0};
    for (uint32_t i = c->nkids; i-- > 0;) {
        value at_index = c->ty->lo + (value)i;
        if (at_index < lo || at_index > hi) continue;
        expr kid = pick(w, p, c->kids[i], k + 1, at);
        if (e.id && type_same(expr_type(w->m, kid), w->m->bool_type)) e = xas_bool(w, e);
        e = e.id ? expr_ite(w->m, expr_eq(w->m, p->index[k], xint(w, at_index)), kid, e) : kid;
    }
    return e.id ? e : nothing(w);
}

expr xread(xlower *w, const xplace *p, span at) {
    if (w->failed) return nothing(w);
    if (!xtype_is_scalar(p->ty))
        return refuse(
            w, at, p->ty->kind == Y_CLOCK ? "a clock cannot be used here" : "a number or truth value is expected here");
    switch (p->kind) {
    case P_STORE: return expr_at(w->m, expr_app(w->m, p->store->f, p->index), at);
    case P_CONST: return pick(w, p, p->constant, 0, at);
    case P_LOCAL: return xlocal_get(w, p->local);
    case P_VALUE: return p->value;
    case P_NONE: break;
    }
    return nothing(w);
}

// ---- operators

static expr arith(xlower *w, expr_kind kind, expr a, expr b, span at) {
    value v;
    bool is_division = kind == E_DIV || kind == E_MOD;
    if (is_division && expr_is_const(w->m, b, &v) && v == 0 && !w->out) return refuse(w, at, "division by zero");
    if (!expr_arith_fits(w->m, kind, a, b))
        return refuse(w, at, "the result may be too large; bounded types (int[0,10]) help");
    return expr_at(w->m, expr_arith(w->m, kind, a, b), at);
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
    return expr_ite(w->m, fits, e, faulty(w, at));
}

static bool are_bools(const xlower *w, expr a, expr b) {
    return type_same(expr_type(w->m, a), w->m->bool_type) && type_same(expr_type(w->m, b), w->m->bool_type);
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

static expr lower_binary(xlower *w, const xta_ast *a) {
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
    return are_bools(w, x, y) ? expr_ite(w->m, c, x, y) : expr_ite(w->m, c, xas_number(w, x), xas_number(w, y));
}

// ---- quantifiers

void xfor_values(xlower *w, const char *name, const xtype *ty, span at, xeach each, void *context) {
    if (w->failed) return;
    if (ty->kind == Y_BOOL) ty = xtype_int(w, 0, 1);
    if (ty->kind != Y_INT || ty->hi - ty->lo >= MOST_VALUES) {
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

// P.f(x): a function of a process.
static expr lower_member_call(xlower *w, const xta_ast *a) {
    const xprocess *p = xprocess_of(w, a->of);
    if (!p && !w->failed) xfail(w, a->of->at, "this is not a process");
    if (w->failed) return nothing(w);
    xsym *f = xscope_own(w, p->scope, a->name);
    if (f && f->kind == SYM_FUNC) return xcall_function(w, f, a);
    return refuse(w, a->at, "process '%s' has no function '%s'", p->name, a->name);
}

static expr xta_lower_call(xlower *w, const xta_ast *a) {
    if (a->of) return lower_member_call(w, a);
    xsym *f = xscope_find(w, w->scope, a->name);
    if (f && f->kind == SYM_FUNC) return xcall_function(w, f, a);
    return refuse(w, a->at, f ? "'%s' is not a function" : "there is no function '%s'", a->name);
}

static expr xta_lower_place(xlower *w, const xta_ast *a) {
    xplace p = xplace_of(w, a);
    return xread(w, &p, a->at);
}

expr xexpr(xlower *w, const xta_ast *a) {
    if (w->failed) return nothing(w);
    switch (a->kind) {
    case X_NUMBER:
        if (a->number <= 1 << 30) return xint(w, a->number);
        return refuse(w, a->at, "the number is too large");
    case X_BOOL: return expr_bool(w->m, a->number != 0);
    case X_NAME:
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
    case X_ASSIGN: xfail(w, a->at, "an assignment inside an expression is not supported"); return nothing(w);
    case X_LIST:
    case X_MEMBER: xfail(w, a->at, "a list has no place here"); return nothing(w);
    }
    return nothing(w);
}
