// SPDX-License-Identifier: Apache-2.0
// Conditions that cannot be evaluated: an index outside its array or a division by zero in an invariant, in a clock
// condition, in the value a clock is set to, or in a query. Guards and updates are not reported here: space_next()
// marks steps that fail.
//
// A compiled check that faults fails. So an expression that can fault is compiled twice, once negated: where both
// fail, it faults, and the reference evaluator says how. What cannot fault costs nothing.
#include "zone/net.h"

#include "model/expr.h"

static void suspect(net *x, expr e, uint32_t formula) {
    if (!e.id || !expr_can_fault(x->m, e)) return;
    net_suspect s = {.e = e, .formula = formula, .check = net_add_check(x, e)};
    s.negated = net_add_check(x, expr_not(x->in->m, e));
    vec_push(&x->suspects, s);
}

// A truth value that faults where a number does.
static expr asks_for(const net *x, expr number) {
    int64_t lo, hi;
    expr_bounds(x->m, number, &lo, &hi);
    return expr_eq(x->in->m, number, expr_const(x->in->m, expr_type(x->m, number), (value)lo));
}

static void suspect_number(net *x, expr number, expr when, uint32_t formula) {
    if (!expr_can_fault(x->m, number)) return;
    expr e = asks_for(x, number);
    suspect(x, when.id ? expr_and(x->in->m, when, e) : e, formula);
}

static void suspect_bound(net *x, const clock_bound *b) {
    suspect(x, b->when, UINT32_MAX);
    suspect_number(x, b->bound, b->when, UINT32_MAX);
}

void net_find_suspects(net *x) {
    suspect(x, x->t->still, UINT32_MAX);
    suspect(x, x->t->valid, UINT32_MAX);
    for (uint32_t i = 0; i < x->t->invariants.len; i++) suspect_bound(x, &x->t->invariants.data[i]);
    for (uint32_t i = 0; i < x->t->rates.len; i++) suspect_bound(x, &x->t->rates.data[i]);
    for (uint32_t i = 0; i < x->formulas.len; i++) {
        const net_formula f = x->formulas.data[i];
        for (uint32_t k = 0; !f.nodes && k < 1u << f.natoms; k++) suspect(x, x->checks.data[f.first_check + k], i);
        for (uint32_t k = 0; k < f.natoms; k++) {
            const clock_atom *a = &x->t->atoms.data[f.atoms[k]];
            if (!a->is_deadlock) suspect_number(x, a->is.bound, (expr){0}, i);
        }
    }
}

bool net_faults(net_room *w, uint32_t formula, fault *out) {
    const net *x = w->x;
    for (uint32_t i = 0; i < x->suspects.len; i++) {
        const net_suspect *s = &x->suspects.data[i];
        if (s->formula != formula || net_bit(w, s->check) || net_bit(w, s->negated)) continue;
        eval_expr(x->ev, w->cells, s->e);
        *out = eval_fault(x->ev);
        return true;
    }
    return false;
}

// ---- labels

static bool can_fault(const net *x, expr e) { return e.id && expr_can_fault(x->m, e); }

bool net_label_can_fault(const net *x, const net_label *l) {
    const rule_info *r = rule_of(x->m, l->r);
    bool can = can_fault(x, r->priority);
    for (uint32_t i = 0; i < r->nbounds; i++)
        can |= can_fault(x, r->bounds[i].bound) || can_fault(x, r->bounds[i].when);
    for (uint32_t i = 0; i < r->nresets; i++)
        can |= can_fault(x, r->resets[i].value) || can_fault(x, r->resets[i].when);
    return can;
}

static bool number_faults(const net *x, const value *cells, expr e, expr when, fault *out) {
    bool is_read = !when.id || eval_expr(x->ev, cells, when);
    *out = when.id ? eval_fault(x->ev) : (fault){0};
    if (out->kind || !is_read) return out->kind;
    eval_expr(x->ev, cells, e);
    *out = eval_fault(x->ev);
    return out->kind;
}

bool net_label_faults(const net *x, const net_label *l, const value *cells, fault *out) {
    const rule_info *r = rule_of(x->m, l->r);
    net_bind_label(x, l);
    if (r->priority.id && number_faults(x, cells, r->priority, (expr){0}, out)) return true;
    for (uint32_t i = 0; i < r->nbounds; i++)
        if (number_faults(x, cells, r->bounds[i].bound, r->bounds[i].when, out)) return true;
    for (uint32_t i = 0; i < r->nresets; i++)
        if (number_faults(x, cells, r->resets[i].value, r->resets[i].when, out)) return true;
    return false;
}
