// SPDX-License-Identifier: Apache-2.0
// Clocks that stand still (stopwatches): the rate of a clock is 0 or 1, as invariants of the state say.
//
// What time leads to from a zone is then a polyhedron, not always a zone. dbm_up_some() gives the smallest zone around
// it and says whether that is more; a node that rests on such a zone is *loose*, and so is whatever it leads to.
// Loose zones have every point that is reached, and others: what they exclude is excluded, what is found in them is
// believed once a run with exact times has been found (run.c). For `deadlock` and for runs that end, what can still
// happen must not be taken for more than it is: there, net_come_from() leaves out what it cannot have exactly.
//
// That zones are abstracted and cover each other (cover.h) stays right: a valuation is simulated by another with the
// same delays, clock by clock, whether a clock runs or not.
#include "zone/net.h"

#include "model/expr.h"

#include <string.h>

// ---- making

static expr rate_is(const net *x, const clock_bound *b, value v) {
    model *m = x->in->m;
    expr is = expr_eq(m, b->bound, expr_const(m, expr_type(m, b->bound), v));
    return b->when.id ? expr_and(m, b->when, is) : is;
}

static bool has_rivals(const timed_info *t, uint32_t i) {
    for (uint32_t k = 0; k < t->rates.len; k++)
        if (k != i && t->rates.data[k].left == t->rates.data[i].left) return true;
    return false;
}

static uint32_t rate_check(net *x, expr e) { return expr_is_false(x->m, e) ? UINT32_MAX : net_add_check(x, e); }

static expr rate_is_odd(const net *x, const clock_bound *b, int64_t lo, int64_t hi) {
    model *m = x->in->m;
    if (lo >= 0 && hi <= 1) return m->false_expr;
    expr odd = b->when.id ? b->when : m->true_expr;
    for (value v = 0; v <= 1; v++)
        if (lo <= v && v <= hi) odd = expr_and(m, odd, expr_not(m, rate_is(x, b, v)));
    return odd;
}

void net_add_rates(net *x) {
    for (uint32_t i = 0; i < x->t->rates.len; i++) {
        const clock_bound *b = &x->t->rates.data[i];
        net_rate r = {b->left, UINT32_MAX, UINT32_MAX, UINT32_MAX};
        int64_t lo, hi;
        expr_bounds(x->m, b->bound, &lo, &hi);
        if (lo <= 0 && hi >= 0) r.stops = rate_check(x, rate_is(x, b, 0));
        if (lo <= 1 && hi >= 1 && has_rivals(x->t, i)) r.runs = rate_check(x, rate_is(x, b, 1));
        r.odd = rate_check(x, rate_is_odd(x, b, lo, hi));
        vec_push(&x->rates, r);
    }
}

// ---- states

static bool rate_bit(const net_room *w, uint32_t check) { return check != UINT32_MAX && net_bit(w, check); }

void net_find_stops(net_room *w) {
    const net *x = w->x;
    memset(w->stands + 1, 0, (x->n - 1) * sizeof *w->stands);
    w->has_stops = false;
    for (uint32_t i = 0; i < x->rates.len; i++)
        if (rate_bit(w, x->rates.data[i].stops)) w->has_stops = w->stands[x->rates.data[i].clock] = true;
}

// Is there a clock whose rate is none, or not one?
static bool has_odd_rate(const net_room *w) {
    const net *x = w->x;
    for (uint32_t i = 0; i < x->rates.len; i++) {
        const net_rate *r = &x->rates.data[i];
        if (rate_bit(w, r->odd) || (w->stands[r->clock] && rate_bit(w, r->runs))) return true;
    }
    return false;
}

bool net_plain_stops(const net *x, const value *cells, bool *stands) {
    int8_t rate[DBM_MOST_CLOCKS + 1];
    bool ok = true;
    memset(rate, -1, sizeof rate);
    for (uint32_t i = 0; i < x->t->rates.len; i++) {
        const clock_bound *b = &x->t->rates.data[i];
        if (b->when.id && !eval_expr(x->ev, cells, b->when)) continue;
        value v = eval_expr(x->ev, cells, b->bound);
        ok &= (v == 0 || v == 1) && (rate[b->left] < 0 || rate[b->left] == v);
        rate[b->left] = (int8_t)(v == 0 ? 0 : 1);
    }
    stands[0] = true;
    for (uint32_t c = 1; c < x->n; c++) stands[c] = rate[c] == 0;
    return ok;
}

// ---- time

// What no condition compares any more is any number, so that it does not matter whether it stands still.
static void pass_with_stops(net_room *w, bound *d, bool abstract) {
    const net *x = w->x;
    net_bounds_in(w, w->cells);
    for (uint32_t c = 1; c < x->n; c++) {
        bool is_asked = !x->is_abstract || w->lower[c] >= 0 || w->upper[c] >= 0;
        if (!is_asked && abstract) dbm_free_clock(d, x->n, c);
        w->met_stop |= is_asked && w->stands[c];
    }
    w->is_loose = !dbm_up_some(d, x->n, w->stands);
}

void net_let_pass(net_room *w, bound *d, bool abstract) {
    if (w->x->rates.len && has_odd_rate(w)) w->is_odd = w->is_loose = w->met_stop = true;
    else if (w->has_stops) pass_with_stops(w, d, abstract);
    else dbm_up(d, w->x->n);
}

void net_come_from(net_room *w, const bool *stands, bound *d) {
    const net *x = w->x;
    matrix before;
    if (!x->rates.len) {
        dbm_down(d, x->n);
        return;
    }
    memcpy(before.d, d, dbm_bytes(x->n));
    if (dbm_down_some(d, x->n, stands)) return;
    w->is_loose = true;
    memcpy(d, before.d, dbm_bytes(x->n));
}
