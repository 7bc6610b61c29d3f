// SPDX-License-Identifier: Apache-2.0
// The state store: see store.h.
//
// A partition keeps records in pages, in the order of discovery, and a table with open addressing and linear
// probing. The place of a fingerprint f in a table of c slots is f * c / 2^32: the high bits of f. A slot of 32
// bits holds 1 + the record's number, in as many bits as the table's size asks for, and above it the low bits
// of f, so that a probe looks at a record only when those agree. A table is made larger from the records,
// whose hashes are computed again; the old one is given back before, so there is no peak.
//
// A record is the state (of a compact store: its hash) and one byte for the parent. States come in the order of
// their parents, so a parent is mostly in the same partition as that of the record before it and a little
// behind it: the byte is that distance. Where it is not, the byte is PARENT_JUMPS and the parent is in a list,
// by number of the record; nothing in the list means no parent.
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
    PAGE_LOG = 8,
    PAGE_RECORDS = 1 << PAGE_LOG,
    FIRST_RECORDS = 16,  // the first page starts small, for small models
    PAGE_PAD = 8,        // states are read and written in whole words
    FIRST_SLOTS = 16,
    MOST_SLOTS_LOG = 31,
    PARENT_BYTES = 1,
    PARENT_JUMPS = 255,
    HASH_BYTES = 8,
    FILL_AHEAD = 16,
    SLAB_BYTES = 2 << 20,   // one huge page, shared by the pages of all partitions,
    SLAB_STATES = 1 << 20,  // once there are so many states
};

// The parent of a record that is not near that of the record before it.
typedef struct {
    uint32_t local, parent_part, parent_local;
} jump;

typedef struct {
    uint32_t *slots;
    uint64_t nslots;
    uint32_t number_bits;  // of a slot
    unsigned char **pages;
    uint32_t npages, pages_cap;
    uint32_t nheap_pages;  // the first ones; later ones lie in slabs
    uint32_t first_cap;    // records in page 0
    uint32_t count;
    jump *jumps;  // ascending
    uint32_t njumps, jumps_cap;
    store_id last_parent;
    unsigned char *fresh;  // of a compact store: the states from number `fresh_first` on
    uint32_t fresh_first, fresh_cap;
    uint64_t bytes;
    char apart[64];  // partitions belong to different threads: no cache line in common
} partition;

// Where a word of a state lies among its bytes, and which of its bytes do.
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
    bool is_compact;
    uint32_t state_bytes, kept_bytes, record_bytes;
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
    s->kept_bytes = s->is_compact ? HASH_BYTES : s->state_bytes;
    s->record_bytes = s->kept_bytes + PARENT_BYTES;
}

store *store_new(uint32_t words, const uint64_t *most, bool is_compact, budget *b) {
    store *s = mem_zero(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->b = b;
    s->words = words;
    s->is_compact = is_compact;
    lay_out(s, most);
    return s;
}

static void partition_free(partition *p) {
    for (uint32_t i = 0; i < p->nheap_pages; i++) free(p->pages[i]);
    free(p->pages);
    free(p->jumps);
    free(p->fresh);
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

// ---- slots

static inline uint64_t slot_place(const partition *p, uint32_t print) { return print * p->nslots >> 32; }
static inline uint64_t slot_after(const partition *p, uint64_t i) { return i + 1 == p->nslots ? 0 : i + 1; }

static inline bool slot_has_print(const partition *p, uint32_t slot, uint32_t print) {
    return (slot ^ print << p->number_bits) >> p->number_bits == 0;
}

static inline uint32_t slot_local(const partition *p, uint32_t slot) {
    return (slot & ((UINT32_C(1) << p->number_bits) - 1)) - 1;
}

static void slot_add(partition *p, uint32_t print, uint32_t local) {
    uint64_t to = slot_place(p, print);
    while (p->slots[to]) to = slot_after(p, to);
    p->slots[to] = print << p->number_bits | (local + 1);
}

// ---- states as bytes

static inline unsigned char *record(const store *s, const partition *p, uint32_t local) {
    return p->pages[local >> PAGE_LOG] + (size_t)(local & (PAGE_RECORDS - 1)) * s->record_bytes;
}

// Reads eight bytes, also where fewer belong to the word: those after it are masked.
static inline uint64_t load_word(const store *s, const unsigned char *bytes, uint32_t k) {
    uint64_t word;
    memcpy(&word, bytes + s->layout[k].offset, sizeof word);
    return le64toh(word) & s->layout[k].mask;
}

static void load_state(const store *s, const unsigned char *bytes, uint64_t *state) {
    for (uint32_t k = 0; k < s->words; k++) state[k] = load_word(s, bytes, k);
}

static inline uint64_t load_hash(const unsigned char *rec) {
    uint64_t hash;
    memcpy(&hash, rec, sizeof hash);
    return le64toh(hash);
}

// In order of words: what one writes beyond its bytes, the next one, or what follows, overwrites.
static void save_state(const store *s, unsigned char *bytes, const uint64_t *state) {
    for (uint32_t k = 0; k < s->words; k++) {
        uint64_t word = htole64(state[k]);
        memcpy(bytes + s->layout[k].offset, &word, sizeof word);
    }
}

static inline bool is_equal(const store *s, const unsigned char *rec, const uint64_t *state, uint64_t hash) {
    if (s->is_compact) return load_hash(rec) == hash;
    uint64_t differs = 0;
    for (uint32_t k = 0; k < s->words; k++) differs |= load_word(s, rec, k) ^ state[k];
    return differs == 0;
}

static void record_write(const store *s, unsigned char *rec, const uint64_t *state, uint64_t hash) {
    uint64_t kept = htole64(hash);
    if (s->is_compact) memcpy(rec, &kept, sizeof kept);
    else save_state(s, rec, state);
    rec[s->kept_bytes] = PARENT_JUMPS;
}

static uint64_t record_hash(const store *s, const partition *p, uint32_t local) {
    const unsigned char *rec = record(s, p, local);
    if (s->is_compact) return load_hash(rec);
    uint64_t state[s->words + 1];
    load_state(s, rec, state);
    return store_hash(s, state);
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

// Asks for the slots of some records ahead of their turn.
static void slots_fill(const store *s, partition *p) {
    uint32_t prints[FILL_AHEAD];
    for (uint64_t i = 0; i < (uint64_t)p->count + FILL_AHEAD; i++) {
        uint32_t *print = &prints[i % FILL_AHEAD];
        if (i >= FILL_AHEAD) slot_add(p, *print, (uint32_t)(i - FILL_AHEAD));
        if (i >= p->count) continue;
        *print = store_hash_print(record_hash(s, p, (uint32_t)i));
        __builtin_prefetch(&p->slots[slot_place(p, *print)], 1);
    }
}

static bool slots_grow(store *s, partition *p, uint64_t wanted) {
    if (wanted > UINT64_C(1) << MOST_SLOTS_LOG) return false;
    if (!take(s, p, (wanted - p->nslots) * sizeof *p->slots)) return false;
    pages_free(p->slots, p->nslots * sizeof *p->slots);
    p->slots = pages_alloc(wanted * sizeof *p->slots);
    p->nslots = wanted;
    p->number_bits = 64 - (uint32_t)__builtin_clzll(wanted);
    slots_fill(s, p);
    return true;
}

// Room for one more slot: grows by a third at 17 twentieths. Where the budget forbids that, goes on to 19.
static bool slots_reserve(store *s, partition *p) {
    if ((uint64_t)p->count * 20 < p->nslots * 17) return true;
    return slots_grow(s, p, p->nslots ? p->nslots + p->nslots / 3 : FIRST_SLOTS) ||
           (uint64_t)(p->count + 1) * 20 < p->nslots * 19;
}

static bool jumps_reserve(store *s, partition *p) {
    if (p->njumps < p->jumps_cap) return true;
    uint32_t wanted = p->jumps_cap ? p->jumps_cap + p->jumps_cap / 2 : 4;
    if (!take(s, p, (wanted - p->jumps_cap) * sizeof *p->jumps)) return false;
    p->jumps = mem_grow(p->jumps, wanted * sizeof *p->jumps);
    p->jumps_cap = wanted;
    return true;
}

static uint32_t fresh_count(const partition *p) { return p->count - p->fresh_first; }
static unsigned char *fresh_at(const store *s, const partition *p, uint32_t local) {
    return p->fresh + (size_t)(local - p->fresh_first) * s->state_bytes;
}

static bool fresh_reserve(store *s, partition *p) {
    if (!s->is_compact || fresh_count(p) < p->fresh_cap) return true;
    uint32_t wanted = p->fresh_cap ? p->fresh_cap + p->fresh_cap / 2 : FIRST_RECORDS;
    uint64_t more = (uint64_t)(wanted - p->fresh_cap) * s->state_bytes + (p->fresh_cap ? 0 : PAGE_PAD);
    if (!take(s, p, more)) return false;
    p->fresh = mem_grow(p->fresh, (uint64_t)wanted * s->state_bytes + PAGE_PAD);
    p->fresh_cap = wanted;
    return true;
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

// The slot of a state, or the empty one where its probes end. The hash counts in a compact store only.
static inline uint64_t slot_find(const store *s, const partition *p, uint32_t print, const uint64_t *state,
                                 uint64_t hash) {
    for (uint64_t i = slot_place(p, print);; i = slot_after(p, i)) {
        uint32_t slot = p->slots[i];
        if (!slot) return i;
        if (slot_has_print(p, slot, print) && is_equal(s, record(s, p, slot_local(p, slot)), state, hash))
            return i;
    }
}

static bool has_no_stray_bits(const store *s, const uint64_t *state) {
    uint64_t stray = 0;
    for (uint32_t k = 0; k < s->words; k++) stray |= state[k] & ~s->layout[k].mask;
    return stray == 0;
}

store_answer store_put(store *s, uint32_t part, uint32_t print, const uint64_t *state) {
    partition *p = &s->parts[part];
    uint64_t hash = s->is_compact ? store_hash(s, state) : 0;
    if (p->nslots) {
        if (p->slots[slot_find(s, p, print, state, hash)]) return STORE_OLD;
    }
    if (p->count == UINT32_MAX || !records_reserve(s, p) || !fresh_reserve(s, p) || !jumps_reserve(s, p) ||
        !slots_reserve(s, p))
        return STORE_FULL;
    assert(has_no_stray_bits(s, state));
    record_write(s, record(s, p, p->count), state, hash);
    if (s->is_compact) save_state(s, fresh_at(s, p, p->count), state);
    slot_add(p, print, p->count++);
    return STORE_NEW;
}

void store_prefetch_slot(const store *s, uint32_t part, uint32_t print) {
    const partition *p = &s->parts[part];
    if (!p->nslots) return;
    const uint32_t *slot = &p->slots[slot_place(p, print)];
    __builtin_prefetch(slot, 1);
    __builtin_prefetch(slot + 12, 1);  // probes often go on into the next line
}

void store_prefetch_state(const store *s, uint32_t part, uint32_t print) {
    const partition *p = &s->parts[part];
    if (!p->nslots) return;
    uint64_t i = slot_place(p, print);
    while (p->slots[i] && !slot_has_print(p, p->slots[i], print)) i = slot_after(p, i);
    if (p->slots[i]) __builtin_prefetch(record(s, p, slot_local(p, p->slots[i])));
}

store_id store_find(const store *s, const uint64_t *state) {
    uint64_t hash = store_hash(s, state);
    const partition *p = &s->parts[store_hash_part(hash)];
    if (!p->nslots) return STORE_NONE;
    uint32_t slot = p->slots[slot_find(s, p, store_hash_print(hash), state, hash)];
    return slot ? store_id_of(store_hash_part(hash), slot_local(p, slot)) : STORE_NONE;
}

void store_forget(store *s, uint32_t part, uint32_t first) {
    partition *p = &s->parts[part];
    if (!s->is_compact || first == p->fresh_first) return;
    if (first < p->count)
        memmove(p->fresh, fresh_at(s, p, first), (size_t)(p->count - first) * s->state_bytes);
    p->fresh_first = first;
}

// ---- reading

uint32_t store_count(const store *s, uint32_t part) { return s->parts[part].count; }
uint32_t store_first_whole(const store *s, uint32_t part) { return s->parts[part].fresh_first; }
bool store_is_compact(const store *s) { return s->is_compact; }

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
    const partition *p = &s->parts[store_id_part(id)];
    uint32_t local = store_id_local(id);
    assert(local >= p->fresh_first);
    load_state(s, s->is_compact ? fresh_at(s, p, local) : record(s, p, local), state);
}

uint64_t store_hash_of(const store *s, store_id id) {
    return record_hash(s, &s->parts[store_id_part(id)], store_id_local(id));
}

// ---- parents

void store_set_parent(store *s, store_id id, store_id parent) {
    partition *p = &s->parts[store_id_part(id)];
    uint32_t local = store_id_local(id);
    assert(local + 1 == p->count && parent != STORE_NONE);
    unsigned char *byte = record(s, p, local) + s->kept_bytes;
    uint64_t distance = parent - p->last_parent;  // of different partitions: very large
    bool is_near = p->njumps > 0 && distance < PARENT_JUMPS;
    *byte = is_near ? (unsigned char)distance : PARENT_JUMPS;
    if (!is_near) p->jumps[p->njumps++] = (jump){local, store_id_part(parent), store_id_local(parent)};
    p->last_parent = parent;
}

// The last jump at a record up to this one, or NULL.
static const jump *last_jump(const partition *p, uint32_t local) {
    uint32_t low = 0, high = p->njumps;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->jumps[middle].local <= local) low = middle + 1;
        else high = middle;
    }
    return low ? &p->jumps[low - 1] : NULL;
}

// The parent of the last record up to this one that has any, or STORE_NONE.
static store_id parent_up_to(const store *s, const partition *p, uint32_t local) {
    const jump *j = last_jump(p, local);
    if (!j) return STORE_NONE;
    uint32_t parent = j->parent_local;
    for (uint32_t i = j->local + 1; i <= local; i++) {
        unsigned char distance = record(s, p, i)[s->kept_bytes];
        if (distance != PARENT_JUMPS) parent += distance;
    }
    return store_id_of(j->parent_part, parent);
}

store_id store_parent(const store *s, store_id id) {
    const partition *p = &s->parts[store_id_part(id)];
    uint32_t local = store_id_local(id);
    const jump *j = last_jump(p, local);
    bool has_none = !j || (j->local != local && record(s, p, local)[s->kept_bytes] == PARENT_JUMPS);
    return has_none ? STORE_NONE : parent_up_to(s, p, local);
}

// ---- files

static bool save_part(const store *s, const partition *p, uint32_t count, store_transfer transfer,
                      void *context) {
    const jump *j = count ? last_jump(p, count - 1) : NULL;
    uint32_t head[] = {count, j ? (uint32_t)(j - p->jumps) + 1 : 0, p->fresh_first};
    store_id last = count ? parent_up_to(s, p, count - 1) : STORE_NONE;
    bool ok = transfer(context, head, sizeof head) && transfer(context, &last, sizeof last);
    ok = ok && transfer(context, p->jumps, head[1] * sizeof *p->jumps);
    for (uint32_t i = 0; ok && i < count; i += PAGE_RECORDS) {
        uint32_t n = count - i < PAGE_RECORDS ? count - i : PAGE_RECORDS;
        ok = transfer(context, record(s, p, i), (size_t)n * s->record_bytes);
    }
    if (!ok || !s->is_compact || count <= p->fresh_first) return ok;
    return transfer(context, p->fresh, (size_t)(count - p->fresh_first) * s->state_bytes);
}

bool store_save(const store *s, const uint32_t *counts, store_transfer transfer, void *context) {
    for (uint32_t i = 0; i < STORE_PARTS; i++)
        if (!save_part(s, &s->parts[i], counts[i], transfer, context)) return false;
    return true;
}

static bool load_records(store *s, partition *p, uint32_t count, store_transfer transfer, void *context) {
    for (; p->count < count; p->count++)
        if (!records_reserve(s, p) || !transfer(context, record(s, p, p->count), s->record_bytes))
            return false;
    return true;
}

static bool load_fresh(store *s, partition *p, uint32_t count, store_transfer transfer, void *context) {
    for (p->count = p->fresh_first; p->count < count; p->count++)
        if (!fresh_reserve(s, p) || !transfer(context, fresh_at(s, p, p->count), s->state_bytes))
            return false;
    p->count = count;
    return true;
}

static bool load_part(store *s, partition *p, store_transfer transfer, void *context) {
    uint32_t head[3];
    if (!transfer(context, head, sizeof head) || !transfer(context, &p->last_parent, sizeof p->last_parent))
        return false;
    for (; p->njumps < head[1]; p->njumps++)
        if (!jumps_reserve(s, p) || !transfer(context, &p->jumps[p->njumps], sizeof *p->jumps)) return false;
    p->fresh_first = head[2];
    if (!load_records(s, p, head[0], transfer, context)) return false;
    if (s->is_compact && head[0] > head[2] && !load_fresh(s, p, head[0], transfer, context)) return false;
    return !p->count || slots_grow(s, p, (uint64_t)p->count * 4 / 3 + FIRST_SLOTS);
}

bool store_load(store *s, store_transfer transfer, void *context) {
    for (uint32_t i = 0; i < STORE_PARTS; i++)
        if (!load_part(s, &s->parts[i], transfer, context)) return false;
    return true;
}
