// SPDX-License-Identifier: Apache-2.0
// The dependence of sorts: see fragment.h. A formula is walked with its polarity; where it turns out
// existential, each universal variable around that occurs in it gives an edge (the arguments of the Skolem
// function).
#include "logic/fragment.h"

#include "logic/ground.h"
#include "model/expr.h"

void fragment_init(fragment *f, const model *m) {
    *f = (fragment){.m = m, .ntypes = m->types.len};
    f->edges = mem_zero((size_t)f->ntypes * f->ntypes, sizeof *f->edges);
}

void fragment_done(fragment *f) {
    free(f->edges);
    *f = (fragment){0};
}

static void add_edge(fragment *f, type from, type to, span at, func g) {
    if (!ground_is_unbounded(f->m, from) || !ground_is_unbounded(f->m, to)) return;
    fragment_edge *e = &f->edges[from.id * f->ntypes + to.id];
    if (!e->is_there) *e = (fragment_edge){true, at, g};
}

void fragment_add_func(fragment *f, func g) {
    const func_info *info = func_of(f->m, g);
    for (uint32_t i = 0; i < info->nargs; i++) add_edge(f, info->args[i], info->result, info->at, g);
}

static void walk(fragment *f, expr e, bool negated, var_list *outer);

static void walk_both(fragment *f, expr e, var_list *outer) {
    walk(f, e, false, outer);
    walk(f, e, true, outer);
}

static void walk_quantifier(fragment *f, expr e, bool negated, var_list *outer) {
    const expr_info *x = expr_of(f->m, e);
    var v = {x->ref};
    type t = var_of(f->m, v)->ty;
    bool is_universal = (x->kind == E_FORALL) != negated;
    if (is_universal) vec_push(outer, v);
    else
        for (uint32_t i = 0; i < outer->len; i++)
            if (expr_has_var(f->m, e, outer->data[i]))
                add_edge(f, var_of(f->m, outer->data[i])->ty, t, x->at, (func){0});
    walk(f, x->args[0], negated, outer);
    if (is_universal) outer->len--;
}

static bool is_formula(const fragment *f, expr e) { return type_same(expr_type(f->m, e), f->m->bool_type); }

static void walk(fragment *f, expr e, bool negated, var_list *outer) {
    const expr_info *x = expr_of(f->m, e);
    switch (x->kind) {
    case E_NOT: walk(f, x->args[0], !negated, outer); return;
    case E_IMPLIES:
        walk(f, x->args[0], !negated, outer);
        walk(f, x->args[1], negated, outer);
        return;
    case E_AND:
    case E_OR:
        for (uint32_t i = 0; i < x->nargs; i++) walk(f, x->args[i], negated, outer);
        return;
    case E_FORALL:
    case E_EXISTS: walk_quantifier(f, e, negated, outer); return;
    case E_ITE:
        walk_both(f, x->args[0], outer);
        for (uint32_t i = 1; i < 3; i++) {
            if (is_formula(f, x->args[i])) walk(f, x->args[i], negated, outer);
            else walk_both(f, x->args[i], outer);
        }
        return;
    default:
        for (uint32_t i = 0; i < x->nargs; i++) walk_both(f, x->args[i], outer);
    }
}

void fragment_add(fragment *f, expr e, bool negated, const var *outer, uint32_t nouter) {
    var_list list = {0};
    for (uint32_t i = 0; i < nouter; i++) vec_push(&list, outer[i]);
    walk(f, e, negated, &list);
    vec_free(&list);
}

// ---- cycles

typedef VEC(uint32_t) path;

// Extends the path from its last sort; true when it comes back to its first.
static bool find_cycle(const fragment *f, path *p, bool *seen) {
    uint32_t from = vec_last(p);
    for (uint32_t to = 1; to < f->ntypes; to++) {
        if (!f->edges[from * f->ntypes + to].is_there) continue;
        if (to == p->data[0]) return true;
        if (seen[to]) continue;
        seen[to] = true;
        vec_push(p, to);
        if (find_cycle(f, p, seen)) return true;
        p->len--;
    }
    return false;
}

static void describe_edge(const fragment *f, uint32_t from, uint32_t to, str *why) {
    const fragment_edge *e = &f->edges[from * f->ntypes + to];
    str_printf(why, "%s: ", f->m->types.data[to].name);
    if (e->f.id) str_printf(why, "function '%s'", func_of(f->m, e->f)->name);
    else
        str_printf(why, "for all of %s there is one of %s", f->m->types.data[from].name,
                   f->m->types.data[to].name);
    if (!e->at.file) return;
    str_add(why, " at ");
    diag_place_text(f->m->messages, e->at, why);
}

static void describe(const fragment *f, const path *p, str *why) {
    str_printf(why, "%s", f->m->types.data[p->data[0]].name);
    for (uint32_t i = 0; i < p->len; i++)
        str_printf(why, " → %s", f->m->types.data[p->data[(i + 1) % p->len]].name);
    str_add(why, " (");
    for (uint32_t i = 0; i < p->len; i++) {
        if (i) str_add(why, "; ");
        describe_edge(f, p->data[i], p->data[(i + 1) % p->len], why);
    }
    str_add(why, ")");
}

bool fragment_is_stratified(const fragment *f, str *why) {
    bool found = false;
    bool *seen = mem_zero(f->ntypes, sizeof *seen);
    for (uint32_t s = 1; s < f->ntypes && !found; s++) {
        path p = {0};
        for (uint32_t i = 0; i < f->ntypes; i++) seen[i] = false;
        vec_push(&p, s);
        seen[s] = true;
        found = find_cycle(f, &p, seen);
        if (found && why) describe(f, &p, why);
        vec_free(&p);
    }
    free(seen);
    return !found;
}
