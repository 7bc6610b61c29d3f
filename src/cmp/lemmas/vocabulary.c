// SPDX-License-Identifier: Apache-2.0
// Terms, atoms and points: see vocabulary.h.
#include "cmp/lemmas/vocabulary.h"

#include "model/expr.h"
#include "model/walk.h"
#include "pass/elements.h"
#include "model/welldefined.h"

enum { MOST_TERMS = 160, MOST_CONSTANTS = 9, MOST_ARGS = 4, MOST_CELLS = 12 };

static bool vocabulary_is_sort(const lemma_vocabulary *v, type t) { return type_same(v->sort, t); }
static bool vocabulary_is_bool(const lemma_vocabulary *v, type t) { return type_same(v->m->bool_type, t); }

// May a value of the one type stand where the other is expected?
static bool vocabulary_fits(const lemma_vocabulary *v, type to, type from) {
    if (type_same(to, from)) return true;
    const type_info *a = type_of(v->m, to), *b = type_of(v->m, from);
    return a->kind == TYPE_RANGE && b->kind == TYPE_RANGE && b->lo >= a->lo && b->hi <= a->hi;
}

static bool is_member_of(const lemma_vocabulary *v, type member, type of) {
    return !type_same(member, of) && type_contains(v->m, of, member);
}

// The term where the type is expected, maybe as that member of its union; id 0: it may not stand there.
static expr vocabulary_as(const lemma_vocabulary *v, type to, expr term) {
    if (vocabulary_fits(v, to, expr_type(v->m, term))) return term;
    bool is_member = type_of(v->m, to)->kind == TYPE_SORT && is_member_of(v, to, expr_type(v->m, term));
    return is_member ? expr_narrow(v->m, to, term) : (expr){0};
}

static bool comparable(const lemma_vocabulary *v, type a, type b) {
    bool are_numbers = type_is_number(v->m, a) && type_is_number(v->m, b);
    return type_same(a, b) || are_numbers || is_member_of(v, a, b) || is_member_of(v, b, a);
}

// Of another sort with one element: its variable, which stands for that.
static bool is_of_one(const lemma_vocabulary *v, type t) {
    const type_info *info = type_of(v->m, t);
    return info->kind == TYPE_SORT && info->fixed_size == 1 && !info->is_slot && !vocabulary_is_sort(v, t);
}

static expr single_of(lemma_vocabulary *v, type t) {
    for (uint32_t i = 0; i < v->singles.len; i++)
        if (type_same(var_of(v->m, v->singles.data[i])->ty, t)) return expr_var(v->m, v->singles.data[i]);
    const char *name = arena_printf(v->m->memory, "s%u", v->singles.len + 1);
    var own = model_add_var(v->m, name, t, (span){0});
    vec_push(&v->singles, own);
    return expr_var(v->m, own);
}

// Variables over such sorts, free in e, are quantified.
static expr close_singles(lemma_vocabulary *v, expr e) {
    const var_set of = expr_frees(v->m, e);
    for (uint32_t i = 0; i < of.n; i++)
        if (is_of_one(v, var_of(v->m, of.vars[i])->ty)) e = expr_quantify(v->m, E_FORALL, of.vars[i], e);
    return e;
}

// ---- terms

static void add_term(lemma_vocabulary *v, expr e) {
    for (uint32_t i = 0; i < v->terms.len; i++)
        if (expr_same(v->terms.data[i], e)) return;
    if (v->terms.len < MOST_TERMS) vec_push(&v->terms, e);
}

typedef struct {
    lemma_vocabulary *v;
    func f;
    uint32_t known;  // terms that may be arguments
    expr args[MOST_ARGS];
} application;

static void vocabulary_apply(application *x, uint32_t i) {
    lemma_vocabulary *v = x->v;
    const func_info f = *func_of(v->m, x->f);
    if (i == f.nargs) {
        add_term(v, expr_app(v->m, x->f, x->args));
        return;
    }
    if (is_of_one(v, f.args[i])) {
        x->args[i] = single_of(v, f.args[i]);
        vocabulary_apply(x, i + 1);
    } else if (vocabulary_is_sort(v, f.args[i]))
        for (uint32_t k = 0; k < v->nformals; k++) {
            x->args[i] = expr_var(v->m, v->formals[k]);
            vocabulary_apply(x, i + 1);
        }
    else
        for (uint32_t k = 0; k < x->known; k++) {
            x->args[i] = vocabulary_as(v, f.args[i], v->terms.data[k]);
            if (x->args[i].id) vocabulary_apply(x, i + 1);
        }
}

// Functions of the elements, and of the terms that there are.
static void add_applications(lemma_vocabulary *v) {
    const uint32_t known = v->terms.len;
    for (uint32_t i = 0; i < sys_of(v->m, v->system)->funcs.len; i++) {
        func f = sys_of(v->m, v->system)->funcs.data[i];
        if (func_of(v->m, f)->is_scratch || func_of(v->m, f)->nargs > MOST_ARGS) continue;
        application x = {.v = v, .f = f, .known = known};
        vocabulary_apply(&x, 0);
    }
}

// ---- atoms

static void add_atom(lemma_vocabulary *v, expr e) {
    e = close_singles(v, welldefined_holds(v->m, e));
    if (expr_is_true(v->m, e) || expr_is_false(v->m, e) || v->atoms.len == VOCABULARY_MOST_ATOMS) return;
    expr negated = expr_not(v->m, e);
    if (map_get(v->seen, &negated.id, sizeof negated.id, 0)) return;
    if (map_put(v->seen, &e.id, sizeof e.id, 1)) vec_push(&v->atoms, e);
}

static expr vocabulary_constant(const lemma_vocabulary *v, type ty, uint32_t i) {
    return expr_const(v->m, ty, type_first(v->m, ty) + (value)i);
}

// How many constants a type has; 0: more than `most`, or elements of a sort.
static uint32_t count_constants(const lemma_vocabulary *v, type ty, uint32_t most) {
    type_kind kind = type_of(v->m, ty)->kind;
    uint32_t n = type_known_size(v->m, ty);
    return kind == TYPE_SORT || kind == TYPE_UNION || n > most ? 0 : n;
}

static void vocabulary_equate(lemma_vocabulary *v, expr t, expr to) {
    type as = expr_type(v->m, t);
    bool is_member = is_member_of(v, expr_type(v->m, to), as);
    add_atom(v, expr_eq(v->m, t, is_member ? expr_widen(v->m, as, to) : to));
}

// Of a term of the type itself, or of a union with it.
static void add_equations(lemma_vocabulary *v, expr t, type ty, uint32_t nconstants) {
    bool is_sort = vocabulary_is_sort(v, ty);
    for (uint32_t k = 0; k < (is_sort ? v->nformals : nconstants); k++)
        vocabulary_equate(v, t, is_sort ? expr_var(v->m, v->formals[k]) : vocabulary_constant(v, ty, k));
}

static void add_pair(lemma_vocabulary *v, expr a, expr b) {
    type ty = expr_type(v->m, a);
    if (vocabulary_is_bool(v, ty) || !comparable(v, ty, expr_type(v->m, b))) return;
    is_member_of(v, ty, expr_type(v->m, b)) ? vocabulary_equate(v, b, a) : vocabulary_equate(v, a, b);
    if (!type_is_number(v->m, ty)) return;
    add_atom(v, expr_arith(v->m, E_LT, a, b));
    add_atom(v, expr_arith(v->m, E_LT, b, a));
}

// What a cell holds: an element, a value of a member of a union, a constant.
static void add_atoms_about(lemma_vocabulary *v, expr t) {
    const expr_info x = *expr_of(v->m, t);
    const type_info info = *type_of(v->m, x.ty);
    if (vocabulary_is_bool(v, x.ty)) {
        add_atom(v, t);
        return;
    }
    add_atom(v, expr_defined(v->m, (func){x.ref}, x.args));
    if (info.kind != TYPE_UNION) add_equations(v, t, x.ty, count_constants(v, x.ty, MOST_CONSTANTS));
    for (uint32_t i = 0; i < info.nmembers; i++) {
        uint32_t n = type_known_size(v->m, info.members[i]);
        add_equations(v, t, info.members[i], n < MOST_CONSTANTS ? n : MOST_CONSTANTS);
    }
}

// Shared arrays at constants: what holds of one node or key.
static void add_cells(lemma_vocabulary *v) {
    for (uint32_t i = 0; i < sys_of(v->m, v->system)->funcs.len; i++) {
        func f = sys_of(v->m, v->system)->funcs.data[i];
        const func_info info = *func_of(v->m, f);
        uint32_t n = info.is_scratch || info.nargs != 1 ? 0 : count_constants(v, info.args[0], MOST_CELLS);
        for (uint32_t k = 0; k < n; k++) {
            expr at = vocabulary_constant(v, info.args[0], k);
            add_atoms_about(v, expr_app(v->m, f, &at));
        }
    }
}

// ---- points

// Of the element that this variable is, read by its variable, and of shared state; not of locals of bodies.
static bool only_about(const lemma_vocabulary *v, expr e, var who) {
    const var_set vars = expr_frees(v->m, e);
    for (uint32_t i = 0; i < vars.n; i++)
        if (vars.vars[i].id != who.id && !is_of_one(v, var_of(v->m, vars.vars[i])->ty)) return false;
    walk w = walk_expr(v->m, e, 0);
    while (walk_next(&w)) {
        bool is_read = w.x->kind == E_APP || w.x->kind == E_DEFINED;
        bool is_local = is_read && func_of(v->m, (func){w.x->ref})->is_scratch;
        bool is_about_all = expr_kind_binds(w.x->kind) && vocabulary_is_sort(v, var_of(v->m, (var){w.x->ref})->ty);
        if (is_local || is_about_all) return !walk_found(&w);
    }
    return !elements_by_value(v->m, v->sort, e);
}

static expr conjuncts_about(lemma_vocabulary *v, expr e, var who) {
    uint32_t n;
    const expr *parts = expr_conjuncts(v->m, &e, &n);
    expr all = v->m->true_expr;
    for (uint32_t i = 0; i < n; i++)
        if (only_about(v, parts[i], who))
            all = expr_and(v->m, all, close_singles(v, welldefined_holds(v->m, parts[i])));
    return all;
}

static void add_point(lemma_vocabulary *v, rule r, var who, expr premise) {
    expr formal = expr_var(v->m, v->formals[0]);
    vec_push(&v->points, ((point){r, {who}, expr_subst(v->m, premise, &who, &formal, 1)}));
}

// Where the rule is taken, and the conditions under which its body does one thing or another.
static void add_points_at(lemma_vocabulary *v, rule r, var who) {
    const rule_info info = *rule_of(v->m, r);
    expr guard = info.guard.id ? conjuncts_about(v, expr_inline(v->m, info.guard), who) : v->m->true_expr;
    add_point(v, r, who, guard);
    walk w = walk_stmt(v->m, info.body, WALK_STMTS);
    while (walk_next(&w)) {
        if (w.s->kind != S_IF || !only_about(v, w.s->cond, who)) continue;
        for (uint32_t i = 0; i < 2; i++) {
            expr cond = welldefined_holds(v->m, i ? expr_not(v->m, w.s->cond) : w.s->cond);
            add_point(v, r, who, expr_and(v->m, guard, close_singles(v, cond)));
        }
    }
}

static void add_points(lemma_vocabulary *v, rule r) {
    const rule_info info = *rule_of(v->m, r);
    for (uint32_t i = 0; i < info.nparams; i++)
        if (vocabulary_is_sort(v, var_of(v->m, info.params[i])->ty)) add_points_at(v, r, info.params[i]);
}

// ---- all of it

lemma_vocabulary *lemma_vocabulary_new(model *m, sys s, type sort, uint32_t nformals) {
    static const char *const names[] = {"i", "j"};
    lemma_vocabulary *v = mem_zero(1, sizeof *v);
    *v = (lemma_vocabulary){.m = m, .system = s, .sort = sort, .nformals = nformals, .seen = map_new()};
    for (uint32_t i = 0; i < nformals; i++) v->formals[i] = model_add_var(m, names[i], sort, (span){0});
    add_applications(v);
    add_applications(v);
    for (uint32_t i = 0; i < v->terms.len; i++) {
        add_atoms_about(v, v->terms.data[i]);
        for (uint32_t k = 0; k < i; k++) add_pair(v, v->terms.data[k], v->terms.data[i]);
    }
    add_cells(v);
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) add_points(v, sys_of(m, s)->rules.data[i]);
    if (nformals > 1) vec_push(&v->points, (point){.premise = m->true_expr});
    return v;
}

void lemma_vocabulary_free(lemma_vocabulary *v) {
    if (!v) return;
    vec_free(&v->terms);
    vec_free(&v->singles);
    vec_free(&v->atoms);
    vec_free(&v->points);
    map_free(v->seen);
    free(v);
}
