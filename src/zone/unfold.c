// SPDX-License-Identifier: Apache-2.0
// Real runs from runs of representatives: see unfold.h.
#include "zone/unfold.h"

#include <string.h>

static size_t cells_size(const zone_search *s) { return (s->in->ncells + 1) * sizeof(value); }

// ---- the start

typedef struct {
    unfold *u;
    const uint64_t *wanted;
    bool is_found;
} start_search;

static bool unfold_try_start(const value *cells, void *context) {
    start_search *k = context;
    zone_search *s = k->u->s;
    zone_worker *first = &s->workers[0];
    matrix d;
    if (s->y) orbit_identity(s->y, k->u->sigma);
    if (expand_enter(first, cells, d.d)) {
        const uint64_t *is = zone_represent(first, first->steps.state, d.d, k->u->sigma);
        k->is_found = memcmp(is, k->wanted, s->x->words * sizeof *is) == 0;
    }
    if (k->is_found) space_unpack(s->x->s, first->steps.state, k->u->cells);
    return !k->is_found;
}

void unfold_start(unfold *u, zone_search *s, uint32_t node) {
    *u = (unfold){.s = s, .cells = mem_zero(1, cells_size(s))};
    start_search k = {u, passed_state(s->p, node), false};
    eval_initial(s->in, unfold_try_start, &k);
}

void unfold_free(unfold *u) { free(u->cells); }

// ---- steps

// What a label does to clocks in a state: its bounds, and the value that each clock is set to.
typedef struct {
    VEC(net_bound) bounds;
    int32_t set[DBM_MOST_CLOCKS + 1];
    value priority;
} effect;

static void unfold_effect_of(const net *x, uint32_t label, const value *cells, effect *out) {
    const net_label *l = &x->labels.data[label];
    out->priority = net_priority(x, l, cells);
    net_settings(x, l, cells, out->set);
    for (uint32_t i = 0; i < l->nbounds; i++) {
        net_bound b = x->bounds.data[l->first_bound + i];
        b.b = net_label_bound(x, l, &b, cells);
        if (b.b != BOUND_INF) vec_push(&out->bounds, b);
    }
}

static bool unfold_has_bound(const effect *e, uint32_t left, uint32_t right, bound b) {
    for (uint32_t i = 0; i < e->bounds.len; i++) {
        const net_bound *is = &e->bounds.data[i];
        if (is->left == left && is->right == right && is->b == b) return true;
    }
    return false;
}

// Are the bounds of `a`, with its clocks as they are in the real state, those of `b`? How often each of them is there
// says nothing.
static bool same_bounds(const orbit *o, const uint8_t *back, const effect *a, const effect *b) {
    effect turned = {0};
    bool same = true;
    for (uint32_t i = 0; i < a->bounds.len; i++) {
        net_bound x = a->bounds.data[i];
        x.left = orbit_clock(o, back, x.left);
        x.right = orbit_clock(o, back, x.right);
        vec_push(&turned.bounds, x);
        same &= unfold_has_bound(b, x.left, x.right, x.b);
    }
    for (uint32_t i = 0; i < b->bounds.len && same; i++) {
        const net_bound *x = &b->bounds.data[i];
        same = unfold_has_bound(&turned, x->left, x->right, x->b);
    }
    vec_free(&turned.bounds);
    return same;
}

// Is `a` of the representative the effect `b` of the real state? back: from representative to real.
static bool same_effect(const orbit *o, const uint8_t *back, const effect *a, const effect *b, uint32_t n) {
    if (a->priority != b->priority || !same_bounds(o, back, a, b)) return false;
    for (uint32_t c = 1; c < n; c++)
        if (a->set[c] != b->set[orbit_clock(o, back, c)]) return false;
    return true;
}

static bool sets_negative(const effect *e, uint32_t n) {
    bool negative = false;
    for (uint32_t c = 1; c < n; c++) negative |= e->set[c] != NET_UNSET && e->set[c] < 0;
    return negative;
}

// The real label that does what `label` does, into the real state `after` (packed; NULL: it fails).
static uint32_t unfold_find_label(const unfold *u, uint32_t label, const uint8_t *back, const uint64_t *after) {
    const net *x = u->s->x;
    net_steps *s = &u->s->w->steps;
    effect wanted = {0};
    uint32_t found = UINT32_MAX;
    orbit_apply_cells(u->s->y, u->sigma, u->cells, s->cells);
    unfold_effect_of(x, label, s->cells, &wanted);
    space_pack(x->s, u->cells, s->state);
    net_steps_find(s, u->s->w, s->state);
    for (uint32_t i = 0; i < s->count && found == UINT32_MAX; i++) {
        bool fails = net_step_fails(s, i);
        effect e = {0};
        if (after && (fails || memcmp(net_step_to(s, i), after, x->words * sizeof *after) != 0)) continue;
        unfold_effect_of(x, net_step_number(s, i), s->cells, &e);
        if ((after || fails || sets_negative(&e, x->n)) && same_effect(u->s->y, back, &wanted, &e, x->n))
            found = net_step_number(s, i);
        vec_free(&e.bounds);
    }
    vec_free(&wanted.bounds);
    return found;
}

uint32_t unfold_step(unfold *u, uint32_t label, const uint64_t *after, const uint8_t *rho) {
    zone_search *s = u->s;
    orbit_perm back, unrho, to_real;
    if (!s->y) {
        space_unpack(s->x->s, after, u->cells);
        return label;
    }
    orbit_invert(s->y, u->sigma, back);
    orbit_invert(s->y, rho, unrho);
    orbit_compose(s->y, unrho, back, to_real);
    value *representative = mem_zero(1, cells_size(s)), *real = mem_zero(1, cells_size(s));
    uint64_t *packed = mem_zero(s->x->words + 1, sizeof *packed);
    space_unpack(s->x->s, after, representative);
    orbit_apply_cells(s->y, to_real, representative, real);
    space_pack(s->x->s, real, packed);
    uint32_t found = unfold_find_label(u, label, back, packed);
    orbit_compose(s->y, u->sigma, rho, u->sigma);
    space_unpack(s->x->s, packed, u->cells);
    free(representative);
    free(real);
    free(packed);
    return found;
}

// A state with a zone, of the passed list or passed through.
typedef struct {
    const passed *p;
    uint32_t node;
} spot;

// A part that is on one side of all differences of clocks.
static bool is_part_there(zone_search *s, const uint64_t *next, bound *part, spot to, uint8_t *rho) {
    matrix found;
    net_look(s->w, next);
    if (!net_abstract(s->w, part)) return false;
    const uint64_t *is = zone_represent(&s->workers[0], next, part, rho);
    passed_zone(to.p, to.node, found.d);
    return memcmp(is, passed_state(to.p, to.node), s->x->words * sizeof *is) == 0 &&
           memcmp(found.d, part, dbm_bytes(s->x->n)) == 0;
}

// Does this part of a zone lead there? `rho` gets what was done to the state then.
static bool unfold_leads_to(zone_search *s, uint32_t label, const value *cells, const uint64_t *next, bound *part,
                            spot to, uint8_t *rho) {
    const net *x = s->x;
    dbm_list parts = {0};
    bool found = false;
    net_look(s->w, next);
    if (!net_resets(x, &x->labels.data[label], cells, part) || !net_enter(s->w, part, false)) return false;
    net_split(s->w, part, &parts);
    for (uint32_t i = 0; i < parts.len && !found; i += x->n * x->n)
        found = is_part_there(s, next, parts.data + i, to, rho);
    vec_free(&parts);
    return found;
}

static void find_rho(zone_search *s, spot from, uint32_t label, spot to, uint8_t *rho) {
    net_steps *steps = &s->w->steps;
    uint32_t i = 0, size = s->x->n * s->x->n;
    matrix d;
    dbm_list parts = {0};
    passed_zone(from.p, from.node, d.d);
    net_steps_find(steps, s->w, passed_state(from.p, from.node));
    while (i < steps->count && steps->labels[i] != label) i++;
    if (i < steps->count) net_parts(s->w, steps, i, d.d, &parts);
    orbit_identity(s->y, rho);
    for (uint32_t p = 0; p < parts.len; p += size)
        if (unfold_leads_to(s, label, steps->cells, net_step_to(steps, i), parts.data + p, to, rho)) break;
    vec_free(&parts);
}

static uint32_t step_between(unfold *u, spot from, uint32_t label, spot to) {
    orbit_perm rho;
    if (u->s->y) find_rho(u->s, from, label, to, rho);
    return unfold_step(u, label, passed_state(to.p, to.node), rho);
}

// ---- states passed through

static bool is_spot(const zone_search *s, const uint64_t *state, const bound *d, const uint64_t *wanted,
                    const bound *zone) {
    return memcmp(state, wanted, s->x->words * sizeof *state) == 0 && memcmp(d, zone, dbm_bytes(s->x->n)) == 0;
}

// Expands the parent again and looks for the node: as what a state passed through leads to, by the label *step,
// or as one itself, *step then being EXPAND_CHAIN. The state passed through, or UINT32_MAX.
static uint32_t find_chain(zone_search *s, uint32_t node, uint32_t *step) {
    zone_worker *k = &s->workers[0];
    const uint64_t *wanted = passed_state(s->p, node);
    matrix zone, d;
    uint32_t found = UINT32_MAX;
    passed_zone(s->p, node, zone.d);
    expand_clear(k);
    k->retraces = true;
    expand_node(k, s->p->nodes.data[node].parent);
    k->retraces = false;
    *step = EXPAND_CHAIN;
    for (uint32_t i = 0; i < k->out.len && found == UINT32_MAX; i++) {
        const zone_arrival *a = &k->out.data[i];
        if (a->is_trouble || a->from == UINT32_MAX || (a->is_loose && !passed_is_loose(s->p, node))) continue;
        if (!is_spot(s, k->states.data + (size_t)i * s->x->words, k->zones.data + (size_t)i * s->x->n * s->x->n, wanted,
                     zone.d))
            continue;
        found = a->from;
        *step = a->step;
    }
    for (uint32_t i = 0; i < k->transit->nodes.len && found == UINT32_MAX; i++) {
        passed_zone(k->transit, i, d.d);
        if (is_spot(s, passed_state(k->transit, i), d.d, wanted, zone.d)) found = i;
    }
    expand_clear(k);
    return found;
}

static void follow_chain(unfold *u, uint32_t node, unfold_found found, void *context) {
    zone_search *s = u->s;
    const passed *t = s->workers[0].transit;
    VEC(uint32_t) chain = {0};
    uint32_t step, last = find_chain(s, node, &step);
    spot from = {s->p, s->p->nodes.data[node].parent};
    if (last == UINT32_MAX) found(u, UINT32_MAX, context);
    for (uint32_t i = last; i != UINT32_MAX; i = t->nodes.data[i].parent) vec_push(&chain, i);
    for (uint32_t i = chain.len; i-- > 0;) {
        spot to = {t, chain.data[i]};
        found(u, step_between(u, from, t->nodes.data[chain.data[i]].label, to), context);
        from = to;
    }
    if (last != UINT32_MAX && step != EXPAND_CHAIN) found(u, step_between(u, from, step, (spot){s->p, node}), context);
    vec_free(&chain);
}

void unfold_node(unfold *u, uint32_t node, unfold_found found, void *context) {
    const passed *p = u->s->p;
    const passed_node *k = &p->nodes.data[node];
    if (k->label == EXPAND_CHAIN) follow_chain(u, node, found, context);
    else found(u, step_between(u, (spot){p, k->parent}, k->label, (spot){p, node}), context);
}

uint32_t unfold_trouble(unfold *u, uint32_t label) {
    orbit_perm back;
    if (!u->s->y) return label;
    orbit_invert(u->s->y, u->sigma, back);
    return unfold_find_label(u, label, back, NULL);
}

void unfold_turn(unfold *u, const uint8_t *rho) {
    if (u->s->y) orbit_compose(u->s->y, u->sigma, rho, u->sigma);
}

void unfold_zone(const unfold *u, const bound *d, bound *out) {
    orbit_perm back;
    if (!u->s->y) {
        memcpy(out, d, dbm_bytes(u->s->x->n));
        return;
    }
    orbit_invert(u->s->y, u->sigma, back);
    orbit_apply_zone(u->s->y, back, d, out);
}
