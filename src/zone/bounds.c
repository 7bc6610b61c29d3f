// SPDX-License-Identifier: Apache-2.0
// Lower and upper bounds of clocks by static analysis of guards (Behrmann, Bouyer, Fleury, Larsen 2003): for
// each process and location, the largest constants with which a clock may be compared before it is set again.
// The bounds of a state are the largest of its processes' locations.
//
// A process' edges are read off the rules: the location that the guard asks for, the location that the body
// assigns, and the clocks that the rule sets in any case. A bound without a known location counts in every state.
// That zones are left out rests on these bounds: trial_bounds.c tries them.
#include "zone/net.h"

#include "model/expr.h"
#include "model/walk.h"

#include <string.h>

typedef struct {
    uint32_t process, from, to;  // UINT32_MAX: any
    rule r;
} edge;

typedef VEC(edge) edge_list;

// Is e `location = constant`, of which process and location?
static bool is_location_test(const net *x, expr e, uint32_t *process, uint32_t *location) {
    const expr_info *i = expr_of(x->m, e);
    if (i->kind != E_EQ) return false;
    const expr_info *a = expr_of(x->m, i->args[0]);
    value v;
    if (a->kind != E_APP || !expr_is_const(x->m, i->args[1], &v)) return false;
    for (uint32_t p = 0; p < x->t->locations.len; p++)
        if (x->t->locations.data[p].id == a->ref) {
            *process = p;
            *location = (uint32_t)v;
            return true;
        }
    return false;
}

// Where a conjunction says that a process is; UINT32_MAX: it does not.
static uint32_t location_in(const net *x, expr e, uint32_t process) {
    uint32_t p, l;
    walk w = walk_expr(x->m, e, 0);
    while (walk_next(&w)) {
        if (w.x->kind == E_AND) continue;
        walk_skip(&w);
        if (!is_location_test(x, w.e, &p, &l) || p != process) continue;
        walk_found(&w);
        return l;
    }
    return UINT32_MAX;
}

static void bounds_find_moves(const net *x, rule r, const stmt *s, expr under, edge_list *out) {
    if (!s) return;
    for (uint32_t p = 0; s->kind == S_ASSIGN && p < x->t->locations.len; p++) {
        value v;
        if (s->target.id != x->t->locations.data[p].id) continue;
        uint32_t from = location_in(x, under, p);
        if (from == UINT32_MAX) from = location_in(x, rule_of(x->m, r)->guard, p);
        uint32_t to = expr_is_const(x->m, s->value, &v) ? (uint32_t)v : UINT32_MAX;
        vec_push(out, (edge){p, from, to, r});
    }
    for (uint32_t i = 0; i < s->nbody; i++) bounds_find_moves(x, r, s->body[i], s->kind == S_IF ? s->cond : under, out);
    for (uint32_t i = 0; i < s->norelse; i++) bounds_find_moves(x, r, s->orelse[i], (expr){0}, out);
}

static uint32_t location_count(const net *x, uint32_t p) {
    return type_known_size(x->m, func_of(x->m, x->t->locations.data[p])->result);
}

static int32_t within_bounds(int64_t v) { return v < 0 ? 0 : v > BOUND_LARGEST ? BOUND_LARGEST : (int32_t)v; }

static void raise(int32_t *to, int32_t v) {
    if (v > *to) *to = v;
}

// Zones are cut by differences: see diagonals.c.
static void take_difference(net *x, const clock_bound *b, int32_t *lower, int32_t *upper, int64_t lo, int64_t hi) {
    int32_t most = net_difference_limit(x, hi > -lo ? hi : -lo);
    const uint32_t clocks[] = {b->left, b->right};
    for (uint32_t i = 0; i < 2; i++) {
        raise(&lower[clocks[i]], most);
        raise(&upper[clocks[i]], most);
    }
    raise(&x->most, most);
}

// x <= c raises the upper bound of x, -x <= -c the lower one; a difference raises all four.
static void take_bound(net *x, const clock_bound *b, int32_t *lower, int32_t *upper) {
    int64_t lo, hi;
    expr_bounds(x->m, b->bound, &lo, &hi);
    if (b->left && b->right) take_difference(x, b, lower, upper, lo, hi);
    if (b->left) raise(&upper[b->left], within_bounds(hi));
    if (b->right) raise(&lower[b->right], within_bounds(-lo));
    raise(&x->most, within_bounds(hi));
    raise(&x->most, within_bounds(-lo));
}

// A bound counts where its owner is when it is asked: the condition says so, or the guard of the rule. (That an edge of
// the rule leaves a location says nothing: which receivers of a broadcast move is decided by such bounds.)
static void take_placed(net *x, const clock_bound *b, expr guard) {
    uint32_t p = b->owner, l = UINT32_MAX;
    if (p < x->t->locations.len && b->when.id) l = location_in(x, b->when, p);
    if (p < x->t->locations.len && l == UINT32_MAX && guard.id) l = location_in(x, guard, p);
    if (l == UINT32_MAX) take_bound(x, b, x->least_lower, x->least_upper);
    else take_bound(x, b, x->lower[p] + l * x->n, x->upper[p] + l * x->n);
}

static void take_rule(net *x, rule r) {
    const rule_info *info = rule_of(x->m, r);
    for (uint32_t k = 0; k < info->nbounds; k++) take_placed(x, &info->bounds[k], info->guard);
}

static void take_formula(net *x, const net_formula *f) {
    for (uint32_t i = 0; i < f->natoms; i++) {
        const clock_atom *a = &x->t->atoms.data[f->atoms[i]];
        if (a->is_deadlock) continue;
        take_bound(x, &a->is, x->least_lower, x->least_upper);
        take_bound(x, &a->is, x->least_upper, x->least_lower);  // its negation
    }
}

static bool sets_always(const net *x, rule r, uint32_t clock) {
    const rule_info *info = rule_of(x->m, r);
    for (uint32_t i = 0; i < info->nresets; i++)
        if (info->resets[i].clock == clock && !info->resets[i].when.id) return true;
    return false;
}

// What may be compared after the edge may be compared before it, unless it sets the clock.
static bool pull(net *x, const edge *e) {
    bool changed = false;
    uint32_t count = location_count(x, e->process);
    for (uint32_t c = 1; c < x->n; c++) {
        if (sets_always(x, e->r, c)) continue;
        for (uint32_t from = 0; from < count; from++) {
            if (e->from != UINT32_MAX && e->from != from) continue;
            for (uint32_t to = 0; to < count; to++) {
                if (e->to != UINT32_MAX && e->to != to) continue;
                int32_t *l = &x->lower[e->process][from * x->n + c], *u = &x->upper[e->process][from * x->n + c];
                int32_t before = *l + *u;
                raise(l, x->lower[e->process][to * x->n + c]);
                raise(u, x->upper[e->process][to * x->n + c]);
                changed |= before != *l + *u;
            }
        }
    }
    return changed;
}

static int32_t *no_bounds(const net *x, size_t n) {
    int32_t *b = arena_alloc(x->memory, (n + 1) * sizeof *b);
    memset(b, -1, n * sizeof *b);
    return b;
}

static void make_tables(net *x) {
    uint32_t n = x->t->locations.len;
    x->lower = arena_alloc(x->memory, (n + 1) * sizeof *x->lower);
    x->upper = arena_alloc(x->memory, (n + 1) * sizeof *x->upper);
    x->first_limit = arena_alloc(x->memory, (n + 1) * sizeof *x->first_limit);
    x->location_cells = arena_alloc(x->memory, (n + 1) * sizeof *x->location_cells);
    for (uint32_t p = 0; p < n; p++) {
        x->lower[p] = no_bounds(x, (size_t)location_count(x, p) * x->n);
        x->upper[p] = no_bounds(x, (size_t)location_count(x, p) * x->n);
        x->location_cells[p] = x->in->first_cell[x->t->locations.data[p].id];
    }
    x->least_lower = no_bounds(x, x->n);
    x->least_upper = no_bounds(x, x->n);
    x->least_lower[0] = x->least_upper[0] = 0;
}

// Most locations compare few clocks: these are listed.
static void list_limits(net *x) {
    for (uint32_t p = 0; p < x->t->locations.len; p++) {
        uint32_t count = location_count(x, p);
        x->first_limit[p] = arena_alloc(x->memory, (count + 1) * sizeof **x->first_limit);
        for (uint32_t l = 0; l <= count; l++) {
            x->first_limit[p][l] = x->limits.len;
            for (uint32_t c = 1; l < count && c < x->n; c++) {
                int32_t low = x->lower[p][l * x->n + c], up = x->upper[p][l * x->n + c];
                if (low >= 0 || up >= 0) vec_push(&x->limits, (net_limit){c, low, up});
            }
        }
    }
}

void net_find_bounds(net *x) {
    const sys_info *s = sys_of(x->m, x->in->system);
    edge_list edges = {0};
    make_tables(x);
    for (uint32_t i = 0; i < s->rules.len; i++) {
        rule r = s->rules.data[i];
        edge_list own = {0};
        bounds_find_moves(x, r, rule_of(x->m, r)->body, (expr){0}, &own);
        take_rule(x, r);
        for (uint32_t k = 0; k < own.len; k++) vec_push(&edges, own.data[k]);
        vec_free(&own);
    }
    for (uint32_t i = 0; i < x->t->invariants.len; i++) take_placed(x, &x->t->invariants.data[i], (expr){0});
    for (uint32_t i = 0; i < x->formulas.len; i++) take_formula(x, &x->formulas.data[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < edges.len; i++) changed |= pull(x, &edges.data[i]);
    }
    vec_free(&edges);
    list_limits(x);
}

void net_watch_clock(net *x, uint32_t clock, int32_t limit, bool from_above) {
    if (!clock) return;
    if (!from_above) raise(&x->least_lower[clock], limit);
    raise(&x->least_upper[clock], limit);
    raise(&x->most, limit);
}

static void level(net_room *w, uint32_t c) {
    if (w->lower[c] < w->upper[c]) w->lower[c] = w->upper[c];
    w->upper[c] = w->lower[c];
}

void net_bounds_in(net_room *w, const value *cells) {
    const net *x = w->x;
    memcpy(w->lower, x->least_lower, x->n * sizeof *w->lower);
    memcpy(w->upper, x->least_upper, x->n * sizeof *w->upper);
    for (uint32_t p = 0; p < x->t->locations.len; p++) {
        const uint32_t *at = x->first_limit[p] + cells[x->location_cells[p]];
        for (uint32_t i = at[0]; i < at[1]; i++) {
            const net_limit *l = &x->limits.data[i];
            raise(&w->lower[l->clock], l->lower);
            raise(&w->upper[l->clock], l->upper);
        }
    }
    for (uint32_t c = 1; x->keeps_regions && c < x->n; c++) level(w, c);
    for (uint32_t i = 0; !x->keeps_regions && i < x->diagonals.len; i++) {
        level(w, x->diagonals.data[i].left);
        level(w, x->diagonals.data[i].right);
    }
}
