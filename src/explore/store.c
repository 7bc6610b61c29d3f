// SPDX-License-Identifier: Apache-2.0
// The state store: see store.h.
//
// A partition keeps records (state, parent) in pages, in the order of discovery, and a table with open
// addressing and linear probing. A slot holds 32 bits of the hash, the fingerprint, and 1 + the record's
// number, so that a probe looks at a record only when the fingerprints agree. The place of a fingerprint f in
// a table of c slots is f * c / 2^32: a table grows by half without looking at the states, in one pass over
// the old slots that writes the new ones nearly in order. Only one partition a thread grows at a time, so the
// peak stays low.
//
// Invariant: a state is in at most one slot, and from its place to its slot no slot is empty.
#include "explore/store.h"

#include "base/vec.h"
#include "explore/pages.h"

#include <assert.h>
#include <endian.h>
#include <pthread.h>
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
    SLAB_BYTES = 2 << 20,   // one huge page, shared by the pages of all partitions,
    SLAB_STATES = 1 << 20,  // once there are so many states
};

typedef struct {
    uint64_t *slots;
    uint64_t nslots;
    unsigned char **pages;
    uint32_t npages, pages_cap;
    uint32_t nheap_pages;  // the first ones; later ones lie in slabs
    uint32_t first_cap;    // records in page 0
    uint32_t count;
    uint64_t bytes;
    char apart[64];  // partitions belong to different threads: no cache line in common
} partition;

// Where a word of a state lies in a record, and which of its bytes do.
typedef struct {
    uint64_t mask;
    uint32_t offset;
} packed_word;

struct store {
    partition parts[STORE_PARTS];
    pthread_mutex_t lock;  // for slabs only
    VEC(unsigned char *) slabs;
    size_t slab_used;  // of the last one
    budget *b;
    uint32_t words;
    uint32_t state_bytes, record_bytes;
    packed_word *layout;  // by word
};

// How many bytes of a word can be other than zero.
static uint32_t used_bytes(uint64_t most) { return most ? 8 - (uint32_t)__builtin_clzll(most) / 8 : 0; }

static void lay_out(store *s, const uint64_t *most) {
    s->layout = mem_zero(s->words + 1, sizeof *s->layout);
    for (uint32_t k = 0; k < s->words; k++) {
        uint32_t bytes = used_bytes(most[k]);
        s->layout[k].offset = s->state_bytes;
        s->layout[k].mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
        s->state_bytes += bytes;
    }
    s->record_bytes = s->state_bytes + PARENT_BYTES;
}

store *store_new(uint32_t words, const uint64_t *most, budget *b) {
    store *s = mem_zero(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->b = b;
    s->words = words;
    lay_out(s, most);
    return s;
}

static void partition_free(partition *p) {
    for (uint32_t i = 0; i < p->nheap_pages; i++) free(p->pages[i]);
    free(p->pages);
    pages_free(p->slots, p->nslots * sizeof *p->slots);
}

void store_free(store *s) {
    if (!s) return;
    for (uint32_t i = 0; i < STORE_PARTS; i++) partition_free(&s->parts[i]);
    for (uint32_t i = 0; i < s->slabs.len; i++) pages_free(s->slabs.data[i], SLAB_BYTES);
    vec_free(&s->slabs);
    free(s->layout);
    pthread_mutex_destroy(&s->lock);
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

// Reads eight bytes, also where fewer belong to the word: those after it are masked.
static inline uint64_t load_word(const store *s, const unsigned char *rec, uint32_t k) {
    uint64_t word;
    memcpy(&word, rec + s->layout[k].offset, sizeof word);
    return le64toh(word) & s->layout[k].mask;
}

static inline bool is_equal(const store *s, const unsigned char *rec, const uint64_t *state) {
    uint64_t differs = 0;
    for (uint32_t k = 0; k < s->words; k++) differs |= load_word(s, rec, k) ^ state[k];
    return differs == 0;
}

static void parent_write(const store *s, unsigned char *rec, store_id parent) {
    uint32_t local = store_id_local(parent);  // the partition's byte of STORE_NONE is 255
    rec[s->state_bytes] = (unsigned char)store_id_part(parent);
    memcpy(rec + s->state_bytes + 1, &local, sizeof local);
}

// In order of words: what one writes beyond its bytes, the next one, or the parent, overwrites.
static void record_write(const store *s, unsigned char *rec, const uint64_t *state) {
    for (uint32_t k = 0; k < s->words; k++) {
        uint64_t word = htole64(state[k]);
        memcpy(rec + s->layout[k].offset, &word, sizeof word);
    }
    parent_write(s, rec, STORE_NONE);
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
    p->slots = pages_alloc(wanted * sizeof *old);
    p->nslots = wanted;
    slots_move(p, old, nold);
    pages_free(old, nold * sizeof *old);
    give(s, p, nold * sizeof *old);
    return true;
}

// Room for one more slot: grows at four fifths. Where the budget forbids that, goes on to nineteen
// twentieths.
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

static bool slab_add(store *s) {
    if (!budget_take(s->b, SLAB_BYTES)) return false;
    vec_push(&s->slabs, pages_alloc(SLAB_BYTES));
    s->slab_used = 0;
    return true;
}

static unsigned char *slab_carve(store *s, uint64_t size) {
    unsigned char *page = NULL;
    pthread_mutex_lock(&s->lock);
    bool has_room = s->slabs.len && s->slab_used + size <= SLAB_BYTES;
    if (has_room || slab_add(s)) {
        page = vec_last(&s->slabs) + s->slab_used;
        s->slab_used += size;
    }
    pthread_mutex_unlock(&s->lock);
    return page;
}

// Pages of a large store lie together on huge pages; those of a small one, or of wide states, need not.
static bool is_slab_page(const store *s, const partition *p) {
    return p->npages > p->nheap_pages ||
           (p->count >= SLAB_STATES / STORE_PARTS && page_size(s, PAGE_RECORDS) <= SLAB_BYTES / 8);
}

static unsigned char *page_new(store *s, partition *p, uint32_t records) {
    uint64_t size = page_size(s, records);
    if (is_slab_page(s, p)) return slab_carve(s, size);
    if (!take(s, p, size)) return NULL;
    p->nheap_pages++;
    return mem_alloc(size);
}

static bool page_add(store *s, partition *p, uint32_t records) {
    unsigned char *page = pages_reserve(s, p) ? page_new(s, p, records) : NULL;
    if (page) p->pages[p->npages++] = page;
    return page != NULL;
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
    uint64_t stray = 0;
    for (uint32_t k = 0; k < s->words; k++) stray |= state[k] & ~s->layout[k].mask;
    return stray == 0;
}

store_answer store_put(store *s, uint32_t part, uint32_t print, const uint64_t *state) {
    partition *p = &s->parts[part];
    if (p->nslots) {
        if (p->slots[slot_find(s, p, print, state)]) return STORE_OLD;
    }
    if (p->count == UINT32_MAX || !records_reserve(s, p) || !slots_reserve(s, p)) return STORE_FULL;
    assert(has_no_stray_bits(s, state));
    uint64_t to = slot_place(p, print);
    while (p->slots[to]) to = slot_after(p, to);
    record_write(s, record(s, p, p->count), state);
    p->slots[to] = (uint64_t)print << 32 | ++p->count;
    return STORE_NEW;
}

void store_prefetch_slot(const store *s, uint32_t part, uint32_t print) {
    const partition *p = &s->parts[part];
    if (!p->nslots) return;
    const uint64_t *slot = &p->slots[slot_place(p, print)];
    __builtin_prefetch(slot, 1);
    __builtin_prefetch(slot + 6, 1);  // probes often go on into the next line
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
    uint64_t bytes = sizeof *s + (uint64_t)s->slabs.len * SLAB_BYTES;
    for (uint32_t i = 0; i < STORE_PARTS; i++) bytes += s->parts[i].bytes;
    return bytes;
}

void store_get(const store *s, store_id id, uint64_t *state) {
    const unsigned char *rec = record(s, &s->parts[store_id_part(id)], store_id_local(id));
    for (uint32_t k = 0; k < s->words; k++) state[k] = load_word(s, rec, k);
}

void store_set_parent(store *s, store_id id, store_id parent) {
    parent_write(s, record(s, &s->parts[store_id_part(id)], store_id_local(id)), parent);
}

store_id store_parent(const store *s, store_id id) {
    const unsigned char *rec = record(s, &s->parts[store_id_part(id)], store_id_local(id)) + s->state_bytes;
    uint32_t local;
    memcpy(&local, rec + 1, sizeof local);
    return rec[0] >= STORE_PARTS ? STORE_NONE : store_id_of(rec[0], local);
}
