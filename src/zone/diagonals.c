// SPDX-License-Identifier: Apache-2.0
// Conditions on the difference of two clocks. Abstraction forgets by how much two clocks differ, so zones are cut
// along the differences that are compared before they are abstracted, and what holds of each part is said again after
// it (Bengtsson and Yi: Timed automata: semantics, algorithms and tools).
//
// Why that is right: let two valuations be *alike* if each clock of a difference has the same value in both or is above
// its bound in both, and all differences x - y <= c that may still be asked for are true in both or false in both;
// other clocks as in cover.h. Delays keep that, since differences do not change. So do steps that set x to k: whether
// k - y <= c then depends on y alone, whose bound is at least k - c (net_difference_limit(): the bounds of both clocks
// are at least that wherever the difference may still be asked for). So what one can do the other can.
// A part that was cut is on one side of every difference; its abstraction, cut by that, has only valuations alike to
// one of the part. A zone may cover another only if it is on the same sides: its *sign*.
//
// With clocks that stand still, differences do change: then nothing is abstracted.
#include "zone/net.h"

#include "model/expr.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A bound that takes more values than this, or more differences than bits of a sign: no abstraction.
enum { MOST_VALUES = 16, MOST_DIAGONALS = 64 };

// The largest number that a clock is set to.
static int64_t largest_setting(const net *x) {
    const sys_info *s = sys_of(x->m, x->in->system);
    int64_t most = 0, lo, hi;
    for (uint32_t i = 0; i < s->rules.len; i++) {
        const rule_info *r = rule_of(x->m, s->rules.data[i]);
        for (uint32_t k = 0; k < r->nresets; k++) {
            expr_bounds(x->m, r->resets[k].value, &lo, &hi);
            if (hi > most) most = hi;
        }
    }
    return most;
}

int32_t net_difference_limit(const net *x, int64_t c) {
    int64_t limit = (c < 0 ? -c : c) + x->largest_set;
    return limit > BOUND_LARGEST ? BOUND_LARGEST : (int32_t)limit;
}

// The same as the bound of the difference the other way round, negated: one of the two is kept. False: there are too
// many, or what its clocks would have to be told apart up to is beyond all bounds.
static bool note_diagonal(net *x, uint32_t left, uint32_t right, bound b) {
    if (left > right) return note_diagonal(x, right, left, bound_negate(b));
    if (labs(bound_value(b)) + x->largest_set > BOUND_LARGEST) return false;
    for (uint32_t i = 0; i < x->diagonals.len; i++) {
        const net_diagonal *is = &x->diagonals.data[i];
        if (is->left == left && is->right == right && is->b == b) return true;
    }
    vec_push(&x->diagonals, ((net_diagonal){left, right, b, net_difference_limit(x, bound_value(b))}));
    return x->diagonals.len <= MOST_DIAGONALS;
}

static bool note_all_values(net *x, const clock_bound *b) {
    int64_t lo, hi;
    if (!b->left || !b->right) return true;
    expr_bounds(x->m, b->bound, &lo, &hi);
    if (hi - lo >= MOST_VALUES) return false;
    for (int64_t v = lo; v <= hi; v++)
        if (!note_diagonal(x, b->left, b->right, b->is_strict ? bound_lt((int32_t)v) : bound_le((int32_t)v)))
            return false;
    return true;
}

static bool note_label_bound(net *x, const net_bound *b) {
    if (!b->left || !b->right || (b->is_constant && b->b == BOUND_INF)) return true;
    return b->is_constant ? note_diagonal(x, b->left, b->right, b->b) : note_all_values(x, b->from);
}

bool net_find_diagonals(net *x) {
    bool ok = !x->rates.len;
    x->largest_set = largest_setting(x);
    for (uint32_t i = 0; ok && i < x->bounds.len; i++) ok = note_label_bound(x, &x->bounds.data[i]);
    for (uint32_t i = 0; ok && i < x->t->invariants.len; i++) ok = note_all_values(x, &x->t->invariants.data[i]);
    for (uint32_t f = 0; ok && f < x->formulas.len; f++)
        for (uint32_t i = 0; ok && i < x->formulas.data[f].natoms; i++) {
            const clock_atom *a = &x->t->atoms.data[x->formulas.data[f].atoms[i]];
            ok = a->is_deadlock || note_all_values(x, &a->is);
        }
    if (!ok) vec_clear(&x->diagonals);
    return ok;
}

// May the difference still be asked for in the state whose bounds the room has? Then both are at least its limit.
static bool is_difference_asked(const net_room *w, const net_diagonal *is) {
    return w->lower[is->left] >= is->limit && w->lower[is->right] >= is->limit;
}

// On which side of the difference is all of d? 0: on both.
static int side_of(const net *x, const net_diagonal *is, const bound *d) {
    if (d[is->left * x->n + is->right] <= is->b) return 1;
    return d[is->right * x->n + is->left] <= bound_negate(is->b) ? -1 : 0;
}

uint64_t net_sign(const net_room *w, const bound *d) {
    const net *x = w->x;
    uint64_t sign = 0;
    for (uint32_t i = 0; i < x->diagonals.len; i++)
        if (is_difference_asked(w, &x->diagonals.data[i]) && side_of(x, &x->diagonals.data[i], d) > 0)
            sign |= UINT64_C(1) << i;
    return sign;
}

static void split_from(const net_room *w, uint32_t i, const bound *d, dbm_list *out) {
    const net *x = w->x;
    while (i < x->diagonals.len &&
           (!is_difference_asked(w, &x->diagonals.data[i]) || side_of(x, &x->diagonals.data[i], d)))
        i++;
    if (i == x->diagonals.len) {
        dbm_add(out, d, x->n);
        return;
    }
    const net_diagonal *is = &x->diagonals.data[i];
    bound *part = mem_alloc(dbm_bytes(x->n));
    memcpy(part, d, dbm_bytes(x->n));
    if (dbm_constrain(part, x->n, is->left, is->right, is->b)) split_from(w, i + 1, part, out);
    memcpy(part, d, dbm_bytes(x->n));
    if (dbm_constrain(part, x->n, is->right, is->left, bound_negate(is->b))) split_from(w, i + 1, part, out);
    free(part);
}

void net_split(net_room *w, const bound *d, dbm_list *out) {
    if (w->x->diagonals.len) net_bounds_in(w, w->cells);
    split_from(w, 0, d, out);
}

void net_abstract_part(const net_room *w, bound *d) {
    const net *x = w->x;
    int sides[MOST_DIAGONALS];
    for (uint32_t i = 0; i < x->diagonals.len; i++) {
        sides[i] = is_difference_asked(w, &x->diagonals.data[i]) ? side_of(x, &x->diagonals.data[i], d) : 0;
        assert(sides[i] || !is_difference_asked(w, &x->diagonals.data[i]));
    }
    dbm_extrapolate(d, x->n, w->lower, w->upper);
    for (uint32_t i = 0; i < x->diagonals.len; i++) {
        const net_diagonal *is = &x->diagonals.data[i];
        bool some = sides[i] > 0   ? dbm_constrain(d, x->n, is->left, is->right, is->b)
                    : sides[i] < 0 ? dbm_constrain(d, x->n, is->right, is->left, bound_negate(is->b))
                                   : true;
        assert(some);
        (void)some;
    }
}
