// SPDX-License-Identifier: Apache-2.0
// Shapes and atoms of a system: see atoms.h.
#include "infer/atoms.h"

#include "logic/fragment.h"
#include "model/expr.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CONSTANTS = 6 };  // a range or enum with more values gives no shapes

// ---- the pool of variables

uint32_t atoms_sort(const atom_pool *p, type t) {
    for (uint32_t i = 0; i < p->sorts.len; i++)
        if (type_same(p->sorts.data[i], t)) return i;
    return UINT32_MAX;
}

static bool name_taken(const atom_pool *p, const char *name) {
    for (uint32_t i = 0; i < p->vars.len; i++)
        if (p->vars.data[i].id && strcmp(var_of(p->m, p->vars.data[i])->name, name) == 0) return true;
    sys_info *s = sys_of(p->m, p->system);
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (strcmp(func_of(p->m, s->funcs.data[i])->name, name) == 0) return true;
    return false;
}

static bool is_good_name(const atom_pool *p, var v, type t) {
    const var_info *x = var_of(p->m, v);
    return type_same(x->ty, t) && strlen(x->name) <= 2 && strcmp(x->name, "y") != 0 && !name_taken(p, x->name);
}

static const char *parameter_name(const atom_pool *p, type t) {
    const sys_info *s = sys_of(p->m, p->system);
    for (uint32_t i = 0; i < s->rules.len; i++) {
        const rule_info *r = rule_of(p->m, s->rules.data[i]);
        for (uint32_t k = 0; k < r->nparams; k++)
            if (is_good_name(p, r->params[k], t)) return var_of(p->m, r->params[k])->name;
    }
    return NULL;
}

// Variables are called what the model calls its own, parameters of rules first: t, u for threads, v, w for
// locations.
static const char *next_name(const atom_pool *p, type t) {
    const char *name = parameter_name(p, t);
    for (uint32_t i = 1; i < p->m->vars.len && !name; i++)
        if (is_good_name(p, (var){i}, t)) name = p->m->vars.data[i].name;
    for (char c = 'a'; c <= 'z' && !name; c++) {
        char letter[2] = {c, 0};
        if (!name_taken(p, letter)) name = arena_str(p->m->memory, letter);
    }
    return name ? name : arena_printf(p->m->memory, "x%u", p->vars.len);
}

static void add_variables(atom_pool *p, type t) {
    for (uint32_t i = 0; i < POOL_PER_SORT; i++) {
        var v = model_add_var(p->m, next_name(p, t), t, (span){0});
        vec_push(&p->vars, v);
    }
}

static void atoms_add_sorts(atom_pool *p) {
    type_list sorts = {0};
    instance_sorts(p->m, p->system, &sorts);
    for (uint32_t i = 0; i < sorts.len && p->sorts.len < POOL_SORTS; i++) {
        vec_push(&p->sorts, sorts.data[i]);
        add_variables(p, sorts.data[i]);
    }
    vec_free(&sorts);
}

// ---- edges between sorts

static uint64_t atoms_reach(const atom_pool *p, uint32_t from) {
    uint64_t seen = p->edges.to[from], old = 0;
    while (seen != old) {
        old = seen;
        for (uint32_t i = 0; i < p->sorts.len; i++)
            if (seen >> i & 1) seen |= p->edges.to[i];
    }
    return seen;
}

// The edges of a formula and of its negation, under universal variables.
static sort_edges atoms_edges(const atom_pool *p, expr e) {
    sort_edges found = {0};
    fragment f;
    fragment_init(&f, p->m);
    const var_set of = expr_frees(p->m, e);
    fragment_add(&f, e, false, of.vars, of.n);
    fragment_add(&f, e, true, of.vars, of.n);
    for (uint32_t i = 0; i < p->sorts.len; i++)
        for (uint32_t k = 0; k < p->sorts.len; k++)
            if (fragment_leads(&f, p->sorts.data[i], p->sorts.data[k])) found.to[i] |= UINT64_C(1) << k;
    fragment_done(&f);
    return found;
}

// Edges that close no cycle with those there are join them.
static bool atoms_join_edges(atom_pool *p, const sort_edges *more) {
    sort_edges before = p->edges;
    bool ok = true;
    for (uint32_t i = 0; i < p->sorts.len; i++) p->edges.to[i] |= more->to[i];
    for (uint32_t i = 0; i < p->sorts.len; i++)
        if (more->to[i]) ok &= !(atoms_reach(p, i) >> i & 1);
    if (!ok) p->edges = before;
    return ok;
}

bool atoms_allow(atom_pool *p, expr e) {
    sort_edges needs = atoms_edges(p, e);
    if (!p->order) return atoms_join_edges(p, &needs);
    vec_push(&p->wants, needs);
    return order_fits(p->order, &needs, p->sorts.len);
}

static void add_function_edges(atom_pool *p) {
    sys_info *s = sys_of(p->m, p->system);
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(p->m, s->funcs.data[i]);
        uint32_t to = atoms_sort(p, f->result);
        for (uint32_t k = 0; to != UINT32_MAX && k < f->nargs; k++) {
            uint32_t from = atoms_sort(p, f->args[k]);
            if (from != UINT32_MAX) p->edges.to[from] |= UINT64_C(1) << to;
        }
    }
}

// ---- shapes

static uint32_t table_size(uint32_t nformals) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < nformals; i++) n *= POOL_PER_SORT;
    return n;
}

// The same formula over other formals is the same shape: compared with pool variables in their place.
static expr over_pool(atom_pool *p, expr e, const var *formals, uint32_t n) {
    expr with[SHAPE_MOST_ARGS];
    uint32_t used[POOL_SORTS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = atoms_sort(p, var_of(p->m, formals[i])->ty);
        if (used[s] == POOL_PER_SORT) return (expr){0};
        with[i] = expr_var(p->m, p->vars.data[s * POOL_PER_SORT + used[s]++]);
    }
    return expr_subst(p->m, e, formals, with, n);
}

static bool atoms_sorts_known(const atom_pool *p, const var *formals, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (atoms_sort(p, var_of(p->m, formals[i])->ty) == UINT32_MAX) return false;
    return true;
}

bool atoms_add_shape(atom_pool *p, expr e, const var *formals, uint32_t nformals, atom_kind level) {
    if (nformals > SHAPE_MOST_ARGS || !atoms_sorts_known(p, formals, nformals)) return false;
    expr key = over_pool(p, e, formals, nformals), negated = key.id ? expr_not(p->m, key) : key;
    if (!key.id || expr_is_true(p->m, key) || expr_is_false(p->m, key)) return false;
    if (map_get(p->by_body, &negated.id, sizeof negated.id, 0)) return false;
    if (!map_put(p->by_body, &key.id, sizeof key.id, 1)) return false;
    shape s = {.body = e, .nformals = nformals, .group = UINT32_MAX, .level = level};
    for (uint32_t i = 0; i < nformals; i++) {
        s.formals[i] = formals[i];
        s.sorts[i] = (uint8_t)atoms_sort(p, var_of(p->m, formals[i])->ty);
    }
    expr_kind kind = expr_kind_of(p->m, e);
    s.is_quantified = kind == E_EXISTS || kind == E_FORALL;
    vec_push(&p->shapes, s);
    return true;
}

// ---- shapes of state functions

typedef struct {
    expr args[MODEL_MOST_ARGS];
    var formals[SHAPE_MOST_ARGS];
    uint32_t nformals;
    bool has_term;  // some argument is a function's value
} filling;

typedef void (*fill_done)(atom_pool *p, func f, const filling *x);

static bool atoms_fresh(atom_pool *p, filling *x, type t, expr *out) {
    if (x->nformals == SHAPE_MOST_ARGS || atoms_sort(p, t) == UINT32_MAX) return false;
    var v = model_add_var(p->m, "x", t, (span){0});
    x->formals[x->nformals++] = v;
    *out = expr_var(p->m, v);
    return true;
}

static bool atoms_is_sort(const atom_pool *p, type t) { return type_of(p->m, t)->kind == TYPE_SORT; }

// f(x1..xn) with fresh formals; false if one is not of a sort.
static bool apply_fresh(atom_pool *p, filling *x, func f, expr *out) {
    func_info info = *func_of(p->m, f);
    expr args[SHAPE_MOST_ARGS];
    if (info.nargs > SHAPE_MOST_ARGS) return false;
    for (uint32_t i = 0; i < info.nargs; i++)
        if (!atoms_fresh(p, x, info.args[i], &args[i])) return false;
    *out = expr_app(p->m, f, args);
    return true;
}

static void fill_from(atom_pool *p, func f, filling x, uint32_t i, fill_done done);

// Argument i is the value of another function: one such argument a shape.
static void fill_terms(atom_pool *p, func f, const filling *x, uint32_t i, fill_done done) {
    type t = func_of(p->m, f)->args[i];
    for (uint32_t k = 0; k < sys_of(p->m, p->system)->funcs.len; k++) {
        func g = sys_of(p->m, p->system)->funcs.data[k];
        filling next = *x;
        if (g.id == f.id || !type_same(func_of(p->m, g)->result, t)) continue;
        if (func_of(p->m, g)->nargs && x->has_term && func_of(p->m, f)->nargs != 2) continue;
        next.has_term = true;
        if (apply_fresh(p, &next, g, &next.args[i])) fill_from(p, f, next, i + 1, done);
    }
}

static void fill_constants(atom_pool *p, func f, const filling *x, uint32_t i, fill_done done) {
    type t = func_of(p->m, f)->args[i];
    uint32_t n = type_known_size(p->m, t);
    value first = type_first(p->m, t);
    for (uint32_t k = 0; k < n && n <= MOST_CONSTANTS; k++) {
        filling next = *x;
        next.args[i] = expr_const(p->m, t, first + (value)k);
        fill_from(p, f, next, i + 1, done);
    }
}

// Every way to fill arguments i.. of f.
static void fill_from(atom_pool *p, func f, filling x, uint32_t i, fill_done done) {
    const func_info *info = func_of(p->m, f);
    if (i == info->nargs) {
        done(p, f, &x);
        return;
    }
    type t = info->args[i];
    if (!atoms_is_sort(p, t)) {
        fill_constants(p, f, &x, i, done);
        return;
    }
    filling next = x;
    if (atoms_fresh(p, &next, t, &next.args[i])) fill_from(p, f, next, i + 1, done);
    fill_terms(p, f, &x, i, done);
}

static void shapes_of_values(atom_pool *p, expr app, const filling *x, type t) {
    uint32_t n = type_known_size(p->m, t);
    if (n > MOST_CONSTANTS) return;
    value first = type_first(p->m, t);
    uint32_t group = p->shapes.len;
    for (uint32_t k = 0; k < (n == 2 ? 1 : n); k++) {
        expr e = expr_eq(p->m, app, expr_const(p->m, t, first + (value)k));
        if (!atoms_add_shape(p, e, x->formals, x->nformals, ATOMS_OF_MODEL) || n == 2) continue;
        vec_last(&p->shapes).group = group;
        vec_last(&p->shapes).group_size = n;
    }
}

static void shape_of_application(atom_pool *p, func f, const filling *x) {
    type t = func_of(p->m, f)->result;
    expr app = expr_app(p->m, f, x->args), other;
    filling y = *x;
    atom_kind level = x->has_term ? ATOMS_OF_TERMS : ATOMS_OF_MODEL;
    if (type_of(p->m, t)->kind == TYPE_BOOL) atoms_add_shape(p, app, x->formals, x->nformals, ATOMS_OF_MODEL);
    else if (!atoms_is_sort(p, t)) shapes_of_values(p, app, x, t);
    else if (atoms_fresh(p, &y, t, &other)) atoms_add_shape(p, expr_eq(p->m, app, other), y.formals, y.nformals, level);
}

// Two applications side by side: f(x) = f(y), c = d; < between values of ordered sorts.
static void shapes_of_pairs(atom_pool *p, func f, func g) {
    filling x = {0};
    expr a, b;
    type t = func_of(p->m, f)->result;
    if (!atoms_is_sort(p, t) || !type_same(t, func_of(p->m, g)->result) || g.id < f.id) return;
    if (g.id == f.id && !func_of(p->m, f)->nargs) return;
    if (apply_fresh(p, &x, f, &a) && apply_fresh(p, &x, g, &b))
        atoms_add_shape(p, expr_eq(p->m, a, b), x.formals, x.nformals, ATOMS_OF_TERMS);
}

static void shapes_of_sort(atom_pool *p, type t) {
    filling x = {0};
    expr a, b;
    if (!atoms_fresh(p, &x, t, &a) || !atoms_fresh(p, &x, t, &b)) return;
    if (atoms_add_shape(p, expr_eq(p->m, a, b), x.formals, 2, ATOMS_OF_MODEL)) vec_last(&p->shapes).is_equality = true;
    if (type_of(p->m, t)->is_ordered) atoms_add_shape(p, expr_arith(p->m, E_LT, a, b), x.formals, 2, ATOMS_OF_MODEL);
}

static void add_state_shapes(atom_pool *p) {
    for (uint32_t i = 0; i < p->sorts.len; i++) shapes_of_sort(p, p->sorts.data[i]);
    uint32_t n = sys_of(p->m, p->system)->funcs.len;
    for (uint32_t i = 0; i < n; i++)
        fill_from(p, sys_of(p->m, p->system)->funcs.data[i], (filling){0}, 0, shape_of_application);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i; k < n; k++)
            shapes_of_pairs(p, sys_of(p->m, p->system)->funcs.data[i], sys_of(p->m, p->system)->funcs.data[k]);
}

// ---- atoms

static void make_atom(atom_pool *p, shape *s, uint32_t index, map *seen) {
    atom a = {.shape = (uint32_t)(s - p->shapes.data)};
    expr with[SHAPE_MOST_ARGS];
    for (uint32_t i = 0, rest = index; i < s->nformals; i++, rest /= POOL_PER_SORT) {
        a.args[i] = (uint8_t)(s->sorts[i] * POOL_PER_SORT + rest % POOL_PER_SORT);
        a.vars |= UINT32_C(1) << a.args[i];
        with[i] = expr_var(p->m, p->vars.data[a.args[i]]);
    }
    if (p->usable && (a.vars & ~p->usable)) return;
    a.e = expr_subst(p->m, s->body, s->formals, with, s->nformals);
    if (expr_is_true(p->m, a.e) || expr_is_false(p->m, a.e)) return;
    expr swapped = a.e;
    if (expr_kind_of(p->m, a.e) == E_EQ) swapped = expr_eq(p->m, expr_arg(p->m, a.e, 1), expr_arg(p->m, a.e, 0));
    uint32_t known = map_get(seen, &swapped.id, sizeof swapped.id, ATOM_NONE);
    if (known == ATOM_NONE) known = map_intern(seen, &a.e.id, sizeof a.e.id, p->atoms.len);
    if (known == p->atoms.len) vec_push(&p->atoms, a);
    s->table[index] = known;
}

void atoms_make(atom_pool *p) {
    map *seen = map_new();
    for (uint32_t i = 0; i < p->shapes.len; i++) {
        shape *s = &p->shapes.data[i];
        uint32_t n = table_size(s->nformals);
        s->table = arena_alloc(p->m->memory, n * sizeof *s->table);
        for (uint32_t k = 0; k < n; k++) {
            s->table[k] = ATOM_NONE;
            if (p->atoms.len < ATOM_MOST) make_atom(p, s, k, seen);
        }
    }
    map_free(seen);
}

uint32_t atoms_image(const atom_pool *p, uint32_t number, const uint8_t *to) {
    const atom *a = &p->atoms.data[number];
    const shape *s = &p->shapes.data[a->shape];
    uint32_t index = 0;
    for (uint32_t i = s->nformals; i-- > 0;) index = index * POOL_PER_SORT + to[a->args[i]] % POOL_PER_SORT;
    return s->table[index];
}

uint32_t atoms_of_shape(const atom_pool *p, uint32_t number, uint32_t other) {
    const atom *a = &p->atoms.data[number];
    uint32_t index = 0;
    for (uint32_t i = p->shapes.data[a->shape].nformals; i-- > 0;)
        index = index * POOL_PER_SORT + a->args[i] % POOL_PER_SORT;
    return p->shapes.data[other].table[index];
}

atom_pool *atoms_begin(model *m, sys s, const sort_order *order) {
    atom_pool *p = mem_zero(1, sizeof *p);
    p->m = m;
    p->system = s;
    p->order = order;
    p->by_body = map_new();
    atoms_add_sorts(p);
    add_function_edges(p);
    return p;
}

atom_pool *atoms_new(model *m, sys s, prop property, const sort_order *order) {
    atom_pool *p = atoms_begin(m, s, order);
    add_state_shapes(p);
    if (order) provenance_add(p, property);
    harvest_conditions(p, property);
    return p;
}

void atoms_free(atom_pool *p) {
    if (!p) return;
    vec_free(&p->sorts);
    vec_free(&p->vars);
    vec_free(&p->bound);
    vec_free(&p->wants);
    vec_free(&p->shapes);
    vec_free(&p->atoms);
    map_free(p->by_body);
    free(p);
}
