// SPDX-License-Identifier: Apache-2.0
// The passed list: see passed.h.
#include "zone/passed.h"

#include <assert.h>
#include <string.h>
#include <xxhash.h>

passed *passed_new(uint32_t words, uint32_t n) {
    passed *p = mem_zero(1, sizeof *p);
    p->words = words;
    p->n = n;
    p->table_size = 1024;
    p->table = mem_alloc(p->table_size * sizeof *p->table);
    p->tags = mem_zero(p->table_size, 1);
    return p;
}

void passed_free(passed *p) {
    if (!p) return;
    vec_free(&p->states);
    vec_free(&p->heads);
    vec_free(&p->nodes);
    vec_free(&p->pool);
    free(p->table);
    free(p->tags);
    free(p);
}

void passed_clear(passed *p) {
    if (!p->nodes.len) return;
    vec_clear(&p->states);
    vec_clear(&p->heads);
    vec_clear(&p->nodes);
    vec_clear(&p->pool);
    p->covered = 0;
    memset(p->tags, 0, p->table_size);
}

uint64_t passed_bytes(const passed *p) {
    return (uint64_t)p->states.cap * 8 + (uint64_t)p->heads.cap * 4 + (uint64_t)p->table_size * 5 +
           (uint64_t)p->nodes.cap * sizeof(passed_node) + (uint64_t)p->pool.cap * 4;
}

static uint64_t passed_hash_of(const passed *p, const uint64_t *state) {
    return XXH3_64bits(state, p->words * sizeof *state);
}

// A slot's tag is a part of the hash, so that few states are looked at in vain; 0: the slot is free.
static uint8_t tag_of(uint64_t hash) { return (uint8_t)(hash >> 56 | 1); }

static uint32_t passed_slot_of(const passed *p, const uint64_t *state, uint64_t hash) {
    uint32_t mask = p->table_size - 1;
    uint32_t i = (uint32_t)hash & mask;
    uint8_t tag = tag_of(hash);
    while (p->tags[i] && (p->tags[i] != tag || memcmp(p->states.data + (size_t)p->table[i] * p->words, state,
                                                      p->words * sizeof *state) != 0))
        i = (i + 1) & mask;
    return i;
}

static void passed_grow_table(passed *p) {
    free(p->table);
    free(p->tags);
    p->table_size *= 2;
    p->table = mem_alloc(p->table_size * sizeof *p->table);
    p->tags = mem_zero(p->table_size, 1);
    for (uint32_t i = 0; i < p->heads.len; i++) {
        uint64_t hash = passed_hash_of(p, p->states.data + (size_t)i * p->words);
        uint32_t at = (uint32_t)hash & (p->table_size - 1);
        while (p->tags[at]) at = (at + 1) & (p->table_size - 1);
        p->table[at] = i;
        p->tags[at] = tag_of(hash);
    }
}

static uint32_t intern_state(passed *p, const uint64_t *state) {
    uint64_t hash = passed_hash_of(p, state);
    uint32_t i = passed_slot_of(p, state, hash);
    if (p->tags[i]) return p->table[i];
    uint32_t number = p->heads.len;
    vec_reserve(&p->states, p->states.len + p->words);
    memcpy(p->states.data + p->states.len, state, p->words * sizeof *state);
    p->states.len += p->words;
    vec_push(&p->heads, UINT32_MAX);
    p->table[i] = number;
    p->tags[i] = tag_of(hash);
    if ((uint64_t)p->heads.len * 3 > (uint64_t)p->table_size * 2) passed_grow_table(p);
    return number;
}

static bool passed_covers(const passed *p, uint32_t node, const bound *d, const uint32_t *words, uint32_t n,
                          bool exact) {
    const uint32_t *stored = p->pool.data + p->nodes.data[node].zone;
    if (exact) return stored[0] == n && memcmp(stored + 1, words, n * sizeof *words) == 0;
    return dbm_within_packed(d, p->n, stored + 1, stored[0]);
}

// Takes zones that d includes out of the state's list.
static void remove_covered(passed *p, uint32_t state, const bound *d, uint32_t size) {
    bound stored[(DBM_MOST_CLOCKS + 1) * (DBM_MOST_CLOCKS + 1)];
    uint32_t before = UINT32_MAX;
    for (uint32_t i = p->heads.data[state], next; i != UINT32_MAX; i = next) {
        next = p->nodes.data[i].next;
        const uint32_t *packed = p->pool.data + p->nodes.data[i].zone;
        bool is_within = p->nodes.data[i].size <= size && dbm_may_include(d, p->n, packed + 1, packed[0]);
        if (is_within) passed_zone(p, i, stored);
        if (!is_within || !dbm_includes(d, stored, p->n)) {
            before = i;
            continue;
        }
        if (before == UINT32_MAX) p->heads.data[state] = next;
        else p->nodes.data[before].next = next;
        p->nodes.data[i].next = i;
        p->covered++;
    }
}

uint32_t passed_add(passed *p, const uint64_t *state, const bound *d, uint32_t parent, uint32_t label, bool exact,
                    bool *is_new) {
    uint32_t words[(DBM_MOST_CLOCKS + 1) * (DBM_MOST_CLOCKS + 1)], n = 0;
    uint32_t s = intern_state(p, state);
    if (exact) n = dbm_pack(d, p->n, words);
    uint32_t size = dbm_size(d, p->n);
    *is_new = false;
    for (uint32_t i = p->heads.data[s]; i != UINT32_MAX; i = p->nodes.data[i].next)
        if (p->nodes.data[i].size >= size && passed_covers(p, i, d, words, n, exact)) return i;
    if (!exact) {
        n = dbm_pack(d, p->n, words);
        remove_covered(p, s, d, size);
    }
    *is_new = true;
    vec_push(&p->nodes, (passed_node){parent, label, s, p->heads.data[s], p->pool.len, size});
    p->heads.data[s] = p->nodes.len - 1;
    vec_push(&p->pool, n);
    vec_reserve(&p->pool, p->pool.len + n);
    if (n) memcpy(p->pool.data + p->pool.len, words, n * sizeof *words);
    p->pool.len += n;
    return p->nodes.len - 1;
}

bool passed_includes(const passed *p, const uint64_t *state, const bound *d, const uint32_t *ranks, uint32_t below) {
    bound stored[(DBM_MOST_CLOCKS + 1) * (DBM_MOST_CLOCKS + 1)];
    uint32_t slot = passed_slot_of(p, state, passed_hash_of(p, state));
    if (!p->tags[slot]) return false;
    for (uint32_t i = p->heads.data[p->table[slot]]; i != UINT32_MAX; i = p->nodes.data[i].next) {
        if (ranks && ranks[i] >= below) continue;
        passed_zone(p, i, stored);
        if (dbm_includes(stored, d, p->n)) return true;
    }
    return false;
}

void passed_zone(const passed *p, uint32_t node, bound *d) {
    const uint32_t *stored = p->pool.data + p->nodes.data[node].zone;
    dbm_unpack(d, p->n, stored + 1, stored[0]);
}
