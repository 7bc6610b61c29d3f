// SPDX-License-Identifier: Apache-2.0
// Terms, atoms and points: see vocabulary.h.
#include "cmp/lemmas/vocabulary.h"

#include "pass/welldefined.h"
#include "model/expr.h"

enum { MOST_TERMS = 160, MOST_CONSTANTS = 9, MOST_ARGS = 4, MOST_CELLS = 12 };

static bool vocabulary_is_sort(const lemma_vocabulary *v, type t) { return type_same(v->sort, t); }
static bool vocabulary_is_bool(const lemma_vocabulary *v, type t) { return type_same(v->m->bool_type, t); }

// May a value of the one type stand where the other is expected?
static bool vocabulary_fits(const lemma_vocabulary *v, type to, type from) {
    if (type_same(to, from)) return true;
    const type_info *a = type_of(v->m, to), *b = type_of(v->m, from);
    return a->kind == TYPE_RANGE && b->kind == TYPE_RANGE && b->lo >= a->lo && b->hi <= a->hi;
}

static bool comparable(const lemma_vocabulary *v, type a, type b) {
    return type_same(a, b) || (type_is_number(v->m, a) && type_is_number(v->m, b));
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
    bool has_term;   // some argument is a term
    bool wants_term;
    expr args[MOST_ARGS];
} application;

static void vocabulary_apply(application *x, uint32_t i) {
    lemma_vocabulary *v = x->v;
    const func_info f = *func_of(v->m, x->f);
    if (i == f.nargs) {
        if (x->has_term == x->wants_term) add_term(v, expr_app(v->m, x->f, x->args));
        return;
    }
    bool before = x->has_term;
    if (vocabulary_is_sort(v, f.args[i]))
        for (uint32_t k = 0; k < v->nformals; k++) {
            x->args[i] = expr_var(v->m, v->formals[k]);
            vocabulary_apply(x, i + 1);
        }
    else
        for (uint32_t k = 0; k < x->known; k++) {
            if (!vocabulary_fits(v, f.args[i], expr_type(v->m, v->terms.data[k]))) continue;
            x->args[i] = v->terms.data[k];
            x->has_term = true;
            vocabulary_apply(x, i + 1);
            x->has_term = before;
        }
}

static void add_applications(lemma_vocabulary *v, bool of_terms) {
    const uint32_t known = of_terms ? v->terms.len : 0;
    for (uint32_t i = 0; i < sys_of(v->m, v->system)->funcs.len; i++) {
        func f = sys_of(v->m, v->system)->funcs.data[i];
        if (func_of(v->m, f)->is_scratch || func_of(v->m, f)->nargs > MOST_ARGS) continue;
        application x = {.v = v, .f = f, .known = known, .wants_term = of_terms};
        vocabulary_apply(&x, 0);
    }
}

// ---- atoms

static void add_atom(lemma_vocabulary *v, expr e) {
    e = welldefined_holds(v->m, e);
    if (expr_is_true(v->m, e) || expr_is_false(v->m, e) || v->atoms.len == VOCABULARY_MOST_ATOMS) return;
    expr negated = expr_not(v->m, e);
    if (map_get(v->seen, &negated.id, sizeof negated.id, 0)) return;
    if (map_put(v->seen, &e.id, sizeof e.id, 1)) vec_push(&v->atoms, e);
}

// Of a union: an element, or a value of another member.
static void vocabulary_add_members(lemma_vocabulary *v, expr t) {
    const type u = expr_type(v->m, t);
    const type_info info = *type_of(v->m, u);
    for (uint32_t i = 0; i < info.nmembers; i++) {
        type ty = info.members[i];
        for (uint32_t k = 0; vocabulary_is_sort(v, ty) && k < v->nformals; k++)
            add_atom(v, expr_eq(v->m, t, expr_widen(v->m, u, expr_var(v->m, v->formals[k]))));
        for (uint32_t k = 0; !vocabulary_is_sort(v, ty) && k < type_known_size(v->m, ty) && k < MOST_CONSTANTS; k++)
            add_atom(v, expr_eq(v->m, t, expr_widen(v->m, u, expr_const(v->m, ty, (value)k))));
    }
}

static void vocabulary_add_constants(lemma_vocabulary *v, expr t) {
    type ty = expr_type(v->m, t);
    if (type_of(v->m, ty)->kind == TYPE_UNION) {
        vocabulary_add_members(v, t);
        return;
    }
    uint32_t n = type_known_size(v->m, ty);
    type_kind kind = type_of(v->m, ty)->kind;
    if (kind == TYPE_SORT || kind == TYPE_UNION || n > MOST_CONSTANTS) return;
    value first = kind == TYPE_RANGE ? type_of(v->m, ty)->lo : 0;
    for (uint32_t i = 0; i < n; i++) add_atom(v, expr_eq(v->m, t, expr_const(v->m, ty, first + (value)i)));
}

static void vocabulary_add_pair(lemma_vocabulary *v, expr a, expr b) {
    type ty = expr_type(v->m, a);
    if (!comparable(v, ty, expr_type(v->m, b))) return;
    add_atom(v, expr_eq(v->m, a, b));
    if (!type_is_number(v->m, ty)) return;
    add_atom(v, expr_arith(v->m, E_LT, a, b));
    add_atom(v, expr_arith(v->m, E_LT, b, a));
}

static void vocabulary_add_cell(lemma_vocabulary *v, expr t) {
    type ty = expr_type(v->m, t);
    const expr_info x = *expr_of(v->m, t);
    if (vocabulary_is_bool(v, ty)) add_atom(v, t);
    else add_atom(v, expr_defined(v->m, (func){x.ref}, x.args));
    if (vocabulary_is_sort(v, ty))
        for (uint32_t k = 0; k < v->nformals; k++) add_atom(v, expr_eq(v->m, t, expr_var(v->m, v->formals[k])));
    else if (!vocabulary_is_bool(v, ty)) vocabulary_add_constants(v, t);
}

static void add_atoms_of(lemma_vocabulary *v, uint32_t i) {
    expr t = v->terms.data[i];
    type ty = expr_type(v->m, t);
    if (vocabulary_is_bool(v, ty)) {
        add_atom(v, t);
        return;
    }
    const expr_info x = *expr_of(v->m, t);
    add_atom(v, expr_defined(v->m, (func){x.ref}, x.args));
    if (vocabulary_is_sort(v, ty))
        for (uint32_t k = 0; k < v->nformals; k++) add_atom(v, expr_eq(v->m, t, expr_var(v->m, v->formals[k])));
    else vocabulary_add_constants(v, t);
    for (uint32_t k = 0; k < i; k++) vocabulary_add_pair(v, v->terms.data[k], t);
}

// Shared arrays at constants: what holds of one node or key.
static void vocabulary_add_cells(lemma_vocabulary *v) {
    for (uint32_t i = 0; i < sys_of(v->m, v->system)->funcs.len; i++) {
        func f = sys_of(v->m, v->system)->funcs.data[i];
        const func_info info = *func_of(v->m, f);
        if (info.is_scratch || info.nargs != 1 || vocabulary_is_sort(v, info.args[0])) continue;
        type_kind kind = type_of(v->m, info.args[0])->kind;
        uint32_t n = type_known_size(v->m, info.args[0]);
        if (kind == TYPE_SORT || kind == TYPE_UNION || n > MOST_CELLS) continue;
        value first = kind == TYPE_RANGE ? type_of(v->m, info.args[0])->lo : 0;
        for (uint32_t k = 0; k < n; k++) {
            expr at = expr_const(v->m, info.args[0], first + (value)k);
            vocabulary_add_cell(v, expr_app(v->m, f, &at));
        }
    }
}

// ---- the model's own conditions

static bool reads_local(const model *m, expr e) {
    const expr_info *x = expr_of(m, e);
    if ((x->kind == E_APP || x->kind == E_DEFINED) && func_of(m, (func){x->ref})->is_scratch) return true;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (reads_local(m, x->args[i])) return true;
    return false;
}

// Does it read something of the sort at anything but a variable?
static bool indexes_by_value(const lemma_vocabulary *v, expr e) {
    const expr_info *x = expr_of(v->m, e);
    if (x->kind == E_APP || x->kind == E_DEFINED)
        for (uint32_t i = 0; i < x->nargs; i++)
            if (vocabulary_is_sort(v, func_of(v->m, (func){x->ref})->args[i]) &&
                expr_kind_of(v->m, x->args[i]) != E_VAR)
                return true;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (indexes_by_value(v, x->args[i])) return true;
    return false;
}

static void add_at_constants(lemma_vocabulary *v, expr e, var open) {
    type ty = var_of(v->m, open)->ty;
    uint32_t n = type_known_size(v->m, ty);
    type_kind kind = type_of(v->m, ty)->kind;
    value first = kind == TYPE_RANGE ? type_of(v->m, ty)->lo : 0;
    if (kind == TYPE_SORT || kind == TYPE_UNION || n > MOST_CELLS) return;
    for (uint32_t i = 0; i < n; i++) {
        expr c = expr_const(v->m, ty, first + (value)i);
        add_atom(v, expr_subst(v->m, e, &open, &c, 1));
    }
}

// The condition with elements for its variables of the sort, and each fitting term for another one.
static void vocabulary_add_condition(lemma_vocabulary *v, expr e) {
    var_list vars = {0};
    var elements[VOCABULARY_FORMALS + 1], open = {0};
    uint32_t nelements = 0, nopen = 0;
    expr_free_vars(v->m, e, &vars);
    for (uint32_t i = 0; i < vars.len; i++)
        if (!vocabulary_is_sort(v, var_of(v->m, vars.data[i])->ty)) open = vars.data[i], nopen++;
        else if (nelements <= VOCABULARY_FORMALS) elements[nelements++] = vars.data[i];
    vec_free(&vars);
    if (nelements > v->nformals || nopen > 1) return;
    for (uint32_t turn = 0; turn < (nelements ? v->nformals : 1); turn++) {
        expr with[VOCABULARY_FORMALS];
        for (uint32_t i = 0; i < nelements; i++) with[i] = expr_var(v->m, v->formals[(i + turn) % v->nformals]);
        expr now = expr_subst(v->m, e, elements, with, nelements);
        if (!nopen) add_atom(v, now);
        for (uint32_t k = 0; nopen && k < v->terms.len; k++)
            if (comparable(v, var_of(v->m, open)->ty, expr_type(v->m, v->terms.data[k])))
                add_atom(v, expr_subst(v->m, now, &open, &v->terms.data[k], 1));
        if (nopen && !nelements) add_at_constants(v, now, open);
    }
}

static void harvest(lemma_vocabulary *v, expr e) {
    const expr_info x = *expr_of(v->m, e);
    if (vocabulary_is_bool(v, x.ty) && x.kind != E_CONST && x.kind != E_VAR) {
        bool is_junction = x.kind == E_NOT || x.kind == E_AND || x.kind == E_OR || x.kind == E_IMPLIES ||
                           x.kind == E_FORALL || x.kind == E_EXISTS;
        if (!is_junction && !reads_local(v->m, e) && !indexes_by_value(v, e)) vocabulary_add_condition(v, e);
    }
    for (uint32_t i = 0; i < x.nargs; i++) harvest(v, x.args[i]);
}

static void harvest_body(lemma_vocabulary *v, const stmt *s) {
    if (s->cond.id) harvest(v, expr_inline(v->m, s->cond));
    if (s->value.id) harvest(v, expr_inline(v->m, s->value));
    for (uint32_t i = 0; i < s->nbody; i++) harvest_body(v, s->body[i]);
    for (uint32_t i = 0; i < s->norelse; i++) harvest_body(v, s->orelse[i]);
}

static void harvest_all(lemma_vocabulary *v) {
    for (uint32_t i = 0; i < sys_of(v->m, v->system)->rules.len; i++) {
        rule_info r = *rule_of(v->m, sys_of(v->m, v->system)->rules.data[i]);
        if (r.guard.id) harvest(v, expr_inline(v->m, r.guard));
        if (r.body) harvest_body(v, r.body);
    }
    for (uint32_t i = 1; i < v->m->props.len; i++) {
        prop_info p = v->m->props.data[i];
        if (p.system.id == v->system.id && p.kind == PROP_INVARIANT) harvest(v, expr_inline(v->m, p.cond));
    }
}

// ---- points

static bool only_about(const lemma_vocabulary *v, expr e, const var *params, uint32_t n) {
    var_list vars = {0};
    bool ok = !reads_local(v->m, e) && !indexes_by_value(v, e);
    expr_free_vars(v->m, e, &vars);
    for (uint32_t i = 0; i < vars.len && ok; i++) {
        bool known = false;
        for (uint32_t k = 0; k < n; k++) known |= vars.data[i].id == params[k].id;
        ok = known;
    }
    vec_free(&vars);
    return ok;
}

static bool vocabulary_has_quantifier(const lemma_vocabulary *v, expr e) {
    const expr_info *x = expr_of(v->m, e);
    if (expr_kind_binds(x->kind) && vocabulary_is_sort(v, var_of(v->m, (var){x->ref})->ty)) return true;
    for (uint32_t i = 0; i < x->nargs; i++)
        if (vocabulary_has_quantifier(v, x->args[i])) return true;
    return false;
}

static expr conjuncts_about(lemma_vocabulary *v, expr e, const var *params, uint32_t n) {
    const expr_info x = *expr_of(v->m, e);
    if (x.kind == E_AND) {
        expr all = v->m->true_expr;
        for (uint32_t i = 0; i < x.nargs; i++) all = expr_and(v->m, all, conjuncts_about(v, x.args[i], params, n));
        return all;
    }
    return only_about(v, e, params, n) && !vocabulary_has_quantifier(v, e) ? welldefined_holds(v->m, e)
                                                                           : v->m->true_expr;
}

static void add_point(lemma_vocabulary *v, point p) {
    expr with[VOCABULARY_FORMALS];
    for (uint32_t i = 0; i < p.nparams; i++) with[i] = expr_var(v->m, v->formals[i]);
    p.premise = expr_subst(v->m, p.premise, p.params, with, p.nparams);
    vec_push(&v->points, p);
}

// The conditions under which the body does one thing or another.
static void add_branches(lemma_vocabulary *v, const point *p, const stmt *s) {
    if (s->kind == S_IF && only_about(v, s->cond, p->params, p->nparams) && !vocabulary_has_quantifier(v, s->cond)) {
        point then = *p, orelse = *p;
        then.premise = expr_and(v->m, p->premise, welldefined_holds(v->m, s->cond));
        orelse.premise = expr_and(v->m, p->premise, welldefined_holds(v->m, expr_not(v->m, s->cond)));
        add_point(v, then);
        add_point(v, orelse);
    }
    for (uint32_t i = 0; i < s->nbody; i++) add_branches(v, p, s->body[i]);
    for (uint32_t i = 0; i < s->norelse; i++) add_branches(v, p, s->orelse[i]);
}

static void add_points_at(lemma_vocabulary *v, rule r, const var *params, uint32_t n) {
    rule_info info = *rule_of(v->m, r);
    point p = {.r = r, .nparams = n, .premise = v->m->true_expr};
    for (uint32_t i = 0; i < n; i++) p.params[i] = params[i];
    if (info.guard.id) p.premise = conjuncts_about(v, expr_inline(v->m, info.guard), params, n);
    add_point(v, p);
    if (info.body) add_branches(v, &p, info.body);
}

static void add_points(lemma_vocabulary *v, rule r) {
    rule_info info = *rule_of(v->m, r);
    for (uint32_t i = 0; i < info.nparams; i++) {
        if (!vocabulary_is_sort(v, var_of(v->m, info.params[i])->ty)) continue;
        add_points_at(v, r, &info.params[i], 1);
        for (uint32_t k = 0; k < info.nparams && v->nformals > 1; k++)
            if (k != i && vocabulary_is_sort(v, var_of(v->m, info.params[k])->ty))
                add_points_at(v, r, (var[]){info.params[i], info.params[k]}, 2);
    }
}

// ---- all of it

lemma_vocabulary *lemma_vocabulary_new(model *m, sys s, type sort, uint32_t nformals) {
    static const char *const names[] = {"i", "j"};
    lemma_vocabulary *v = mem_zero(1, sizeof *v);
    *v = (lemma_vocabulary){.m = m, .system = s, .sort = sort, .nformals = nformals, .seen = map_new()};
    for (uint32_t i = 0; i < nformals; i++) v->formals[i] = model_add_var(m, names[i], sort, (span){0});
    add_applications(v, false);
    add_applications(v, true);
    for (uint32_t i = 0; i < v->terms.len; i++) add_atoms_of(v, i);
    harvest_all(v);
    vocabulary_add_cells(v);
    for (uint32_t i = 0; i < sys_of(m, s)->rules.len; i++) add_points(v, sys_of(m, s)->rules.data[i]);
    if (nformals > 1) vec_push(&v->points, (point){.premise = m->true_expr});
    return v;
}

void lemma_vocabulary_free(lemma_vocabulary *v) {
    if (!v) return;
    vec_free(&v->terms);
    vec_free(&v->atoms);
    vec_free(&v->points);
    map_free(v->seen);
    free(v);
}
