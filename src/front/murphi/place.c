// SPDX-License-Identifier: Apache-2.0
// Designators, and what is done to whole records and arrays: copied, compared, cleared and undefined leaf
// by leaf, with a loop over the indices inside. An undefined leaf is copied as undefined.
#include "front/murphi/lower.h"

#include <string.h>

// ---- designators

bool murphi_is_place(lowering *l, const murphi_node *n) {
    if (n->kind == MX_FIELD || n->kind == MX_INDEX) return true;
    if (n->kind != MX_NAME) return false;
    symbol *s = murphi_find(l, n->name);
    return s && s->kind == SYMBOL_PLACE;
}

static bool murphi_place_wrong_type(lowering *l, span at, const char *wanted, const murphi_type *found) {
    str text = {0};
    murphi_type_text(l, found, &text);
    murphi_error(l, at, "%s expected, but this is %s", wanted, str_get(&text));
    str_free(&text);
    return false;
}

place murphi_field_place(const place *p, const murphi_field *f) {
    place q = *p;
    q.ty = f->ty;
    q.funcs = p->funcs + f->leaf;
    return q;
}

static bool place_field(lowering *l, const murphi_node *n, place *p) {
    if (!murphi_place(l, n->kids[0], p)) return false;
    if (p->ty->shape != SHAPE_RECORD) return murphi_place_wrong_type(l, n->kids[0]->at, "a record", p->ty);
    uint32_t found = scopes_find(l->fields, p->ty->scope, n->name);
    if (found != SCOPES_NONE) {
        *p = murphi_field_place(p, &p->ty->fields[found]);
        return true;
    }
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < p->ty->nfields; i++) vec_push(&names, p->ty->fields[i].name);
    const char *near = diag_nearest(n->name, names.data, names.len);
    if (near) murphi_error(l, n->at, "no field '%s', did you mean '%s'?", n->name, near);
    else murphi_error(l, n->at, "no field '%s'", n->name);
    vec_free(&names);
    return false;
}

bool murphi_index_place(lowering *l, place *p, expr index, span at) {
    if (p->ty->shape != SHAPE_ARRAY && p->ty->shape != SHAPE_MULTISET)
        return murphi_place_wrong_type(l, at, "an array", p->ty);
    index = murphi_convert(l, index, p->ty->index, at);
    if (index.id && p->ty->shape == SHAPE_MULTISET) index = murphi_slot_index(l, p, index, at);
    if (!index.id) return false;
    p->args[p->nargs++] = index;
    p->funcs += p->ty->shape == SHAPE_MULTISET;
    p->ty = p->ty->element;
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
        if (murphi_has_call(n->kids[1])) murphi_freeze(l, p);
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
    temp_pool *pool = pool_of(l, ty);
    if (pool->taken == pool->leaves.len) vec_push(&pool->leaves, new_temp(l, ty, at));
    return (place){.ty = ty, .funcs = pool->leaves.data[pool->taken++]};
}

void murphi_begin_body(lowering *l) {
    for (uint32_t i = 0; i < l->temps.len; i++) l->temps.data[i].taken = 0;
}

static place *find_never(place *list, uint32_t n, type simple) {
    for (uint32_t i = 0; i < n; i++)
        if (type_same(list[i].ty->simple, simple)) return &list[i];
    return NULL;
}

place murphi_never(lowering *l, type simple, bool is_limit, span at) {
    place *known = is_limit ? find_never(l->limits.data, l->limits.len, simple)
                            : find_never(l->nevers.data, l->nevers.len, simple);
    if (known) return *known;
    const murphi_type *ty = murphi_simple(l, simple);
    place p = {.ty = ty, .funcs = new_temp(l, ty, at)};
    l->m->funcs.data[p.funcs[0].id].is_limit = is_limit;
    if (is_limit) vec_push(&l->limits, p);
    else vec_push(&l->nevers, p);
    return p;
}

void murphi_freeze(lowering *l, place *p) {
    for (uint32_t i = 0; i < p->nargs; i++) {
        if (!murphi_reads_state(l, p->args[i])) continue;
        span at = expr_of(l->m, p->args[i])->at;
        place t = murphi_temp(l, murphi_simple(l, expr_type(l->m, p->args[i])), at);
        murphi_write(l, &t, p->args[i], at);
        p->args[i] = murphi_read_place(l, &t);
    }
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
    stmt_list body;  // of one leaf
    bool is_taken;   // the leaf tells which slots of a multiset are taken: without a value it is an empty one
} walker;

typedef void (*leaf_job)(walker *w, const place *a, const place *b);

static void add_stmt(walker *w, const stmt *s) { vec_push(&w->body, s); }

static void assign_leaf(walker *w, const place *p, expr e) {
    add_stmt(w, model_assign(w->l->m, p->funcs[0], p->args, p->nargs, e, w->at));
}

static void finish_leaf(walker *w) {
    model *m = w->l->m;
    for (uint32_t i = 0; i < w->body.len; i++) {
        const stmt *s = w->body.data[i];
        if (w->vars.len) s = model_forall(m, w->vars.data, w->vars.len, (expr){0}, &s, 1, w->at);
        murphi_emit(w->l, s);
    }
    vec_clear(&w->body);
}

static void each_leaf(walker *w, const place *a, const place *b, leaf_job job);

static void each_element(walker *w, const place *a, const place *b, leaf_job job) {
    var v = model_add_var(w->l->m, "i", a->ty->index, w->at);
    place x = *a, y = b ? *b : *a;
    x.args[x.nargs++] = y.args[y.nargs++] = expr_var(w->l->m, v);
    vec_push(&w->vars, v);
    if (a->ty->shape == SHAPE_MULTISET) {
        place taken = x, other = y;
        taken.ty = other.ty = murphi_simple(w->l, w->l->m->bool_type);
        w->is_taken = true;
        each_leaf(w, &taken, b ? &other : NULL, job);
        w->is_taken = false;
        x.funcs++, y.funcs++;
    }
    x.ty = a->ty->element;
    if (b) y.ty = b->ty->element;
    each_leaf(w, &x, b ? &y : NULL, job);
    w->vars.len--;
}

static void each_leaf(walker *w, const place *a, const place *b, leaf_job job) {
    if (a->ty->shape == SHAPE_SIMPLE) {
        job(w, a, b);
        finish_leaf(w);
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
    vec_free(&w.body);
}

// ---- copying, clearing, undefining

// What a leaf has when it has no value.
static expr none(const walker *w) { return w->is_taken ? w->l->m->false_expr : (expr){0}; }

static void copy_leaf(walker *w, const place *to, const place *from) {
    model *m = w->l->m;
    const stmt *copy = model_assign(m, to->funcs[0], to->args, to->nargs, murphi_read_place(w->l, from), w->at);
    const stmt *drop = model_assign(m, to->funcs[0], to->args, to->nargs, none(w), w->at);
    add_stmt(w, model_if(m, murphi_is_defined(w->l, from), &copy, 1, &drop, 1, w->at));
}

void murphi_copy(lowering *l, const place *to, const place *from, span at) { run_walk(l, to, from, copy_leaf, at); }

static void undefine_leaf(walker *w, const place *p, const place *b) {
    (void)b;
    assign_leaf(w, p, none(w));
}

void murphi_undefine(lowering *l, const place *p, span at) { run_walk(l, p, NULL, undefine_leaf, at); }

// The least value. A scalarset has none that could be named without telling its elements apart, nor has a
// union; Rumur takes the first element all the same.
static void clear_leaf(walker *w, const place *p, const place *b) {
    (void)b;
    const type_info *t = type_of(w->l->m, p->ty->simple);
    bool has_least = t->kind != TYPE_UNION && (t->kind != TYPE_SORT || !w->l->options->copies_undefined);
    value least = t->kind == TYPE_RANGE ? t->lo : 0;
    assign_leaf(w, p, has_least ? expr_const(w->l->m, p->ty->simple, least) : (expr){0});
}

void murphi_clear(lowering *l, const place *p, span at) { run_walk(l, p, NULL, clear_leaf, at); }

// ---- comparing

static expr same_leaf(lowering *l, const place *a, const place *b) {
    model *m = l->m;
    expr has = murphi_is_defined(l, a), other_has = murphi_is_defined(l, b);
    expr equal = expr_eq(m, murphi_read_place(l, a), murphi_read_place(l, b));
    return expr_and(m, expr_eq(m, has, other_has), expr_implies(m, has, equal));
}

static place murphi_place_element_of(const place *p, expr index) {
    place x = *p;
    x.args[x.nargs++] = index;
    x.funcs += p->ty->shape == SHAPE_MULTISET;
    x.ty = p->ty->element;
    return x;
}

static expr murphi_place_same_element(lowering *l, const place *a, const place *b) {
    var v = model_add_var(l->m, "i", a->ty->index, (span){0});
    place x = murphi_place_element_of(a, expr_var(l->m, v)), y = murphi_place_element_of(b, expr_var(l->m, v));
    return expr_quantify(l->m, E_FORALL, v, murphi_same(l, &x, &y));
}

// How many elements there are in a multiset that are the same as x; x NULL: as any.
static expr count_same(lowering *l, const place *set, const place *x) {
    var v = model_add_var(l->m, "i", set->ty->index, (span){0});
    place taken = *set, y = murphi_place_element_of(set, expr_var(l->m, v));
    taken.args[taken.nargs++] = expr_var(l->m, v);
    expr counts = murphi_read_place(l, &taken);
    if (x) counts = expr_and(l->m, counts, murphi_same(l, x, &y));
    return expr_quantify(l->m, E_COUNT, v, counts);
}

// Multisets are the same if they have as many elements, and each one of the first as often.
static expr same_content(lowering *l, const place *a, const place *b) {
    model *m = l->m;
    var v = model_add_var(m, "i", a->ty->index, (span){0});
    place taken = *a, x = murphi_place_element_of(a, expr_var(m, v));
    taken.args[taken.nargs++] = expr_var(m, v);
    expr as_often = expr_eq(m, count_same(l, a, &x), count_same(l, b, &x));
    expr all = expr_quantify(m, E_FORALL, v, expr_implies(m, murphi_read_place(l, &taken), as_often));
    return expr_and(m, expr_eq(m, count_same(l, a, NULL), count_same(l, b, NULL)), all);
}

expr murphi_same(lowering *l, const place *a, const place *b) {
    if (a->ty->shape == SHAPE_SIMPLE) return same_leaf(l, a, b);
    if (a->ty->shape == SHAPE_MULTISET) return same_content(l, a, b);
    if (a->ty->shape != SHAPE_RECORD) return murphi_place_same_element(l, a, b);
    expr all = l->m->true_expr;
    for (uint32_t i = 0; i < a->ty->nfields; i++) {
        place x = murphi_field_place(a, &a->ty->fields[i]), y = murphi_field_place(b, &b->ty->fields[i]);
        all = expr_and(l->m, all, murphi_same(l, &x, &y));
    }
    return all;
}
