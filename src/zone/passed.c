// SPDX-License-Identifier: Apache-2.0
// The passed list: see passed.h.
#include "zone/passed.h"

#include <string.h>

passed *passed_new(uint32_t words, uint32_t n) {
    passed *p = mem_zero(1, sizeof *p);
    p->n = n;
    p->states = tuples_new(words);
    return p;
}

void passed_free(passed *p) {
    if (!p) return;
    tuples_free(p->states);
    vec_free(&p->heads);
    vec_free(&p->nodes);
    vec_free(&p->pool);
    free(p);
}

void passed_clear(passed *p) {
    if (!p->nodes.len) return;
    tuples_clear(p->states);
    vec_clear(&p->heads);
    vec_clear(&p->nodes);
    vec_clear(&p->pool);
    p->covered = 0;
}

uint64_t passed_bytes(const passed *p) {
    return tuples_bytes(p->states) + (uint64_t)p->heads.cap * 4 + (uint64_t)p->nodes.cap * sizeof(passed_node) +
           (uint64_t)p->pool.cap * 4;
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
    uint32_t s = tuples_put(p->states, state);
    if (s == p->heads.len) vec_push(&p->heads, UINT32_MAX);
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
    uint32_t s = tuples_find(p->states, state);
    if (s == TUPLES_NONE) return false;
    for (uint32_t i = p->heads.data[s]; i != UINT32_MAX; i = p->nodes.data[i].next) {
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
