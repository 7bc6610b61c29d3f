// SPDX-License-Identifier: Apache-2.0
// Code and packing, tried on a state: see trial.h. All that the net computes instead of the evaluator is computed by
// the evaluator too: discrete steps in their order, conditions as bits, bounds, and values given to clocks.
#include "zone/trial_int.h"

#include <string.h>

// ---- packing

bool trial_packing(zone_trial *c, const passed *p, const bound *d) {
    const net *x = c->s->x;
    c->count[TRIAL_PACKING]++;
    space_pack(x->s, c->cells, c->packed);
    if (memcmp(c->packed, c->state, x->words * sizeof *c->packed) != 0)
        return trial_fail(c, TRIAL_PACKING, "packing changes a state");
    return passed_includes(p, c->state, d, NULL, 0) ||
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

typedef enum { LABEL_NOTHING, LABEL_STEP, LABEL_FAULT } label_does;

// What a label does in c->cells; a step leads to c->after.
static label_does do_label(zone_trial *c, const net_label *l) {
    eval *ev = c->s->x->ev;
    c->spent += COST_LABEL;
    bool is_enabled = eval_enabled(ev, c->cells, l->r, l->args);
    if (eval_fault(ev).kind) return LABEL_FAULT;
    if (!is_enabled) return LABEL_NOTHING;
    c->spent += COST_STEP;
    if (eval_fire(ev, c->cells, l->r, l->args, c->after)) return LABEL_STEP;
    return eval_is_impossible(ev) ? LABEL_NOTHING : LABEL_FAULT;
}

// By the code: the step at a place of the list.
static label_does code_does(const zone_trial *c, uint32_t at, uint32_t count, uint32_t label) {
    if (at >= count || (c->labels[at] & ~SPACE_TROUBLE) != label) return LABEL_NOTHING;
    return c->labels[at] & SPACE_TROUBLE ? LABEL_FAULT : LABEL_STEP;
}

static bool are_steps_right(zone_trial *c) {
    const net *x = c->s->x;
    uint32_t count = space_next(c->s->w->run, c->state, c->next, c->labels), at = 0;
    for (uint32_t label = 0; label < x->labels.len; label++) {
        label_does is = do_label(c, &x->labels.data[label]);
        if (code_does(c, at, count, label) != is) return false;
        if (is == LABEL_NOTHING) continue;
        const uint64_t *next = c->next + (size_t)at++ * x->words;
        if (is == LABEL_FAULT) continue;
        if (!is_packed_whole(c) || memcmp(c->packed, next, x->words * sizeof *next)) return false;
    }
    return at == count;
}

static bool are_checks_right(zone_trial *c) {
    const net *x = c->s->x;
    net_look(c->s->w, c->state);
    c->spent += x->checks.len * COST_LABEL;
    for (uint32_t i = 0; i < x->checks.len; i++) {
        bool holds = eval_expr(x->ev, c->cells, x->checks.data[i]) && !eval_fault(x->ev).kind;
        if (net_bit(c->s->w, i) != holds) return false;
    }
    return true;
}

static bound plain_bound_of(const zone_trial *c, const clock_bound *b) {
    eval *ev = c->s->x->ev;
    if (b->when.id && !eval_expr(ev, c->cells, b->when)) return BOUND_INF;
    value v = eval_expr(ev, c->cells, b->bound);
    return b->is_strict ? bound_lt(v) : bound_le(v);
}

// The last value that a clock gets; -1: none. The net leaves resets out that never apply, so they are compared by
// clock.
static int64_t plain_reset_of(const zone_trial *c, const rule_info *r, uint32_t clock) {
    eval *ev = c->s->x->ev;
    for (uint32_t i = r->nresets; i-- > 0;) {
        const clock_reset *t = &r->resets[i];
        if (t->clock == clock && (!t->when.id || eval_expr(ev, c->cells, t->when)))
            return eval_expr(ev, c->cells, t->value);
    }
    return -1;
}

static int64_t reset_of(const zone_trial *c, const net_label *l, uint32_t clock) {
    const net *x = c->s->x;
    int32_t v;
    for (uint32_t i = l->nresets; i-- > 0;) {
        const net_reset *t = &x->resets.data[l->first_reset + i];
        if (t->clock == clock && net_reset_value(x, l, t, c->cells, &v)) return v;
    }
    return -1;
}

static bool are_clocks_right(zone_trial *c, const net_label *l) {
    const net *x = c->s->x;
    const rule_info *r = rule_of(x->m, l->r);
    for (uint32_t i = 0; i < r->nbounds; i++) {
        bound is = net_label_bound(x, l, &x->bounds.data[l->first_bound + i], c->cells);
        eval_enabled(x->ev, c->cells, l->r, l->args);  // binds the parameters
        if (is != plain_bound_of(c, &r->bounds[i])) return false;
    }
    for (uint32_t i = 0; i < r->nresets; i++) {
        int64_t is = reset_of(c, l, r->resets[i].clock);
        eval_enabled(x->ev, c->cells, l->r, l->args);
        if (is != plain_reset_of(c, r, r->resets[i].clock)) return false;
    }
    return true;
}

// Of the steps of the list: their bounds and values, and the invariants of the state.
static bool are_bounds_right(zone_trial *c) {
    const net *x = c->s->x;
    uint32_t count = space_next(c->s->w->run, c->state, c->next, c->labels);
    for (uint32_t i = 0; i < count; i++) {
        const net_label *l = &x->labels.data[c->labels[i] & ~SPACE_TROUBLE];
        c->spent += COST_LABEL;
        if (!l->can_fault && !are_clocks_right(c, l)) return false;
    }
    for (uint32_t i = 0; i < x->invariants.len; i++) {
        const net_bound *b = &x->invariants.data[i];
        bool applies = b->check == UINT32_MAX || net_bit(c->s->w, b->check);
        bound is = applies ? net_bound_in(x, b, c->cells) : BOUND_INF;
        if (is != plain_bound_of(c, &x->t->invariants.data[i])) return false;
    }
    return true;
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
