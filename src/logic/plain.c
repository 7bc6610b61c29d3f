// SPDX-License-Identifier: Apache-2.0
// Spelling out what is finite: see plain.h.
//
// An atom that contains a term t that is not plain becomes the disjunction over the values v of t of "t = v and the
// atom with v for t"; "t = v" is spelled out in turn. Every term is total, so the cases are all there are.
#include "logic/plain.h"

#include "model/expr.h"
#include "model/walk.h"

#include <assert.h>

// ---- terms

static bool is_arithmetic(expr_kind k) { return k >= E_ADD && k <= E_NEG; }

// The first subterm of an atom's argument that has to be split, outermost first; id 0: none.
static expr plain_find_split(const model *m, expr term) {
    walk w = walk_expr(m, term, 0);
    while (walk_next(&w)) {
        bool is_term = (w.x->kind == E_APP || w.x->kind == E_NEXT) && !expr_is_bool(m, w.e);
        if (is_term || w.x->kind == E_CONST || w.x->kind == E_VAR) continue;
        walk_found(&w);
        return w.e;
    }
    return (expr){0};
}

typedef struct {
    expr from, to;
} replacement;

static expr plain_replace_visit(model *m, expr e, void *context) {
    (void)m;
    const replacement *r = context;
    return expr_same(e, r->from) ? r->to : e;
}

static expr plain_replace(model *m, expr e, expr from, expr to) {
    replacement r = {from, to};
    return expr_rewrite(m, e, plain_replace_visit, &r);
}

typedef struct {
    model *m;
    map *memo;  // formula -> spelled out
} plainer;

static expr plain_part(plainer *p, expr e);

static expr plain_atom(plainer *p, expr atom);

// The atom by cases: with `yes` for the term where the condition holds, else with `no`.
static expr split_cases(plainer *p, expr atom, expr term, expr cond, expr yes, expr no) {
    cond = plain_part(p, cond);
    yes = plain_atom(p, plain_replace(p->m, atom, term, yes));
    no = plain_atom(p, plain_replace(p->m, atom, term, no));
    return expr_or(p->m, expr_and(p->m, cond, yes), expr_and(p->m, expr_not(p->m, cond), no));
}

// Both branches of an if-then-else in the atom.
static expr split_choice(plainer *p, expr atom, expr term) {
    const expr *args = expr_of(p->m, term)->args;
    return split_cases(p, atom, term, args[0], args[1], args[2]);
}

// The innermost operand of arithmetic that is not constant; id 0: none.
static expr find_operand(const model *m, expr term) {
    walk w = walk_expr(m, term, 0);
    while (walk_next(&w)) {
        if (w.x->kind == E_CONST || is_arithmetic(w.x->kind)) continue;
        walk_found(&w);
        return w.e;
    }
    return (expr){0};
}

// The atom for every value of a number term in it.
static expr split_number(plainer *p, expr atom, expr term) {
    expr_list cases = {0};
    type t = expr_type(p->m, term);
    for (uint32_t i = 0; i < type_known_size(p->m, t); i++) {
        expr v = expr_const(p->m, t, type_first(p->m, t) + (value)i);
        expr here = plain_atom(p, expr_eq(p->m, term, v));
        vec_push(&cases, expr_and(p->m, here, plain_atom(p, plain_replace(p->m, atom, term, v))));
    }
    expr result = expr_or_all(p->m, cases.data, cases.len);
    vec_free(&cases);
    return result;
}

static expr split_term(plainer *p, expr atom, expr term) {
    if (expr_kind_of(p->m, term) == E_ITE) return split_choice(p, atom, term);
    if (expr_is_bool(p->m, term)) return split_cases(p, atom, term, term, p->m->true_expr, p->m->false_expr);
    assert(is_arithmetic(expr_kind_of(p->m, term)));
    expr operand = find_operand(p->m, term);
    if (expr_kind_of(p->m, operand) == E_ITE) return split_choice(p, atom, operand);
    return split_number(p, atom, operand);
}

// ---- atoms

static bool plain_is_comparison(expr_kind k) { return k == E_LT || k == E_LE; }

static expr split_comparison(plainer *p, expr atom) {
    expr_info x = *expr_of(p->m, atom);
    for (uint32_t i = 0; i < 2; i++)
        if (expr_kind_of(p->m, x.args[i]) != E_CONST) return split_number(p, atom, x.args[i]);
    value a, b;
    expr_is_const(p->m, x.args[0], &a);
    expr_is_const(p->m, x.args[1], &b);
    return expr_bool(p->m, x.kind == E_LT ? a < b : a <= b);
}

// Constants of two range types are the same number or not.
static expr constant_equation(plainer *p, expr atom) {
    expr_info x = *expr_of(p->m, atom);
    value v;
    for (uint32_t i = 0; i < 2; i++) {
        if (!expr_is_const(p->m, x.args[i], &v) || !type_is_number(p->m, expr_type(p->m, x.args[i]))) continue;
        type t = expr_type(p->m, x.args[!i]);
        if (v < type_of(p->m, t)->lo || v > type_of(p->m, t)->hi) return p->m->false_expr;
        return expr_eq(p->m, x.args[!i], expr_const(p->m, t, v));
    }
    return atom;
}

static expr number_equation(plainer *p, expr atom) {
    expr_info x = *expr_of(p->m, atom);
    if (x.kind != E_EQ || !type_is_number(p->m, expr_type(p->m, x.args[0]))) return atom;
    if (type_same(expr_type(p->m, x.args[0]), expr_type(p->m, x.args[1]))) return atom;
    if (expr_kind_of(p->m, x.args[0]) == E_CONST || expr_kind_of(p->m, x.args[1]) == E_CONST)
        return constant_equation(p, atom);
    return split_number(p, atom, x.args[0]);
}

static expr plain_atom(plainer *p, expr atom) {
    expr_info x = *expr_of(p->m, atom);
    if (x.kind == E_CONST || x.kind == E_VAR) return atom;
    bool is_app = x.kind == E_APP || x.kind == E_NEXT;
    if (!is_app && x.kind != E_EQ && !plain_is_comparison(x.kind)) return plain_part(p, atom);
    for (uint32_t i = 0; i < x.nargs; i++) {
        expr found = plain_find_split(p->m, x.args[i]);
        if (found.id) return split_term(p, atom, found);
    }
    if (plain_is_comparison(x.kind) && !type_is_unbounded(p->m, expr_type(p->m, x.args[0])))
        return split_comparison(p, atom);
    return number_equation(p, atom);
}

// ---- formulas

static expr plain_expand(plainer *p, expr_info x) {
    expr_list parts = {0};
    var v = {x.ref};
    type t = var_of(p->m, v)->ty;
    for (uint32_t i = 0; i < type_known_size(p->m, t); i++) {
        expr with = expr_const(p->m, t, type_first(p->m, t) + (value)i);
        vec_push(&parts, plain_part(p, expr_subst(p->m, x.args[0], &v, &with, 1)));
    }
    expr e = x.kind == E_FORALL ? expr_and_all(p->m, parts.data, parts.len) : expr_or_all(p->m, parts.data, parts.len);
    vec_free(&parts);
    return e;
}

static expr plain_junction(plainer *p, expr_info x) {
    expr_list parts = {0};
    for (uint32_t i = 0; i < x.nargs; i++) vec_push(&parts, plain_part(p, x.args[i]));
    expr e = x.kind == E_AND ? expr_and_all(p->m, parts.data, parts.len) : expr_or_all(p->m, parts.data, parts.len);
    vec_free(&parts);
    return e;
}

static expr plain_node(plainer *p, expr e) {
    expr_info x = *expr_of(p->m, e);
    switch (x.kind) {
    case E_NOT: return expr_not(p->m, plain_part(p, x.args[0]));
    case E_AND:
    case E_OR: return plain_junction(p, x);
    case E_IMPLIES: return expr_implies(p->m, plain_part(p, x.args[0]), plain_part(p, x.args[1]));
    case E_ITE: {
        expr c = plain_part(p, x.args[0]);
        expr yes = expr_implies(p->m, c, plain_part(p, x.args[1]));
        return expr_and(p->m, yes, expr_or(p->m, c, plain_part(p, x.args[2])));
    }
    case E_EQ:
        if (!expr_is_bool(p->m, x.args[0])) return plain_atom(p, e);
        return expr_eq(p->m, plain_part(p, x.args[0]), plain_part(p, x.args[1]));
    case E_FORALL:
    case E_EXISTS: {
        var v = {x.ref};
        if (!type_is_unbounded(p->m, var_of(p->m, v)->ty)) return plain_expand(p, x);
        return expr_quantify(p->m, x.kind, v, plain_part(p, x.args[0]));
    }
    default: return plain_atom(p, e);
    }
}

// Shared parts are spelled out once.
static expr plain_part(plainer *p, expr e) {
    uint32_t known = map_get(p->memo, &e.id, sizeof e.id, 0);
    if (known) return (expr){known};
    expr result = plain_node(p, e);
    map_put(p->memo, &e.id, sizeof e.id, result.id);
    return result;
}

expr plain_formula(model *m, expr e) {
    plainer p = {m, map_new()};
    expr result = plain_part(&p, expr_inline(m, e));
    map_free(p.memo);
    return result;
}
