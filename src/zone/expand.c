// SPDX-License-Identifier: Apache-2.0
// Steps of the search: see expand.h.
#include "zone/expand.h"

#include "zone/cover.h"
#include "zone/search.h"

#include <string.h>

// What is kept must follow from the state and the matrix alone, and be one zone.
static bool remembers(const zone_search *s) {
    const net *x = s->x;
    return !s->is_exact && !x->rates.len && !x->suspects.len && !x->diagonals.len;
}

void expand_init(zone_worker *k, zone_search *s) {
    const net *x = s->x;
    *k = (zone_worker){.s = s, .w = net_room_new(x), .transit = passed_new(x->words, x->n, !net_is_narrow(x))};
    if (s->y) k->yw = orbit_room_new(s->y);
    k->canonical = arena_alloc(k->w->memory, (x->words + 1) * sizeof *k->canonical);
    k->fired = arena_alloc(k->w->memory, (space_labels(x->s) + 1) * sizeof *k->fired);
    k->steps = net_steps_new(x, k->w->memory);
    k->effect = arena_alloc(k->w->memory, 2 * ((size_t)x->most_bounds + x->n) * sizeof *k->effect);
    k->after = arena_alloc(k->w->memory, dbm_bytes(x->n));
    if (remembers(s)) k->met = recall_new(x->words, x->n, x->m->rules.len);
}

void expand_done(zone_worker *k) {
    net_room_free(k->w);
    orbit_room_free(k->yw);
    passed_free(k->transit);
    recall_free(k->met);
    vec_free(&k->repeats);
    vec_free(&k->out);
    vec_free(&k->states);
    vec_free(&k->bits);
    vec_free(&k->zones);
    vec_free(&k->packed);
    vec_free(&k->limits);
    vec_free(&k->sizes);
    vec_free(&k->keys);
    vec_free(&k->signs);
}

void expand_clear(zone_worker *k) {
    if (k->met) recall_end_block(k->met);
    vec_clear(&k->repeats);
    vec_clear(&k->out);
    vec_clear(&k->states);
    vec_clear(&k->bits);
    vec_clear(&k->zones);
    vec_clear(&k->packed);
    vec_clear(&k->limits);
    vec_clear(&k->sizes);
    vec_clear(&k->keys);
    vec_clear(&k->signs);
}

const uint64_t *zone_represent(zone_worker *k, const uint64_t *state, bound *d, uint8_t *perm) {
    if (!k->s->y || !orbit_canonical(k->yw, k->w->cells, d, perm)) return state;
    space_pack(k->s->x->s, k->w->cells, k->canonical);
    net_look(k->w, k->canonical);
    if (k->s->x->is_abstract) net_bounds_in(k->w, k->w->cells);
    return k->canonical;
}

const uint64_t *zone_represent_both(zone_worker *k, const uint64_t *state, bound *d, bound *plain) {
    matrix turned;
    orbit_perm rho;
    if (!k->s->y) return state;
    orbit_identity(k->s->y, rho);
    state = zone_represent(k, state, d, rho);
    orbit_apply_zone(k->s->y, rho, plain, turned.d);
    memcpy(plain, turned.d, dbm_bytes(k->s->x->n));
    return state;
}

// What else the item must have when it is taken.
static void expand_keep_limits(zone_worker *k, const passed_item *it) {
    uint32_t n = k->s->x->n;
    if (it->lower) {
        vec_reserve(&k->limits, k->limits.len + 2 * n);
        memcpy(k->limits.data + k->limits.len, it->lower, n * sizeof *it->lower);
        memcpy(k->limits.data + k->limits.len + n, it->upper, n * sizeof *it->upper);
        k->limits.len += 2 * n;
    }
    vec_push(&k->sizes, it->size);
    vec_push(&k->sizes, it->need_size);
    if (k->s->x->diagonals.len) vec_push(&k->signs, it->sign);
}

// Zones that are not abstracted are covered by those that include them, as their states have no bounds. False: a zone
// that was there before the block covers it (which still is there after it, or one that covers that), and it may be
// dropped: it need not be passed on.
static bool expand_prepare(zone_worker *k, passed_item *it, bool may_drop) {
    const net *x = k->s->x;
    uint32_t words = cover_words(x->n, !net_is_narrow(x));
    vec_reserve(&k->packed, k->packed.len + 2 * words);
    passed_prepare_need(k->transit, it, k->packed.data + k->packed.len);
    passed_keys keys;
    passed_find_state(k->s->p, it, &keys);
    it->keys = &keys;
    if (may_drop && passed_has_cover(k->s->p, it)) return false;
    passed_prepare_zone(k->transit, it, k->packed.data + k->packed.len);
    passed_find_zone(k->s->p, it, &keys);
    vec_push(&k->keys, keys);
    k->packed.len += 2 * words;
    expand_keep_limits(k, it);
    return true;
}

passed_item expand_item(const zone_worker *k, uint32_t i) {
    const net *x = k->s->x;
    uint32_t words = cover_words(x->n, !net_is_narrow(x));
    passed_item it = {.state = k->states.data + (size_t)i * x->words, .d = k->zones.data + (size_t)i * x->n * x->n};
    it.zone = it.need = k->packed.data + (size_t)i * 2 * words;
    it.size = k->sizes.data[2 * i];
    it.need_size = k->sizes.data[2 * i + 1];
    it.is_loose = k->out.data[i].is_loose;
    it.keys = &k->keys.data[i];
    if (x->diagonals.len) it.sign = k->signs.data[i];
    if (!x->is_abstract) return it;
    it.need = it.zone + words;
    it.lower = k->limits.data + (size_t)i * 2 * x->n;
    it.upper = it.lower + x->n;
    return it;
}

static zone_arrival arrival_by(uint32_t root, uint32_t from, uint32_t label) {
    bool is_chain = from != UINT32_MAX;
    uint32_t by = is_chain ? EXPAND_CHAIN : label;
    return (zone_arrival){.parent = root, .label = by, .from = from, .step = label, .place = RECALL_NONE};
}

static void expand_push(zone_worker *k, const zone_arrival *a, const passed_item *it, const uint64_t *bits) {
    const net *x = k->s->x;
    vec_push(&k->out, *a);
    vec_reserve(&k->states, k->states.len + x->words);
    memcpy(k->states.data + k->states.len, it->state, x->words * sizeof *it->state);
    k->states.len += x->words;
    dbm_add(&k->zones, it->d, x->n);
    vec_reserve(&k->bits, k->bits.len + x->check_words);
    memcpy(k->bits.data + k->bits.len, bits, x->check_words * sizeof *bits);
    k->bits.len += x->check_words;
}

// The room has the bounds of the state: they were found when it was entered, or represented.
static void expand_emit(zone_worker *k, zone_arrival a, const uint64_t *state, const bound *d) {
    const net *x = k->s->x;
    passed_item it = {.state = state, .d = d, .is_loose = a.is_loose};
    if (x->is_abstract) {
        it.lower = k->w->lower;
        it.upper = k->w->upper;
    }
    if (x->diagonals.len) it.sign = net_sign(k->w, d);
    bool may_drop = !a.is_trouble && !k->retraces && !k->s->is_exact;
    if (expand_prepare(k, &it, may_drop)) expand_push(k, &a, &it, k->w->bits);
}

// ---- from rank to rank: a state, its packed zone, its bounds, and the truth of conditions in it

uint32_t expand_words(const zone_search *s) {
    const net *x = s->x;
    return x->words + cover_words(x->n, !net_is_narrow(x)) + (x->is_abstract ? x->n : 0) + x->check_words;
}

void expand_write(const zone_worker *k, uint32_t i, uint64_t *to) {
    const net *x = k->s->x;
    passed_item it = expand_item(k, i);
    uint32_t words = cover_words(x->n, !net_is_narrow(x));
    memcpy(to, it.state, x->words * sizeof *to);
    memcpy(to += x->words, it.zone, words * sizeof *to);
    to += words;
    if (x->is_abstract) memcpy(to, it.lower, 2 * x->n * sizeof *it.lower);
    if (x->is_abstract) to += x->n;
    memcpy(to, k->bits.data + (size_t)i * x->check_words, x->check_words * sizeof *to);
}

void expand_read(zone_worker *k, const uint64_t *from) {
    const net *x = k->s->x;
    const uint64_t *zone = from + x->words, *rest = zone + cover_words(x->n, !net_is_narrow(x));
    zone_arrival a = arrival_by(UINT32_MAX, UINT32_MAX, 0);
    matrix d;
    cover_unpack(d.d, zone, x->n, !net_is_narrow(x));
    passed_item it = {.state = from, .d = d.d};
    if (x->is_abstract) {
        it.lower = (const int32_t *)rest;
        it.upper = it.lower + x->n;
        rest += x->n;
    }
    if (expand_prepare(k, &it, false)) expand_push(k, &a, &it, rest);
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

static bool is_from_loose(const zone_worker *k, uint32_t root, uint32_t from) {
    return from == UINT32_MAX ? passed_is_loose(k->s->p, root) : passed_is_loose(k->transit, from);
}

// A step from a node fails. A state passed through from which one does is kept, so that the step is found from there.
static void expand_fail(zone_worker *k, uint32_t root, uint32_t from, uint32_t label, fault what, const char *where) {
    zone_arrival a = {.parent = root, .label = label, .is_trouble = true, .what = what, .where = where};
    a.place = RECALL_NONE;
    a.is_loose = root != UINT32_MAX && is_from_loose(k, root, from);
    const uint64_t *state = k->steps.state;
    matrix d;
    net_first_zone(k->s->x, d.d);
    if (from != UINT32_MAX) {
        const passed_node *is = &k->transit->nodes.data[from];
        a = arrival_by(root, is->parent, is->label);
        a.is_loose = passed_is_loose(k->transit, from);
        state = passed_state(k->transit, from);
        passed_zone(k->transit, from, d.d);
        net_look(k->w, state);
        if (k->s->x->is_abstract) net_bounds_in(k->w, k->w->cells);
    }
    expand_emit(k, a, state, d.d);
}

// Keeps a state that is passed through until it is expanded.
static void expand_pass(zone_worker *k, const zone_arrival *a, const uint64_t *state, const bound *d) {
    passed_item it = {.state = state, .d = d, .is_loose = a->is_loose};
    bool is_new;
    passed_prepare(k->transit, &it, k->transit->room);
    passed_add(k->transit, &it, a->from, a->step, k->retraces, &is_new);
}

// With an abstracted matrix of the state looked at.
static void arrive_at(zone_worker *k, const zone_arrival *a, const uint64_t *state, bound *d) {
    orbit_perm perm;
    state = zone_represent(k, state, d, perm);
    if (is_passed_through(k, state, d)) expand_pass(k, a, state, d);
    else expand_emit(k, *a, state, d);
}

static void arrive_in_parts(zone_worker *k, const zone_arrival *a, const uint64_t *state, const bound *d) {
    const net *x = k->s->x;
    dbm_list parts = {0};
    net_split(k->w, d, &parts);
    for (uint32_t i = 0; i < parts.len; i += x->n * x->n) {
        if (i) net_look(k->w, state);
        if (net_abstract(k->w, parts.data + i)) arrive_at(k, a, state, parts.data + i);
    }
    vec_free(&parts);
}

// ---- what was met before

static void count_step(zone_worker *k, uint32_t label) {
    k->transitions++;
    k->fired[label] += !k->retraces;
}

// Of the same parent, both are left out or none.
static void expand_repeat(zone_worker *k, const zone_arrival *a, uint32_t same) {
    if (k->out.data[same].parent == a->parent) return;
    vec_push(&k->repeats, (zone_repeat){k->out.len, same, a->parent, a->label});
}

static bool expand_recalls(zone_worker *k, uint32_t root, uint32_t from, uint32_t label, const uint64_t *state,
                           const bound *d, uint64_t number) {
    int32_t same;
    if (!recall_find(k->met, k->s->x->labels.data[label].r.id, state, d, number, &same)) return false;
    if (same == RECALL_NOWHERE) return true;
    count_step(k, label);
    zone_arrival a = arrival_by(root, from, label);
    if (same >= 0) expand_repeat(k, &a, (uint32_t)same);
    return true;
}

// As the first one there: what came of it is noted, unless it is passed through.
static void arrive_first(zone_worker *k, const zone_arrival *a, const uint64_t *state, bound *d) {
    uint32_t before = k->out.len;
    bool is_still = net_is_still(k->w);
    arrive_at(k, a, state, d);
    if (is_still) return;
    bool is_out = k->out.len > before;
    uint32_t place = recall_note(k->met, is_out ? (int32_t)before : RECALL_COVERED);
    if (is_out) k->out.data[before].place = place;
}

// By a step to a state, from a node or from a state passed through on the way from it. The matrix after it is d, and
// `to` is d or room for one; `number`: as for recall_find().
static void arrive(zone_worker *k, uint32_t root, uint32_t from, uint32_t label, const uint64_t *state, const bound *d,
                   uint64_t number, bound *to) {
    fault what;
    bool remembers = k->met && !k->retraces;
    if (remembers && expand_recalls(k, root, from, label, state, d, number)) return;
    if (to != d) memcpy(to, d, dbm_bytes(k->s->x->n));
    net_look(k->w, state);
    if (k->s->x->suspects.len && net_faults(k->w, UINT32_MAX, &what)) {
        expand_fail(k, root, from, label, what, "in an invariant after the step");
        return;
    }
    bool splits = k->s->x->diagonals.len;
    if (!net_enter(k->w, to, !splits)) {
        if (remembers) recall_note(k->met, RECALL_NOWHERE);
        return;
    }
    count_step(k, label);
    zone_arrival a = arrival_by(root, from, label);
    a.is_loose = k->w->is_loose || is_from_loose(k, root, from);
    if (splits) arrive_in_parts(k, &a, state, to);
    else if (remembers) arrive_first(k, &a, state, to);
    else arrive_at(k, &a, state, to);
}

// ---- steps

static void expand_take(zone_worker *k, uint32_t root, uint32_t from, uint32_t i, bound *d) {
    uint32_t label = net_step_number(&k->steps, i);
    if (net_step_fails(&k->steps, i) || !net_resets(k->s->x, net_step_label(&k->steps, i), k->steps.cells, d))
        expand_fail(k, root, from, label, (fault){0}, NULL);
    else arrive(k, root, from, label, net_step_to(&k->steps, i), d, 0, d);
}

static void take_one(zone_worker *k, uint32_t root, uint32_t from, uint32_t i, const bound *d) {
    const net *x = k->s->x;
    matrix to;
    memcpy(to.d, d, dbm_bytes(x->n));
    if (net_guard(x, net_step_label(&k->steps, i), k->steps.cells, to.d)) expand_take(k, root, from, i, to.d);
}

// What a step does to the zone is computed once for all labels of its rule that do the same: the outcomes of a
// broadcast whose receivers choose.
static void effect_after(zone_worker *k, const net_label *l, const bound *d) {
    const net *x = k->s->x;
    uint32_t size = net_effect_size(x, l);
    const int32_t *effect = k->effect + x->most_bounds + x->n;
    if (k->effect_of == l->r.id && !memcmp(k->effect, effect, size * sizeof *effect)) return;
    memcpy(k->effect, effect, size * sizeof *effect);
    k->effect_of = l->r.id;
    memcpy(k->after, d, dbm_bytes(x->n));
    k->has_after = net_guard(x, l, k->steps.cells, k->after) && net_resets(x, l, k->steps.cells, k->after);
    k->afters++;
}

static void take_one_of(zone_worker *k, uint32_t root, uint32_t from, uint32_t i, const bound *d) {
    const net *x = k->s->x;
    const net_label *l = net_step_label(&k->steps, i);
    matrix to;
    if (net_step_fails(&k->steps, i) || !net_effect(x, l, k->steps.cells, k->effect + x->most_bounds + x->n)) {
        take_one(k, root, from, i, d);
        return;
    }
    effect_after(k, l, d);
    uint32_t label = net_step_number(&k->steps, i);
    if (k->has_after) arrive(k, root, from, label, net_step_to(&k->steps, i), k->after, k->afters, to.d);
}

static void take_parts(zone_worker *k, uint32_t root, uint32_t from, uint32_t i, const bound *d) {
    const net *x = k->s->x;
    dbm_list parts = {0};
    net_parts(k->w, &k->steps, i, d, &parts);
    for (uint32_t p = 0; p < parts.len; p += x->n * x->n) expand_take(k, root, from, i, parts.data + p);
    vec_free(&parts);
}

// All steps from a state and zone.
static void expand_from(zone_worker *k, uint32_t root, uint32_t from, const uint64_t *state, const bound *d) {
    const net *x = k->s->x;
    k->effect_of = UINT32_MAX;
    net_steps_within(&k->steps, k->w, state, d);
    for (uint32_t i = 0; i < k->steps.count; i++) {
        const net_label *l = net_step_label(&k->steps, i);
        fault what;
        if (l->can_fault && net_label_faults(x, l, k->steps.cells, &what)) {
            const char *where = "in a clock condition or value of the step";
            expand_fail(k, root, from, net_step_number(&k->steps, i), what, where);
        } else if (x->t->has_priorities) {
            take_parts(k, root, from, i, d);
        } else if (l->is_one_of) {
            take_one_of(k, root, from, i, d);
        } else {
            take_one(k, root, from, i, d);
        }
    }
}

static void expand_transit(zone_worker *k, uint32_t root) {
    matrix d;
    for (uint32_t i = 0; i < k->transit->nodes.len; i++) {
        if (passed_is_covered(k->transit, i)) continue;
        passed_zone(k->transit, i, d.d);
        expand_from(k, root, i, passed_state(k->transit, i), d.d);
    }
}

void expand_node(zone_worker *k, uint32_t node) {
    matrix d;
    passed_clear(k->transit);
    passed_zone(k->s->p, node, d.d);
    expand_from(k, node, UINT32_MAX, passed_state(k->s->p, node), d.d);
    expand_transit(k, node);
}

bool expand_enter(zone_worker *k, const value *cells, bound *d) {
    space_pack(k->s->x->s, cells, k->steps.state);
    net_first_zone(k->s->x, d);
    net_look(k->w, k->steps.state);
    return net_enter(k->w, d, true);
}

// Initial states are always kept.
void expand_start(zone_worker *k, const value *cells) {
    orbit_perm perm;
    matrix d;
    fault what;
    bool is_entered = expand_enter(k, cells, d.d), is_loose = k->w->is_loose;
    if (k->s->x->suspects.len && net_faults(k->w, UINT32_MAX, &what)) {
        expand_fail(k, UINT32_MAX, UINT32_MAX, 0, what, "at the start");
    } else if (is_entered) {
        k->transitions++;
        const uint64_t *state = zone_represent(k, k->steps.state, d.d, perm);
        zone_arrival a = arrival_by(UINT32_MAX, UINT32_MAX, 0);
        a.is_loose = is_loose;
        expand_emit(k, a, state, d.d);
    }
}
