// SPDX-License-Identifier: Apache-2.0
// Priorities: a step is possible only where none of higher priority is. That is decided for each point of a zone,
// so what the higher ones can take is subtracted (David, Hakansson, Larsen, Pettersson: Model checking timed
// automata with priorities using DBM subtraction, FORMATS 2006). "Can take" is as for every step: the guard holds
// now, and the invariants after it.
//
// Abstraction keeps regions apart in such a system (search.c): all points of a region agree on what is possible.
#include "zone/run.h"

#include "model/expr.h"

#include <string.h>

value net_priority(const net *x, const net_label *l, const value *cells) {
    const rule_info *r = rule_of(x->m, l->r);
    value v = 0;
    if (!r->priority.id || expr_is_const(x->m, r->priority, &v)) return v;
    net_bind_label(x, l);
    return eval_expr(x->ev, cells, r->priority);
}

void net_parts(net_room *w, const net_steps *s, uint32_t i, const bound *d, dbm_list *out) {
    const net *x = w->x;
    const net_label *l = net_step_label(s, i);
    matrix part, cut;
    memcpy(part.d, d, dbm_bytes(x->n));
    if (!net_guard(x, l, s->cells, part.d)) return;
    if (!x->t->has_priorities) {
        dbm_add(out, part.d, x->n);
        return;
    }
    dbm_list higher = {0};
    value own = net_priority(x, l, s->cells);
    for (uint32_t k = 0; k < s->count; k++) {
        if (net_step_fails(s, k) || net_priority(x, net_step_label(s, k), s->cells) <= own) continue;
        memcpy(cut.d, d, dbm_bytes(x->n));
        net_look(w, net_step_to(s, k));
        if (net_before(w, net_step_label(s, k), s->cells, cut.d)) dbm_add(&higher, cut.d, x->n);
    }
    zone_without(part.d, &higher, x->n, out);
    vec_free(&higher);
}

// ---- runs

typedef struct {
    run *r;
    net_room *w;
} narrowing;

// One call a point of the run: what is large is not on the stack.
static bool narrow_from(narrowing *g, uint32_t at, const value *cells, const bound *start);

// The step at point `at` from each part that may take it, until one of them leads to the end.
static bool narrow_step(narrowing *g, uint32_t at, const value *cells, const bound *d) {
    const net *x = g->r->x;
    const net_steps *s = &g->w->steps;
    run_point *p = &g->r->points.data[at];
    uint32_t i = 0;
    while (i < s->count && net_step_number(s, i) != p->label) i++;
    if (i == s->count) return false;
    dbm_list parts = {0};
    bool found = false;
    net_parts(g->w, s, i, d, &parts);
    for (uint32_t k = 0; k < parts.len && !found; k += x->n * x->n) {
        bound *to = parts.data + k;
        p->zone = arena_copy(g->r->memory, to, dbm_bytes(x->n));
        found =
            !p->after || (net_resets(x, &x->labels.data[p->label], cells, to) && narrow_from(g, at + 1, p->after, to));
    }
    vec_free(&parts);
    return found;
}

// A point at which nothing happens, but perhaps a query begins to count time.
static bool narrow_moment(narrowing *g, uint32_t at, const value *cells, bound *d) {
    const run_point *p = &g->r->points.data[at];
    uint32_t n = g->r->x->n;
    if (p->zone && !dbm_intersect(d, p->zone, n)) return false;
    if (p->restarts) dbm_reset(d, n, p->restarts, 0);
    return narrow_from(g, at + 1, cells, d);
}

static bool priority_is_within(const net *x, const run_point *p, bound *d) {
    return !p->within || dbm_intersect(d, p->within, x->n);
}

static bool narrow_from(narrowing *g, uint32_t at, const value *cells, const bound *start) {
    const net *x = g->r->x;
    net_steps *s = &g->w->steps;
    if (at == g->r->points.len) return true;
    const run_point *p = &g->r->points.data[at];
    bound *d = mem_alloc(dbm_bytes(x->n));
    memcpy(d, start, dbm_bytes(x->n));
    space_pack(x->s, cells, s->state);
    net_look(g->w, s->state);
    bool ok = (p->is_late || priority_is_within(x, p, d)) && net_enter(g->w, d, false) && priority_is_within(x, p, d);
    if (ok && p->is_step) net_steps_find(s, g->w, s->state);
    if (ok && p->is_step) ok = narrow_step(g, at, cells, d);
    else if (ok) ok = narrow_moment(g, at, cells, d);
    free(d);
    return ok;
}

bool run_narrow(run *r) {
    if (!r->x->t->has_priorities) return true;
    narrowing g = {r, net_room_new(r->x)};
    matrix d;
    net_first_zone(r->x, d.d);
    bool ok = narrow_from(&g, 0, r->initial, d.d);
    net_room_free(g.w);
    return ok;
}
