// SPDX-License-Identifier: Apache-2.0
// Spelling out what is finite: see plain.h.
//
// An atom that holds a term t which is no plain term becomes the disjunction over the values v of t of "t = v and the
// atom with v for t"; "t = v" is spelled out in turn. Every term is total, so the cases are all there are.
#include "logic/plain.h"

#include <assert.h>

typedef VEC(expr) expr_list;

static bool is_unbounded(const model *m, type t) {
    return type_of(m, t)->kind == TYPE_SORT && !type_of(m, t)->fixed_size;
}

static bool is_bool(const model *m, expr e) { return type_same(expr_type(m, e), m->bool_type); }

static value first_of(const model *m, type t) {
    return type_of(m, t)->kind == TYPE_RANGE ? type_of(m, t)->lo : 0;
}

// ---- terms

static bool is_arithmetic(expr_kind k) { return k >= E_ADD && k <= E_NEG; }

// The first subterm of an atom's argument that has to be split, outermost first; id 0: none.
static expr find_split(const model *m, expr term) {
    const expr_info *x = expr_of(m, term);
    if (x->kind == E_CONST || x->kind == E_VAR) return (expr){0};
    if (x->kind != E_APP && x->kind != E_NEXT) return term;
    if (is_bool(m, term)) return term;
    for (uint32_t i = 0; i < x->nargs; i++) {
        expr found = find_split(m, x->args[i]);
        if (found.id) return found;
    }
    return (expr){0};
}

typedef struct {
    expr from, to;
} replacement;

static expr replace_visit(model *m, expr e, void *context) {
    (void)m;
    const replacement *r = context;
    return expr_same(e, r->from) ? r->to : e;
}

static expr replace(model *m, expr e, expr from, expr to) {
    replacement r = {from, to};
    return expr_rewrite(m, e, replace_visit, &r);
}

static expr plain_atom(model *m, expr atom);

// Both branches of an if-then-else in the atom.
static expr split_choice(model *m, expr atom, expr term) {
    expr_info x = *expr_of(m, term);
    expr cond = plain_formula(m, x.args[0]);
    expr yes = plain_atom(m, replace(m, atom, term, x.args[1]));
    expr no = plain_atom(m, replace(m, atom, term, x.args[2]));
    return expr_or(m, expr_and(m, cond, yes), expr_and(m, expr_not(m, cond), no));
}

static expr split_formula(model *m, expr atom, expr term) {
    expr cond = plain_formula(m, term);
    expr yes = plain_atom(m, replace(m, atom, term, m->true_expr));
    expr no = plain_atom(m, replace(m, atom, term, m->false_expr));
    return expr_or(m, expr_and(m, cond, yes), expr_and(m, expr_not(m, cond), no));
}

// An operand of arithmetic that is no constant, innermost; id 0: none.
static expr find_operand(const model *m, expr term) {
    const expr_info *x = expr_of(m, term);
    if (x->kind == E_CONST) return (expr){0};
    if (!is_arithmetic(x->kind)) return term;
    for (uint32_t i = 0; i < x->nargs; i++) {
        expr found = find_operand(m, x->args[i]);
        if (found.id) return found;
    }
    return (expr){0};
}

// The atom for every value of a number term in it.
static expr split_number(model *m, expr atom, expr term) {
    expr_list cases = {0};
    type t = expr_type(m, term);
    for (uint32_t i = 0; i < type_known_size(m, t); i++) {
        expr v = expr_const(m, t, first_of(m, t) + (value)i);
        expr here = plain_atom(m, expr_eq(m, term, v));
        vec_push(&cases, expr_and(m, here, plain_atom(m, replace(m, atom, term, v))));
    }
    expr result = expr_or_all(m, cases.data, cases.len);
    vec_free(&cases);
    return result;
}

static expr split_term(model *m, expr atom, expr term) {
    if (expr_kind_of(m, term) == E_ITE) return split_choice(m, atom, term);
    if (is_bool(m, term)) return split_formula(m, atom, term);
    assert(is_arithmetic(expr_kind_of(m, term)));
    expr operand = find_operand(m, term);
    if (expr_kind_of(m, operand) == E_ITE) return split_choice(m, atom, operand);
    return split_number(m, atom, operand);
}

// ---- atoms

static bool is_comparison(expr_kind k) { return k == E_LT || k == E_LE; }

static expr split_comparison(model *m, expr atom) {
    expr_info x = *expr_of(m, atom);
    for (uint32_t i = 0; i < 2; i++)
        if (expr_kind_of(m, x.args[i]) != E_CONST) return split_number(m, atom, x.args[i]);
    value a, b;
    expr_is_const(m, x.args[0], &a);
    expr_is_const(m, x.args[1], &b);
    return expr_bool(m, x.kind == E_LT ? a < b : a <= b);
}

// Constants of two range types are the same number or not.
static expr constant_equation(model *m, expr atom) {
    expr_info x = *expr_of(m, atom);
    value v;
    for (uint32_t i = 0; i < 2; i++) {
        if (!expr_is_const(m, x.args[i], &v) || !type_is_number(m, expr_type(m, x.args[i]))) continue;
        type t = expr_type(m, x.args[!i]);
        if (v < type_of(m, t)->lo || v > type_of(m, t)->hi) return m->false_expr;
        return expr_eq(m, x.args[!i], expr_const(m, t, v));
    }
    return atom;
}

static expr number_equation(model *m, expr atom) {
    expr_info x = *expr_of(m, atom);
    if (x.kind != E_EQ || !type_is_number(m, expr_type(m, x.args[0]))) return atom;
    if (type_same(expr_type(m, x.args[0]), expr_type(m, x.args[1]))) return atom;
    if (expr_kind_of(m, x.args[0]) == E_CONST || expr_kind_of(m, x.args[1]) == E_CONST)
        return constant_equation(m, atom);
    return split_number(m, atom, x.args[0]);
}

static expr plain_atom(model *m, expr atom) {
    expr_info x = *expr_of(m, atom);
    if (x.kind == E_CONST || x.kind == E_VAR) return atom;
    bool is_app = x.kind == E_APP || x.kind == E_NEXT;
    if (!is_app && x.kind != E_EQ && !is_comparison(x.kind)) return plain_formula(m, atom);
    for (uint32_t i = 0; i < x.nargs; i++) {
        expr found = find_split(m, x.args[i]);
        if (found.id) return split_term(m, atom, found);
    }
    if (is_comparison(x.kind) && !is_unbounded(m, expr_type(m, x.args[0]))) return split_comparison(m, atom);
    return number_equation(m, atom);
}

// ---- formulas

static expr expand(model *m, expr_info x) {
    expr_list parts = {0};
    var v = {x.ref};
    type t = var_of(m, v)->ty;
    for (uint32_t i = 0; i < type_known_size(m, t); i++) {
        expr with = expr_const(m, t, first_of(m, t) + (value)i);
        vec_push(&parts, plain_formula(m, expr_subst(m, x.args[0], &v, &with, 1)));
    }
    expr e =
        x.kind == E_FORALL ? expr_and_all(m, parts.data, parts.len) : expr_or_all(m, parts.data, parts.len);
    vec_free(&parts);
    return e;
}

static expr plain_junction(model *m, expr_info x) {
    expr_list parts = {0};
    for (uint32_t i = 0; i < x.nargs; i++) vec_push(&parts, plain_formula(m, x.args[i]));
    expr e = x.kind == E_AND ? expr_and_all(m, parts.data, parts.len) : expr_or_all(m, parts.data, parts.len);
    vec_free(&parts);
    return e;
}

static expr plain(model *m, expr e) {
    expr_info x = *expr_of(m, e);
    switch (x.kind) {
    case E_NOT: return expr_not(m, plain_formula(m, x.args[0]));
    case E_AND:
    case E_OR: return plain_junction(m, x);
    case E_IMPLIES: return expr_implies(m, plain_formula(m, x.args[0]), plain_formula(m, x.args[1]));
    case E_ITE: {
        expr c = plain_formula(m, x.args[0]);
        expr yes = expr_implies(m, c, plain_formula(m, x.args[1]));
        return expr_and(m, yes, expr_or(m, c, plain_formula(m, x.args[2])));
    }
    case E_EQ:
        if (!is_bool(m, x.args[0])) return plain_atom(m, e);
        return expr_eq(m, plain_formula(m, x.args[0]), plain_formula(m, x.args[1]));
    case E_FORALL:
    case E_EXISTS: {
        var v = {x.ref};
        if (!is_unbounded(m, var_of(m, v)->ty)) return expand(m, x);
        return expr_quantify(m, x.kind, v, plain_formula(m, x.args[0]));
    }
    default: return plain_atom(m, e);
    }
}

expr plain_formula(model *m, expr e) { return plain(m, expr_inline(m, e)); }
