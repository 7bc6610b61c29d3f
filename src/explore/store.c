// SPDX-License-Identifier: Apache-2.0
// The state store: see store.h.
//
// A partition keeps records in pages, in the order of discovery, and a table of buckets from fingerprints to
// numbers of records. A table is made larger from the records, whose hashes are computed again; the old one is
// freed first, so there is no peak. It grows by a fourth when it is 15/16 full, and partitions differ in
// when they do, so all of them together are about 5/6 full at any time.
//
// A record is the state (of a compact store: its hash), packed, and one byte for the parent. A page packs only
// the bits in which the states of the partition were seen to differ; when a state differs in another one, the
// page that is being written is packed again. States come in the order of their parents, so the numbers of parents
// only grow, by STORE_PARTS on average: the byte is the distance from the parent of the record before. One of seven is
// too far for a byte: it is PARENT_FAR, and how much farther is in a list of its own, in the order of records. Where
// that does not suffice either, and now and then so that few records have to be read for a parent, the byte is
// PARENT_JUMPS and the parent is in a list, by number of the record; nothing in the list means no parent.
#include "explore/store.h"

#include "base/vec.h"
#include "explore/buckets.h"
#include "explore/packing.h"
#include "explore/pages.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    PAGE_LOG = 10,  // the list of pages of a partition should fit into a cache
    PAGE_RECORDS = 1 << PAGE_LOG,
    LEARN_RECORDS = 256,  // after so many, a partition packs the bits that vary
    FIRST_RECORDS = 16,   // the first page starts small, for small models,
    OPEN_RECORDS = 16,    // and every page of a store that is not large
    FIRST_BUCKETS = 32,   // from this many on, growth is by a fourth
    MOST_BUCKETS = 1 << 28,
    MOST_PACKINGS = 24,  // of a partition; the last one takes every state
    PARENT_BYTES = 1,
    PARENT_FAR = 254,
    PARENT_JUMPS = 255,
    PARENT_WALK = 4096,  // records that are read for a parent, at most
    FILL_AHEAD = 16,
    CACHE_LINE = 64,
    HEAP_BYTES = 16,        // what the ordinary allocator adds to a page
    SLAB_BYTES = 2 << 20,   // one huge page, shared by the pages of all partitions,
    SLAB_STATES = 1 << 20,  // once there are this many states
};

// The parent of a record that is not near that of the record before it, and how many far ones come before.
typedef struct {
    uint32_t local, high, low, fars;
} jump;

typedef struct {
    unsigned char *data;
    const packing *form;
} page;

typedef struct {
    buckets table;
    page *pages;
    uint32_t npages, pages_cap;
    uint32_t nheap_pages;  // the first ones; later ones lie in slabs
    uint32_t last_cap;     // records that the last page has room for
    uint32_t count;        // in memory
    uint32_t before;       // in files: records are numbered from here on
    const packing *form;   // of the page that is written to
    packing **forms;       // NULL: none; room for MOST_PACKINGS
    uint32_t nforms;
    jump *jumps;  // ascending
    uint32_t njumps, jumps_cap;
    uint16_t *fars;  // distances of PARENT_FAR and so much more
    uint32_t nfars, fars_cap;
    store_number last_parent;
    unsigned char *fresh;  // of a compact store: the states from number `fresh_first` on
    uint32_t fresh_first, fresh_cap;
    uint64_t bytes;
    char apart[64];  // partitions belong to different threads: no cache line in common
} partition;

// Memory that the pages of all partitions share; a page that is larger than others has one of its own.
typedef struct {
    unsigned char *data;
    size_t size;
} slab;

struct store {
    partition parts[STORE_PARTS];
    pthread_mutex_t lock;  // for slabs only
    VEC(slab) slabs;
    size_t slab_used;  // of the last one
    uint64_t slab_bytes;
    budget *b;
    uint32_t words, kept_words;
    bool is_compact, keeps_all_bits;
    packing *whole, *kept;  // of all bits of a state, of a record
    disk *files;            // not owned; NULL: all states are in memory
};

// All bits up to the highest one.
static uint64_t filled(uint64_t most) { return most ? UINT64_MAX >> __builtin_clzll(most) : 0; }

static packing *whole_packing(uint32_t words, const uint64_t *most) {
    uint64_t base[words + 1], mask[words + 1];
    for (uint32_t k = 0; k < words; k++) {
        base[k] = 0;
        mask[k] = filled(most[k]);
    }
    return packing_new(words, base, mask);
}

store *store_new(uint32_t words, const uint64_t *most, bool is_compact, budget *b) {
    store *s = mem_zero(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->b = b;
    s->words = words;
    s->is_compact = is_compact;
    s->whole = whole_packing(words, most);
    s->kept_words = is_compact ? 1 : words;
    s->kept = is_compact ? whole_packing(1, &(uint64_t){UINT64_MAX}) : s->whole;
    for (uint32_t i = 0; i < STORE_PARTS; i++) s->parts[i].form = s->kept;
    return s;
}

void store_keep_all_bits(store *s) { s->keeps_all_bits = true; }

static void partition_free(partition *p) {
    for (uint32_t i = 0; i < p->nheap_pages; i++) free(p->pages[i].data);
    for (uint32_t i = 0; i < p->nforms; i++) free(p->forms[i]);
    free(p->forms);
    free(p->pages);
    free(p->jumps);
    free(p->fars);
    free(p->fresh);
    buckets_free(&p->table);
}

void store_free(store *s) {
    if (!s) return;
    for (uint32_t i = 0; i < STORE_PARTS; i++) partition_free(&s->parts[i]);
    for (uint32_t i = 0; i < s->slabs.len; i++) pages_free(s->slabs.data[i].data, s->slabs.data[i].size);
    vec_free(&s->slabs);
    if (s->is_compact) free(s->kept);
    free(s->whole);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

// ---- hashes

uint64_t store_hash_wide(const uint64_t *state, uint32_t words) { return XXH3_64bits(state, words * sizeof *state); }

uint64_t store_hash(const store *s, const uint64_t *state) { return store_hash_words(state, s->words); }

// ---- records

static inline uint32_t record_bytes(const packing *form) { return form->bytes + PARENT_BYTES; }

static inline unsigned char *record_in(const page *g, uint32_t i) {
    return g->data + (size_t)i * record_bytes(g->form);
}

static inline const page *page_of(const partition *p, uint32_t local) { return &p->pages[local >> PAGE_LOG]; }

static inline unsigned char *store_record(const partition *p, uint32_t local) {
    return record_in(page_of(p, local), local & (PAGE_RECORDS - 1));
}

static inline unsigned char *record_parent(const partition *p, uint32_t local) {
    return store_record(p, local) + page_of(p, local)->form->bytes;
}

static inline void record_get(const partition *p, uint32_t local, uint64_t *kept) {
    packing_get(page_of(p, local)->form, store_record(p, local), kept);
}

static inline bool record_is_equal(const partition *p, uint32_t local, const uint64_t *kept) {
    return packing_is_equal(page_of(p, local)->form, store_record(p, local), kept);
}

static uint64_t record_hash(const store *s, const partition *p, uint32_t local) {
    uint64_t kept[s->kept_words + 1];
    record_get(p, local, kept);
    return s->is_compact ? kept[0] : store_hash(s, kept);
}

// ---- growth

static bool store_take(store *s, partition *p, uint64_t bytes) {
    if (!budget_take(s->b, bytes)) return false;
    p->bytes += bytes;
    return true;
}

static void store_give(store *s, partition *p, uint64_t bytes) {
    budget_give(s->b, bytes);
    p->bytes -= bytes;
}

// The fingerprints of n records of a page; their buckets are asked for.
static void fill_prints(const store *s, const partition *p, uint32_t local, uint32_t n, uint32_t *prints) {
    const packing *form = page_of(p, local)->form;
    const unsigned char *record = store_record(p, local);
    uint64_t kept[s->kept_words + 1];
    for (uint32_t i = 0; i < n; i++, record += record_bytes(form)) {
        packing_get(form, record, kept);
        prints[i] = store_hash_print(s->is_compact ? kept[0] : store_hash(s, kept));
        buckets_prefetch(&p->table, prints[i]);
    }
}

// Asks for the buckets of some records ahead of their turn.
static void table_fill(const store *s, partition *p) {
    uint32_t rooms[2][FILL_AHEAD], *next = rooms[0], *ready = rooms[1], nready = 0;
    uint8_t *filled = mem_zero(p->table.count, 1);
    for (uint32_t i = 0, n; i < p->count || nready; i += n, nready = n) {
        n = p->count - i < FILL_AHEAD ? p->count - i : FILL_AHEAD;
        if (n) fill_prints(s, p, i, n, next);
        buckets_fill(&p->table, filled, ready, nready, i - nready);
        uint32_t *done = ready;
        ready = next;
        next = done;
    }
    free(filled);
}

static bool table_grow(store *s, partition *p, uint32_t wanted) {
    if (wanted > MOST_BUCKETS) return false;
    if (!store_take(s, p, buckets_bytes(wanted) - buckets_bytes(p->table.count))) return false;
    buckets_make(&p->table, wanted);
    table_fill(s, p);
    return true;
}

// Small tables are quickly made again; of large ones every partition has other sizes.
static uint32_t table_wanted(const store *s, const partition *p) {
    uint32_t n = p->table.count, part = (uint32_t)(p - s->parts);
    if (n >= FIRST_BUCKETS) return n + n / 4;
    return n * 2 < FIRST_BUCKETS ? n * 2 + !n : FIRST_BUCKETS + part * FIRST_BUCKETS / 4 / STORE_PARTS;
}

// Room for one more: grows at 15/16. Where the budget forbids that, goes on to 31/32.
static bool table_reserve(store *s, partition *p) {
    uint64_t room = (uint64_t)p->table.count * p->table.each, count = p->count;
    if (count * 16 < room * 15) return true;
    return table_grow(s, p, table_wanted(s, p)) || (count + 1) * 32 < room * 31;
}

static bool jumps_reserve(store *s, partition *p) {
    if (p->njumps < p->jumps_cap) return true;
    uint32_t wanted = p->jumps_cap + p->jumps_cap / 8 + 1;
    if (!store_take(s, p, (wanted - p->jumps_cap) * sizeof *p->jumps)) return false;
    p->jumps = mem_grow(p->jumps, wanted * sizeof *p->jumps);
    p->jumps_cap = wanted;
    return true;
}

static bool fars_reserve(store *s, partition *p) {
    if (p->nfars < p->fars_cap) return true;
    uint32_t wanted = p->fars_cap + p->fars_cap / 8 + 4;
    if (!store_take(s, p, (wanted - p->fars_cap) * sizeof *p->fars)) return false;
    p->fars = mem_grow(p->fars, wanted * sizeof *p->fars);
    p->fars_cap = wanted;
    return true;
}

static uint32_t fresh_count(const partition *p) { return p->count - p->fresh_first; }
static unsigned char *fresh_at(const store *s, const partition *p, uint32_t local) {
    return p->fresh + (size_t)(local - p->fresh_first) * s->whole->bytes;
}

static bool fresh_reserve(store *s, partition *p) {
    if (!s->is_compact || fresh_count(p) < p->fresh_cap) return true;
    uint32_t wanted = p->fresh_cap ? p->fresh_cap + p->fresh_cap / 2 : FIRST_RECORDS;
    uint64_t more = (uint64_t)(wanted - p->fresh_cap) * s->whole->bytes + (p->fresh_cap ? 0 : PACKING_PAD);
    if (!store_take(s, p, more)) return false;
    p->fresh = mem_grow(p->fresh, (uint64_t)wanted * s->whole->bytes + PACKING_PAD);
    p->fresh_cap = wanted;
    return true;
}

// ---- pages

static uint64_t page_size(const packing *form, uint32_t records) {
    return (uint64_t)records * record_bytes(form) + PACKING_PAD;
}

static bool pages_reserve(store *s, partition *p) {
    if (p->npages < p->pages_cap) return true;
    uint32_t wanted = p->pages_cap + p->pages_cap / 8 + 2;
    if (!store_take(s, p, (wanted - p->pages_cap) * sizeof *p->pages)) return false;
    p->pages = mem_grow(p->pages, wanted * sizeof *p->pages);
    p->pages_cap = wanted;
    return true;
}

// States may begin to vary in many more bits when there are slabs already: a page need not fit into one.
static bool slab_add(store *s, uint64_t least) {
    uint64_t size = least > SLAB_BYTES ? least : SLAB_BYTES;
    if (!budget_take(s->b, size)) return false;
    vec_push(&s->slabs, (slab){pages_alloc(size), size});
    s->slab_used = 0;
    s->slab_bytes += size;
    return true;
}

static unsigned char *slab_carve(store *s, uint64_t size) {
    unsigned char *data = NULL;
    pthread_mutex_lock(&s->lock);
    bool has_room = s->slabs.len && s->slab_used + size <= vec_last(&s->slabs).size;
    if (has_room || slab_add(s, size)) {
        data = vec_last(&s->slabs).data + s->slab_used;
        s->slab_used += size;
    }
    pthread_mutex_unlock(&s->lock);
    return data;
}

static bool has_slab_pages(const partition *p) { return p->npages > p->nheap_pages; }

// Pages of a large store lie together on huge pages; those of a small one, or of wide states, need not.
static bool wants_slab_page(const partition *p) {
    return has_slab_pages(p) ||
           (p->count >= SLAB_STATES / STORE_PARTS && page_size(p->form, PAGE_RECORDS) <= SLAB_BYTES / 8);
}

static unsigned char *heap_data(store *s, partition *p, uint64_t size) {
    return store_take(s, p, size + HEAP_BYTES) ? mem_alloc(size) : NULL;
}

static void heap_give(store *s, partition *p, const page *g, uint32_t records) {
    free(g->data);
    store_give(s, p, page_size(g->form, records) + HEAP_BYTES);
}

static bool page_add(store *s, partition *p) {
    if (!pages_reserve(s, p)) return false;
    bool is_slab = wants_slab_page(p);
    uint32_t records = is_slab ? PAGE_RECORDS : p->npages ? OPEN_RECORDS : FIRST_RECORDS;
    uint64_t size = page_size(p->form, records);
    unsigned char *data = is_slab ? slab_carve(s, size) : heap_data(s, p, size);
    if (!data) return false;
    p->pages[p->npages++] = (page){.data = data, .form = p->form};
    p->last_cap = records;
    if (!is_slab) p->nheap_pages++;
    return true;
}

// The last page grows, little at a time, until it is as large as the others.
static bool last_page_grow(store *s, partition *p) {
    page *last = &p->pages[p->npages - 1];
    uint32_t records = p->last_cap + (p->last_cap < OPEN_RECORDS ? p->last_cap : OPEN_RECORDS);
    uint64_t before = page_size(last->form, p->last_cap), after = page_size(last->form, records);
    if (!store_take(s, p, after)) return false;
    last->data = mem_grow(last->data, after);
    store_give(s, p, before);
    p->last_cap = records;
    return true;
}

// ---- packings

static void repack(const page *from, const page *to, uint32_t records) {
    uint64_t kept[from->form->words + 1];
    for (uint32_t i = 0; i < records; i++) {
        packing_get(from->form, record_in(from, i), kept);
        packing_put(to->form, kept, record_in(to, i));
        record_in(to, i)[to->form->bytes] = record_in(from, i)[from->form->bytes];
    }
}

// Packs the last page, which holds `records` records, in the partition's way. A page in a slab leaves its place.
static bool last_page_repack(store *s, partition *p, uint32_t records) {
    page *last = &p->pages[p->npages - 1];
    bool is_slab = has_slab_pages(p);
    uint64_t size = page_size(p->form, p->last_cap);
    page again = {.data = is_slab ? slab_carve(s, size) : heap_data(s, p, size), .form = p->form};
    if (!again.data) return false;
    repack(last, &again, records);
    if (!is_slab) heap_give(s, p, last, p->last_cap);
    *last = again;
    return true;
}

// A new packing, from the last page on, which holds `records` records if it is not full.
static bool form_set(store *s, partition *p, const uint64_t *base, const uint64_t *mask, uint32_t records) {
    if (!store_take(s, p, packing_size(s->kept_words))) return false;
    if (!p->forms) p->forms = mem_alloc(MOST_PACKINGS * sizeof *p->forms);
    const packing *before = p->form;
    p->form = p->forms[p->nforms++] = packing_new(s->kept_words, base, mask);
    if (!records || last_page_repack(s, p, records)) return true;
    free(p->forms[--p->nforms]);
    store_give(s, p, packing_size(s->kept_words));
    p->form = before;
    return false;
}

// After the first states: the bits in which they differ.
static bool form_learn(store *s, partition *p) {
    uint64_t base[s->kept_words + 1], kept[s->kept_words + 1], mask[s->kept_words + 1];
    record_get(p, 0, base);
    memset(mask, 0, sizeof mask);
    for (uint32_t i = 1; i < LEARN_RECORDS; i++) {
        record_get(p, i, kept);
        for (uint32_t k = 0; k < s->kept_words; k++) mask[k] |= kept[k] ^ base[k];
    }
    return form_set(s, p, base, mask, LEARN_RECORDS);
}

// So that the state fits too. The last of many packings takes all states.
static bool form_widen(store *s, partition *p, const uint64_t *kept) {
    uint64_t base[s->kept_words + 1], mask[s->kept_words + 1];
    for (uint32_t k = 0; k < s->kept_words; k++) {
        const packing_word *w = &p->form->word[k];
        base[k] = w->base;
        mask[k] = w->mask | ((kept[k] & ~w->mask) ^ w->base);
        if (p->nforms + 1 == MOST_PACKINGS) mask[k] = s->kept->word[k].mask;
    }
    return form_set(s, p, base, mask, p->count % PAGE_RECORDS);
}

static bool form_reserve(store *s, partition *p, const uint64_t *kept) {
    bool learns = p->count == LEARN_RECORDS && !p->nforms && !s->is_compact && !s->keeps_all_bits;
    if (learns && !form_learn(s, p)) return false;
    return packing_fits(p->form, kept) || form_widen(s, p, kept);
}

static bool record_reserve(store *s, partition *p, const uint64_t *kept) {
    if (!form_reserve(s, p, kept)) return false;
    if (p->count == (uint64_t)p->npages * PAGE_RECORDS) return page_add(s, p);
    return p->count % PAGE_RECORDS < p->last_cap || last_page_grow(s, p);
}

static void record_add(partition *p, const uint64_t *kept, unsigned char parent) {
    packing_put(p->form, kept, store_record(p, p->count));
    *record_parent(p, p->count++) = parent;
}

// ---- putting and finding

static inline bool record_find(const partition *p, uint32_t print, const uint64_t *kept, uint32_t *local) {
    if (!p->table.count) return false;
    buckets_search search = buckets_begin(&p->table, print);
    while (buckets_next(&p->table, &search, local))
        if (record_is_equal(p, *local, kept)) return true;
    return false;
}

store_answer store_put(store *s, uint32_t part, uint32_t print, const uint64_t *state, uint32_t guess) {
    partition *p = &s->parts[part];
    uint64_t hash = s->is_compact ? store_hash(s, state) : 0;
    const uint64_t *kept = s->is_compact ? &hash : state;
    if (guess < p->count && record_is_equal(p, guess, kept)) return STORE_OLD;
    uint32_t local;
    if (record_find(p, print, kept, &local)) return STORE_OLD;
    if (p->before + (uint64_t)p->count >= UINT32_MAX || !record_reserve(s, p, kept) || !fresh_reserve(s, p) ||
        !jumps_reserve(s, p) || !fars_reserve(s, p) || !table_reserve(s, p))
        return STORE_FULL;
    assert(packing_fits(s->whole, state));
    if (s->is_compact) packing_put(s->whole, state, fresh_at(s, p, p->count));
    buckets_add(&p->table, print, p->count);
    record_add(p, kept, PARENT_JUMPS);
    return STORE_NEW;
}

void store_prefetch(const store *s, uint32_t part, const uint32_t *prints, uint32_t n) {
    const partition *p = &s->parts[part];
    for (uint32_t i = 0; p->table.count && i < n; i++) buckets_prefetch(&p->table, prints[i]);
}

// The first number of a bucket that the fingerprint may have; memory is asked for the records of all.
static inline uint32_t guess_here(const partition *p, buckets_search *at) {
    uint32_t first = STORE_NO_GUESS, number;
    while (buckets_next_here(&p->table, at, &number)) {
        const unsigned char *record = store_record(p, number);
        __builtin_prefetch(record);
        __builtin_prefetch(record + page_of(p, number)->form->reach - 1);  // one of four lies in two lines
        if (first == STORE_NO_GUESS) first = number;
    }
    return first;
}

// Where there is none, a search, or else a new pair, goes on to the next bucket if this one is full.
static inline uint32_t guess_at(const partition *p, buckets_search *at) {
    uint32_t guess = guess_here(p, at);
    if (guess == STORE_NO_GUESS && buckets_is_full(&p->table, at->bucket))
        __builtin_prefetch(buckets_after(&p->table, at->bucket), 1);
    return guess;
}

static inline uint32_t guess_number(const partition *p, uint32_t print) {
    buckets_search at = buckets_begin(&p->table, print);
    return guess_at(p, &at);
}

void store_guess(const store *s, uint32_t part, const uint32_t *prints, uint32_t n, uint32_t *guesses) {
    const partition *p = &s->parts[part];
    for (uint32_t i = 0; i < n; i++) guesses[i] = p->table.count ? guess_number(p, prints[i]) : STORE_NO_GUESS;
}

// In the bucket after a home that has none.
static inline uint32_t guess_after(const partition *p, uint32_t print) {
    buckets_search at = buckets_begin(&p->table, print);
    if (!buckets_is_full(&p->table, at.bucket)) return STORE_NO_GUESS;
    bool is_last = at.is_last;
    buckets_enter(&p->table, &at, buckets_after(&p->table, at.bucket));
    if (is_last) at.matches = 0;
    return guess_at(p, &at);
}

void store_expect(const store *s, uint32_t part, const uint32_t *prints, uint32_t n, uint32_t *guesses) {
    const partition *p = &s->parts[part];
    for (uint32_t i = 0; p->table.count && i < n; i++)
        if (guesses[i] == STORE_NO_GUESS) guesses[i] = guess_after(p, prints[i]);
}

void store_prefetch_pages(const store *s, uint32_t part) {
    const partition *p = &s->parts[part];
    for (uint32_t i = 0; i < p->npages; i += CACHE_LINE / sizeof *p->pages) __builtin_prefetch(&p->pages[i]);
}

store_id store_find(const store *s, const uint64_t *state) {
    uint64_t hash = store_hash(s, state);
    uint32_t part = store_hash_part(hash), local;
    bool is_there = record_find(&s->parts[part], store_hash_print(hash), s->is_compact ? &hash : state, &local);
    return is_there ? store_id_of(part, s->parts[part].before + local) : STORE_NONE;
}

store_id store_find_guessed(const store *s, uint32_t part, uint32_t print, const uint64_t *state, uint32_t guess) {
    const partition *p = &s->parts[part];
    uint32_t local = guess;
    bool is_there = (guess < p->count && record_is_equal(p, guess, state)) || record_find(p, print, state, &local);
    return is_there ? store_id_of(part, p->before + local) : STORE_NONE;
}

void store_forget(store *s, uint32_t part, uint32_t first) {
    partition *p = &s->parts[part];
    if (!s->is_compact || first == p->fresh_first) return;
    if (first < p->count) memmove(p->fresh, fresh_at(s, p, first), (size_t)(p->count - first) * s->whole->bytes);
    p->fresh_first = first;
}

// ---- reading

uint32_t store_count(const store *s, uint32_t part) { return s->parts[part].before + s->parts[part].count; }
uint32_t store_first_whole(const store *s, uint32_t part) { return s->parts[part].fresh_first; }
bool store_is_compact(const store *s) { return s->is_compact; }

uint64_t store_total(const store *s) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < STORE_PARTS; i++) total += store_count(s, i);
    return total;
}

uint64_t store_bytes(const store *s) {
    uint64_t bytes = sizeof *s + s->slab_bytes;
    for (uint32_t i = 0; i < STORE_PARTS; i++) bytes += s->parts[i].bytes;
    return bytes;
}

uint64_t store_packed_bytes(const store *s, uint32_t part) {
    const partition *p = &s->parts[part];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->count; i += PAGE_RECORDS) {
        uint32_t n = p->count - i < PAGE_RECORDS ? p->count - i : PAGE_RECORDS;
        bytes += (uint64_t)n * page_of(p, i)->form->bytes;
    }
    return bytes;
}

void store_get(const store *s, store_id id, uint64_t *state) {
    const partition *p = &s->parts[store_id_part(id)];
    uint32_t local = store_id_local(id);
    assert(local >= p->fresh_first);
    if (s->is_compact) packing_get(s->whole, fresh_at(s, p, local), state);
    else if (local >= p->before) record_get(p, local - p->before, state);
    else if (!store_read(s, id, 1, state)) memset(state, 0, s->words * sizeof *state);
}

// Those that lie on the page of the first.
void store_prefetch_states(const store *s, store_id first, uint32_t n) {
    const partition *p = &s->parts[store_id_part(first)];
    if (s->is_compact) return;
    uint32_t local = store_id_local(first) - p->before, room = PAGE_RECORDS - (local & (PAGE_RECORDS - 1));
    const unsigned char *record = store_record(p, local);
    size_t bytes = (size_t)(n < room ? n : room) * record_bytes(page_of(p, local)->form);
    for (size_t at = 0; at < bytes + CACHE_LINE; at += CACHE_LINE) __builtin_prefetch(record + at);
}

uint64_t store_hash_of(const store *s, store_id id) {
    const partition *p = &s->parts[store_id_part(id)];
    if (store_id_local(id) >= p->before) return record_hash(s, p, store_id_local(id) - p->before);
    uint64_t state[s->words + 1];
    store_get(s, id, state);
    return store_hash(s, state);
}

// ---- beyond memory

void store_use_disk(store *s, disk *d) {
    assert(!s->is_compact);
    s->files = d;
}

uint32_t store_whole_bytes(const store *s) { return s->whole->bytes; }

void store_pack(const store *s, const uint64_t *state, unsigned char *to) { packing_put(s->whole, state, to); }

void store_unpack(const store *s, const unsigned char *from, uint64_t *state) { packing_get(s->whole, from, state); }

uint32_t store_on_disk(const store *s, uint32_t part) { return s->parts[part].before; }

// What was learned about the bits that vary stays.
static void partition_clear(store *s, partition *p, uint32_t before) {
    partition kept = {.before = before, .form = p->form, .forms = p->forms, .nforms = p->nforms};
    kept.bytes = p->nforms * packing_size(s->kept_words);
    budget_give(s->b, p->bytes - kept.bytes);
    p->forms = NULL;
    p->nforms = 0;
    partition_free(p);
    *p = kept;
}

void store_clear(store *s, const uint32_t *counts) {
    for (uint32_t i = 0; i < STORE_PARTS; i++) partition_clear(s, &s->parts[i], counts[i]);
    for (uint32_t i = 0; i < s->slabs.len; i++) pages_free(s->slabs.data[i].data, s->slabs.data[i].size);
    budget_give(s->b, s->slab_bytes);
    s->slabs.len = 0;
    s->slab_bytes = s->slab_used = 0;
}

static bool read_states(const store *s, store_id first, uint32_t n, uint64_t *states) {
    enum { ROOM = 1 << 12 };
    uint32_t most = s->whole->bytes < ROOM ? ROOM / (s->whole->bytes + 1) : 1;
    unsigned char room[most * s->whole->bytes + PACKING_PAD];
    for (uint32_t i = 0, k; i < n; i += k) {
        k = n - i < most ? n - i : most;
        if (!disk_states(s->files, store_id_part(first), store_id_local(first) + i, k, room)) return false;
        for (uint32_t j = 0; j < k; j++, states += s->words)
            packing_get(s->whole, room + j * (size_t)s->whole->bytes, states);
    }
    return true;
}

bool store_read(const store *s, store_id first, uint32_t n, uint64_t *states) {
    const partition *p = &s->parts[store_id_part(first)];
    uint32_t local = store_id_local(first), in_files = local < p->before ? p->before - local : 0;
    if (in_files > n) in_files = n;
    for (uint32_t i = in_files; i < n; i++) store_get(s, first + i, states + (size_t)i * s->words);
    return read_states(s, first, in_files, states);
}

// ---- parents

void store_set_parent(store *s, store_id id, store_number parent) {
    partition *p = &s->parts[store_id_part(id)];
    uint32_t local = store_id_local(id) - p->before;
    uint64_t distance = parent - p->last_parent;  // huge if it goes down
    bool follows = p->njumps && local - p->jumps[p->njumps - 1].local < PARENT_WALK;
    if (follows && distance < PARENT_FAR) *record_parent(p, local) = (unsigned char)distance;
    else if (follows && distance - PARENT_FAR <= UINT16_MAX) {
        *record_parent(p, local) = PARENT_FAR;
        p->fars[p->nfars++] = (uint16_t)(distance - PARENT_FAR);
    } else p->jumps[p->njumps++] = (jump){local, (uint32_t)(parent >> 32), (uint32_t)parent, p->nfars};
    p->last_parent = parent;
}

// The last jump up to a record, or NULL.
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
static store_number parent_up_to(const partition *p, uint32_t local) {
    const jump *j = last_jump(p, local);
    if (!j) return STORE_NONE;
    store_number parent = (uint64_t)j->high << 32 | j->low;
    for (uint32_t i = j->local + 1, far = j->fars; i <= local; i++) {
        unsigned char distance = *record_parent(p, i);
        if (distance == PARENT_JUMPS) continue;
        parent += distance;
        if (distance == PARENT_FAR && far < p->nfars) parent += p->fars[far++];  // a file may lack some
    }
    return parent;
}

static store_number parent_in_file(const store *s, store_id id) {
    store_number parent;
    bool is_read = disk_parents(s->files, store_id_part(id), store_id_local(id), 1, &parent);
    return is_read ? parent : STORE_NONE;
}

store_number store_parent(const store *s, store_id id) {
    const partition *p = &s->parts[store_id_part(id)];
    if (store_id_local(id) < p->before) return parent_in_file(s, id);
    uint32_t local = store_id_local(id) - p->before;
    const jump *j = last_jump(p, local);
    bool has_none = !j || (j->local != local && *record_parent(p, local) == PARENT_JUMPS);
    return has_none ? STORE_NONE : parent_up_to(p, local);
}

static store_number next_parent(const partition *p, store_parents *at) {
    bool is_jump = at->jump < p->njumps && p->jumps[at->jump].local == at->at;
    unsigned char distance = *record_parent(p, at->at++);
    if (!is_jump && distance == PARENT_JUMPS) return STORE_NONE;
    const jump *j = &p->jumps[at->jump];
    at->parent = is_jump ? (uint64_t)j->high << 32 | j->low : at->parent + distance;
    at->jump += is_jump;
    if (!is_jump && distance == PARENT_FAR) at->parent += p->fars[at->far++];
    return at->parent;
}

store_number store_next_parent(const store *s, uint32_t part, store_parents *at) {
    return next_parent(&s->parts[part], at);
}

// Of states in files.
static bool parents_in_file_are_before(const store *s, uint32_t part, store_bound bound, void *context) {
    enum { AT_ONCE = 512 };
    store_number parents[AT_ONCE];
    for (uint32_t i = 0, n, count = s->parts[part].before; i < count; i += n) {
        n = count - i < AT_ONCE ? count - i : AT_ONCE;
        if (!disk_parents(s->files, part, i, n, parents)) return false;
        for (uint32_t k = 0; k < n; k++) {
            uint64_t beyond = bound(store_id_of(part, i + k), context);
            if (beyond ? parents[k] >= beyond : parents[k] != STORE_NONE) return false;
        }
    }
    return true;
}

static bool parents_are_before(const partition *p, uint32_t part, store_bound bound, void *context) {
    store_parents at = {0};
    for (uint32_t i = 0; i < p->count; i++) {
        bool is_jump = at.jump < p->njumps && p->jumps[at.jump].local == i;
        unsigned char distance = *record_parent(p, i);
        bool has_none = !is_jump && distance == PARENT_JUMPS;
        uint64_t beyond = bound(store_id_of(part, i), context);
        if (has_none != !beyond || (!has_none && !is_jump && !at.jump)) return false;
        if (is_jump ? p->jumps[at.jump].fars != at.far : distance == PARENT_FAR && at.far == p->nfars) return false;
        if (next_parent(p, &at) >= beyond && !has_none) return false;
    }
    return at.far == p->nfars;
}

static bool jumps_are_ascending(const partition *p) {
    for (uint32_t i = 0; i < p->njumps; i++)
        if (p->jumps[i].local >= p->count || (i && p->jumps[i].local <= p->jumps[i - 1].local)) return false;
    return true;
}

bool store_parents_are_sound(const store *s, uint32_t part, store_bound bound, void *context) {
    const partition *p = &s->parts[part];
    if (s->files) return !p->count && parents_in_file_are_before(s, part, bound, context);
    return jumps_are_ascending(p) && parents_are_before(p, part, bound, context);
}

bool store_is_in_place(const store *s, store_id id) {
    uint64_t state[s->words + 1], hash = store_hash_of(s, id);
    if (store_hash_part(hash) != store_id_part(id)) return false;
    if (!s->is_compact || store_id_local(id) < store_first_whole(s, store_id_part(id))) return true;
    store_get(s, id, state);
    return store_hash(s, state) == hash;
}

// ---- checkpoints: jumps, far parents, records as of a page that packs all bits, and whole states of a compact store

store_extent store_extent_of(const store *s, uint32_t part) {
    const partition *p = &s->parts[part];
    if (s->files) return (store_extent){.count = p->before + p->count};
    return (store_extent){p->count, p->njumps, p->nfars, p->fresh_first};
}

// The first state that is written whole.
static uint32_t fresh_between(const store *s, store_extent from, store_extent to) {
    if (!s->is_compact) return to.count;
    return from.count > to.first_whole ? from.count : to.first_whole;
}

uint64_t store_bytes_between(const store *s, store_extent from, store_extent to) {
    bool is_sound = from.count <= to.count && from.njumps <= to.njumps && from.nfars <= to.nfars &&
                    from.first_whole <= to.first_whole && to.first_whole <= to.count &&
                    (s->is_compact || !to.first_whole);
    if (!is_sound) return UINT64_MAX;
    if (s->files) return 0;
    return (uint64_t)(to.njumps - from.njumps) * sizeof(jump) + (uint64_t)(to.nfars - from.nfars) * sizeof(uint16_t) +
           (uint64_t)(to.count - from.count) * record_bytes(s->kept) +
           (uint64_t)(to.count - fresh_between(s, from, to)) * s->whole->bytes;
}

static bool save_records(const store *s, const partition *p, uint32_t from, uint32_t to, store_transfer transfer,
                         void *context) {
    page out = {.data = mem_alloc(page_size(s->kept, PAGE_RECORDS)), .form = s->kept};
    bool ok = true;
    for (uint32_t i = from, n; ok && i < to; i += n) {
        n = PAGE_RECORDS - i % PAGE_RECORDS;
        if (n > to - i) n = to - i;
        repack(&(page){store_record(p, i), page_of(p, i)->form}, &out, n);
        ok = transfer(context, out.data, (size_t)n * record_bytes(out.form));
    }
    free(out.data);
    return ok;
}

bool store_save(const store *s, uint32_t part, store_extent from, store_extent to, store_transfer transfer,
                void *context) {
    const partition *p = &s->parts[part];
    uint32_t fresh = fresh_between(s, from, to);
    assert(fresh == to.count || fresh >= p->fresh_first);
    uint32_t njumps = to.njumps - from.njumps, nfars = to.nfars - from.nfars;
    return (!njumps || transfer(context, &p->jumps[from.njumps], njumps * sizeof *p->jumps)) &&
           (!nfars || transfer(context, &p->fars[from.nfars], nfars * sizeof *p->fars)) &&
           save_records(s, p, from.count, to.count, transfer, context) &&
           (fresh == to.count ||
            transfer(context, fresh_at(s, p, fresh), (size_t)(to.count - fresh) * s->whole->bytes));
}

static bool load_jumps(store *s, partition *p, uint32_t count, store_transfer transfer, void *context) {
    while (p->njumps < count) {
        if (!jumps_reserve(s, p)) return false;
        uint32_t n = (p->jumps_cap < count ? p->jumps_cap : count) - p->njumps;
        if (!transfer(context, &p->jumps[p->njumps], n * sizeof *p->jumps)) return false;
        p->njumps += n;
    }
    return true;
}

static bool load_fars(store *s, partition *p, uint32_t count, store_transfer transfer, void *context) {
    while (p->nfars < count) {
        if (!fars_reserve(s, p)) return false;
        uint32_t n = (p->fars_cap < count ? p->fars_cap : count) - p->nfars;
        if (!transfer(context, &p->fars[p->nfars], n * sizeof *p->fars)) return false;
        p->nfars += n;
    }
    return true;
}

static bool load_page(store *s, partition *p, const page *in, uint32_t records) {
    uint64_t kept[s->kept_words + 1];
    for (uint32_t i = 0; i < records; i++) {
        packing_get(in->form, record_in(in, i), kept);
        if (!record_reserve(s, p, kept)) return false;
        record_add(p, kept, record_in(in, i)[in->form->bytes]);
    }
    return true;
}

static bool load_records(store *s, partition *p, uint32_t count, store_transfer transfer, void *context) {
    page in = {.data = mem_alloc(page_size(s->kept, PAGE_RECORDS)), .form = s->kept};
    bool ok = true;
    while (ok && p->count < count) {
        uint32_t n = count - p->count < PAGE_RECORDS ? count - p->count : PAGE_RECORDS;
        ok = transfer(context, in.data, (size_t)n * record_bytes(in.form)) && load_page(s, p, &in, n);
    }
    free(in.data);
    return ok;
}

static bool load_fresh(store *s, partition *p, uint32_t first, uint32_t count, store_transfer transfer, void *context) {
    for (p->count = first; p->count < count;) {
        if (!fresh_reserve(s, p)) return false;
        uint32_t room = p->fresh_cap - fresh_count(p), n = count - p->count < room ? count - p->count : room;
        if (!transfer(context, fresh_at(s, p, p->count), (size_t)n * s->whole->bytes)) return false;
        p->count += n;
    }
    return true;
}

bool store_load(store *s, uint32_t part, store_extent to, store_transfer transfer, void *context) {
    partition *p = &s->parts[part];
    uint32_t fresh = fresh_between(s, store_extent_of(s, part), to);
    store_forget(s, part, to.first_whole);
    return load_jumps(s, p, to.njumps, transfer, context) && load_fars(s, p, to.nfars, transfer, context) &&
           load_records(s, p, to.count, transfer, context) && load_fresh(s, p, fresh, to.count, transfer, context);
}

bool store_load_end(store *s, uint32_t part) {
    partition *p = &s->parts[part];
    p->last_parent = p->count ? parent_up_to(p, p->count - 1) : STORE_NONE;
    uint32_t wanted = p->count / BUCKETS_MOST + 1;
    while (buckets_room(wanted) * 15 <= (uint64_t)p->count * 16) wanted += wanted / 16 + 1;
    return !p->count || table_grow(s, p, wanted);
}
