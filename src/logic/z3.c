// SPDX-License-Identifier: Apache-2.0
// Formulas of a model for Z3, in an encoding of its own: quantified formulas over uninterpreted sorts.
//
// The state after a step is removed by weakest precondition on expressions (after.c); enums, ranges and
// sorts of known size are enumeration types, numbers are compared as integers; an ordered sort has a
// relation with the axioms of a linear order. Variables are constants of their name until a quantifier binds
// them.
#include "logic/z3_int.h"

#include "model/expr.h"
#include "model/shared.h"

#include <assert.h>
#include <string.h>

static void ignore_error(Z3_context c, Z3_error_code e) {
    (void)c;
    (void)e;
}

static Z3_symbol z3_name_of(z3_prover *z, const char *prefix, uint32_t id) {
    char text[48];
    snprintf(text, sizeof text, "%s%u", prefix, id);
    return Z3_mk_string_symbol(z->c, text);
}

// ---- types

static void make_enumeration(z3_prover *z, type t) {
    uint32_t n = type_known_size(z->m, t);
    Z3_symbol *names = mem_zero(n, sizeof *names);
    Z3_func_decl *tests = mem_zero(n, sizeof *tests);
    z3_type *zt = &z->types[t.id];
    zt->values = mem_zero(n, sizeof *zt->values);
    for (uint32_t i = 0; i < n; i++) {
        char text[48];
        snprintf(text, sizeof text, "c%u_%u", t.id, i);
        names[i] = Z3_mk_string_symbol(z->c, text);
    }
    zt->sort = Z3_mk_enumeration_sort(z->c, z3_name_of(z, "T", t.id), n, names, zt->values, tests);
    free(names);
    free(tests);
}

Z3_ast z3_before(z3_prover *z, type t, Z3_ast a, Z3_ast b) {
    return Z3_mk_app(z->c, z->types[t.id].before, 2, (Z3_ast[]){a, b});
}

static Z3_ast for_all(z3_prover *z, uint32_t n, const Z3_ast *vars, Z3_ast body) {
    VEC(Z3_app) bound = {0};
    for (uint32_t i = 0; i < n; i++) vec_push(&bound, Z3_to_app(z->c, vars[i]));
    Z3_ast all = n ? Z3_mk_forall_const(z->c, 0, n, bound.data, 0, NULL, body) : body;
    vec_free(&bound);
    return all;
}

static Z3_ast any_of(z3_prover *z, Z3_ast a, Z3_ast b) { return Z3_mk_or(z->c, 2, (Z3_ast[]){a, b}); }

static void make_order(z3_prover *z, type t) {
    z3_type *zt = &z->types[t.id];
    Z3_sort both[2] = {zt->sort, zt->sort};
    zt->before = Z3_mk_func_decl(z->c, z3_name_of(z, "before", t.id), 2, both, Z3_mk_bool_sort(z->c));
    zt->least = Z3_mk_const(z->c, z3_name_of(z, "least", t.id), zt->sort);
    Z3_ast x[3];
    for (uint32_t i = 0; i < 3; i++) x[i] = Z3_mk_const(z->c, z3_name_of(z, "o", i), zt->sort);
    Z3_ast ab = z3_before(z, t, x[0], x[1]), ba = z3_before(z, t, x[1], x[0]), bc = z3_before(z, t, x[1], x[2]);
    Z3_ast chain = Z3_mk_and(z->c, 2, (Z3_ast[]){ab, bc});
    Z3_ast same = Z3_mk_eq(z->c, x[0], x[1]);
    vec_push(&z->axioms, for_all(z, 1, x, Z3_mk_not(z->c, z3_before(z, t, x[0], x[0]))));
    vec_push(&z->axioms, for_all(z, 3, x, Z3_mk_implies(z->c, chain, z3_before(z, t, x[0], x[2]))));
    vec_push(&z->axioms, for_all(z, 2, x, any_of(z, same, any_of(z, ab, ba))));
    vec_push(&z->axioms, for_all(z, 1, x, Z3_mk_not(z->c, z3_before(z, t, x[0], zt->least))));
}

const z3_type *z3_type_of(z3_prover *z, type t) {
    if (t.id >= z->ntypes) {
        uint32_t n = z->m->types.len;
        z->types = mem_grow(z->types, n * sizeof *z->types);
        memset(z->types + z->ntypes, 0, (n - z->ntypes) * sizeof *z->types);
        z->ntypes = n;
    }
    z3_type *zt = &z->types[t.id];
    if (zt->sort) return zt;
    if (type_of(z->m, t)->kind == TYPE_BOOL) zt->sort = Z3_mk_bool_sort(z->c);
    else if (!type_is_unbounded(z->m, t)) make_enumeration(z, t);
    else zt->sort = Z3_mk_uninterpreted_sort(z->c, z3_name_of(z, "S", t.id));
    if (type_is_unbounded(z->m, t) && type_of(z->m, t)->is_ordered) make_order(z, t);
    return zt;
}

Z3_func_decl z3_func(z3_prover *z, func f, bool next) {
    if (z->funcs[next][f.id]) return z->funcs[next][f.id];
    const func_info *info = func_of(z->m, f);
    Z3_sort args[MATRIX_MOST_ARGS];
    for (uint32_t i = 0; i < info->nargs; i++) args[i] = z3_type_of(z, info->args[i])->sort;
    Z3_sort result = z3_type_of(z, info->result)->sort;
    return z->funcs[next][f.id] =
               Z3_mk_func_decl(z->c, z3_name_of(z, next ? "n" : "f", f.id), info->nargs, args, result);
}

Z3_ast z3_constant(z3_prover *z, type t, value v) {
    const z3_type *zt = z3_type_of(z, t);
    if (type_of(z->m, t)->kind == TYPE_BOOL) return v ? Z3_mk_true(z->c) : Z3_mk_false(z->c);
    if (type_is_unbounded(z->m, t)) return zt->least;
    return Z3_mk_app(z->c, zt->values[v - type_first(z->m, t)], 0, NULL);
}

// ---- expressions

static Z3_ast integer(z3_prover *z, int64_t v) { return Z3_mk_int64(z->c, v, Z3_mk_int_sort(z->c)); }

// A value of a range type as an integer, and back.
static Z3_ast as_integer(z3_prover *z, type t, Z3_ast x) {
    uint32_t n = type_known_size(z->m, t);
    Z3_ast sum = integer(z, type_first(z->m, t) + (int64_t)n - 1);
    for (uint32_t i = n - 1; i-- > 0;) {
        value v = type_first(z->m, t) + (value)i;
        sum = Z3_mk_ite(z->c, Z3_mk_eq(z->c, x, z3_constant(z, t, v)), integer(z, v), sum);
    }
    return sum;
}

static Z3_ast from_integer(z3_prover *z, type t, Z3_ast x) {
    uint32_t n = type_known_size(z->m, t);
    Z3_ast result = z3_constant(z, t, type_first(z->m, t) + (value)n - 1);
    for (uint32_t i = n - 1; i-- > 0;) {
        value v = type_first(z->m, t) + (value)i;
        result = Z3_mk_ite(z->c, Z3_mk_eq(z->c, x, integer(z, v)), z3_constant(z, t, v), result);
    }
    return result;
}

static Z3_ast z3_app(z3_prover *z, const expr_info *x) {
    Z3_ast args[MATRIX_MOST_ARGS];
    func f = {x->ref};
    for (uint32_t i = 0; i < x->nargs; i++) {
        type formal = func_of(z->m, f)->args[i];
        args[i] = z3_translate(z, x->args[i]);
        if (type_is_number(z->m, formal)) args[i] = from_integer(z, formal, args[i]);
    }
    Z3_ast result = Z3_mk_app(z->c, z3_func(z, f, x->kind == E_NEXT), x->nargs, args);
    return type_is_number(z->m, x->ty) ? as_integer(z, x->ty, result) : result;
}

static Z3_ast z3_junction(z3_prover *z, const expr_info *x) {
    VEC(Z3_ast) args = {0};
    for (uint32_t i = 0; i < x->nargs; i++) vec_push(&args, z3_translate(z, x->args[i]));
    Z3_ast result = x->kind == E_AND ? Z3_mk_and(z->c, args.len, args.data) : Z3_mk_or(z->c, args.len, args.data);
    vec_free(&args);
    return result;
}

static Z3_ast z3_expand(z3_prover *z, const expr_info *x, type t) {
    VEC(Z3_ast) parts = {0};
    var v = {x->ref};
    for (uint32_t i = 0; i < type_known_size(z->m, t); i++) {
        expr with = expr_const(z->m, t, type_first(z->m, t) + (value)i);
        vec_push(&parts, z3_translate(z, expr_subst(z->m, x->args[0], &v, &with, 1)));
    }
    Z3_ast all = x->kind == E_FORALL ? Z3_mk_and(z->c, parts.len, parts.data) : Z3_mk_or(z->c, parts.len, parts.data);
    vec_free(&parts);
    return all;
}

Z3_ast z3_variable(z3_prover *z, var v) {
    return Z3_mk_const(z->c, z3_name_of(z, "v", v.id), z3_type_of(z, var_of(z->m, v)->ty)->sort);
}

static Z3_ast z3_quantified(z3_prover *z, const expr_info *x) {
    type t = var_of(z->m, (var){x->ref})->ty;
    if (!type_is_unbounded(z->m, t)) return z3_expand(z, x, t);
    Z3_app bound = Z3_to_app(z->c, z3_variable(z, (var){x->ref}));
    Z3_ast body = z3_translate(z, x->args[0]);
    return x->kind == E_FORALL ? Z3_mk_forall_const(z->c, 0, 1, &bound, 0, NULL, body)
                               : Z3_mk_exists_const(z->c, 0, 1, &bound, 0, NULL, body);
}

// A part that is large as a tree is a relation of its own, of its free variables, with an axiom that says what it is:
// Z3 walks what is below a quantifier as a tree.
static Z3_ast z3_quantifier(z3_prover *z, expr e, const expr_info *x) {
    if (x->tree <= SHARED_LARGE) return z3_quantified(z, x);
    const var_set of = expr_frees(z->m, e);
    VEC(Z3_ast) args = {0};
    VEC(Z3_sort) sorts = {0};
    for (uint32_t i = 0; i < of.n; i++) {
        vec_push(&args, z3_variable(z, of.vars[i]));
        vec_push(&sorts, Z3_get_sort(z->c, args.data[i]));
    }
    Z3_func_decl name = Z3_mk_func_decl(z->c, z3_name_of(z, "p", e.id), of.n, sorts.data, Z3_mk_bool_sort(z->c));
    Z3_ast part = Z3_mk_app(z->c, name, of.n, args.data), is = Z3_mk_eq(z->c, part, z3_quantified(z, x));
    vec_push(&z->axioms, for_all(z, of.n, args.data, is));
    vec_free(&args);
    vec_free(&sorts);
    return part;
}

static Z3_ast z3_comparison(z3_prover *z, const expr_info *x) {
    Z3_ast a = z3_translate(z, x->args[0]), b = z3_translate(z, x->args[1]);
    type t = expr_type(z->m, x->args[0]);
    bool less = x->kind == E_LT;
    if (type_is_number(z->m, t)) return less ? Z3_mk_lt(z->c, a, b) : Z3_mk_le(z->c, a, b);
    if (type_is_unbounded(z->m, t)) return less ? z3_before(z, t, a, b) : Z3_mk_not(z->c, z3_before(z, t, b, a));
    a = as_integer(z, t, a);
    b = as_integer(z, t, b);
    return less ? Z3_mk_lt(z->c, a, b) : Z3_mk_le(z->c, a, b);
}

// C truncates, SMT rounds towards where the remainder is not negative: done by cases of the divisor and dividend.
static Z3_ast division(z3_prover *z, const expr_info *x, Z3_ast a, Z3_ast b) {
    Z3_ast zero = integer(z, 0), minus_a = Z3_mk_unary_minus(z->c, a);
    Z3_ast is_negative = Z3_mk_lt(z->c, a, zero);
    Z3_ast size = Z3_mk_ite(z->c, is_negative, minus_a, a);
    Z3_ast part = x->kind == E_DIV ? Z3_mk_div(z->c, size, b) : Z3_mk_mod(z->c, size, b);
    return Z3_mk_ite(z->c, is_negative, Z3_mk_unary_minus(z->c, part), part);
}

static Z3_ast z3_arithmetic(z3_prover *z, const expr_info *x) {
    Z3_ast args[2] = {z3_translate(z, x->args[0]), x->nargs > 1 ? z3_translate(z, x->args[1]) : NULL};
    switch (x->kind) {
    case E_ADD: return Z3_mk_add(z->c, 2, args);
    case E_SUB: return Z3_mk_sub(z->c, 2, args);
    case E_MUL: return Z3_mk_mul(z->c, 2, args);
    case E_NEG: return Z3_mk_unary_minus(z->c, args[0]);
    case E_DIV:
    case E_MOD: return division(z, x, args[0], args[1]);
    default: assert(!"an expression of this kind"); return NULL;
    }
}

static Z3_ast z3_build(z3_prover *z, expr e, expr_info x) {
    switch (x.kind) {
    case E_CONST: return type_is_number(z->m, x.ty) ? integer(z, (value)x.ref) : z3_constant(z, x.ty, (value)x.ref);
    case E_VAR:
        return type_is_number(z->m, x.ty) ? as_integer(z, x.ty, z3_variable(z, (var){x.ref}))
                                          : z3_variable(z, (var){x.ref});
    case E_APP:
    case E_NEXT: return z3_app(z, &x);
    case E_NOT: return Z3_mk_not(z->c, z3_translate(z, x.args[0]));
    case E_AND:
    case E_OR: return z3_junction(z, &x);
    case E_IMPLIES: return Z3_mk_implies(z->c, z3_translate(z, x.args[0]), z3_translate(z, x.args[1]));
    case E_EQ: return Z3_mk_eq(z->c, z3_translate(z, x.args[0]), z3_translate(z, x.args[1]));
    case E_LT:
    case E_LE: return z3_comparison(z, &x);
    case E_ITE:
        return Z3_mk_ite(z->c, z3_translate(z, x.args[0]), z3_translate(z, x.args[1]), z3_translate(z, x.args[2]));
    case E_FORALL:
    case E_EXISTS: return z3_quantifier(z, e, &x);
    default: return z3_arithmetic(z, &x);
    }
}

Z3_ast z3_translate(z3_prover *z, expr e) {
    if (e.id < z->memo.len && z->memo.data[e.id]) return z->memo.data[e.id];
    Z3_ast result = z3_build(z, e, *expr_of(z->m, e));
    while (z->memo.len <= e.id) vec_push(&z->memo, NULL);
    return z->memo.data[e.id] = result;
}

// ---- life

z3_prover *z3_of(logic *l) {
    if (l->z3) return l->z3;
    z3_prover *z = mem_zero(1, sizeof *z);
    Z3_config config = Z3_mk_config();
    z->m = l->m;
    z->c = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(z->c, ignore_error);
    z->guard = z3_guard_new(z->c, &l->stop);
    for (int k = 0; k < 2; k++) z->funcs[k] = mem_zero(l->m->funcs.len, sizeof **z->funcs);
    return l->z3 = z;
}

void z3_free(z3_prover *z) {
    if (!z) return;
    z3_guard_free(z->guard);
    z3_forget(z);
    for (uint32_t i = 0; i < z->ntypes; i++) free(z->types[i].values);
    Z3_del_context(z->c);
    free(z->types);
    free(z->funcs[0]);
    free(z->funcs[1]);
    vec_free(&z->memo);
    vec_free(&z->axioms);
    free(z);
}
