// SPDX-License-Identifier: Apache-2.0
// Steps of the search: see expand.h.
#include "zone/expand.h"

#include "zone/search.h"

#include <string.h>

void expand_init(zone_worker *k, zone_search *s) {
    const net *x = s->x;
    uint32_t labels = space_labels(x->s);
    *k = (zone_worker){.s = s, .w = net_room_new(x), .transit = passed_new(x->words, x->n)};
    if (s->y) k->yw = orbit_room_new(s->y);
    k->canonical = mem_zero(x->words + 1, sizeof *k->canonical);
    k->state = mem_zero(x->words + 1, sizeof *k->state);
    k->next = mem_zero((size_t)labels * x->words + 1, sizeof *k->next);
    k->labels = mem_zero(labels + 1, sizeof *k->labels);
    k->fired = mem_zero(labels + 1, sizeof *k->fired);
    k->cells = mem_zero(x->in->ncells + 1, sizeof *k->cells);
}

void expand_done(zone_worker *k) {
    net_room_free(k->w);
    orbit_room_free(k->yw);
    passed_free(k->transit);
    free(k->canonical);
    free(k->state);
    free(k->next);
    free(k->labels);
    free(k->fired);
    free(k->cells);
    vec_free(&k->out);
    vec_free(&k->states);
    vec_free(&k->bits);
    vec_free(&k->zones);
}

void expand_clear(zone_worker *k) {
    vec_clear(&k->out);
    vec_clear(&k->states);
    vec_clear(&k->bits);
    vec_clear(&k->zones);
}

const uint64_t *zone_represent(zone_worker *k, const uint64_t *state, bound *d, uint8_t *perm) {
    if (!k->s->y || !orbit_canonical(k->yw, k->w->cells, d, perm)) return state;
    space_pack(k->s->x->s, k->w->cells, k->canonical);
    net_look(k->w, k->canonical);
    return k->canonical;
}

static void expand_emit(zone_worker *k, zone_arrival a, const uint64_t *state, const bound *d) {
    const net *x = k->s->x;
    uint32_t size = x->n * x->n;
    vec_push(&k->out, a);
    vec_reserve(&k->states, k->states.len + x->words);
    if (state) memcpy(k->states.data + k->states.len, state, x->words * sizeof *state);
    k->states.len += x->words;
    vec_reserve(&k->zones, k->zones.len + size);
    if (d) memcpy(k->zones.data + k->zones.len, d, size * sizeof *d);
    k->zones.len += size;
    vec_reserve(&k->bits, k->bits.len + x->check_words);
    memcpy(k->bits.data + k->bits.len, k->w->bits, x->check_words * sizeof *k->w->bits);
    k->bits.len += x->check_words;
}

// Does the state looked at answer a query that is still open?
static bool expand_answers(zone_worker *k, const uint64_t *state, const bound *d) {
    for (uint32_t i = 0; i < k->s->asks.len; i++) {
        const zone_ask *a = &k->s->asks.data[i];
        dbm_list pieces = {0};
        fault what;
        if (a->is_decided) continue;
        if (zone_cannot_ask(k->w, a, &what)) return true;
        if (!zone_is_reachability(a)) continue;
        zone_pieces(k->w, a->formula, state, d, true, &pieces);
        bool yes = pieces.len > 0;
        vec_free(&pieces);
        if (yes) return true;
    }
    return false;
}

static bool is_passed_through(zone_worker *k, const uint64_t *state, const bound *d) {
    if (k->retraces) return net_is_still(k->w);
    return !k->s->stores_all && net_is_still(k->w) && k->transit->nodes.len < EXPAND_MOST_PASSED &&
           !expand_answers(k, state, d);
}

static void expand_fail(zone_worker *k, uint32_t root, uint32_t from, zone_arrival a);

// By a step to a state, from a node or from a state passed through on the way from it.
static void arrive(zone_worker *k, uint32_t root, uint32_t from, uint32_t label, const uint64_t *state, bound *d) {
    orbit_perm perm;
    bool is_new;
    fault what;
    net_look(k->w, state);
    if (k->s->x->suspects.len && net_faults(k->w, UINT32_MAX, &what)) {
        expand_fail(k, root, from,
                    (zone_arrival){.label = label, .what = what, .where = "in an invariant after the step"});
        return;
    }
    if (!net_enter(k->w, d, true)) return;
    k->transitions++;
    k->fired[label] += !k->retraces;
    state = zone_represent(k, state, d, perm);
    if (is_passed_through(k, state, d)) passed_add(k->transit, state, d, from, label, k->retraces, &is_new);
    else
        expand_emit(
            k,
            (zone_arrival){
                .parent = root, .label = from == UINT32_MAX ? label : EXPAND_CHAIN, .from = from, .step = label},
            state, d);
}

// A state passed through from which a step fails is kept, so that the step is found from there.
static void keep_transit(zone_worker *k, uint32_t root, uint32_t from) {
    const passed_node *is = &k->transit->nodes.data[from];
    matrix d;
    passed_zone(k->transit, from, d.d);
    net_look(k->w, passed_state(k->transit, from));
    zone_arrival a = {.parent = root,
                      .label = is->parent == UINT32_MAX ? is->label : EXPAND_CHAIN,
                      .from = is->parent,
                      .step = is->label};
    expand_emit(k, a, passed_state(k->transit, from), d.d);
}

static void expand_fail(zone_worker *k, uint32_t root, uint32_t from, zone_arrival a) {
    a.parent = root;
    a.from = from;
    a.step = a.label;
    a.is_trouble = true;
    if (from != UINT32_MAX) keep_transit(k, root, from);
    else expand_emit(k, a, NULL, NULL);
}

static void expand_take(zone_worker *k, uint32_t root, uint32_t from, uint32_t i, bound *d) {
    const net *x = k->s->x;
    uint32_t label = k->labels[i] & ~SPACE_TROUBLE;
    bool fails = k->labels[i] & SPACE_TROUBLE;
    if (fails || !net_resets(x, &x->labels.data[label], k->cells, d))
        expand_fail(k, root, from, (zone_arrival){.label = label});
    else arrive(k, root, from, label, k->next + (size_t)i * x->words, d);
}

static void take_parts(zone_worker *k, uint32_t root, uint32_t from, uint32_t i, uint32_t count, const bound *d) {
    const net *x = k->s->x;
    dbm_list parts = {0};
    net_parts(k->w, &(net_steps){k->cells, k->next, k->labels, count}, i, d, &parts);
    for (uint32_t p = 0; p < parts.len; p += x->n * x->n) expand_take(k, root, from, i, parts.data + p);
    vec_free(&parts);
}

// All steps from a state and zone.
static void expand_expand(zone_worker *k, uint32_t root, uint32_t from, const uint64_t *state, const bound *d) {
    const net *x = k->s->x;
    matrix to;
    memcpy(k->state, state, x->words * sizeof *state);
    space_unpack(x->s, k->state, k->cells);
    uint32_t count = space_next(k->w->run, k->state, k->next, k->labels);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t label = k->labels[i] & ~SPACE_TROUBLE;
        fault what;
        if (x->labels.data[label].can_fault && net_label_faults(x, &x->labels.data[label], k->cells, &what)) {
            expand_fail(
                k, root, from,
                (zone_arrival){.label = label, .what = what, .where = "in a clock condition or value of the step"});
            continue;
        }
        if (x->t->has_priorities) {
            take_parts(k, root, from, i, count, d);
            continue;
        }
        memcpy(to.d, d, x->n * x->n * sizeof *to.d);
        if (net_guard(x, &x->labels.data[label], k->cells, to.d)) expand_take(k, root, from, i, to.d);
    }
}

static void expand_transit(zone_worker *k, uint32_t root) {
    matrix d;
    for (uint32_t i = 0; i < k->transit->nodes.len; i++) {
        if (passed_is_covered(k->transit, i)) continue;
        passed_zone(k->transit, i, d.d);
        expand_expand(k, root, i, passed_state(k->transit, i), d.d);
    }
}

void expand_node(zone_worker *k, uint32_t node) {
    matrix d;
    passed_clear(k->transit);
    passed_zone(k->s->p, node, d.d);
    expand_expand(k, node, UINT32_MAX, passed_state(k->s->p, node), d.d);
    expand_transit(k, node);
}

// Initial states are always kept.
void expand_start(zone_worker *k, const value *cells) {
    orbit_perm perm;
    matrix d;
    fault what;
    space_pack(k->s->x->s, cells, k->state);
    dbm_zero(d.d, k->s->x->n);
    net_look(k->w, k->state);
    if (k->s->x->suspects.len && net_faults(k->w, UINT32_MAX, &what)) {
        expand_fail(k, UINT32_MAX, UINT32_MAX, (zone_arrival){.what = what, .where = "at the start"});
        return;
    }
    if (!net_enter(k->w, d.d, true)) return;
    k->transitions++;
    const uint64_t *state = zone_represent(k, k->state, d.d, perm);
    expand_emit(k, (zone_arrival){.parent = UINT32_MAX, .from = UINT32_MAX}, state, d.d);
}
