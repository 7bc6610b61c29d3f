// SPDX-License-Identifier: Apache-2.0
// What a worker arrived at before: see recall.h.
#include "zone/recall.h"

#include "base/mem.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    LEAST_PLACES = 256,
    MOST_BYTES = 16 << 20,
    PERIOD = 1024,     // after so many questions about a kind it is judged
    WORTH_IT = 4,      // one of so many should be found
    LONGEST = 1 << 20  // rest
};

typedef struct {
    uint32_t asked, found;  // in this period
    uint32_t rest, next_rest;
} recall_kind;

typedef struct {
    uint64_t hash;   // 0: nothing is here
    uint32_t block;  // the arrival's
    int32_t arrival;
} recall_entry;

struct recall {
    uint32_t words, n, size;  // size: of a key, in words: the state, and the matrix
    uint32_t places, used, block;
    recall_kind *kinds;
    bool rests;  // what was asked last is not noted
    recall_entry *entries;
    uint64_t *keys;
    uint64_t *key, hash;  // asked last
    uint64_t zone_hash;   // of the matrix in it
    uint64_t number;      // whose number this is; 0: it has none
};

recall *recall_new(uint32_t words, uint32_t n, uint32_t kinds) {
    recall *r = mem_zero(1, sizeof *r);
    *r = (recall){.words = words, .n = n, .size = words + (n * n + 1) / 2, .block = 1};
    r->kinds = mem_zero(kinds, sizeof *r->kinds);
    r->key = mem_zero(r->size, sizeof *r->key);
    return r;
}

void recall_free(recall *r) {
    if (!r) return;
    free(r->entries);
    free(r->keys);
    free(r->key);
    free(r->kinds);
    free(r);
}

// ---- the table

static uint32_t recall_place(const recall *r, uint64_t hash) { return (uint32_t)(hash >> 32) & (r->places - 1); }
static uint64_t *key_at(const recall *r, uint32_t place) { return r->keys + (size_t)place * r->size; }

static void recall_move(recall *r, const recall *from) {
    for (uint32_t i = 0; i < from->places; i++) {
        uint32_t to = recall_place(r, from->entries[i].hash);
        if (!from->entries[i].hash) continue;
        r->entries[to] = from->entries[i];
        memcpy(key_at(r, to), key_at(from, i), r->size * sizeof *r->keys);
    }
}

// Places change, so only between blocks.
static void recall_grow(recall *r) {
    recall before = *r;
    r->places = before.places ? 2 * before.places : LEAST_PLACES;
    r->entries = mem_zero(r->places, sizeof *r->entries);
    r->keys = mem_alloc((size_t)r->places * r->size * sizeof *r->keys);
    recall_move(r, &before);
    free(before.entries);
    free(before.keys);
}

static bool may_grow(const recall *r) {
    uint64_t places = r->places ? 2 * (uint64_t)r->places : LEAST_PLACES;
    return places * r->size * sizeof *r->keys <= MOST_BYTES;
}

// ---- asking

// A kind of which little is found rests, and longer each time.
static void recall_judge(recall_kind *k, bool is_found) {
    k->found += is_found;
    if (++k->asked < PERIOD) return;
    bool is_worth_it = k->found >= k->asked / WORTH_IT;
    k->next_rest = is_worth_it ? 0 : k->next_rest < LONGEST ? 2 * k->next_rest + 4 * PERIOD : k->next_rest;
    k->rest = k->next_rest;
    k->asked = k->found = 0;
}

// The key of what is asked; the matrix may be there already.
static void make_key(recall *r, const uint64_t *state, const bound *d, uint64_t number) {
    if (!number || number != r->number) {
        memcpy(r->key + r->words, d, dbm_bytes(r->n));
        r->zone_hash = XXH3_64bits(r->key + r->words, (r->size - r->words) * sizeof *r->key);
        r->number = number;
    }
    memcpy(r->key, state, r->words * sizeof *state);
    r->hash = XXH3_64bits_withSeed(r->key, r->words * sizeof *r->key, r->zone_hash);
    r->hash += !r->hash;
}

bool recall_find(recall *r, uint32_t kind, const uint64_t *state, const bound *d, uint64_t number, int32_t *arrival) {
    recall_kind *k = &r->kinds[kind];
    r->rests = k->rest || !r->places;
    if (k->rest) k->rest--;
    if (r->rests) return false;
    make_key(r, state, d, number);
    uint32_t place = recall_place(r, r->hash);
    const recall_entry *e = &r->entries[place];
    bool is_here = e->hash == r->hash && !memcmp(key_at(r, place), r->key, r->size * sizeof *r->key);
    recall_judge(k, is_here);
    if (!is_here) return false;
    *arrival = e->arrival >= 0 && e->block != r->block ? RECALL_COVERED : e->arrival;
    return true;
}

uint32_t recall_note(recall *r, int32_t arrival) {
    if (r->rests) return RECALL_NONE;
    uint32_t place = recall_place(r, r->hash);
    r->used += !r->entries[place].hash;
    r->entries[place] = (recall_entry){r->hash, r->block, arrival};
    memcpy(key_at(r, place), r->key, r->size * sizeof *r->key);
    return place;
}

void recall_forget(recall *r, uint32_t place, int32_t arrival) {
    if (place == RECALL_NONE) return;
    recall_entry *e = &r->entries[place];
    if (e->arrival == arrival && e->block == r->block) e->hash = 0;
}

void recall_end_block(recall *r) {
    r->block++;
    if ((!r->places || r->used > r->places / 2) && may_grow(r)) recall_grow(r);
}
