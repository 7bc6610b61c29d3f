// SPDX-License-Identifier: Apache-2.0
// Hash maps: see map.h. Open addressing over an entry list in order of insertion, so that walks
// over a map do not depend on hash values.
#include "base/map.h"

#include "base/vec.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct {
    const void *key;
    size_t size;
    uint64_t hash;
    uint32_t value;
} entry;

struct map {
    arena *keys;
    VEC(entry) entries;
    uint32_t *slots;  // entry number + 1, or 0
    uint32_t mask;
};

map *map_new(void) {
    map *m = mem_zero(1, sizeof *m);
    m->keys = arena_new();
    m->mask = 15;
    m->slots = mem_zero(m->mask + 1, sizeof *m->slots);
    return m;
}

void map_free(map *m) {
    if (!m) return;
    arena_free(m->keys);
    vec_free(&m->entries);
    free(m->slots);
    free(m);
}

map *map_copy(const map *m) {
    map *copy = mem_alloc(sizeof *copy);
    *copy = (map){.keys = arena_new(), .mask = m->mask};
    copy->slots = mem_alloc(((size_t)m->mask + 1) * sizeof *copy->slots);
    memcpy(copy->slots, m->slots, ((size_t)m->mask + 1) * sizeof *copy->slots);
    vec_reserve(&copy->entries, m->entries.len);
    if (m->entries.len) memcpy(copy->entries.data, m->entries.data, m->entries.len * sizeof *m->entries.data);
    copy->entries.len = m->entries.len;
    return copy;
}

uint32_t map_count(const map *m) { return m->entries.len; }

// The slot where the key is, or where it would go.
static uint32_t *map_find(const map *m, const void *key, size_t size, uint64_t hash) {
    for (uint32_t i = (uint32_t)hash & m->mask;; i = (i + 1) & m->mask) {
        uint32_t *slot = &m->slots[i];
        if (!*slot) return slot;
        const entry *e = &m->entries.data[*slot - 1];
        if (e->hash == hash && e->size == size && memcmp(e->key, key, size) == 0) return slot;
    }
}

static void map_grow(map *m) {
    m->mask = m->mask * 2 + 1;
    free(m->slots);
    m->slots = mem_zero((size_t)m->mask + 1, sizeof *m->slots);
    for (uint32_t k = 0; k < m->entries.len; k++) {
        uint32_t i = (uint32_t)m->entries.data[k].hash & m->mask;
        while (m->slots[i]) i = (i + 1) & m->mask;
        m->slots[i] = k + 1;
    }
}

static void map_add(map *m, uint32_t *slot, const void *key, size_t size, uint64_t hash, uint32_t value) {
    char *copy = arena_alloc(m->keys, size + 1);
    if (size) memcpy(copy, key, size);
    vec_push(&m->entries, (entry){copy, size, hash, value});
    *slot = m->entries.len;
    if (m->entries.len * 2 > m->mask) map_grow(m);
}

uint32_t map_get(const map *m, const void *key, size_t size, uint32_t absent) {
    uint32_t *slot = map_find(m, key, size, XXH3_64bits(key, size));
    return *slot ? m->entries.data[*slot - 1].value : absent;
}

bool map_put(map *m, const void *key, size_t size, uint32_t value) {
    uint64_t hash = XXH3_64bits(key, size);
    uint32_t *slot = map_find(m, key, size, hash);
    bool is_new = !*slot;
    if (is_new) map_add(m, slot, key, size, hash, value);
    else m->entries.data[*slot - 1].value = value;
    return is_new;
}

uint32_t map_intern(map *m, const void *key, size_t size, uint32_t value) {
    uint64_t hash = XXH3_64bits(key, size);
    uint32_t *slot = map_find(m, key, size, hash);
    if (*slot) return m->entries.data[*slot - 1].value;
    map_add(m, slot, key, size, hash, value);
    return value;
}

uint32_t map_get_str(const map *m, const char *key, uint32_t absent) { return map_get(m, key, strlen(key), absent); }

bool map_put_str(map *m, const char *key, uint32_t value) { return map_put(m, key, strlen(key), value); }

const void *map_key(const map *m, uint32_t index, size_t *size) {
    if (size) *size = m->entries.data[index].size;
    return m->entries.data[index].key;
}
