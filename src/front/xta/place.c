// SPDX-License-Identifier: Apache-2.0
// Places: what names, indices, members and calls denote, and what can be done with values of any type: reading, copying
// and comparing them, part by part.
//
// Where a place lives decides how its parts are found: in the state (one function a leaf of the type, the indices are
// its arguments), in a constant or in a local of a function that is executed symbolically (a tree of values). An index
// of a tree that is not a constant stays in the place; reading then chooses among the elements, writing changes each of
// them where it is meant.
#include "front/xta/internal.h"

#include <string.h>

enum { MOST_VALUES = 1 << 16 };  // that are copied or compared at once

#define refuse_place(w, ...) (xfail(w, __VA_ARGS__), (xplace){0})

bool xis_place(const xta_ast *a) { return a->kind == X_NAME || a->kind == X_INDEX || a->kind == X_FIELD; }

bool xtype_is_structured(const xtype *ty) { return ty->kind == Y_STRUCT || ty->kind == Y_ARRAY; }

int64_t xtype_count(const xtype *ty) { return (int64_t)ty->hi - ty->lo + 1; }

static uint32_t element_count(const xtype *ty) { return (uint32_t)xtype_count(ty); }

static uint32_t part_count(const xtype *ty) { return ty->kind == Y_STRUCT ? ty->nmembers : element_count(ty); }

// ---- parts

// Member i of the structs that stand under `depth` indices, as a constant array of its own.
static const xconst *const_member(xlower *w, const xconst *c, uint32_t depth, uint32_t i) {
    if (!depth) return c->kids[i];
    xconst *out = arena_copy(w->file->memory, c, sizeof *c);
    out->kids = arena_alloc(w->file->memory, (c->nkids + 1) * sizeof *out->kids);
    for (uint32_t k = 0; k < c->nkids; k++) out->kids[k] = (xconst *)const_member(w, c->kids[k], depth - 1, i);
    return out;
}

// The same of a local: its leaves are those of the local itself.
static xlocal *local_member(xlower *w, const xlocal *l, uint32_t depth, uint32_t i) {
    if (!depth) return l->kids[i];
    xlocal *out = arena_copy(w->file->memory, l, sizeof *l);
    out->kids = arena_alloc(w->file->memory, (l->nkids + 1) * sizeof *out->kids);
    for (uint32_t k = 0; k < l->nkids; k++) out->kids[k] = local_member(w, l->kids[k], depth - 1, i);
    return out;
}

static xplace xmember(xlower *w, xplace p, uint32_t i) {
    if (p.kind == P_STORE) p.store = p.store->kids[i];
    else if (p.kind == P_CONST) p.constant = const_member(w, p.constant, p.nindex, i);
    else if (p.kind == P_LOCAL) p.local = local_member(w, p.local, p.nindex, i);
    p.ty = p.ty->members[i];
    return p;
}

static xplace xelement(xlower *w, xplace p, expr index, span at) {
    value v;
    bool is_known = expr_is_const(w->m, index, &v) && v >= p.ty->lo && v <= p.ty->hi && !p.nindex;
    if (p.kind == P_CONST && is_known) p.constant = p.constant->kids[v - p.ty->lo];
    else if (p.kind == P_LOCAL && is_known) p.local = p.local->kids[v - p.ty->lo];
    else if (p.nindex == XTA_MOST_INDICES) xfail(w, at, "there are too many indices");
    else p.index[p.nindex++] = index;
    if (p.kind == P_STORE) p.store = p.store->kids[0];
    p.ty = p.ty->element;
    return p;
}

static xplace xta_part(xlower *w, const xplace *p, uint32_t i, span at) {
    if (p->ty->kind == Y_STRUCT) return xmember(w, *p, i);
    return xelement(w, *p, xint(w, (int64_t)p->ty->lo + i), at);
}

// ---- names

static void note_size(xlower *w, const xta_ast *a) {
    if (w->size && !w->size_end && !w->size_use->file && strcmp(a->name, w->size) == 0) *w->size_use = a->at;
}

static xplace named_place(xlower *w, const xta_ast *a) {
    const xsym *sym = xscope_find(w, w->scope, a->name);
    note_size(w, a);
    if (sym && sym->kind == SYM_PLACE) return sym->place;
    return refuse_place(w, a->at, sym ? "'%s' is not a variable" : "'%s' is not declared", a->name);
}

static xplace indexed_place(xlower *w, const xta_ast *a) {
    xplace p = xvalue(w, a->args[0]);
    if (w->failed) return p;
    if (p.ty->kind != Y_ARRAY || p.kind == P_VALUE) return refuse_place(w, a->args[0]->at, "this is not an array");
    expr index = xnumber(w, a->args[1]);
    value v;
    if (w->failed) return p;
    if (expr_is_const(w->m, index, &v) && (v < p.ty->lo || v > p.ty->hi) && !w->in_query && !w->out && !w->call)
        xfail(w, a->args[1]->at, "index %d is not within %d..%d", v, p.ty->lo, p.ty->hi);
    return w->failed ? p : xelement(w, p, index, a->at);
}

// The process that P or P(1) names; NULL: none.
xprocess *xprocess_of(xlower *w, const xta_ast *a) {
    const xsym *sym = a->kind == X_NAME || a->kind == X_CALL ? xscope_find(w, w->scope, a->name) : NULL;
    if (a->kind == X_NAME) return sym && sym->kind == SYM_PLACE ? NULL : xprocess_find(w, a->name);
    if (a->kind != X_CALL || (sym && sym->kind == SYM_FUNC)) return NULL;
    str name = {0};
    str_printf(&name, "%s(", a->name);
    for (uint32_t i = 0; i < a->nargs; i++) {
        int32_t v = 0;
        if (!xconstant(w, a->args[i], &v)) break;
        str_printf(&name, "%s%d", i ? "," : "", v);
    }
    str_char(&name, ')');
    xprocess *p = xprocess_find(w, str_get(&name));
    if (!p) xfail(w, a->at, "there is no process '%s'", str_get(&name));
    str_free(&name);
    return p;
}

static xplace value_place(xlower *w, expr e) {
    return (xplace){.kind = P_VALUE, .ty = xtype_of_expr(w, e), .value = e};
}

static xplace process_member(xlower *w, const xprocess *p, const xta_ast *a) {
    const xsym *sym = xscope_own(w, p->scope, a->name);
    uint32_t location = xta_location_named(p->templ, a->name);
    if (location != UINT32_MAX) return value_place(w, xlocation_is(w, p, location));
    if (sym && sym->kind == SYM_PLACE) return sym->place;
    return refuse_place(w, a->at, "process '%s' has no location or variable '%s'", p->name, a->name);
}

static bool is_value(const xta_ast *a) { return xis_place(a) || a->kind == X_CALL; }

static xplace field_place(xlower *w, const xta_ast *a) {
    const xprocess *process = xprocess_of(w, a->args[0]);
    if (w->failed) return (xplace){0};
    if (process) return process_member(w, process, a);
    if (!is_value(a->args[0])) return refuse_place(w, a->args[0]->at, "this has no members");
    xplace p = xvalue(w, a->args[0]);
    if (w->failed) return p;
    const xsym *sym = p.ty->kind == Y_STRUCT ? xscope_own(w, p.ty->scope, a->name) : NULL;
    if (!sym) return refuse_place(w, a->at, "this has no member '%s'", a->name);
    return xmember(w, p, sym->member);
}

xplace xplace_of(xlower *w, const xta_ast *a) {
    if (a->kind == X_NAME) return named_place(w, a);
    if (a->kind == X_INDEX) return indexed_place(w, a);
    if (a->kind == X_FIELD) return field_place(w, a);
    return refuse_place(w, a->at, "a variable is expected here");
}

xplace xvalue(xlower *w, const xta_ast *a) {
    xplace p = a->kind == X_CALL ? xcall_value(w, a) : xplace_of(w, a);
    if (!w->failed && p.kind == P_NONE) return refuse_place(w, a->at, "a value is expected here");
    return p;
}

// ---- types

static const xtype *member_type(xlower *w, const xta_ast *a) {
    const xprocess *process = xprocess_of(w, a->args[0]);
    const xtype *of = process ? NULL : xtype_of_value(w, a->args[0]);
    const xsym *sym = process                      ? xscope_own(w, process->scope, a->name)
                      : of && of->kind == Y_STRUCT ? xscope_own(w, of->scope, a->name)
                                                   : NULL;
    if (!sym) return NULL;
    return process ? sym->ty : of->members[sym->member];
}

const xtype *xtype_of_value(xlower *w, const xta_ast *a) {
    const xsym *sym = a->kind == X_NAME || (a->kind == X_CALL && !a->of) ? xscope_find(w, w->scope, a->name) : NULL;
    const xtype *of;
    switch (a->kind) {
    case X_NAME: return sym && sym->kind == SYM_PLACE ? sym->place.ty : NULL;
    case X_CALL: return sym && sym->kind == SYM_FUNC ? xfunction_type(w, sym) : NULL;
    case X_INDEX: of = xtype_of_value(w, a->args[0]); return of && of->kind == Y_ARRAY ? of->element : NULL;
    case X_FIELD: return member_type(w, a);
    default: return NULL;
    }
}

bool xis_structured(xlower *w, const xta_ast *a) {
    if (w->failed || !is_value(a)) return false;
    const xtype *ty = xtype_of_value(w, a);
    return ty && xtype_is_structured(ty);
}

// ---- reading and writing

// A number that faults: a value leaves its range. The function has no argument but 0, and gets 1.
expr xfaulty(xlower *w, span at) {
    if (!w->leaves.id) {
        type zero = model_range(w->m, 0, 0, at);
        w->leaves = model_add_func(w->m, (func_info){.name = "range'",
                                                     .at = at,
                                                     .args = &zero,
                                                     .nargs = 1,
                                                     .result = zero,
                                                     .is_scratch = true,
                                                     .owner = w->system});
    }
    expr one = xint(w, 1);
    return expr_at(w->m, expr_app(w->m, w->leaves, &one), at);
}

// A number that cannot be computed here, which is no error of the model.
expr xlimit(xlower *w, span at) {
    if (!w->limit.id)
        w->limit = model_add_func(w->m, (func_info){.name = "limit'",
                                                    .at = at,
                                                    .result = model_range(w->m, 0, 0, at),
                                                    .initial = VALUE_UNDEFINED,
                                                    .may_be_undefined = true,
                                                    .is_scratch = true,
                                                    .is_limit = true,
                                                    .owner = w->system});
    return expr_at(w->m, expr_app(w->m, w->limit, NULL), at);
}

// A node of the tree that a constant or a local is.
typedef struct {
    const xconst *constant;
    const xlocal *local;
} tree;

static tree value_tree(const xplace *p) {
    return (tree){p->kind == P_CONST ? p->constant : NULL, p->kind == P_LOCAL ? p->local : NULL};
}

static const xtype *tree_type(tree t) { return t.constant ? t.constant->ty : t.local->ty; }

static tree tree_kid(tree t, uint32_t i) {
    return t.constant ? (tree){.constant = t.constant->kids[i]} : (tree){.local = t.local->kids[i]};
}

static expr tree_leaf(xlower *w, tree t) {
    if (t.local) return xlocal_get(w, t.local);
    return t.constant->ty->kind == Y_BOOL ? expr_bool(w->m, t.constant->number) : xint(w, t.constant->number);
}

// May the index lie outside the array?
static bool may_miss(const xlower *w, expr index, const xtype *ty) {
    int64_t lo, hi;
    expr_bounds(w->m, index, &lo, &hi);
    return lo < ty->lo || hi > ty->hi;
}

// The element that indices from k on choose, as nested conditions on them.
static expr pick(xlower *w, const xplace *p, tree t, uint32_t k, span at) {
    if (k == p->nindex) return tree_leaf(w, t);
    const xtype *ty = tree_type(t);
    int64_t lo, hi;
    expr_bounds(w->m, p->index[k], &lo, &hi);
    expr e = may_miss(w, p->index[k], ty) ? xfaulty(w, at) : (expr){0};
    for (uint32_t i = element_count(ty); i-- > 0;) {
        value at_index = ty->lo + (value)i;
        if (at_index < lo || at_index > hi) continue;
        expr kid = pick(w, p, tree_kid(t, i), k + 1, at);
        if (e.id && type_same(expr_type(w->m, kid), w->m->bool_type)) e = xas_bool(w, e);
        e = e.id ? expr_ite(w->m, expr_eq(w->m, p->index[k], xint(w, at_index)), kid, e) : kid;
    }
    return e.id ? e : xint(w, 0);
}

expr xread(xlower *w, const xplace *p, span at) {
    if (w->failed) return xint(w, 0);
    if (!xtype_is_scalar(p->ty)) {
        xfail(w, at,
              p->ty->kind == Y_CLOCK    ? "a clock cannot be used here"
              : p->ty->kind == Y_DOUBLE ? (p->ty->is_cost ? XTA_NO_COST : XTA_NO_DOUBLE)
                                        : "a number or truth value is expected here");
        return xint(w, 0);
    }
    switch (p->kind) {
    case P_STORE: return expr_at(w->m, expr_app(w->m, p->store->f, p->index), at);
    case P_CONST:
    case P_LOCAL: return pick(w, p, value_tree(p), 0, at);
    case P_VALUE: return p->value;
    case P_NONE: break;
    }
    return xint(w, 0);
}

// The leaves that indices from k on may mean get e where they do, under `when`; a miss is an error of all of them.
static void write_leaves(xlower *w, const xplace *p, xlocal *l, uint32_t k, expr when, expr e, span at) {
    if (w->failed) return;
    if (k == p->nindex) {
        xlocal_set(w, l, expr_is_true(w->m, when) ? e : xchoose(w, when, e, xlocal_get(w, l)), at);
        return;
    }
    if (may_miss(w, p->index[k], l->ty)) {
        expr above = xbinary(w, OP_LE, xint(w, l->ty->lo), p->index[k], at);
        expr inside = expr_and(w->m, above, xbinary(w, OP_LE, p->index[k], xint(w, l->ty->hi), at));
        expr missed = expr_and(w->m, when, expr_not(w->m, inside));
        for (uint32_t i = 0; i < l->nkids; i++) write_leaves(w, p, l->kids[i], k + 1, missed, xfaulty(w, at), at);
    }
    for (uint32_t i = 0; i < l->nkids; i++) {
        expr is = xbinary(w, OP_EQ, p->index[k], xint(w, (int64_t)l->ty->lo + i), at);
        if (!expr_is_false(w->m, is)) write_leaves(w, p, l->kids[i], k + 1, expr_and(w->m, when, is), e, at);
    }
}

void xwrite_local(xlower *w, const xplace *to, expr e, span at) {
    write_leaves(w, to, to->local, 0, w->m->true_expr, e, at);
}

// ---- values of any type

static bool are_alike(xlower *w, const xtype *a, const xtype *b, span at) {
    if (xtype_is_scalar(a) && xtype_is_scalar(b)) return true;
    if (a->kind != b->kind) return xfail(w, at, "the two sides have different types");
    if (!xtype_is_structured(a)) return xfail(w, at, "this cannot be copied or compared");
    if (a->nvalues > MOST_VALUES) return xfail(w, at, "a value of this type has more than %d parts", MOST_VALUES);
    if (part_count(a) == part_count(b)) return true;
    return xfail(w, at,
                 a->kind == Y_ARRAY ? "the two arrays have different sizes" : "the two sides have different types");
}

void xcopy(xlower *w, const xplace *to, const xplace *from, span at) {
    if (w->failed || to->ty->kind == Y_DOUBLE) return;
    if (xtype_is_scalar(to->ty) || to->ty->kind == Y_CLOCK) {
        xwrite_place(w, to, xread(w, from, at), at);
        return;
    }
    if (!are_alike(w, to->ty, from->ty, at)) return;
    for (uint32_t i = 0; i < part_count(to->ty) && !w->failed; i++) {
        xplace a = xta_part(w, to, i, at), b = xta_part(w, from, i, at);
        xcopy(w, &a, &b, at);
    }
}

expr xsame(xlower *w, const xplace *a, const xplace *b, span at) {
    expr same = w->m->true_expr;
    if (w->failed || !are_alike(w, a->ty, b->ty, at)) return same;
    if (xtype_is_scalar(a->ty)) return xbinary(w, OP_EQ, xread(w, a, at), xread(w, b, at), at);
    for (uint32_t i = 0; i < part_count(a->ty) && !w->failed; i++) {
        xplace x = xta_part(w, a, i, at), y = xta_part(w, b, i, at);
        same = expr_and(w->m, same, xsame(w, &x, &y, at));
    }
    return same;
}

// The part of a value that item i of a list is for: members of a struct may be given by name.
static xplace item_place(xlower *w, const xplace *to, const xta_ast **item, uint32_t i) {
    if ((*item)->kind == X_MEMBER) {
        const xsym *sym = to->ty->kind == Y_STRUCT ? xscope_own(w, to->ty->scope, (*item)->name) : NULL;
        if (!sym) return refuse_place(w, (*item)->at, "this has no member '%s'", (*item)->name);
        i = sym->member;
        *item = (*item)->args[0];
    }
    return xta_part(w, to, i, (*item)->at);
}

void xinit(xlower *w, const xplace *to, const xta_ast *init, span at) {
    if (w->failed) return;
    if (init->kind != X_LIST || !xtype_is_structured(to->ty)) {
        xassign(w, to, init, at);
        return;
    }
    uint32_t n = part_count(to->ty);
    if (init->nargs != n) xfail(w, init->at, "%u values are expected, not %u", n, init->nargs);
    for (uint32_t i = 0; i < init->nargs && !w->failed; i++) {
        const xta_ast *item = init->args[i];
        xplace part = item_place(w, to, &item, i);
        xinit(w, &part, item, at);
    }
}
