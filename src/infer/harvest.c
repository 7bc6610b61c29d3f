// SPDX-License-Identifier: Apache-2.0
// Shapes from the model's own quantified conditions.
//
// A guard such as `!(rs(t, _) meets ms(t, _))` says that `exists v. rs(x, v) & ms(x, v)` matters: the
// predicate that Emmi et al. (PLDI 2010) call rmc and add by hand. Every quantified block in a guard, a statement, a
// requirement or a property whose free variables are of sorts becomes a shape over them, as an `exists`. One
// that would need a Skolem function against the order of the sorts is left out: clauses with one more
// variable say as much as its negation.
#include "infer/atoms.h"

#include "infer/sample.h"
#include "model/expr.h"
#include "model/walk.h"

enum { MOST_WEIGHT = 10000 };  // a condition that is larger than this when written out is not tried

typedef struct {
    atom_pool *p;
    map *seen;         // quantified blocks
    bool of_property;  // whose conditions are taken in any case: the property is asked about anyway
} harvester;

// Strips the quantifiers of one kind; their variables go to `bound`.
static expr strip(model *m, expr e, expr_kind kind, var_list *bound) {
    while (expr_kind_of(m, e) == kind) {
        vec_push(bound, (var){expr_of(m, e)->ref});
        e = expr_arg(m, e, 0);
    }
    return e;
}

static bool all_sorts(const atom_pool *p, var_set l) {
    for (uint32_t i = 0; i < l.n; i++)
        if (atoms_sort(p, var_of(p->m, l.vars[i])->ty) == UINT32_MAX) return false;
    return true;
}

// The same condition written with other bound variables or in another order is one shape: bound variables are
// replaced by the pool's, operands are sorted by what they are without regard to variables. Two
// parts are compared once: `known` has 1 + their order.
static int compare_shape(const model *m, expr a, expr b, map *known) {
    const expr_info *x = expr_of(m, a), *y = expr_of(m, b);
    if (expr_same(a, b)) return 0;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->kind != E_VAR && x->ref != y->ref) return x->ref < y->ref ? -1 : 1;
    if (x->nargs != y->nargs) return x->nargs < y->nargs ? -1 : 1;
    uint32_t key[] = {a.id, b.id}, before = map_get(known, key, sizeof key, UINT32_MAX);
    if (before != UINT32_MAX) return (int)before - 1;
    int order = 0;
    for (uint32_t i = 0; i < x->nargs && !order; i++) order = compare_shape(m, x->args[i], y->args[i], known);
    map_put(known, key, sizeof key, (uint32_t)(order + 1));
    return order;
}

static expr sort_operands(model *m, expr e, void *known) {
    expr_info x = *expr_of(m, e);
    if (x.kind != E_AND && x.kind != E_OR) return e;
    VEC(expr) args = {0};
    for (uint32_t i = 0; i < x.nargs; i++) vec_push(&args, x.args[i]);
    for (uint32_t i = 1; i < args.len; i++)
        for (uint32_t k = i; k > 0 && compare_shape(m, args.data[k - 1], args.data[k], known) > 0; k--) {
            expr swap = args.data[k];
            args.data[k] = args.data[k - 1];
            args.data[k - 1] = swap;
        }
    e = x.kind == E_AND ? expr_and_all(m, args.data, args.len) : expr_or_all(m, args.data, args.len);
    vec_free(&args);
    return e;
}

static var bound_name(atom_pool *p, type t, uint32_t index) {
    while (p->bound.len <= p->sorts.len * POOL_PER_SORT) vec_push(&p->bound, (var){0});
    uint32_t place = atoms_sort(p, t) * POOL_PER_SORT + index % POOL_PER_SORT;
    if (!p->bound.data[place].id) {
        const char *name = var_of(p->m, p->vars.data[place])->name;
        p->bound.data[place] = model_add_var(p->m, name, t, (span){0});
    }
    return p->bound.data[place];
}

void harvest_exists(atom_pool *p, expr body, const var_list *bound, atom_kind level, bool in_any_case) {
    var_list names = {0};
    VEC(expr) with = {0};
    bool ok = bound->len <= POOL_PER_SORT && all_sorts(p, (var_set){bound->data, bound->len});
    for (uint32_t i = 0; ok && i < bound->len; i++) {
        vec_push(&names, bound_name(p, var_of(p->m, bound->data[i])->ty, i));
        vec_push(&with, expr_var(p->m, names.data[i]));
    }
    if (ok) {
        body = expr_subst(p->m, body, bound->data, with.data, bound->len);
        map *known = map_new();
        expr e = expr_exists(p->m, names.data, names.len, expr_rewrite(p->m, body, sort_operands, known));
        map_free(known);
        const var_set of = expr_frees(p->m, e);
        if (of.n <= (p->order ? SHAPE_MOST_ARGS : 2) && all_sorts(p, of) && (atoms_allow(p, e) || in_any_case))
            atoms_add_shape(p, e, of.vars, of.n, level);
    }
    vec_free(&names);
    vec_free(&with);
}

static void harvest_block(harvester *h, expr e) {
    model *m = h->p->m;
    expr_kind kind = expr_kind_of(m, e);
    var_list bound = {0};
    expr body = strip(m, e, kind, &bound);
    if (!expr_of(m, body)->nesting) {
        body = expr_nnf(m, body, kind == E_FORALL);
        if (sample_can(m, body)) harvest_exists(h->p, body, &bound, ATOMS_OF_MODEL, h->of_property);
    }
    vec_free(&bound);
}

static void harvest_expr(harvester *h, expr e) {
    model *m = h->p->m;
    walk w = walk_expr(m, e.id ? expr_inline(m, e) : e, 0);
    while (walk_next(&w)) {
        if (w.x->kind != E_FORALL && w.x->kind != E_EXISTS) continue;
        if (!map_put(h->seen, &w.e.id, sizeof w.e.id, 1)) walk_skip(&w);
        else if (w.x->weight < MOST_WEIGHT) harvest_block(h, w.e);
    }
}

static void harvest_rule(harvester *h, rule r) {
    rule_info x = *rule_of(h->p->m, r);
    harvest_expr(h, x.guard);
    for (uint32_t i = 0; i < x.nrequires; i++) harvest_expr(h, x.requires[i].cond);
    walk w = walk_stmt(h->p->m, x.body, WALK_STMTS);
    while (walk_next(&w)) {
        harvest_expr(h, w.s->cond);
        harvest_expr(h, w.s->value);
        for (uint32_t i = 0; i < w.s->nargs; i++) harvest_expr(h, w.s->args[i]);
    }
}

void harvest_conditions(atom_pool *p, prop property) {
    harvester h = {.p = p, .seen = map_new()};
    for (uint32_t i = 0; i < sys_of(p->m, p->system)->rules.len; i++)
        harvest_rule(&h, sys_of(p->m, p->system)->rules.data[i]);
    h.of_property = true;
    bool is_invariant = property.id && prop_of(p->m, property)->kind == PROP_INVARIANT;
    if (is_invariant && !p->order) harvest_expr(&h, prop_of(p->m, property)->cond);
    map_free(h.seen);
}

// ---- exists z. a(x, z) & b(y, z), for two relations of one system

// a(x.., z): the function over fresh variables, z in place `at`.
static bool relation_over(atom_pool *p, func f, uint32_t at, var z, expr *out) {
    func_info info = *func_of(p->m, f);
    expr args[SHAPE_MOST_ARGS];
    for (uint32_t i = 0; i < info.nargs; i++) {
        if (i != at && atoms_sort(p, info.args[i]) == UINT32_MAX) return false;
        args[i] = expr_var(p->m, i == at ? z : model_add_var(p->m, "x", info.args[i], (span){0}));
    }
    *out = expr_app(p->m, f, args);
    return true;
}

static bool harvest_is_relation(const atom_pool *p, func f) {
    const func_info *info = func_of(p->m, f);
    return type_of(p->m, info->result)->kind == TYPE_BOOL && info->nargs && info->nargs <= 2;
}

static void harvest_add_pair(atom_pool *p, func f, uint32_t i, func g, uint32_t k) {
    type t = func_of(p->m, f)->args[i];
    if (!type_same(t, func_of(p->m, g)->args[k]) || atoms_sort(p, t) == UINT32_MAX) return;
    var z = model_add_var(p->m, "z", t, (span){0});
    expr a, b;
    if (!relation_over(p, f, i, z, &a) || !relation_over(p, g, k, z, &b)) return;
    var_list bound = {&z, 1, 1};
    harvest_exists(p, expr_and(p->m, a, b), &bound, ATOMS_ALL, false);
}

void harvest_pairs(atom_pool *p) {
    uint32_t n = sys_of(p->m, p->system)->funcs.len;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i; k < n; k++) {
            func f = sys_of(p->m, p->system)->funcs.data[i], g = sys_of(p->m, p->system)->funcs.data[k];
            if (!harvest_is_relation(p, f) || !harvest_is_relation(p, g)) continue;
            if (func_of(p->m, f)->owner.id != func_of(p->m, g)->owner.id) continue;
            for (uint32_t a = 0; a < func_of(p->m, f)->nargs; a++)
                for (uint32_t b = 0; b < func_of(p->m, g)->nargs; b++) harvest_add_pair(p, f, a, g, b);
        }
}
