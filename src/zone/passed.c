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
    p->room = mem_zero(2 * (size_t)cover_words(n, is_wide), sizeof *p->room);
    return p;
}

void passed_free(passed *p) {
    if (!p) return;
    tuples_free(p->states);
    tuples_free(p->zones);
    vec_free(&p->heads);
    vec_free(&p->nodes);
    vec_free(&p->loose);
    vec_free(&p->signs);
    free(p->room);
    free(p);
}

void passed_clear(passed *p) {
    if (!p->nodes.len) return;
    tuples_clear(p->states);
    tuples_clear(p->zones);
    vec_clear(&p->heads);
    vec_clear(&p->nodes);
    vec_clear(&p->loose);
    vec_clear(&p->signs);
    p->covered = 0;
}

uint64_t passed_bytes(const passed *p) {
    return tuples_bytes(p->states) + tuples_bytes(p->zones) + (uint64_t)p->heads.cap * 4 +
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

static uint32_t find_cover(const passed *p, uint32_t state, const passed_item *it) {
    uint32_t i = p->heads.data[state];
    while (i != UINT32_MAX && (p->nodes.data[i].size < it->need_size || !may_stand_for(p, i, it) ||
                               !cover_is_met(zone_of(p, i), it->need, p->n, p->is_wide)))
        i = p->nodes.data[i].next;
    return i;
}

bool passed_has_cover(const passed *p, const passed_item *it) {
    uint32_t s = tuples_find(p->states, it->state);
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

// Takes zones that the item covers out of the state's list.
static void remove_covered(passed *p, uint32_t state, const passed_item *it) {
    uint32_t before = UINT32_MAX;
    for (uint32_t i = p->heads.data[state], next; i != UINT32_MAX; i = next) {
        next = p->nodes.data[i].next;
        if (!covers_node(p, i, it)) {
            before = i;
            continue;
        }
        if (before == UINT32_MAX) p->heads.data[state] = next;
        else p->nodes.data[before].next = next;
        p->nodes.data[i].next = i;
        p->covered++;
    }
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
    uint32_t s = tuples_put(p->states, it->state);
    if (s == p->heads.len) vec_push(&p->heads, UINT32_MAX);
    uint32_t found = exact ? find_equal(p, s, it) : find_cover(p, s, it);
    *is_new = found == UINT32_MAX;
    if (!*is_new) return found;
    if (!exact) remove_covered(p, s, it);
    uint32_t zone = tuples_put(p->zones, it->zone);
    vec_push(&p->nodes, (passed_node){parent, label, s, p->heads.data[s], zone, it->size, it->need_size});
    p->heads.data[s] = p->nodes.len - 1;
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
