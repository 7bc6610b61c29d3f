// SPDX-License-Identifier: Apache-2.0
// The state store: see store.h.
//
// A partition keeps records (state, parent) in pages, in the order of discovery, and a table with open addressing
// and linear probing. A slot holds 32 bits of the hash, the fingerprint, and 1 + the record's number, so that a
// probe looks at a record only when the fingerprints agree. The place of a fingerprint f in a table of c slots is
// f * c / 2^32: a table grows by half without looking at the states, in one pass over the old slots that writes
// the new ones nearly in order. Only one partition a thread grows at a time, so the peak stays low.
//
// Invariant: a state is in at most one slot, and from its place to its slot no slot is empty.
#include "explore/store.h"

#include "base/mem.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    PAGE_LOG = 10,
    PAGE_RECORDS = 1 << PAGE_LOG,
    FIRST_RECORDS = 16,  // the first page starts small, for small models
    PAGE_PAD = 8,        // states are read and written in whole words
    FIRST_SLOTS = 16,
    PARENT_BYTES = 5,
};

typedef struct {
    uint64_t *slots;
    uint64_t nslots;
    unsigned char **pages;
    uint32_t npages, pages_cap;
    uint32_t first_cap;  // records in page 0
    uint32_t count;
    uint64_t bytes;
    char apart[64];  // partitions belong to different threads: no cache line in common
} partition;

struct store {
    partition parts[STORE_PARTS];
    budget *b;
    uint32_t words;
    uint32_t state_bytes, record_bytes;
    uint64_t last_mask;  // the bits used in the last word
};

store *store_new(uint32_t words, uint32_t bits, budget *b) {
    store *s = mem_zero(1, sizeof *s);
    s->b = b;
    s->words = words;
    s->state_bytes = (bits + 7) / 8;
    s->record_bytes = s->state_bytes + PARENT_BYTES;
    s->last_mask = bits % 64 ? (UINT64_C(1) << bits % 64) - 1 : UINT64_MAX;
    assert(words == (bits + 63) / 64);
    return s;
}

static void partition_free(partition *p) {
    for (uint32_t i = 0; i < p->npages; i++) free(p->pages[i]);
    free(p->pages);
    free(p->slots);
}

void store_free(store *s) {
    if (!s) return;
    for (uint32_t i = 0; i < STORE_PARTS; i++) partition_free(&s->parts[i]);
    free(s);
}

// ---- hashes

// Multiplies to 128 bits and folds: each bit of the result depends on all bits of x.
static inline uint64_t mix(uint64_t x, uint64_t key) {
    unsigned __int128 product = (unsigned __int128)(x ^ key) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t store_hash(const store *s, const uint64_t *state) {
    if (s->words == 1) return mix(mix(state[0], UINT64_C(0x243F6A8885A308D3)), UINT64_C(0x13198A2E03707344));
    if (s->words == 2)
        return mix(mix(state[0], UINT64_C(0x243F6A8885A308D3)) + state[1], UINT64_C(0x13198A2E03707344));
    return XXH3_64bits(state, s->words * sizeof *state);
}

static inline uint64_t slot_place(const partition *p, uint32_t print) { return print * p->nslots >> 32; }
static inline uint64_t slot_after(const partition *p, uint64_t i) { return i + 1 == p->nslots ? 0 : i + 1; }
static inline uint32_t slot_print(uint64_t slot) { return (uint32_t)(slot >> 32); }
static inline uint32_t slot_local(uint64_t slot) { return (uint32_t)slot - 1; }

// ---- records

static inline unsigned char *record(const store *s, const partition *p, uint32_t local) {
    return p->pages[local >> PAGE_LOG] + (size_t)(local & (PAGE_RECORDS - 1)) * s->record_bytes;
}

static inline uint64_t load_word(const unsigned char *from) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return le64toh(word);
}

static inline bool is_equal(const store *s, const unsigned char *rec, const uint64_t *state) {
    uint64_t differs = 0;
    if (s->words == 0) return true;
    uint32_t last = s->words - 1;
    for (uint32_t k = 0; k < last; k++) differs |= load_word(rec + 8 * k) ^ state[k];
    return (differs | ((load_word(rec + 8 * last) & s->last_mask) ^ state[last])) == 0;
}

static void record_write(const store *s, unsigned char *rec, const uint64_t *state, store_id parent) {
    for (uint32_t k = 0; k < s->words; k++) {
        uint64_t word = htole64(state[k]);
        memcpy(rec + 8 * k, &word, sizeof word);
    }
    uint32_t local = store_id_local(parent);  // the partition's byte of STORE_NONE is 255
    rec[s->state_bytes] = (unsigned char)store_id_part(parent);
    memcpy(rec + s->state_bytes + 1, &local, sizeof local);
}

// ---- growth

static bool take(store *s, partition *p, uint64_t bytes) {
    if (!budget_take(s->b, bytes)) return false;
    p->bytes += bytes;
    return true;
}

static void give(store *s, partition *p, uint64_t bytes) {
    budget_give(s->b, bytes);
    p->bytes -= bytes;
}

static void slots_move(partition *p, const uint64_t *old, uint64_t nold) {
    for (uint64_t i = 0; i < nold; i++) {
        if (!old[i]) continue;
        uint64_t to = slot_place(p, slot_print(old[i]));
        while (p->slots[to]) to = slot_after(p, to);
        p->slots[to] = old[i];
    }
}

static bool slots_grow(store *s, partition *p) {
    uint64_t *old = p->slots, nold = p->nslots;
    uint64_t wanted = nold ? nold + nold / 2 : FIRST_SLOTS;
    if (!take(s, p, wanted * sizeof *old)) return false;
    p->slots = mem_zero(wanted, sizeof *old);
    p->nslots = wanted;
    slots_move(p, old, nold);
    free(old);
    give(s, p, nold * sizeof *old);
    return true;
}

// Room for one more slot: grows at four fifths. Where the budget forbids that, goes on to nineteen twentieths.
static bool slots_reserve(store *s, partition *p) {
    if ((uint64_t)p->count * 5 < p->nslots * 4) return true;
    return slots_grow(s, p) || (uint64_t)(p->count + 1) * 20 < p->nslots * 19;
}

static uint64_t page_size(const store *s, uint32_t records) {
    return (uint64_t)records * s->record_bytes + PAGE_PAD;
}

static bool pages_reserve(store *s, partition *p) {
    if (p->npages < p->pages_cap) return true;
    uint32_t wanted = p->pages_cap ? p->pages_cap + p->pages_cap / 2 : 2;
    if (!take(s, p, (wanted - p->pages_cap) * sizeof *p->pages)) return false;
    p->pages = mem_grow(p->pages, wanted * sizeof *p->pages);
    p->pages_cap = wanted;
    return true;
}

static bool page_add(store *s, partition *p, uint32_t records) {
    if (!pages_reserve(s, p) || !take(s, p, page_size(s, records))) return false;
    p->pages[p->npages++] = mem_alloc(page_size(s, records));
    return true;
}

// The first page doubles until it is as large as the others.
static bool first_page_grow(store *s, partition *p) {
    if (p->npages == 0) {
        if (!page_add(s, p, FIRST_RECORDS)) return false;
        p->first_cap = FIRST_RECORDS;
        return true;
    }
    uint32_t wanted = 2 * p->first_cap;
    if (!take(s, p, page_size(s, wanted))) return false;
    p->pages[0] = mem_grow(p->pages[0], page_size(s, wanted));
    give(s, p, page_size(s, p->first_cap));
    p->first_cap = wanted;
    return true;
}

static bool records_reserve(store *s, partition *p) {
    if (p->count < PAGE_RECORDS) return p->count < p->first_cap || first_page_grow(s, p);
    return p->count < (uint64_t)p->npages * PAGE_RECORDS || page_add(s, p, PAGE_RECORDS);
}

// ---- putting and finding

// The slot of a state, or the empty one where its probes end.
static inline uint64_t slot_find(const store *s, const partition *p, uint32_t print, const uint64_t *state) {
    for (uint64_t i = slot_place(p, print);; i = slot_after(p, i)) {
        uint64_t slot = p->slots[i];
        if (!slot) return i;
        if (slot_print(slot) == print && is_equal(s, record(s, p, slot_local(slot)), state)) return i;
    }
}

static bool has_no_stray_bits(const store *s, const uint64_t *state) {
    return s->words == 0 || (state[s->words - 1] & ~s->last_mask) == 0;
}

store_answer store_put(store *s, uint32_t part, uint32_t print, const uint64_t *state, store_id parent) {
    partition *p = &s->parts[part];
    if (p->nslots) {
        if (p->slots[slot_find(s, p, print, state)]) return STORE_OLD;
    }
    if (p->count == UINT32_MAX || !records_reserve(s, p) || !slots_reserve(s, p)) return STORE_FULL;
    assert(has_no_stray_bits(s, state));
    uint64_t to = slot_place(p, print);
    while (p->slots[to]) to = slot_after(p, to);
    record_write(s, record(s, p, p->count), state, parent);
    p->slots[to] = (uint64_t)print << 32 | ++p->count;
    return STORE_NEW;
}

void store_prefetch_slot(const store *s, uint32_t part, uint32_t print) {
    const partition *p = &s->parts[part];
    if (p->nslots) __builtin_prefetch(&p->slots[slot_place(p, print)], 1);
}

void store_prefetch_state(const store *s, uint32_t part, uint32_t print) {
    const partition *p = &s->parts[part];
    if (!p->nslots) return;
    uint64_t i = slot_place(p, print);
    while (p->slots[i] && slot_print(p->slots[i]) != print) i = slot_after(p, i);
    if (p->slots[i]) __builtin_prefetch(record(s, p, slot_local(p->slots[i])));
}

store_id store_find(const store *s, const uint64_t *state) {
    uint64_t hash = store_hash(s, state);
    const partition *p = &s->parts[store_hash_part(hash)];
    if (!p->nslots) return STORE_NONE;
    uint64_t slot = p->slots[slot_find(s, p, store_hash_print(hash), state)];
    return slot ? store_id_of(store_hash_part(hash), slot_local(slot)) : STORE_NONE;
}

// ---- reading

uint32_t store_count(const store *s, uint32_t part) { return s->parts[part].count; }

uint64_t store_total(const store *s) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < STORE_PARTS; i++) total += s->parts[i].count;
    return total;
}

uint64_t store_bytes(const store *s) {
    uint64_t bytes = sizeof *s;
    for (uint32_t i = 0; i < STORE_PARTS; i++) bytes += s->parts[i].bytes;
    return bytes;
}

void store_get(const store *s, store_id id, uint64_t *state) {
    const unsigned char *rec = record(s, &s->parts[store_id_part(id)], store_id_local(id));
    for (uint32_t k = 0; k < s->words; k++) state[k] = load_word(rec + 8 * k);
    if (s->words) state[s->words - 1] &= s->last_mask;
}

store_id store_parent(const store *s, store_id id) {
    const unsigned char *rec = record(s, &s->parts[store_id_part(id)], store_id_local(id)) + s->state_bytes;
    uint32_t local;
    memcpy(&local, rec + 1, sizeof local);
    return rec[0] >= STORE_PARTS ? STORE_NONE : store_id_of(rec[0], local);
}
