// SPDX-License-Identifier: Apache-2.0
// Which valuations of a place do what others do, for rechecking: see zones_int.h.
//
// For each place of a set and each clock x two numbers are found, as small as may be: `lower`, at least every c of
// a condition x > c or x >= c, and `upper`, at least every c of x < c or x <= c, of the place's invariants, of the
// guards of its moves, of the invariants where they lead and of the queries (whose conditions count both ways); and
// both at least those of every place that a move leads to without setting x. Everything is read off the places
// themselves, by the evaluator.
//
// v is *simulated* by w if for every x: w(x) >= v(x) or w(x) > lower, and w(x) <= v(x) or v(x) > upper. Then every
// condition that v satisfies is satisfied by w, now and after the same delay (a condition from below has c <= lower,
// one from above c <= upper); after the same move it is so again, as clocks that are set are equal. So what v can do
// w can do, and it is enough if a set has for each reachable v some w. Where also what cannot be done matters
// (deadlock, runs, priorities), lower = upper: then the relation is symmetric.
#include "certificate/zones_int.h"

#include "model/expr.h"

#include <string.h>

typedef struct {
    zones_work *w;
    zones_bounds *b;
    bool has_diagonal;
} bounds_work;

static int32_t *lower_of(const zones_work *w, const zones_bounds *b, uint32_t place) {
    return b->numbers.data + (size_t)place * 2 * w->n;
}

static void zones_bounds_raise(int32_t *to, int64_t c) {
    if (c > *to) *to = c < PLAIN_LARGEST ? (int32_t)c : PLAIN_LARGEST;
}

// A condition x_left - x_right <= c, both ways if it may be negated.
static void take_condition(bounds_work *x, uint32_t place, uint32_t left, uint32_t right, int64_t c, bool both) {
    int32_t *lower = lower_of(x->w, x->b, place), *upper = lower + x->w->n;
    x->has_diagonal |= left && right;
    if (left) zones_bounds_raise(&upper[left], c);
    if (right) zones_bounds_raise(&lower[right], -c);
    if (left && both) zones_bounds_raise(&lower[left], c);
    if (right && both) zones_bounds_raise(&upper[right], -c);
}

static void take_limits(bounds_work *x, uint32_t place, const timed_limits *l) {
    for (uint32_t i = 0; i < l->len; i++)
        take_condition(x, place, l->data[i].left, l->data[i].right, l->data[i].b >> 1, false);
}

// ---- queries

static bool is_asked(const model *m, const prop_info *p, const clock_atom *a) {
    return (p->cond.id && expr_has_var(m, p->cond, a->stands)) || (p->then.id && expr_has_var(m, p->then, a->stands));
}

static void take_query(bounds_work *x, uint32_t place, const zones_asked *q) {
    const zones_work *w = x->w;
    const timed_info *t = sys_of(w->in->m, w->in->system)->timed;
    for (uint32_t i = 0; i < t->atoms.len; i++) {
        const clock_atom *a = &t->atoms.data[i];
        if (a->is_deadlock || !is_asked(w->in->m, q->p, a)) continue;
        value v = eval_expr(timedstep_eval(w->t), timedstep_at(w->t, place)->cells, a->is.bound);
        take_condition(x, place, a->is.left, a->is.right, v, true);
    }
    if (q->p->clock) take_condition(x, place, q->p->clock, 0, q->extreme, true);
}

// ---- places

static void take_place(bounds_work *x, uint32_t place, const zones_asked *queries, uint32_t nqueries) {
    zones_work *w = x->w;
    timedstep_explore(w->t, place);
    take_limits(x, place, &timedstep_at(w->t, place)->invariants);
    for (uint32_t i = 0; i < timedstep_at(w->t, place)->moves.len; i++)
        take_limits(x, place, &timedstep_at(w->t, place)->moves.data[i].guard);
    for (uint32_t i = 0; i < nqueries; i++) take_query(x, place, &queries[i]);
}

static bool is_set_by(const timed_move *v, uint32_t clock) {
    for (uint32_t i = 0; i < v->sets.len; i++)
        if (v->sets.data[i].clock == clock) return true;
    return false;
}

// A place outside the set has just its invariants.
static bool pull_move(bounds_work *x, uint32_t place, const timed_move *v) {
    uint32_t n = x->w->n, own = x->b->numbers.len / (2 * n);
    int32_t *to = lower_of(x->w, x->b, place);
    bool changed = false;
    if (v->fails || v->to >= own) return false;
    const int32_t *from = lower_of(x->w, x->b, v->to);
    for (uint32_t i = 0; i < 2 * n; i++) {
        if (from[i] <= to[i] || is_set_by(v, i % n)) continue;
        to[i] = from[i];
        changed = true;
    }
    return changed;
}

static bool pull_all(bounds_work *x, const zones_set *s) {
    bool changed = false;
    for (uint32_t i = s->places.len; i-- > 0 && !zones_is_over(x->w);) {
        const timed_place *p = timedstep_at(x->w->t, i);
        for (uint32_t k = 0; zones_of(s, i) && k < p->moves.len; k++) changed |= pull_move(x, i, &p->moves.data[k]);
    }
    return changed;
}

static void make_equal(const zones_work *w, zones_bounds *b) {
    for (uint32_t i = 0; i < b->numbers.len; i += 2 * w->n)
        for (uint32_t c = 0; c < w->n; c++) {
            int32_t *low = &b->numbers.data[i + c], *up = low + w->n, most = *low > *up ? *low : *up;
            *low = *up = most;
        }
}

static void add_rooms(bounds_work *x) {
    size_t count = (size_t)timedstep_count(x->w->t) * 2 * x->w->n;
    while (x->b->numbers.len < count) vec_push(&x->b->numbers, -1);
}

void zones_find_bounds(zones_work *w, const zones_set *s, const zones_asked *queries, uint32_t nqueries, bool is_equal,
                       zones_bounds *out) {
    bounds_work x = {w, out, false};
    add_rooms(&x);
    for (uint32_t i = 0; i < s->places.len && !zones_is_over(w); i++)
        if (zones_of(s, i)) take_place(&x, i, queries, nqueries);
    add_rooms(&x);
    for (uint32_t i = 0; i < timedstep_count(w->t); i++)
        if (!zones_of(s, i)) take_limits(&x, i, &timedstep_at(w->t, i)->invariants);
    while (pull_all(&x, s)) continue;
    if (is_equal) make_equal(w, out);
    out->is_there = !x.has_diagonal && !w->is_stopped;
}

void zones_bounds_free(zones_bounds *b) { vec_free(&b->numbers); }

// ---- covering

// Does d have a point with x_a - x_b within the bound? It is closed: only the way back can forbid it.
static bool is_possible(const int32_t *d, uint32_t n, uint32_t a, uint32_t b, int32_t within) {
    int32_t back = d[b * n + a];
    return a == b ? within >= plain_bound(0, false) : back == PLAIN_NONE || back + within - ((back | within) & 1) >= 1;
}

// Is there a v of d for which the zone's bound c on x_i - x_j excludes every w? The least w(i) is v(i), or just above
// lower[i] if that is less; the largest w(j) is v(j), if v(j) <= upper[j]. So: v(j) <= upper[j], v(i) - v(j) is beyond
// c, and lower[i] - v(j) >= c. Each of the two conditions alone has a point in d; then both have, since a cycle of
// bounds through two bounds on the same x_j is two cycles.
static bool excludes(const zones_work *w, const int32_t *zone, const int32_t *d, uint32_t i, uint32_t j,
                     const int32_t *lower, const int32_t *upper) {
    int32_t c = zone[i * w->n + j], low = i ? lower[i] : 0, up = j ? upper[j] : 0;
    if (c == PLAIN_NONE || low < 0 || up < 0) return false;
    int32_t most = low - (c >> 1) < up ? low - (c >> 1) : up;
    return is_possible(d, w->n, j, 0, plain_bound(most, false)) && is_possible(d, w->n, j, i, 1 - c);
}

bool zones_simulate(const zones_work *w, const zones_bounds *b, uint32_t place, const int32_t *zone, const int32_t *d) {
    const int32_t *lower = lower_of(w, b, place), *upper = lower + w->n;
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t j = 0; j < w->n; j++)
            if (i != j && excludes(w, zone, d, i, j, lower, upper)) return false;
    return true;
}
