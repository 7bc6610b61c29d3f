// SPDX-License-Identifier: Apache-2.0
// Real runs from runs of representatives: see unfold.h.
#include "zone/unfold.h"

#include <string.h>

typedef struct {
    bound d[(DBM_MOST_CLOCKS + 1) * (DBM_MOST_CLOCKS + 1)];
} matrix;

static size_t cells_size(const zone_search *s) { return (s->in->ncells + 1) * sizeof(value); }

// ---- the start

typedef struct {
    unfold *u;
    const uint64_t *wanted;
    bool is_found;
} start_search;

static bool try_start(const value *cells, void *context) {
    start_search *k = context;
    zone_search *s = k->u->s;
    matrix d;
    uint64_t *state = mem_zero(s->x->words + 1, sizeof *state);
    space_pack(s->x->s, cells, state);
    dbm_zero(d.d, s->x->n);
    net_look(s->w, state);
    if (s->y) orbit_identity(s->y, k->u->sigma);
    if (net_enter(s->w, d.d, true)) {
        const uint64_t *is = zone_represent(s, state, d.d, k->u->sigma);
        k->is_found = memcmp(is, k->wanted, s->x->words * sizeof *is) == 0;
    }
    if (k->is_found) space_unpack(s->x->s, state, k->u->cells);
    free(state);
    return !k->is_found;
}

void unfold_start(unfold *u, zone_search *s, uint32_t node) {
    *u = (unfold){.s = s, .cells = mem_zero(1, cells_size(s))};
    uint64_t *wanted = mem_alloc((s->x->words + 1) * sizeof *wanted);
    memcpy(wanted, passed_state(s->p, node), s->x->words * sizeof *wanted);
    start_search k = {u, wanted, false};
    eval_initial(s->in, try_start, &k);
    free(wanted);
}

void unfold_free(unfold *u) { free(u->cells); }

// ---- steps

// What a label does to clocks in a state: its bounds, and the value that each clock is set to.
typedef struct {
    VEC(net_bound) bounds;
    int32_t set[DBM_MOST_CLOCKS + 1];  // INT32_MIN: not set
    value priority;
} effect;

static void effect_of(const net *x, uint32_t label, const value *cells, effect *out) {
    const net_label *l = &x->labels.data[label];
    out->priority = net_priority(x, l, cells);
    for (uint32_t i = 0; i <= DBM_MOST_CLOCKS; i++) out->set[i] = INT32_MIN;
    for (uint32_t i = 0; i < l->nbounds; i++) {
        net_bound b = x->bounds.data[l->first_bound + i];
        b.b = net_label_bound(x, l, &b, cells);
        if (b.b != BOUND_INF) vec_push(&out->bounds, b);
    }
    for (uint32_t i = 0; i < l->nresets; i++) {
        const net_reset *r = &x->resets.data[l->first_reset + i];
        int32_t v;
        if (net_reset_value(x, l, r, cells, &v)) out->set[r->clock] = v;
    }
}

static bool has_bound(const effect *e, uint32_t left, uint32_t right, bound b) {
    for (uint32_t i = 0; i < e->bounds.len; i++) {
        const net_bound *is = &e->bounds.data[i];
        if (is->left == left && is->right == right && is->b == b) return true;
    }
    return false;
}

// Is `a` of the representative the effect `b` of the real state? back: from representative to real.
static bool same_effect(const orbit *o, const uint8_t *back, const effect *a, const effect *b, uint32_t n) {
    if (a->bounds.len != b->bounds.len || a->priority != b->priority) return false;
    for (uint32_t i = 0; i < a->bounds.len; i++) {
        const net_bound *x = &a->bounds.data[i];
        if (!has_bound(b, orbit_clock(o, back, x->left), orbit_clock(o, back, x->right), x->b)) return false;
    }
    for (uint32_t c = 1; c < n; c++)
        if (a->set[c] != b->set[orbit_clock(o, back, c)]) return false;
    return true;
}

// The real label that does what `label` does, into the real state `after` (packed; NULL: it fails).
static uint32_t find_label(const unfold *u, uint32_t label, const uint8_t *back, const uint64_t *after) {
    zone_search *s = u->s;
    const net *x = s->x;
    uint64_t *state = mem_alloc((x->words + 1) * sizeof *state);
    value *before = mem_alloc(cells_size(s));
    effect wanted = {0};
    uint32_t found = UINT32_MAX;
    orbit_apply_cells(s->y, u->sigma, u->cells, before);
    effect_of(x, label, before, &wanted);
    space_pack(x->s, u->cells, state);
    uint32_t count = space_next(s->w->run, state, s->w->next, s->w->labels);
    for (uint32_t i = 0; i < count && found == UINT32_MAX; i++) {
        bool fails = s->w->labels[i] & SPACE_TROUBLE;
        uint32_t is = s->w->labels[i] & ~SPACE_TROUBLE;
        effect e = {0};
        if (after &&
            (fails || memcmp(s->w->next + (size_t)i * x->words, after, x->words * sizeof *after) != 0))
            continue;
        effect_of(x, is, u->cells, &e);
        bool negative = false;
        for (uint32_t c = 1; c < x->n; c++) negative |= e.set[c] != INT32_MIN && e.set[c] < 0;
        if ((after || fails || negative) && same_effect(s->y, back, &wanted, &e, x->n)) found = is;
        vec_free(&e.bounds);
    }
    vec_free(&wanted.bounds);
    free(state);
    free(before);
    return found;
}

static uint32_t plain_step(unfold *u, uint32_t label, const uint64_t *after) {
    space_unpack(u->s->x->s, after, u->cells);
    return label;
}

uint32_t unfold_step(unfold *u, uint32_t label, const uint64_t *after, const uint8_t *rho) {
    zone_search *s = u->s;
    orbit_perm back, unrho, to_real;
    if (!s->y) return plain_step(u, label, after);
    orbit_invert(s->y, u->sigma, back);
    orbit_invert(s->y, rho, unrho);
    orbit_compose(s->y, unrho, back, to_real);
    value *representative = mem_zero(1, cells_size(s)), *real = mem_zero(1, cells_size(s));
    uint64_t *packed = mem_zero(s->x->words + 1, sizeof *packed);
    space_unpack(s->x->s, after, representative);
    orbit_apply_cells(s->y, to_real, representative, real);
    space_pack(s->x->s, real, packed);
    uint32_t found = find_label(u, label, back, packed);
    orbit_compose(s->y, u->sigma, rho, u->sigma);
    space_unpack(s->x->s, packed, u->cells);
    free(representative);
    free(real);
    free(packed);
    return found;
}

// Was the node found by this part of its parent's zone? `rho` gets what was done to the state then.
static bool led_to(zone_search *s, uint32_t node, const value *cells, const uint64_t *next, bound *part,
                   uint8_t *rho) {
    const net *x = s->x;
    const net_label *l = &x->labels.data[s->p->nodes.data[node].label];
    matrix found;
    net_look(s->w, next);
    if (!net_resets(x, l, cells, part) || !net_enter(s->w, part, true)) return false;
    const uint64_t *is = zone_represent(s, next, part, rho);
    passed_zone(s->p, node, found.d);
    return memcmp(is, passed_state(s->p, node), x->words * sizeof *is) == 0 &&
           memcmp(found.d, part, x->n * x->n * sizeof *part) == 0;
}

static void find_rho(zone_search *s, uint32_t node, uint8_t *rho) {
    const net *x = s->x;
    const passed_node *k = &s->p->nodes.data[node];
    matrix d;
    dbm_list parts = {0};
    uint64_t *state = mem_alloc((x->words + 1) * sizeof *state);
    value *cells = mem_alloc(cells_size(s));
    memcpy(state, passed_state(s->p, k->parent), x->words * sizeof *state);
    passed_zone(s->p, k->parent, d.d);
    space_unpack(x->s, state, cells);
    uint32_t count = space_next(s->w->run, state, s->w->next, s->w->labels), i = 0;
    while (i < count && s->w->labels[i] != k->label) i++;
    if (i < count) net_parts(s->w, &(net_steps){cells, s->w->next, s->w->labels, count}, i, d.d, &parts);
    if (i < count) memcpy(state, s->w->next + (size_t)i * x->words, x->words * sizeof *state);
    orbit_identity(s->y, rho);
    for (uint32_t p = 0; p < parts.len; p += x->n * x->n)
        if (led_to(s, node, cells, state, parts.data + p, rho)) break;
    vec_free(&parts);
    free(state);
    free(cells);
}

uint32_t unfold_node(unfold *u, uint32_t node) {
    orbit_perm rho;
    const passed_node *k = &u->s->p->nodes.data[node];
    if (u->s->y) find_rho(u->s, node, rho);
    return unfold_step(u, k->label, passed_state(u->s->p, node), rho);
}

uint32_t unfold_trouble(unfold *u, uint32_t label) {
    orbit_perm back;
    if (!u->s->y) return label;
    orbit_invert(u->s->y, u->sigma, back);
    return find_label(u, label, back, NULL);
}

void unfold_turn(unfold *u, const uint8_t *rho) {
    if (u->s->y) orbit_compose(u->s->y, u->sigma, rho, u->sigma);
}

void unfold_zone(const unfold *u, const bound *d, bound *out) {
    orbit_perm back;
    if (!u->s->y) {
        memcpy(out, d, u->s->x->n * u->s->x->n * sizeof *d);
        return;
    }
    orbit_invert(u->s->y, u->sigma, back);
    orbit_apply_zone(u->s->y, back, d, out);
}
