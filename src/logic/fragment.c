// SPDX-License-Identifier: Apache-2.0
// The dependence of sorts: see fragment.h. A formula is walked with its polarity; where it turns out
// existential, each universal variable around that occurs in it gives an edge (the arguments of the Skolem
// function). The walk is linear in the shared graph, not in the tree.
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

static void fragment_add_edge(fragment *f, type from, type to, span at, func g) {
    if (!type_is_unbounded(f->m, from) || !type_is_unbounded(f->m, to)) return;
    fragment_edge *e = &f->edges[from.id * f->ntypes + to.id];
    if (!e->is_there) *e = (fragment_edge){true, at, g};
}

void fragment_add_func(fragment *f, func g) {
    const func_info *info = func_of(f->m, g);
    for (uint32_t i = 0; i < info->nargs; i++) fragment_add_edge(f, info->args[i], info->result, info->at, g);
}

// ---- formulas

// The universal variables around a place, as far as they concern it: equal lists have equal numbers.
typedef struct {
    const var *vars;
    uint32_t n, number;
    uint64_t mask;  // of their ids, as in expr_info.free_mask
} scope;

// A part is looked at once for each polarity and scope: parts are shared, and as a tree they have no bound.
typedef struct {
    fragment *f;
    map *seen, *scopes;
} walker;

static const scope no_scope = {0};

static void fragment_walk(walker *w, expr e, bool negated, const scope *outer);

static void walk_both(walker *w, expr e, const scope *outer) {
    fragment_walk(w, e, false, outer);
    fragment_walk(w, e, true, outer);
}

static uint64_t fragment_var_bit(var v) { return UINT64_C(1) << (v.id % 64); }

// The variables of a scope that may be free in what has this mask, and one more.
static scope scope_inside(walker *w, const scope *outer, uint64_t mask, var v, var *room) {
    scope s = {.vars = room, .mask = fragment_var_bit(v)};
    for (uint32_t i = 0; i < outer->n; i++) {
        if (!(mask & fragment_var_bit(outer->vars[i])) || outer->vars[i].id == v.id) continue;
        room[s.n++] = outer->vars[i];
        s.mask |= fragment_var_bit(outer->vars[i]);
    }
    room[s.n++] = v;
    s.number = map_intern(w->scopes, room, s.n * sizeof *room, map_count(w->scopes) + 1);
    return s;
}

static void walk_quantifier(walker *w, expr e, bool negated, const scope *outer) {
    const model *m = w->f->m;
    const expr_info *x = expr_of(m, e);
    var v = {x->ref};
    if ((x->kind == E_FORALL) != negated) {
        var *room = mem_alloc((outer->n + 1) * sizeof *room);
        scope inner = scope_inside(w, outer, x->free_mask, v, room);
        fragment_walk(w, x->args[0], negated, &inner);
        free(room);
        return;
    }
    for (uint32_t i = 0; i < outer->n; i++)
        if (expr_has_var(m, e, outer->vars[i]))
            fragment_add_edge(w->f, var_of(m, outer->vars[i])->ty, var_of(m, v)->ty, x->at, (func){0});
    fragment_walk(w, x->args[0], negated, outer);
}

static void walk_node(walker *w, expr e, bool negated, const scope *outer) {
    const expr_info *x = expr_of(w->f->m, e);
    switch (x->kind) {
    case E_NOT: fragment_walk(w, x->args[0], !negated, outer); return;
    case E_IMPLIES:
        fragment_walk(w, x->args[0], !negated, outer);
        fragment_walk(w, x->args[1], negated, outer);
        return;
    case E_AND:
    case E_OR:
        for (uint32_t i = 0; i < x->nargs; i++) fragment_walk(w, x->args[i], negated, outer);
        return;
    case E_FORALL:
    case E_EXISTS: walk_quantifier(w, e, negated, outer); return;
    case E_ITE:
        walk_both(w, x->args[0], outer);
        for (uint32_t i = 1; i < 3; i++) {
            if (expr_is_bool(w->f->m, x->args[i])) fragment_walk(w, x->args[i], negated, outer);
            else walk_both(w, x->args[i], outer);
        }
        return;
    default:
        for (uint32_t i = 0; i < x->nargs; i++) walk_both(w, x->args[i], outer);
    }
}

static void fragment_walk(walker *w, expr e, bool negated, const scope *outer) {
    const expr_info *x = expr_of(w->f->m, e);
    if (!x->nargs) return;
    if (!(x->free_mask & outer->mask)) outer = &no_scope;
    uint32_t key[] = {e.id, negated, outer->number};
    if (map_put(w->seen, key, sizeof key, 1)) walk_node(w, e, negated, outer);
}

void fragment_add(fragment *f, expr e, bool negated, const var *outer, uint32_t nouter) {
    walker w = {.f = f, .seen = map_new(), .scopes = map_new()};
    scope s = {.vars = outer, .n = nouter};
    for (uint32_t i = 0; i < nouter; i++) s.mask |= fragment_var_bit(outer[i]);
    if (nouter) s.number = map_intern(w.scopes, outer, nouter * sizeof *outer, 1);
    fragment_walk(&w, e, negated, &s);
    map_free(w.seen);
    map_free(w.scopes);
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
    else str_printf(why, "for all of %s there is one of %s", f->m->types.data[from].name, f->m->types.data[to].name);
    if (!e->at.file) return;
    str_add(why, " at ");
    diag_place_text(f->m->messages, e->at, why);
}

static void fragment_describe(const fragment *f, const path *p, str *why) {
    str_printf(why, "%s", f->m->types.data[p->data[0]].name);
    for (uint32_t i = 0; i < p->len; i++) str_printf(why, " → %s", f->m->types.data[p->data[(i + 1) % p->len]].name);
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
        if (found && why) fragment_describe(f, &p, why);
        vec_free(&p);
    }
    free(seen);
    return !found;
}
