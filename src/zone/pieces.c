// SPDX-License-Identifier: Apache-2.0
// Where in a zone a formula with clock conditions holds: the zone is cut by each condition in turn; in each
// part every condition has one truth value, and the discrete formula for these values was compiled as a
// check. `deadlock` cuts into the parts from which no step is possible, and the rest.
#include "zone/search.h"

#include <string.h>

typedef struct {
    net_room *w;
    const net_formula *f;
    const dbm_list *alive;
    bool first_only;
    dbm_list *out;
} cutter;

static void pieces_put(dbm_list *out, const bound *d, uint32_t n) {
    vec_reserve(out, out->len + n * n);
    memcpy(out->data + out->len, d, n * n * sizeof *d);
    out->len += n * n;
}

void zone_without(const bound *d, const dbm_list *cuts, uint32_t n, dbm_list *out) {
    dbm_list rest = {0};
    pieces_put(&rest, d, n);
    for (uint32_t k = 0; k < cuts->len; k += n * n) {
        dbm_list fewer = {0};
        for (uint32_t i = 0; i < rest.len; i += n * n) dbm_subtract(rest.data + i, cuts->data + k, n, &fewer);
        vec_free(&rest);
        rest = fewer;
    }
    for (uint32_t i = 0; i < rest.len; i += n * n) pieces_put(out, rest.data + i, n);
    vec_free(&rest);
}

static void pieces_cut(const cutter *c, uint32_t atom, uint32_t truth, const bound *d);

static void cut_parts(const cutter *c, uint32_t atom, uint32_t truth, const dbm_list *parts) {
    uint32_t n = c->w->x->n;
    for (uint32_t i = 0; i < parts->len; i += n * n) pieces_cut(c, atom + 1, truth, parts->data + i);
}

static void pieces_cut_deadlock(const cutter *c, uint32_t atom, uint32_t truth, const bound *d) {
    uint32_t n = c->w->x->n;
    dbm_list dead = {0}, live = {0};
    zone_without(d, c->alive, n, &dead);
    zone_without(d, &dead, n, &live);
    cut_parts(c, atom, truth | 1u << atom, &dead);
    cut_parts(c, atom, truth, &live);
    vec_free(&dead);
    vec_free(&live);
}

static void pieces_cut_bound(const cutter *c, uint32_t atom, uint32_t truth, const bound *d) {
    const net *x = c->w->x;
    const clock_bound *is = &x->t->atoms.data[c->f->atoms[atom]].is;
    bound b = net_atom_bound(x, c->f->atoms[atom], c->w->cells);
    bound part[(DBM_MOST_CLOCKS + 1) * (DBM_MOST_CLOCKS + 1)];
    memcpy(part, d, x->n * x->n * sizeof *d);
    if (dbm_constrain(part, x->n, is->left, is->right, b)) pieces_cut(c, atom + 1, truth | 1u << atom, part);
    memcpy(part, d, x->n * x->n * sizeof *d);
    if (dbm_constrain(part, x->n, is->right, is->left, bound_negate(b))) pieces_cut(c, atom + 1, truth, part);
}

static void pieces_cut(const cutter *c, uint32_t atom, uint32_t truth, const bound *d) {
    if (c->first_only && c->out->len) return;
    if (atom == c->f->natoms) {
        if (net_bit(c->w, c->f->first_check + truth)) pieces_put(c->out, d, c->w->x->n);
    } else if (c->w->x->t->atoms.data[c->f->atoms[atom]].is_deadlock) {
        pieces_cut_deadlock(c, atom, truth, d);
    } else {
        pieces_cut_bound(c, atom, truth, d);
    }
}

bool zone_asks_deadlock(const net *x, uint32_t formula) {
    const net_formula *f = &x->formulas.data[formula];
    for (uint32_t i = 0; i < f->natoms; i++)
        if (x->t->atoms.data[f->atoms[i]].is_deadlock) return true;
    return false;
}

bool zone_is_endless(const net_room *w, const bound *d) {
    const net *x = w->x;
    bool endless = !net_is_still(w);
    for (uint32_t c = 1; c < x->n; c++) endless &= d[c * x->n] == BOUND_INF;
    for (uint32_t i = 0; endless && i < x->invariants.len; i++) {
        const net_bound *b = &x->invariants.data[i];
        bool is_last = b->left && !b->right && (b->check == UINT32_MAX || net_bit(w, b->check));
        endless = !is_last || net_bound_in(x, b, w->cells) == BOUND_INF;
    }
    return endless;
}

bool zone_is_stutter(const net *x, uint32_t label, const uint64_t *state, const uint64_t *next) {
    if (label & SPACE_TROUBLE || memcmp(state, next, x->words * sizeof *state) != 0) return false;
    const net_label *l = &x->labels.data[label];
    value *cells = l->nresets ? mem_alloc((x->in->ncells + 1) * sizeof *cells) : NULL;
    bool sets = false;
    int32_t v;
    if (cells) space_unpack(x->s, state, cells);
    for (uint32_t i = 0; i < l->nresets && !sets; i++)
        sets = net_reset_value(x, l, &x->resets.data[l->first_reset + i], cells, &v);
    free(cells);
    return !sets;
}

// Leaves w looking at `state` again.
void zone_alive(net_room *w, const uint64_t *state, const bound *d, bool stutter, dbm_list *out) {
    const net *x = w->x;
    bound part[(DBM_MOST_CLOCKS + 1) * (DBM_MOST_CLOCKS + 1)];
    value *cells = mem_alloc((x->in->ncells + 1) * sizeof *cells);
    dbm_list parts = {0};
    space_unpack(x->s, state, cells);
    net_look(w, state);
    bool still = net_is_still(w);
    uint32_t count = space_next(w->run, state, w->next, w->labels);
    for (uint32_t i = 0; i < count; i++) {
        const net_label *l = &x->labels.data[w->labels[i] & ~SPACE_TROUBLE];
        vec_clear(&parts);
        if (!stutter && zone_is_stutter(x, w->labels[i], state, w->next + (size_t)i * x->words)) continue;
        net_parts(w, &(net_steps){cells, w->next, w->labels, count}, i, d, &parts);
        for (uint32_t k = 0; k < parts.len; k += x->n * x->n) {
            memcpy(part, parts.data + k, x->n * x->n * sizeof *d);
            if (!(w->labels[i] & SPACE_TROUBLE)) {
                net_look(w, w->next + (size_t)i * x->words);
                if (!net_before(w, l, cells, part)) continue;
            }
            if (!still) dbm_down(part, x->n);
            pieces_put(out, part, x->n);
        }
    }
    vec_free(&parts);
    net_look(w, state);
    free(cells);
}

void zone_pieces(net_room *w, uint32_t formula, const uint64_t *state, const bound *d, bool first_only, dbm_list *out) {
    dbm_list alive = {0};
    cutter c = {w, &w->x->formulas.data[formula], &alive, first_only, out};
    if (zone_asks_deadlock(w->x, formula)) zone_alive(w, state, d, true, &alive);
    pieces_cut(&c, 0, 0, d);
    vec_free(&alive);
}
