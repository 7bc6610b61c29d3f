// SPDX-License-Identifier: Apache-2.0
// The dependence of sorts: see fragment.h. A formula is walked with its polarity; where it turns out
// existential, each universal variable around that occurs in it gives an edge (the arguments of the Skolem
// function). The walk is linear in the shared graph, not in the tree.
#include "logic/fragment.h"

#include "model/expr.h"
#include "model/walk.h"

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
    uint32_t n;
    uint64_t mask;  // of their ids, as in expr_info.free_mask
} scope;

// A part is looked at once for each polarity and scope: the tag of a walk is twice the number of the scope, plus one if
// it is negated.
typedef struct {
    fragment *f;
    walk w;
    map *numbers;  // of lists of variables
    arena *memory;
    VEC(scope) scopes;  // [0] is empty
} walker;

static uint64_t fragment_var_bit(var v) { return UINT64_C(1) << (v.id % 64); }

static uint32_t scope_number(walker *w, const var *vars, uint32_t n) {
    uint32_t number = n ? map_intern(w->numbers, vars, n * sizeof *vars, w->scopes.len) : 0;
    if (number < w->scopes.len) return number;
    scope s = {.vars = arena_copy(w->memory, vars, n * sizeof *vars), .n = n};
    for (uint32_t i = 0; i < n; i++) s.mask |= fragment_var_bit(vars[i]);
    vec_push(&w->scopes, s);
    return number;
}

static void fragment_visit(walker *w, expr e, bool negated, uint32_t outer) {
    const expr_info *x = expr_of(w->f->m, e);
    if (!(x->free_mask & w->scopes.data[outer].mask)) outer = 0;
    if (x->nargs) walk_add(&w->w, e, outer * 2 + negated);
}

static void visit_both(walker *w, expr e, uint32_t outer) {
    fragment_visit(w, e, true, outer);
    fragment_visit(w, e, false, outer);
}

// The variables of a scope that may be free in x, and the one that x binds.
static uint32_t scope_inside(walker *w, const scope *outer, const expr_info *x) {
    var_list vars = {0};
    for (uint32_t i = 0; i < outer->n; i++)
        if (x->free_mask & fragment_var_bit(outer->vars[i]) && outer->vars[i].id != x->ref)
            vec_push(&vars, outer->vars[i]);
    vec_push(&vars, (var){x->ref});
    uint32_t number = scope_number(w, vars.data, vars.len);
    vec_free(&vars);
    return number;
}

static void visit_quantifier(walker *w, expr e, bool negated, uint32_t outer) {
    const model *m = w->f->m;
    const expr_info *x = expr_of(m, e);
    const scope around = w->scopes.data[outer];
    if ((x->kind == E_FORALL) != negated) {
        fragment_visit(w, x->args[0], negated, scope_inside(w, &around, x));
        return;
    }
    for (uint32_t i = 0; i < around.n; i++)
        if (expr_has_var(m, e, around.vars[i]))
            fragment_add_edge(w->f, var_of(m, around.vars[i])->ty, var_of(m, (var){x->ref})->ty, x->at, (func){0});
    fragment_visit(w, x->args[0], negated, outer);
}

// What is below a part, the first of it last: a walk goes on with what was added last.
static void visit_below(walker *w, expr e, bool negated, uint32_t outer) {
    const expr_info *x = expr_of(w->f->m, e);
    if (x->kind == E_FORALL || x->kind == E_EXISTS) visit_quantifier(w, e, negated, outer);
    else
        for (uint32_t i = x->nargs; i-- > 0;) {
            bool keeps = x->kind == E_AND || x->kind == E_OR || (x->kind == E_IMPLIES && i);
            if (x->kind == E_ITE) keeps = i && expr_is_bool(w->f->m, x->args[i]);
            if (keeps) fragment_visit(w, x->args[i], negated, outer);
            else if (x->kind == E_NOT || x->kind == E_IMPLIES) fragment_visit(w, x->args[i], !negated, outer);
            else visit_both(w, x->args[i], outer);
        }
}

void fragment_add(fragment *f, expr e, bool negated, const var *outer, uint32_t nouter) {
    walker w = {.f = f, .w = walk_expr(f->m, (expr){0}, 0), .numbers = map_new(), .memory = arena_new()};
    vec_push(&w.scopes, (scope){0});
    fragment_visit(&w, e, negated, scope_number(&w, outer, nouter));
    while (walk_next(&w.w)) {
        walk_skip(&w.w);
        visit_below(&w, w.w.e, w.w.tag % 2, w.w.tag / 2);
    }
    map_free(w.numbers);
    arena_free(w.memory);
    vec_free(&w.scopes);
}

bool fragment_leads(const fragment *f, type from, type to) { return f->edges[from.id * f->ntypes + to.id].is_there; }

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
