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

static void add_matrix(dbm_list *out, const bound *d, uint32_t n) {
    vec_reserve(out, out->len + n * n);
    memcpy(out->data + out->len, d, n * n * sizeof *d);
    out->len += n * n;
}

void net_parts(net_room *w, const net_steps *s, uint32_t i, const bound *d, dbm_list *out) {
    const net *x = w->x;
    const net_label *l = &x->labels.data[s->labels[i] & ~SPACE_TROUBLE];
    bound part[(DBM_MOST_CLOCKS + 1) * (DBM_MOST_CLOCKS + 1)], cut[(DBM_MOST_CLOCKS + 1) * (DBM_MOST_CLOCKS + 1)];
    size_t size = x->n * x->n * sizeof *d;
    memcpy(part, d, size);
    if (!net_guard(x, l, s->cells, part)) return;
    if (!x->t->has_priorities) {
        add_matrix(out, part, x->n);
        return;
    }
    dbm_list higher = {0};
    value own = net_priority(x, l, s->cells);
    for (uint32_t k = 0; k < s->count; k++) {
        if (s->labels[k] & SPACE_TROUBLE) continue;
        const net_label *other = &x->labels.data[s->labels[k]];
        if (net_priority(x, other, s->cells) <= own) continue;
        memcpy(cut, d, size);
        net_look(w, s->next + (size_t)k * x->words);
        if (net_before(w, other, s->cells, cut)) add_matrix(&higher, cut, x->n);
    }
    zone_without(part, &higher, x->n, out);
    vec_free(&higher);
}

// ---- runs

typedef struct {
    run *r;
    net_room *w;
} narrowing;

// One call a point of the run: what is large is not on the stack.
static bool narrow_from(narrowing *g, uint32_t at, const value *cells, const bound *start);

static void pack_and_look(narrowing *g, const value *cells, uint64_t *state) {
    space_pack(g->r->x->s, cells, state);
    net_look(g->w, state);
}

// The step at point `at` from each part that may take it, until one of them leads to the end.
static bool narrow_step(narrowing *g, uint32_t at, const value *cells, const uint64_t *state, const bound *d) {
    const net *x = g->r->x;
    run_point *p = &g->r->points.data[at];
    const net_label *l = &x->labels.data[p->label];
    uint32_t count = space_next(g->w->run, state, g->w->next, g->w->labels), i = 0;
    while (i < count && (g->w->labels[i] & ~SPACE_TROUBLE) != p->label) i++;
    if (i == count) return false;
    dbm_list parts = {0};
    bool found = false;
    net_parts(g->w, &(net_steps){cells, g->w->next, g->w->labels, count}, i, d, &parts);
    for (uint32_t k = 0; k < parts.len && !found; k += x->n * x->n) {
        bound *to = parts.data + k;
        p->zone = arena_copy(g->r->memory, to, x->n * x->n * sizeof *to);
        found = !p->after || (net_resets(x, l, cells, to) && narrow_from(g, at + 1, p->after, to));
    }
    vec_free(&parts);
    return found;
}

static bool priority_is_within(const net *x, const run_point *p, bound *d) {
    return !p->within || dbm_intersect(d, p->within, x->n);
}

static bool narrow_from(narrowing *g, uint32_t at, const value *cells, const bound *start) {
    const net *x = g->r->x;
    if (at == g->r->points.len) return true;
    const run_point *p = &g->r->points.data[at];
    uint64_t *state = mem_alloc((x->words + 1) * sizeof *state);
    bound *d = mem_alloc(x->n * x->n * sizeof *d);
    memcpy(d, start, x->n * x->n * sizeof *d);
    pack_and_look(g, cells, state);
    bool ok = priority_is_within(x, p, d) && net_enter(g->w, d, false) && priority_is_within(x, p, d);
    if (ok && !p->is_step) ok = (!p->zone || dbm_intersect(d, p->zone, x->n)) && narrow_from(g, at + 1, cells, d);
    else if (ok) ok = narrow_step(g, at, cells, state, d);
    free(state);
    free(d);
    return ok;
}

bool run_narrow(run *r) {
    if (!r->x->t->has_priorities) return true;
    narrowing g = {r, net_room_new(r->x)};
    matrix d;
    dbm_zero(d.d, r->x->n);
    bool ok = narrow_from(&g, 0, r->initial, d.d);
    net_room_free(g.w);
    return ok;
}
