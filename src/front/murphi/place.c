// SPDX-License-Identifier: Apache-2.0
// Designators, and what is done to whole records and arrays: copied, compared, cleared and undefined leaf
// by leaf, with a loop over the indices inside. An undefined leaf is copied as undefined.
#include "front/murphi/lower.h"
#include "model/real.h"

#include <string.h>

// ---- designators

bool murphi_is_place(lowering *l, const murphi_node *n) {
    if (n->kind == MX_FIELD || n->kind == MX_INDEX) return true;
    if (n->kind != MX_NAME) return false;
    symbol *s = murphi_find(l, n->name);
    return s && s->kind == SYMBOL_PLACE;
}

bool murphi_wrong_type(lowering *l, span at, const char *wanted, const murphi_type *found) {
    str text = {0};
    murphi_type_text(l, found, &text);
    murphi_error(l, at, "%s expected, but this is %s", wanted, str_get(&text));
    str_free(&text);
    return false;
}

static place murphi_field_place(const place *p, const murphi_field *f) {
    place q = *p;
    q.ty = f->ty;
    q.funcs = p->funcs + f->leaf;
    return q;
}

static bool place_field(lowering *l, const murphi_node *n, place *p) {
    if (!murphi_place(l, n->kids[0], p)) return false;
    if (p->ty->shape != SHAPE_RECORD) return murphi_wrong_type(l, n->kids[0]->at, "a record", p->ty);
    uint32_t found = scopes_find(l->fields, p->ty->scope, n->name);
    if (found != SCOPES_NONE) {
        *p = murphi_field_place(p, &p->ty->fields[found]);
        return true;
    }
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < p->ty->nfields; i++) vec_push(&names, p->ty->fields[i].name);
    diag_unknown(l->m->messages, n->at, "field", n->name, names.data, names.len);
    vec_free(&names);
    return false;
}

place murphi_element(const place *p, expr index) {
    place x = *p;
    x.args[x.nargs++] = index;
    x.funcs += p->ty->shape == SHAPE_MULTISET;
    x.ty = p->ty->element;
    return x;
}

place murphi_taken(lowering *l, const place *set, expr slot) {
    place x = *set;
    x.args[x.nargs++] = slot;
    x.ty = murphi_simple(l, l->m->bool_type);
    return x;
}

static bool murphi_index_place(lowering *l, place *p, expr index, span at) {
    if (p->ty->shape != SHAPE_ARRAY && p->ty->shape != SHAPE_MULTISET)
        return murphi_wrong_type(l, at, "an array", p->ty);
    index = murphi_convert(l, index, p->ty->index, at);
    if (index.id && p->ty->shape == SHAPE_MULTISET) index = murphi_slot_index(l, p, index, at);
    if (!index.id) return false;
    *p = murphi_element(p, index);
    return true;
}

static bool place_name(lowering *l, const murphi_node *n, place *p) {
    symbol *s = murphi_find(l, n->name);
    if (!s) murphi_unknown(l, "name", n->name, n->at);
    else if (s->kind != SYMBOL_PLACE) murphi_error(l, n->at, "'%s' is not a variable", n->name);
    if (s && s->kind == SYMBOL_PLACE) *p = s->p;
    return s && s->kind == SYMBOL_PLACE;
}

bool murphi_place(lowering *l, const murphi_node *n, place *p) {
    switch (n->kind) {
    case MX_NAME: return place_name(l, n, p);
    case MX_FIELD: return place_field(l, n, p);
    case MX_INDEX: {
        if (!murphi_place(l, n->kids[0], p)) return false;
        if (n->kids[1]->has_call) murphi_freeze(l, p);
        expr index = murphi_value(l, n->kids[1]);
        return index.id && murphi_index_place(l, p, index, n->kids[1]->at);
    }
    case MX_CALL:
        if (!murphi_call(l, n, p)) return false;
        if (p->ty) return true;
        murphi_error(l, n->at, "'%s' has no result", n->name);
        return false;
    default: murphi_error(l, n->at, "a variable expected"); return false;
    }
}

// ---- temporaries

static const func *new_temp(lowering *l, const murphi_type *ty, span at) {
    const char *name = arena_printf(l->m->memory, "%%%u", ++l->ntemps);
    return murphi_leaves(l, ty, name, true, at);
}

static bool is_same_type(const murphi_type *a, const murphi_type *b) {
    return a == b || (a->shape == SHAPE_SIMPLE && b->shape == SHAPE_SIMPLE && type_same(a->simple, b->simple));
}

static temp_pool *pool_of(lowering *l, const murphi_type *ty) {
    for (uint32_t i = 0; i < l->temps.len; i++)
        if (is_same_type(l->temps.data[i].ty, ty)) return &l->temps.data[i];
    vec_push(&l->temps, (temp_pool){.ty = ty});
    return &vec_last(&l->temps);
}

place murphi_temp(lowering *l, const murphi_type *ty, span at) {
    bool is_computed = ty->shape == SHAPE_SIMPLE && type_is_real(l->m, ty->simple) && !type_is_exact(l->m, ty->simple);
    if (is_computed)
        murphi_error(l, at, "assign this to a real variable first: a call beside it changes what it reads");
    temp_pool *pool = pool_of(l, ty);
    if (pool->taken == pool->leaves.len) vec_push(&pool->leaves, new_temp(l, ty, at));
    return (place){.ty = ty, .funcs = pool->leaves.data[pool->taken++]};
}

void murphi_begin_body(lowering *l) {
    for (uint32_t i = 0; i < l->temps.len; i++) l->temps.data[i].taken = 0;
}

place murphi_never(lowering *l, type simple, murphi_never_kind kind, span at) {
    bool is_limit = kind == NEVER_LIMITS, is_said = kind == NEVER_SAID;
    for (uint32_t i = 0; i < l->nevers.len; i++) {
        const place *p = &l->nevers.data[i];
        const func_info *f = func_of(l->m, p->funcs[0]);
        if (type_same(p->ty->simple, simple) && f->is_limit == is_limit && f->is_said == is_said) return *p;
    }
    const murphi_type *ty = murphi_simple(l, simple);
    place p = {.ty = ty, .funcs = new_temp(l, ty, at)};
    l->m->funcs.data[p.funcs[0].id].is_limit = is_limit;
    l->m->funcs.data[p.funcs[0].id].is_said = is_said;
    vec_push(&l->nevers, p);
    return p;
}

void murphi_freeze(lowering *l, place *p) {
    for (uint32_t i = 0; i < p->nargs; i++) p->args[i] = murphi_once(l, p->args[i], expr_of(l->m, p->args[i])->at);
}

// ---- simple places

expr murphi_read_place(lowering *l, const place *p) { return expr_app(l->m, p->funcs[0], p->args); }
expr murphi_is_defined(lowering *l, const place *p) { return expr_defined(l->m, p->funcs[0], p->args); }

void murphi_write(lowering *l, const place *p, expr e, span at) {
    murphi_emit(l, model_assign(l->m, p->funcs[0], p->args, p->nargs, e, at));
}

// ---- leaf by leaf

// Loops over the indices between a place and its leaves.
typedef struct {
    lowering *l;
    span at;
    VEC(var) vars;
    bool is_taken;  // the leaf tells which slots of a multiset are taken: without a value it is an empty one
} walker;

typedef const stmt *(*leaf_job)(walker *w, const place *a, const place *b);

static const stmt *assign_leaf(const walker *w, const place *p, expr e) {
    return model_assign(w->l->m, p->funcs[0], p->args, p->nargs, e, w->at);
}

static void each_leaf(walker *w, const place *a, const place *b, leaf_job job);

static void each_element(walker *w, const place *a, const place *b, leaf_job job) {
    var v = model_add_var(w->l->m, "i", a->ty->index, w->at);
    expr i = expr_var(w->l->m, v);
    const place *other = b ? b : a;
    vec_push(&w->vars, v);
    if (a->ty->shape == SHAPE_MULTISET) {
        place x = murphi_taken(w->l, a, i), y = murphi_taken(w->l, other, i);
        w->is_taken = true;
        each_leaf(w, &x, b ? &y : NULL, job);
        w->is_taken = false;
    }
    place x = murphi_element(a, i), y = murphi_element(other, i);
    each_leaf(w, &x, b ? &y : NULL, job);
    w->vars.len--;
}

static void each_leaf(walker *w, const place *a, const place *b, leaf_job job) {
    if (a->ty->shape == SHAPE_SIMPLE) {
        const stmt *s = job(w, a, b);
        if (w->vars.len) s = model_forall(w->l->m, w->vars.data, w->vars.len, (expr){0}, &s, 1, w->at);
        murphi_emit(w->l, s);
        return;
    }
    if (a->ty->shape != SHAPE_RECORD) {
        each_element(w, a, b, job);
        return;
    }
    for (uint32_t i = 0; i < a->ty->nfields; i++) {
        place x = murphi_field_place(a, &a->ty->fields[i]), y = {0};
        if (b) y = murphi_field_place(b, &b->ty->fields[i]);
        each_leaf(w, &x, b ? &y : NULL, job);
    }
}

static void run_walk(lowering *l, const place *a, const place *b, leaf_job job, span at) {
    place x = *a, y = b ? *b : *a;
    if (a->ty->shape != SHAPE_SIMPLE) murphi_freeze(l, &x);
    if (b && a->ty->shape != SHAPE_SIMPLE) murphi_freeze(l, &y);
    walker w = {.l = l, .at = at};
    each_leaf(&w, &x, b ? &y : NULL, job);
    vec_free(&w.vars);
}

// ---- copying, clearing, undefining

// What a leaf has when it has no value.
static expr none(const walker *w) { return w->is_taken ? w->l->m->false_expr : (expr){0}; }

static const stmt *copy_leaf(walker *w, const place *to, const place *from) {
    const stmt *copy = assign_leaf(w, to, murphi_read_place(w->l, from)), *drop = assign_leaf(w, to, none(w));
    return model_if(w->l->m, murphi_is_defined(w->l, from), &copy, 1, &drop, 1, w->at);
}

void murphi_copy(lowering *l, const place *to, const place *from, span at) { run_walk(l, to, from, copy_leaf, at); }

static const stmt *undefine_leaf(walker *w, const place *p, const place *b) {
    (void)b;
    return assign_leaf(w, p, none(w));
}

void murphi_undefine(lowering *l, const place *p, span at) { run_walk(l, p, NULL, undefine_leaf, at); }

// The least value. A scalarset has none that could be named without telling its elements apart, nor has a
// union; Rumur takes the first element all the same. A range that is read as a scalarset has one.
static const stmt *clear_leaf(walker *w, const place *p, const place *b) {
    (void)b;
    model *m = w->l->m;
    type_kind k = type_of(m, p->ty->simple)->kind;
    if (type_of(m, p->ty->simple)->is_range) murphi_error(w->l, w->at, "this names the least number of the range");
    if (k == TYPE_REAL) return assign_leaf(w, p, expr_const(m, p->ty->simple, 0));
    bool has_least = k != TYPE_UNION && (k != TYPE_SORT || !w->l->options->copies_undefined);
    return assign_leaf(w, p, has_least ? expr_const(m, p->ty->simple, type_first(m, p->ty->simple)) : (expr){0});
}

void murphi_clear(lowering *l, const place *p, span at) { run_walk(l, p, NULL, clear_leaf, at); }

// ---- comparing

static expr same_leaf(lowering *l, const place *a, const place *b) {
    model *m = l->m;
    expr has = murphi_is_defined(l, a), other_has = murphi_is_defined(l, b);
    expr equal = expr_eq(m, murphi_read_place(l, a), murphi_read_place(l, b));
    return expr_and(m, expr_eq(m, has, other_has), expr_implies(m, has, equal));
}

static expr murphi_same_element(lowering *l, const place *a, const place *b) {
    var v = model_add_var(l->m, "i", a->ty->index, (span){0});
    place x = murphi_element(a, expr_var(l->m, v)), y = murphi_element(b, expr_var(l->m, v));
    return expr_quantify(l->m, E_FORALL, v, murphi_same(l, &x, &y));
}

// How many elements there are in a multiset that are the same as x; x NULL: as any.
static expr count_same(lowering *l, const place *set, const place *x) {
    var v = model_add_var(l->m, "i", set->ty->index, (span){0});
    place taken = murphi_taken(l, set, expr_var(l->m, v)), y = murphi_element(set, expr_var(l->m, v));
    expr counts = murphi_read_place(l, &taken);
    if (x) counts = expr_and(l->m, counts, murphi_same(l, x, &y));
    return expr_quantify(l->m, E_COUNT, v, counts);
}

// Multisets are the same if they have as many elements, and each one of the first as often.
static expr same_content(lowering *l, const place *a, const place *b) {
    model *m = l->m;
    var v = model_add_var(m, "i", a->ty->index, (span){0});
    place taken = murphi_taken(l, a, expr_var(m, v)), x = murphi_element(a, expr_var(m, v));
    expr as_often = expr_eq(m, count_same(l, a, &x), count_same(l, b, &x));
    expr all = expr_quantify(m, E_FORALL, v, expr_implies(m, murphi_read_place(l, &taken), as_often));
    return expr_and(m, expr_eq(m, count_same(l, a, NULL), count_same(l, b, NULL)), all);
}

expr murphi_same(lowering *l, const place *a, const place *b) {
    if (a->ty->shape == SHAPE_SIMPLE) return same_leaf(l, a, b);
    if (a->ty->shape == SHAPE_MULTISET) return same_content(l, a, b);
    if (a->ty->shape != SHAPE_RECORD) return murphi_same_element(l, a, b);
    expr all = l->m->true_expr;
    for (uint32_t i = 0; i < a->ty->nfields; i++) {
        place x = murphi_field_place(a, &a->ty->fields[i]), y = murphi_field_place(b, &b->ty->fields[i]);
        all = expr_and(l->m, all, murphi_same(l, &x, &y));
    }
    return all;
}
