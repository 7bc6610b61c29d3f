// SPDX-License-Identifier: Apache-2.0
// From a formula to clauses: see matrix.h. Negations are pushed inwards, ∀ is pulled out of & and |, a
// conjunction is split; what is then still not a simple literal (∃, a nested conjunction) stays one formula.
#include "logic/matrix.h"

#include "model/expr.h"
#include "model/shared.h"

#include <assert.h>
#include <string.h>

typedef VEC(matrix_clause) clause_list;
typedef VEC(matrix_literal) literal_list;
// The variable number `index` of a type among the canonical ones, free or bound.
static var canonical(matrix_maker *k, bool bound, type t, uint32_t index) {
    uint32_t len = bound ? k->bounds.len : k->frees.len;
    for (uint32_t i = 0; i < len; i++) {
        var v = bound ? k->bounds.data[i] : k->frees.data[i];
        if (type_same(var_of(k->m, v)->ty, t) && index-- == 0) return v;
    }
    for (;;) {
        var fresh = model_add_var(k->m, bound ? "z" : "x", t, (span){0});
        if (bound) vec_push(&k->bounds, fresh);
        else vec_push(&k->frees, fresh);
        if (index-- == 0) return fresh;
    }
}

// ---- bound variables by how many quantifiers stand below them

static expr rename_binder(model *m, expr e, void *context) {
    expr_info x = *expr_of(m, e);
    if (!expr_kind_binds(x.kind)) return e;
    var v = {x.ref};
    var fresh = canonical(context, true, var_of(m, v)->ty, expr_of(m, x.args[0])->nesting);
    expr with = expr_var(m, fresh);
    return expr_quantify(m, x.kind, fresh, expr_subst(m, x.args[0], &v, &with, 1));
}

// ---- literals

static int32_t matrix_slot_of(const var_list *vars, uint32_t id) {
    for (uint32_t i = 0; i < vars->len; i++)
        if (vars->data[i].id == id) return (int32_t)i;
    return -1;
}

static bool matrix_is_sort(const model *m, type t) { return type_of(m, t)->kind == TYPE_SORT; }

static bool simple_arg(const model *m, const var_list *vars, expr e, matrix_arg *out) {
    const expr_info *x = expr_of(m, e);
    if (x->kind == E_CONST && !matrix_is_sort(m, x->ty)) {
        *out = (matrix_arg){-1, (value)x->ref};
        return true;
    }
    *out = (matrix_arg){x->kind == E_VAR ? matrix_slot_of(vars, x->ref) : -1, 0};
    return out->slot >= 0;
}

static bool simple_args(matrix_maker *k, const var_list *vars, expr e, matrix_literal *l) {
    expr_info x = *expr_of(k->m, e);
    matrix_arg *args = arena_alloc(k->memory, (x.nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < x.nargs; i++)
        if (!simple_arg(k->m, vars, x.args[i], &args[i])) return false;
    l->args = args;
    l->nargs = x.nargs;
    return true;
}

static bool as_cell(matrix_maker *k, const var_list *vars, expr atom, matrix_literal *l) {
    expr_info x = *expr_of(k->m, atom);
    expr app = atom;
    l->equals = 1;
    if (x.kind == E_EQ) {
        bool swapped = expr_kind_of(k->m, x.args[1]) != E_CONST;
        app = x.args[swapped];
        expr constant = x.args[!swapped];
        if (!expr_is_const(k->m, constant, &l->equals) || matrix_is_sort(k->m, expr_type(k->m, constant))) return false;
    }
    if (expr_kind_of(k->m, app) != E_APP || !simple_args(k, vars, app, l)) return false;
    l->kind = LITERAL_CELL;
    l->f = (func){expr_of(k->m, app)->ref};
    return true;
}

static bool as_same(matrix_maker *k, const var_list *vars, expr atom, matrix_literal *l) {
    const expr_info *x = expr_of(k->m, atom);
    if (x->kind != E_EQ) return false;
    for (uint32_t i = 0; i < 2; i++) {
        const expr_info *a = expr_of(k->m, x->args[i]);
        if (a->kind != E_VAR || matrix_slot_of(vars, a->ref) < 0) return false;
    }
    l->kind = LITERAL_SAME;
    return simple_args(k, vars, atom, l);
}

static uint32_t count_of_type(const model *m, const var *vars, uint32_t n, type t) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) count += type_same(var_of(m, vars[i])->ty, t);
    return count;
}

static void as_formula(matrix_maker *k, const var_list *vars, expr e, matrix_literal *l) {
    model *m = k->m;
    const var_set all = expr_frees(m, e);
    var *from = arena_alloc(k->memory, (all.n + 1) * sizeof *from);
    var *to = arena_alloc(k->memory, (all.n + 1) * sizeof *to);
    matrix_arg *args = arena_alloc(k->memory, (all.n + 1) * sizeof *args);
    expr_list with = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < all.n; i++) {
        int32_t slot = matrix_slot_of(vars, all.vars[i].id);
        if (slot < 0) continue;
        type t = var_of(m, all.vars[i])->ty;
        from[n] = all.vars[i];
        to[n] = canonical(k, false, t, count_of_type(m, to, n, t));
        vec_push(&with, expr_var(m, to[n]));
        args[n++] = (matrix_arg){slot, 0};
    }
    expr renamed = expr_rewrite(m, e, rename_binder, k);
    *l = (matrix_literal){LITERAL_FORMULA, .is_negated = l->is_negated, .frees = to, .args = args, .nargs = n};
    l->e = expr_subst(m, renamed, from, with.data, n);
    vec_free(&with);
}

static matrix_literal make_literal(matrix_maker *k, const var_list *vars, expr e) {
    matrix_literal l = {.e = e};
    if (expr_kind_of(k->m, e) == E_NOT) {
        l.is_negated = true;
        l.e = e = expr_arg(k->m, e, 0);
    }
    if (!as_same(k, vars, e, &l) && !as_cell(k, vars, e, &l)) as_formula(k, vars, e, &l);
    for (uint32_t i = 0; i < l.nargs; i++)
        if (l.args[i].slot >= (int32_t)l.depth) l.depth = (uint32_t)l.args[i].slot + 1;
    return l;
}

// ---- clauses

// ∀x. body with x as the next variable of the clause.
static expr open_forall(matrix_maker *k, var_list *vars, expr e) {
    expr_info x = *expr_of(k->m, e);
    var v = {x.ref};
    type t = var_of(k->m, v)->ty;
    var fresh = canonical(k, false, t, count_of_type(k->m, vars->data, vars->len, t));
    vec_push(vars, fresh);
    expr with = expr_var(k->m, fresh);
    return expr_subst(k->m, x.args[0], &v, &with, 1);
}

// As clauses, shared parts would be as many as the tree has: what is large stays a formula.
static bool is_opened(const model *m, expr e, expr_kind kind) {
    return expr_kind_of(m, e) == kind && expr_of(m, e)->tree < SHARED_LARGE;
}

// The variables of ∀ become the clause's, as long as there is room; what is left stays a formula.
static expr open_all_foralls(matrix_maker *k, var_list *vars, expr e) {
    while (is_opened(k->m, e, E_FORALL) && vars->len < MATRIX_MOST_VARS) e = open_forall(k, vars, e);
    return e;
}

static void matrix_gather(matrix_maker *k, var_list *vars, expr e, expr_list *parts) {
    e = open_all_foralls(k, vars, e);
    if (!is_opened(k->m, e, E_OR)) {
        vec_push(parts, e);
        return;
    }
    expr_info x = *expr_of(k->m, e);
    for (uint32_t i = 0; i < x.nargs; i++) matrix_gather(k, vars, x.args[i], parts);
}

static void sort_by_depth(literal_list *l) {
    for (uint32_t i = 1; i < l->len; i++) {
        matrix_literal moved = l->data[i];
        uint32_t at = i;
        for (; at > 0 && l->data[at - 1].depth > moved.depth; at--) l->data[at] = l->data[at - 1];
        l->data[at] = moved;
    }
}

static matrix_range range_of(const model *m, var v) {
    type t = var_of(m, v)->ty;
    matrix_range r = {t, type_is_unbounded(m, t), type_first(m, t), 0};
    if (!r.is_unbounded) r.last = r.first + (value)type_known_size(m, t) - 1;
    return r;
}

static void add_indices(matrix_maker *k, matrix_clause *c) {
    matrix_range *ranges = arena_alloc(k->memory, (c->nvars + 1) * sizeof *ranges);
    uint32_t *starts = arena_alloc(k->memory, (c->nvars + 2) * sizeof *starts), at = 0;
    for (uint32_t i = 0; i < c->nvars; i++) ranges[i] = range_of(k->m, c->vars[i]);
    for (uint32_t d = 0; d <= c->nvars + 1; d++) {
        while (at < c->nlits && c->lits[at].depth < d) at++;
        starts[d] = at;
    }
    c->ranges = ranges;
    c->starts = starts;
}

static void matrix_add_clause(matrix_maker *k, var_list *vars, const expr_list *parts, clause_list *out) {
    literal_list lits = {0};
    for (uint32_t i = 0; i < parts->len; i++)
        if (!expr_is_false(k->m, parts->data[i])) vec_push(&lits, make_literal(k, vars, parts->data[i]));
    sort_by_depth(&lits);
    matrix_clause c = {.nvars = vars->len, .nlits = lits.len};
    c.vars = arena_copy(k->memory, vars->data, vars->len * sizeof(var));
    c.lits = arena_copy(k->memory, lits.data, lits.len * sizeof(matrix_literal));
    add_indices(k, &c);
    vec_push(out, c);
    vec_free(&lits);
}

// ∀ over those of the variables that the part of a conjunction speaks of: each variable more is many bindings.
static expr matrix_close(model *m, const var_list *vars, expr part) {
    var_list met = {0};
    for (uint32_t i = 0; i < vars->len; i++)
        if (expr_has_var(m, part, vars->data[i])) vec_push(&met, vars->data[i]);
    expr e = expr_forall(m, met.data, met.len, part);
    vec_free(&met);
    return e;
}

static void matrix_build(matrix_maker *k, expr e, clause_list *out) {
    var_list vars = {0};
    e = open_all_foralls(k, &vars, e);
    expr_info x = *expr_of(k->m, e);
    if (is_opened(k->m, e, E_AND))
        for (uint32_t i = 0; i < x.nargs; i++) matrix_build(k, matrix_close(k->m, &vars, x.args[i]), out);
    else if (!expr_is_true(k->m, e)) {
        expr_list parts = {0};
        matrix_gather(k, &vars, e, &parts);
        matrix_add_clause(k, &vars, &parts, out);
        vec_free(&parts);
    }
    vec_free(&vars);
}

matrix matrix_of(matrix_maker *k, expr e) {
    clause_list out = {0};
    matrix_build(k, expr_nnf(k->m, e, false), &out);
    matrix x = {arena_copy(k->memory, out.data, out.len * sizeof(matrix_clause)), out.len};
    vec_free(&out);
    return x;
}
