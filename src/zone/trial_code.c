// SPDX-License-Identifier: Apache-2.0
// Code and packing, tried on a state: see trial.h. All that the net computes instead of the evaluator is computed by
// the evaluator too: discrete steps in their order, conditions as bits, bounds, and values given to clocks.
#include "zone/trial_int.h"

#include <string.h>

// ---- packing

bool trial_packing(zone_trial *c, const passed *p, const bound *d) {
    const net *x = c->s->x;
    c->count[TRIAL_PACKING]++;
    space_pack(x->s, c->steps.cells, c->packed);
    if (memcmp(c->packed, c->steps.state, x->words * sizeof *c->packed) != 0)
        return trial_fail(c, TRIAL_PACKING, "packing changes a state");
    return passed_includes(p, c->steps.state, d, NULL, 0) ||
           trial_fail(c, TRIAL_PACKING, "a zone that was kept is not found again");
}

// The successor in c->after, packed into c->packed: the same when it comes back?
static bool is_packed_whole(zone_trial *c) {
    const net *x = c->s->x;
    space_pack(x->s, c->after, c->packed);
    space_unpack(x->s, c->packed, c->moved);
    return memcmp(c->moved, c->after, x->in->ncells * sizeof *c->moved) == 0 ||
           trial_fail(c, TRIAL_PACKING, "packing changes a successor");
}

// ---- code

// By the code: the step at a place of the list.
static eval_end code_does(const net_steps *s, uint32_t at, uint32_t label) {
    if (at >= s->count || net_step_number(s, at) != label) return EVAL_NONE;
    return net_step_fails(s, at) ? EVAL_FAULTY : EVAL_FIRES;
}

static bool are_steps_right(zone_trial *c) {
    const net *x = c->s->x;
    uint32_t at = 0;
    for (uint32_t label = 0; label < x->labels.len; label++) {
        eval_end is = trial_step(c, c->steps.cells, &x->labels.data[label]);
        if (code_does(&c->steps, at, label) != is) return false;
        if (is == EVAL_NONE) continue;
        const uint64_t *next = net_step_to(&c->steps, at++);
        if (is == EVAL_FIRES && (!is_packed_whole(c) || memcmp(c->packed, next, x->words * sizeof *next))) return false;
    }
    return at == c->steps.count;
}

static bool are_checks_right(zone_trial *c) {
    const net *x = c->s->x;
    net_look(c->s->w, c->steps.state);
    c->spent += x->checks.len * COST_LABEL;
    for (uint32_t i = 0; i < x->checks.len; i++) {
        bool holds = eval_expr(x->ev, c->steps.cells, x->checks.data[i]) && !eval_fault(x->ev).kind;
        if (net_bit(c->s->w, i) != holds) return false;
    }
    return true;
}

static bool are_clocks_right(zone_trial *c, const net_label *l) {
    const net *x = c->s->x;
    const rule_info *r = rule_of(x->m, l->r);
    int32_t set[DBM_MOST_CLOCKS + 1], plain[DBM_MOST_CLOCKS + 1];
    for (uint32_t i = 0; i < r->nbounds; i++) {
        bound is = net_label_bound(x, l, &x->bounds.data[l->first_bound + i], c->steps.cells);
        net_bind_label(x, l);
        if (is != net_plain_bound(x, &r->bounds[i], c->steps.cells)) return false;
    }
    net_settings(x, l, c->steps.cells, set);
    net_bind_label(x, l);
    net_plain_settings(x, r, c->steps.cells, plain);
    return memcmp(set, plain, x->n * sizeof *set) == 0;
}

// A state whose rates are odd is left out anyway.
static bool are_stops_right(const zone_trial *c) {
    const net *x = c->s->x;
    bool stands[DBM_MOST_CLOCKS + 1];
    if (!x->rates.len || !net_plain_stops(x, c->steps.cells, stands)) return true;
    return memcmp(stands, c->s->w->stands, x->n * sizeof *stands) == 0;
}

// Of the steps of the list: their bounds and values, and the invariants of the state.
static bool are_bounds_right(zone_trial *c) {
    const net *x = c->s->x;
    for (uint32_t i = 0; i < c->steps.count; i++) {
        const net_label *l = net_step_label(&c->steps, i);
        c->spent += COST_LABEL;
        if (!l->can_fault && !are_clocks_right(c, l)) return false;
    }
    for (uint32_t i = 0; i < x->invariants.len; i++) {
        const net_bound *b = &x->invariants.data[i];
        bool applies = b->check == UINT32_MAX || net_bit(c->s->w, b->check);
        bound is = applies ? net_bound_in(x, b, c->steps.cells) : BOUND_INF;
        if (is != net_plain_bound(x, &x->t->invariants.data[i], c->steps.cells)) return false;
    }
    return are_stops_right(c);
}

bool trial_code(zone_trial *c) {
    c->count[TRIAL_CODE]++;
    if (!are_steps_right(c))
        return !c->has_failed && trial_fail(c, TRIAL_CODE, "code makes other steps than the evaluator");
    if (!are_checks_right(c))
        return trial_fail(c, TRIAL_CODE, "code gives a condition another value than the evaluator");
    return are_bounds_right(c) ||
           trial_fail(c, TRIAL_CODE, "a clock has another bound or value than the evaluator says");
}
