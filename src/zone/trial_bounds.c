// SPDX-License-Identifier: Apache-2.0
// Bounds of clocks, tried on a state: see trial.h. What covers what (cover.h) is right if the bounds of each state are
// at least every number that an invariant, a guard of a step or an atom of a formula compares a clock with in it, as
// the evaluator says, and at least the bounds of every state that a step leads to, for clocks that the step does not
// set. All of this is about one state and its steps, so trying every state proves it.
#include "zone/trial_int.h"

#include <string.h>

typedef struct {
    int32_t lower[DBM_MOST_CLOCKS + 1], upper[DBM_MOST_CLOCKS + 1];
} state_bounds;

static void trial_take_bounds(zone_trial *c, const value *cells, state_bounds *out) {
    net_room *w = c->s->w;
    net_bounds_in(w, cells);
    memcpy(out->lower, w->lower, w->x->n * sizeof *w->lower);
    memcpy(out->upper, w->upper, w->x->n * sizeof *w->upper);
}

static bool is_told_apart(const state_bounds *s, const clock_bound *b, bound is) {
    if (is == BOUND_INF) return true;
    return (!b->left || s->upper[b->left] >= bound_value(is)) && (!b->right || s->lower[b->right] >= -bound_value(is));
}

// A formula asks on which side of an atom's number a clock is.
static bool are_atoms_told_apart(const zone_trial *c, const state_bounds *s) {
    const net *x = c->s->x;
    for (uint32_t f = 0; f < x->formulas.len; f++)
        for (uint32_t i = 0; i < x->formulas.data[f].natoms; i++) {
            const clock_atom *a = &x->t->atoms.data[x->formulas.data[f].atoms[i]];
            if (a->is_deadlock) continue;
            bound is = net_plain_bound(x, &a->is, c->steps.cells);
            clock_bound not = {.left = a->is.right, .right = a->is.left};
            if (eval_fault(x->ev).kind) continue;
            if (!is_told_apart(s, &a->is, is) || !is_told_apart(s, &not, bound_negate(is))) return false;
        }
    return true;
}

static bool are_conditions_told_apart(const zone_trial *c, const state_bounds *s) {
    const timed_info *t = c->s->x->t;
    for (uint32_t i = 0; i < t->invariants.len; i++) {
        bound is = net_plain_bound(c->s->x, &t->invariants.data[i], c->steps.cells);
        if (!eval_fault(c->s->x->ev).kind && !is_told_apart(s, &t->invariants.data[i], is)) return false;
    }
    return are_atoms_told_apart(c, s);
}

static bool is_step_told_apart(zone_trial *c, const state_bounds *s, uint32_t i) {
    const net *x = c->s->x;
    const net_label *l = net_step_label(&c->steps, i);
    const rule_info *r = rule_of(x->m, l->r);
    int32_t set[DBM_MOST_CLOCKS + 1];
    state_bounds then;
    net_bind_label(x, l);
    for (uint32_t k = 0; k < r->nbounds; k++)
        if (!is_told_apart(s, &r->bounds[k], net_plain_bound(x, &r->bounds[k], c->steps.cells))) return false;
    if (net_step_fails(&c->steps, i)) return true;
    net_plain_settings(x, r, c->steps.cells, set);
    space_unpack(x->s, net_step_to(&c->steps, i), c->after);
    trial_take_bounds(c, c->after, &then);
    for (uint32_t k = 1; k < x->n; k++)
        if (set[k] == NET_UNSET && (s->lower[k] < then.lower[k] || s->upper[k] < then.upper[k])) return false;
    return true;
}

bool trial_bounds(zone_trial *c) {
    state_bounds s;
    bool ok = true;
    if (!c->s->x->is_abstract) return true;
    trial_take_bounds(c, c->steps.cells, &s);
    c->spent += (c->steps.count + 1) * (uint64_t)COST_LABEL;
    ok = are_conditions_told_apart(c, &s);
    for (uint32_t i = 0; ok && i < c->steps.count; i++)
        if (!net_step_label(&c->steps, i)->can_fault) ok = is_step_told_apart(c, &s, i);
    for (uint32_t k = 1; ok && c->s->x->keeps_regions && k < c->s->x->n; k++) ok = s.lower[k] == s.upper[k];
    return ok || trial_fail(c, TRIAL_ZONES, "a clock is compared with a number beyond its bounds");
}
