// SPDX-License-Identifier: Apache-2.0
// The passed list: see passed.h.
#include "zone/passed.h"

#include "zone/cover.h"

#include <string.h>

passed *passed_new(uint32_t words, uint32_t n, bool is_wide) {
    passed *p = mem_zero(1, sizeof *p);
    p->n = n;
    p->is_wide = is_wide;
    p->states = tuples_new(words);
    p->zones = tuples_new(cover_words(n, is_wide));
    crowd_choose(p->places, n);
    p->room = mem_zero(2 * (size_t)cover_words(n, is_wide), sizeof *p->room);
    return p;
}

static void passed_clear_crowds(passed *p) {
    for (uint32_t i = 0; i < p->crowds.len; i++) vec_free(&p->crowds.data[i]);
    vec_clear(&p->crowds);
    vec_clear(&p->crowd_of);
    p->crowd_bytes = 0;
}

void passed_free(passed *p) {
    if (!p) return;
    passed_clear_crowds(p);
    vec_free(&p->crowds);
    vec_free(&p->crowd_of);
    tuples_free(p->states);
    tuples_free(p->zones);
    vec_free(&p->heads);
    vec_free(&p->nodes);
    vec_free(&p->loose);
    vec_free(&p->signs);
    vec_free(&p->gone);
    free(p->room);
    free(p);
}

void passed_clear(passed *p) {
    if (!p->nodes.len) return;
    tuples_clear(p->states);
    tuples_clear(p->zones);
    passed_clear_crowds(p);
    vec_clear(&p->heads);
    vec_clear(&p->nodes);
    vec_clear(&p->loose);
    vec_clear(&p->signs);
    p->covered = 0;
}

uint64_t passed_bytes(const passed *p) {
    uint64_t crowded = (uint64_t)p->crowd_of.cap * 4 + (uint64_t)p->crowds.cap * sizeof(crowd) + p->crowd_bytes;
    return crowded + tuples_bytes(p->states) + tuples_bytes(p->zones) + (uint64_t)p->heads.cap * 4 +
           (uint64_t)p->nodes.cap * sizeof(passed_node) + p->loose.cap + (uint64_t)p->signs.cap * 8;
}

// Without bounds, what it takes is the zone itself.
void passed_prepare_need(const passed *p, passed_item *i, uint64_t *room) {
    matrix need;
    if (i->lower) cover_need(need.d, i->d, p->n, i->lower, i->upper);
    i->need = room + (i->lower ? cover_words(p->n, p->is_wide) : 0);
    i->need_size = cover_pack((uint64_t *)i->need, i->lower ? need.d : i->d, p->n, p->is_wide);
}

void passed_prepare_zone(const passed *p, passed_item *i, uint64_t *room) {
    i->zone = room;
    i->size = i->lower ? cover_pack(room, i->d, p->n, p->is_wide) : i->need_size;
}

void passed_prepare(const passed *p, passed_item *i, uint64_t *room) {
    passed_prepare_need(p, i, room);
    passed_prepare_zone(p, i, room);
}

static const uint64_t *zone_of(const passed *p, uint32_t node) {
    return tuples_get(p->zones, p->nodes.data[node].zone);
}

// May the node stand for the item, if its zone does?
static inline bool may_stand_for(const passed *p, uint32_t node, const passed_item *it) {
    return (it->is_loose || !passed_is_loose(p, node)) && passed_sign(p, node) == it->sign;
}

static inline bool node_covers(const passed *p, uint32_t node, const passed_item *it) {
    return p->nodes.data[node].size >= it->need_size && may_stand_for(p, node, it) &&
           cover_is_met(zone_of(p, node), it->need, p->n, p->is_wide);
}

// ---- states with many zones

static crowd *crowd_at(const passed *p, uint32_t state) {
    uint32_t number = state < p->crowd_of.len ? p->crowd_of.data[state] : 0;
    return number ? &p->crowds.data[number - 1] : NULL;
}

static uint32_t find_cover_in(const passed *p, const crowd *c, const passed_item *it) {
    crowd_sketch need = crowd_sketch_of(p->places, it->need, p->is_wide);
    for (uint32_t i = c->len; i-- > 0;) {
        const crowd_zone *z = &c->data[i];
        if (z->size < it->need_size || crowd_is_below(&z->sketch, &need) || !may_stand_for(p, z->node, it)) continue;
        if (cover_is_met(zone_of(p, z->node), it->need, p->n, p->is_wide)) return z->node;
    }
    return UINT32_MAX;
}

// Beside `it`, an item of the same state, whose bounds are the state's.
static void crowd_push(passed *p, crowd *c, uint32_t node, const passed_item *it) {
    const passed_node *is = &p->nodes.data[node];
    uint32_t cap = c->cap;
    matrix d;
    passed_item own = {.d = d.d, .lower = it->lower, .upper = it->upper};
    passed_zone(p, node, d.d);
    passed_prepare_need(p, &own, p->room);
    vec_push(c, ((crowd_zone){node, is->size, is->need, crowd_sketch_of(p->places, zone_of(p, node), p->is_wide),
                              crowd_sketch_of(p->places, own.need, p->is_wide)}));
    p->crowd_bytes += (uint64_t)(c->cap - cap) * sizeof(crowd_zone);
}

// The zones of the state's list, which has the newest first.
static void crowd_begin(passed *p, uint32_t state, const passed_item *it) {
    uint32_t nodes[CROWD_LEAST], n = 0;
    for (uint32_t i = p->heads.data[state]; i != UINT32_MAX; i = p->nodes.data[i].next) {
        if (n == CROWD_LEAST) return;
        nodes[n++] = i;
    }
    if (n < CROWD_LEAST) return;
    while (p->crowd_of.len <= state) vec_push(&p->crowd_of, 0);
    vec_push(&p->crowds, (crowd){0});
    p->crowd_of.data[state] = p->crowds.len;
    while (n) crowd_push(p, &p->crowds.data[p->crowds.len - 1], nodes[--n], it);
}

// ---- looking for a zone

static uint32_t find_cover(const passed *p, uint32_t state, const passed_item *it) {
    const crowd *c = crowd_at(p, state);
    if (c) return find_cover_in(p, c, it);
    uint32_t i = p->heads.data[state];
    while (i != UINT32_MAX && !node_covers(p, i, it)) i = p->nodes.data[i].next;
    return i;
}

// ---- looking up

void passed_find_state(const passed *p, const passed_item *it, passed_keys *keys) {
    keys->state_hash = tuples_hash(p->states, it->state);
    keys->state = tuples_find_by(p->states, it->state, keys->state_hash);
}

void passed_find_zone(const passed *p, const passed_item *it, passed_keys *keys) {
    keys->zone_hash = tuples_hash(p->zones, it->zone);
    keys->zone = tuples_find_by(p->zones, it->zone, keys->zone_hash);
}

void passed_prefetch(const passed *p, const passed_keys *keys) {
    if (keys->state == TUPLES_NONE) tuples_prefetch_by(p->states, keys->state_hash);
    if (keys->zone == TUPLES_NONE) tuples_prefetch_by(p->zones, keys->zone_hash);
}

static uint32_t passed_put_state(passed *p, const passed_item *it) {
    if (!it->keys) return tuples_put(p->states, it->state);
    if (it->keys->state != TUPLES_NONE) return it->keys->state;
    return tuples_put_by(p->states, it->state, it->keys->state_hash);
}

static uint32_t passed_put_zone(passed *p, const passed_item *it) {
    if (!it->keys) return tuples_put(p->zones, it->zone);
    if (it->keys->zone != TUPLES_NONE) return it->keys->zone;
    return tuples_put_by(p->zones, it->zone, it->keys->zone_hash);
}

bool passed_has_cover(const passed *p, const passed_item *it) {
    uint32_t s = it->keys->state;
    return s != TUPLES_NONE && find_cover(p, s, it) != UINT32_MAX;
}

static uint32_t find_equal(const passed *p, uint32_t state, const passed_item *it) {
    uint32_t zone = tuples_find(p->zones, it->zone), i = zone == TUPLES_NONE ? UINT32_MAX : p->heads.data[state];
    while (i != UINT32_MAX && (p->nodes.data[i].zone != zone || !may_stand_for(p, i, it))) i = p->nodes.data[i].next;
    return i;
}

// Does the item cover the node's zone?
static bool covers_node(const passed *p, uint32_t node, const passed_item *it) {
    matrix d;
    if (p->nodes.data[node].need > it->size || (it->is_loose && !passed_is_loose(p, node))) return false;
    if (passed_sign(p, node) != it->sign) return false;
    if (it->lower) return cover_is_by(it->d, zone_of(p, node), p->n, p->is_wide, it->lower, it->upper);
    passed_zone(p, node, d.d);
    return dbm_includes(it->d, d.d, p->n);
}

// Takes a node out of the state's list, where it comes after `before`; raises the rank that the one which covers it has
// for that.
static void remove_node(passed *p, uint32_t state, uint32_t node, uint32_t before, uint32_t *rank) {
    passed_node *is = &p->nodes.data[node];
    if (before == UINT32_MAX) p->heads.data[state] = is->next;
    else p->nodes.data[before].next = is->next;
    is->next = node;
    p->covered++;
    if (p->notes_gone) vec_push(&p->gone, node);
    if (is->leads_on && is->rank >= *rank) *rank = is->rank + 1;
}

// Takes zones that the item covers out of the state's list; the rank that it has for that.
static uint32_t remove_covered(passed *p, uint32_t state, const passed_item *it) {
    uint32_t before = UINT32_MAX, rank = 0;
    for (uint32_t i = p->heads.data[state], next; i != UINT32_MAX; i = next) {
        next = p->nodes.data[i].next;
        if (covers_node(p, i, it)) remove_node(p, state, i, before, &rank);
        else before = i;
    }
    return rank;
}

// The same in a crowd, from the newest on as in the list.
static uint32_t remove_from_crowd(passed *p, uint32_t state, crowd *c, const passed_item *it) {
    crowd_sketch is = crowd_sketch_of(p->places, it->zone, p->is_wide);
    uint32_t before = UINT32_MAX, rank = 0, gone = 0;
    for (uint32_t i = c->len; i-- > 0;) {
        crowd_zone *z = &c->data[i];
        if (z->need > it->size || crowd_is_below(&is, &z->needs) || !covers_node(p, z->node, it)) {
            before = z->node;
            continue;
        }
        remove_node(p, state, z->node, before, &rank);
        memmove(z, z + 1, (c->len - gone - i - 1) * sizeof *z);
        gone++;
    }
    c->len -= gone;
    return rank;
}

static void note_loose(passed *p, uint32_t node) {
    while (p->loose.len < node) vec_push(&p->loose, false);
    vec_push(&p->loose, true);
}

static void note_sign(passed *p, uint32_t node, uint64_t sign) {
    while (p->signs.len < node) vec_push(&p->signs, 0);
    vec_push(&p->signs, sign);
}

uint32_t passed_add(passed *p, const passed_item *it, uint32_t parent, uint32_t label, bool exact, bool *is_new) {
    uint32_t s = passed_put_state(p, it);
    if (s == p->heads.len) vec_push(&p->heads, UINT32_MAX);
    uint32_t found = exact ? find_equal(p, s, it) : find_cover(p, s, it);
    *is_new = found == UINT32_MAX;
    if (!*is_new) return found;
    crowd *c = crowd_at(p, s);
    uint32_t rank = exact ? 0 : c ? remove_from_crowd(p, s, c, it) : remove_covered(p, s, it);
    if (parent != UINT32_MAX) p->nodes.data[parent].leads_on = true;
    uint32_t zone = passed_put_zone(p, it);
    vec_push(&p->nodes, (passed_node){parent, label, s, p->heads.data[s], zone, it->size, it->need_size, rank, false});
    p->heads.data[s] = p->nodes.len - 1;
    if (c) crowd_push(p, c, p->nodes.len - 1, it);
    else if (!exact) crowd_begin(p, s, it);
    if (it->is_loose) note_loose(p, p->nodes.len - 1);
    if (it->sign) note_sign(p, p->nodes.len - 1, it->sign);
    return p->nodes.len - 1;
}

uint32_t passed_put(passed *p, const uint64_t *state, const bound *d, uint32_t parent, uint32_t label, bool exact,
                    bool *is_new) {
    passed_item it = {.state = state, .d = d};
    passed_prepare(p, &it, p->room);
    return passed_add(p, &it, parent, label, exact, is_new);
}

// ---- nodes of other ranks

bool passed_replaces(const passed *p, uint32_t node, const passed_item *it) {
    return covers_node(p, node, it) && !node_covers(p, node, it);
}

// Where the node is in the crowd of its state; NULL: nowhere.
static crowd_zone *crowd_find(const passed *p, uint32_t state, uint32_t node) {
    const crowd *c = crowd_at(p, state);
    for (uint32_t i = c ? c->len : 0; i-- > 0 && c->data[i].node >= node;)
        if (c->data[i].node == node) return &c->data[i];
    return NULL;
}

// From the last on, so that nothing is overwritten before it was moved.
void passed_spread(passed *p, uint32_t base, const uint32_t *to, uint32_t total) {
    const passed_node absent = {.parent = UINT32_MAX, .state = TUPLES_NONE, .next = UINT32_MAX, .zone = TUPLES_NONE};
    uint32_t count = p->nodes.len - base, at = base + total;
    vec_reserve(&p->nodes, at);
    p->nodes.len = at;
    for (uint32_t k = count; k-- > 0;) {
        passed_node is = p->nodes.data[base + k];
        if (is.next != UINT32_MAX && is.next >= base) is.next = to[is.next - base];
        crowd_zone *z = crowd_find(p, is.state, base + k);
        if (z) z->node = to[k];
        if (p->heads.data[is.state] == base + k) p->heads.data[is.state] = to[k];
        while (at > to[k] + 1) p->nodes.data[--at] = absent;
        p->nodes.data[--at] = is;
    }
    while (at > base) p->nodes.data[--at] = absent;
}

// Out of the list and the crowd of its state.
static void passed_unlink(passed *p, uint32_t node) {
    uint32_t state = p->nodes.data[node].state, *link = &p->heads.data[state];
    crowd_zone *z = crowd_find(p, state, node);
    while (*link != node) link = &p->nodes.data[*link].next;
    *link = p->nodes.data[node].next;
    if (!z) return;
    crowd *c = crowd_at(p, state);
    memmove(z, z + 1, (size_t)(c->data + c->len - z - 1) * sizeof *z);
    c->len--;
}

void passed_drop(passed *p, uint32_t node) {
    if (passed_is_here(p, node)) passed_unlink(p, node);
    p->nodes.data[node].next = node;
    p->covered++;
}

bool passed_includes(const passed *p, const uint64_t *state, const bound *d, const uint32_t *ranks, uint32_t below) {
    matrix stored;
    uint32_t s = tuples_find(p->states, state);
    if (s == TUPLES_NONE) return false;
    for (uint32_t i = p->heads.data[s]; i != UINT32_MAX; i = p->nodes.data[i].next) {
        if (ranks && ranks[i] >= below) continue;
        passed_zone(p, i, stored.d);
        if (dbm_includes(stored.d, d, p->n)) return true;
    }
    return false;
}

bool passed_covers(const passed *p, const passed_item *it) {
    matrix stored;
    uint32_t s = tuples_find(p->states, it->state);
    if (s == TUPLES_NONE) return false;
    for (uint32_t i = p->heads.data[s]; i != UINT32_MAX; i = p->nodes.data[i].next) {
        if (passed_sign(p, i) != it->sign) continue;
        passed_zone(p, i, stored.d);
        if (cover_by_definition(stored.d, it->d, p->n, it->lower, it->upper)) return true;
    }
    return false;
}

void passed_zone(const passed *p, uint32_t node, bound *d) { cover_unpack(d, zone_of(p, node), p->n, p->is_wide); }
