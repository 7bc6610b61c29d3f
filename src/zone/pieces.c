// SPDX-License-Identifier: Apache-2.0
// Where in a zone a formula with clock conditions holds: the zone is cut by each condition that the formula waits for
// (formula.c), until it is true or false. `deadlock` cuts into the parts from which no step is possible, and the rest.
// Where clocks stand still, perhaps only some of the points from which a step is possible are known (rates.c): then the
// others may be either.
#include "zone/search.h"

#include <string.h>

typedef struct {
    net_room *w;
    const net_formula *f;
    const dbm_list *alive;
    bool first_only;
    dbm_list *out;
} cutter;

// Cut by cut; what the last one leaves is the answer.
void zone_without(const bound *d, const dbm_list *cuts, uint32_t n, dbm_list *out) {
    dbm_list rest = {0};
    if (!cuts->len) dbm_add(out, d, n);
    for (uint32_t k = 0; k < cuts->len; k += n * n) {
        dbm_list fewer = {0}, *to = k + n * n < cuts->len ? &fewer : out;
        const bound *from = k ? rest.data : d;
        for (uint32_t i = 0; i < (k ? rest.len : n * n); i += n * n) dbm_subtract(from + i, cuts->data + k, n, to);
        vec_free(&rest);
        rest = fewer;
    }
    vec_free(&rest);
}

// What is left of d beside some cuts may have points of a region of which d has more, and all of a region can do the
// same. As d is abstracted, perhaps only the others are reached. So of a clock that is above all that it is compared
// with, nothing is said but what d says; where some points of the part are above and others are not, it is split.
static void whole_from(net_room *w, uint32_t c, const bound *part, const bound *d, dbm_list *out) {
    const uint32_t n = w->x->n;
    matrix above, below;
    for (; c < n; c++) {
        bool has_below = w->upper[c] >= 0;
        memcpy(above.d, part, dbm_bytes(n));
        if (has_below && !dbm_constrain(above.d, n, 0, c, bound_lt(-w->upper[c]))) continue;
        dbm_free_clock(above.d, n, c);
        if (has_below) dbm_constrain(above.d, n, 0, c, bound_lt(-w->upper[c]));
        if (!dbm_intersect(above.d, d, n) || dbm_includes(part, above.d, n)) continue;
        whole_from(w, c + 1, above.d, d, out);
        memcpy(below.d, part, dbm_bytes(n));
        if (has_below && dbm_constrain(below.d, n, c, 0, bound_le(w->upper[c]))) whole_from(w, c + 1, below.d, d, out);
        return;
    }
    dbm_add(out, part, n);
}

void zone_rest(net_room *w, const bound *d, const dbm_list *cuts, dbm_list *out) {
    const net *x = w->x;
    dbm_list parts = {0};
    bool is_whole = !x->keeps_regions || !x->is_abstract;
    zone_without(d, cuts, x->n, is_whole ? out : &parts);
    if (is_whole) return;
    bool is_all = parts.len == x->n * x->n && !memcmp(parts.data, d, dbm_bytes(x->n));
    if (is_all) dbm_add(out, d, x->n);
    else if (parts.len) net_bounds_in(w, w->cells);
    for (uint32_t i = 0; i < parts.len && !is_all; i += x->n * x->n) whole_from(w, 1, parts.data + i, d, out);
    vec_free(&parts);
}

// Which atoms are known to hold or not to.
typedef struct {
    uint64_t known, truth;
} cut_atoms;

static cut_atoms cut_with(cut_atoms a, uint32_t atom, bool holds) {
    return (cut_atoms){a.known | UINT64_C(1) << atom, a.truth | (uint64_t)holds << atom};
}

static void pieces_cut(const cutter *c, cut_atoms a, const bound *d);

static void cut_parts(const cutter *c, cut_atoms a, const dbm_list *parts) {
    uint32_t n = c->w->x->n;
    for (uint32_t i = 0; i < parts->len; i += n * n) pieces_cut(c, a, parts->data + i);
}

static void pieces_cut_deadlock(const cutter *c, cut_atoms a, uint32_t atom, const bound *d) {
    uint32_t n = c->w->x->n;
    dbm_list dead = {0}, live = {0};
    zone_rest(c->w, d, c->alive, &dead);
    if (c->w->is_loose) dbm_add(&live, d, n);
    else zone_rest(c->w, d, &dead, &live);
    cut_parts(c, cut_with(a, atom, true), &dead);
    cut_parts(c, cut_with(a, atom, false), &live);
    vec_free(&dead);
    vec_free(&live);
}

static void pieces_cut_bound(const cutter *c, cut_atoms a, uint32_t atom, const bound *d) {
    const net *x = c->w->x;
    const clock_bound *is = &x->t->atoms.data[c->f->atoms[atom]].is;
    bound b = net_atom_bound(x, c->f->atoms[atom], c->w->cells);
    matrix part;
    memcpy(part.d, d, dbm_bytes(x->n));
    if (dbm_constrain(part.d, x->n, is->left, is->right, b)) pieces_cut(c, cut_with(a, atom, true), part.d);
    memcpy(part.d, d, dbm_bytes(x->n));
    if (dbm_constrain(part.d, x->n, is->right, is->left, bound_negate(b)))
        pieces_cut(c, cut_with(a, atom, false), part.d);
}

// Along the conditions that the formula waits for.
static void pieces_cut(const cutter *c, cut_atoms a, const bound *d) {
    if (c->first_only && c->out->len) return;
    uint32_t is = formula_value(c->w, c->f, a.known, a.truth), atom = is - FORMULA_WAITS;
    if (is == 1) dbm_add(c->out, d, c->w->x->n);
    if (is < FORMULA_WAITS) return;
    if (c->w->x->t->atoms.data[c->f->atoms[atom]].is_deadlock) pieces_cut_deadlock(c, a, atom, d);
    else pieces_cut_bound(c, a, atom, d);
}

static bool zone_asks_deadlock(const net *x, uint32_t formula) {
    const net_formula *f = &x->formulas.data[formula];
    for (uint32_t i = 0; i < f->natoms; i++)
        if (x->t->atoms.data[f->atoms[i]].is_deadlock) return true;
    return false;
}

bool zone_is_endless(const net_room *w, const bound *d) {
    const net *x = w->x;
    bool endless = !net_is_still(w);
    for (uint32_t c = 1; c < x->n; c++)
        for (uint32_t s = 0; s < x->n && !w->stands[c]; s++) endless &= !w->stands[s] || d[c * x->n + s] == BOUND_INF;
    for (uint32_t i = 0; endless && i < x->invariants.len; i++) {
        const net_bound *b = &x->invariants.data[i];
        bool applies = b->check == UINT32_MAX || net_bit(w, b->check);
        bool is_last = applies && !w->stands[b->left] && w->stands[b->right];
        endless = !is_last || net_bound_in(x, b, w->cells) == BOUND_INF;
    }
    return endless;
}

void zone_alive(net_room *w, const uint64_t *state, const bound *d, bool counts_idle, dbm_list *out) {
    const net_steps *s = &w->steps;
    uint32_t n = w->x->n;
    net_look(w, state);
    bool still = net_is_still(w), stands[DBM_MOST_CLOCKS + 1];
    memcpy(stands, w->stands, n * sizeof *stands);
    w->is_loose = false;
    net_steps_within(&w->steps, w, state, d);
    dbm_list parts = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        vec_clear(&parts);
        if (counts_idle || !net_step_is_idle(s, i)) net_parts(w, s, i, d, &parts);
        if (parts.len && !net_step_fails(s, i)) net_look(w, net_step_to(s, i));
        for (uint32_t k = 0; k < parts.len; k += n * n) {
            bound *part = parts.data + k;
            if (!net_step_fails(s, i) && !net_before(w, net_step_label(s, i), s->cells, part)) continue;
            if (!still) net_come_from(w, stands, part);
            dbm_add(out, part, n);
        }
    }
    vec_free(&parts);
    net_look(w, state);
}

void zone_pieces(net_room *w, uint32_t formula, const uint64_t *state, const bound *d, bool first_only, dbm_list *out) {
    dbm_list alive = {0};
    cutter c = {w, &w->x->formulas.data[formula], &alive, first_only, out};
    w->is_loose = false;
    if (zone_asks_deadlock(w->x, formula)) zone_alive(w, state, d, true, &alive);
    pieces_cut(&c, (cut_atoms){0}, d);
    vec_free(&alive);
}
