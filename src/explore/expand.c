// SPDX-License-Identifier: Apache-2.0
// Phase 1 of a block: the successors of its states, each sent to the partition its hash names.
//
// Threads take chunks in increasing order and append what they send to streams of their own, one per partition;
// a parcel remembers which part of a stream belongs to which chunk. Nothing is shared but the counter of
// chunks.
//
// Most successors were seen a moment ago. A small direct-mapped cache of states recently sent by the same
// worker drops those. This does not change any result: a worker takes chunks in increasing order, so what is
// in its cache was sent for an earlier position (or an earlier block), and the store would have found the
// later one to be old. With symmetry the cache also holds successors as they were before they were made
// canonical: what they became was sent.
#include "explore/share.h"

enum { CACHE_LOG = 12, LOOK_EVERY = 64, FIRST_STREAM_WORDS = 64 };

uint64_t expand_cache_words(const search *s) { return ((uint64_t)1 << CACHE_LOG) * s->words; }

static inline bool expand_is_same(const uint64_t *a, const uint64_t *b, uint32_t words) {
    uint64_t differs = 0;
    for (uint32_t k = 0; k < words; k++) differs |= a[k] ^ b[k];
    return differs == 0;
}

static inline void expand_copy(uint64_t *to, const uint64_t *from, uint32_t words) {
    for (uint32_t k = 0; k < words; k++) to[k] = from[k];
}

// An empty line would have to be told from a state; so all lines hold one that is stored already.
void expand_seed_cache(search *s, worker *w) {
    if (s->seed) expand_copy(w->state, s->seed, s->words);
    for (uint32_t p = 0; p < STORE_PARTS && !s->seed; p++) {
        uint32_t first = store_first_whole(s->x->states, p);
        if (first == store_count(s->x->states, p)) continue;
        if (!store_read(s->x->states, store_id_of(p, first), 1, w->state)) settle_read_failed(s);
        break;
    }
    for (uint64_t i = 0; i < (uint64_t)1 << CACHE_LOG; i++) expand_copy(w->sent + i * s->words, w->state, s->words);
}

static inline uint64_t *cache_line(worker *w, uint64_t hash, uint32_t words) {
    return w->sent + (hash >> 32 & ((1u << CACHE_LOG) - 1)) * words;
}

static bool stream_grow(search *s, stream *out, uint64_t len) {
    uint64_t cap = out->cap + out->cap / 4 + FIRST_STREAM_WORDS;
    if (cap < len) cap = len;
    if (!budget_take(&s->x->memory, cap * sizeof *out->data)) {
        search_stop(s, END_MEMORY);
        return false;
    }
    out->data = mem_grow(out->data, cap * sizeof *out->data);
    budget_give(&s->x->memory, out->cap * sizeof *out->data);
    out->cap = cap;
    return true;
}

static inline void append(search *s, worker *w, const uint64_t *state, uint64_t hash, uint32_t place) {
    stream *out = &w->out[store_hash_part(hash)];
    uint64_t len = out->len + s->words + 1;
    if (len > out->cap && !stream_grow(s, out, len)) return;
    uint64_t *to = out->data + out->len;
    expand_copy(to, state, s->words);
    to[s->words] = (uint64_t)store_hash_print(hash) << 32 | place;
    out->len = len;
}

// Sends a state unless it was sent recently.
static inline void send_once(search *s, worker *w, const uint64_t *state, uint64_t hash, uint32_t place) {
    uint64_t *line = cache_line(w, hash, s->words);
    if (expand_is_same(line, state, s->words)) return;
    expand_copy(line, state, s->words);
    append(s, w, state, hash, place);
}

static inline void send(search *s, worker *w, uint64_t *next, uint32_t place) {
    if (expand_is_same(next, w->state, s->words)) return;
    uint64_t hash = store_hash(s->x->states, next);
    if (!s->is_reduced) {
        send_once(s, w, next, hash, place);
        return;
    }
    uint64_t *line = cache_line(w, hash, s->words);
    if (expand_is_same(line, next, s->words)) return;
    expand_copy(w->raw, next, s->words);
    space_canonical(w->run, next);
    send_once(s, w, next, store_hash(s->x->states, next), place);
    expand_copy(line, w->raw, s->words);  // only now: its canonical form was sent
}

// No successor differs from the state.
static bool only_stutters(const search *s, const worker *w, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (w->labels[i] & SPACE_TROUBLE || !expand_is_same(w->next + (uint64_t)i * s->words, w->state, s->words))
            return false;
    return true;
}

// The state of w->state.
static void expand_state(search *s, worker *w, store_id id, uint64_t position) {
    uint32_t n = space_next(w->run, w->state, w->next, w->labels), steps = 0;
    if (position == w->sample_at) {
        selfcheck_state(s, w, id, position, n);
        w->sample_at += s->tried.every;
    }
    bool is_stuck = n == 0 || (s->options->is_stuttering_stuck && only_stutters(s, w, n));
    if (is_stuck) finding_deadlock(s, w, position);
    for (uint32_t i = 0; i < n; i++) {
        w->fired[w->labels[i] & ~SPACE_TROUBLE]++;
        if (w->labels[i] & SPACE_TROUBLE) {
            finding_trouble(s, w, i, position);
            continue;
        }
        steps++;
        send(s, w, w->next + (uint64_t)i * s->words, (uint32_t)(position - s->block_begin));
    }
    w->transitions += steps;
    w->until_look -= w->until_look < n + 1 ? w->until_look : n + 1;
}

static void note_parcels(search *s, worker *w, uint64_t number, bool is_begin) {
    parcel *p = s->parcels + number * STORE_PARTS;
    for (uint32_t i = 0; i < STORE_PARTS; i++, p++) {
        if (is_begin) *p = (parcel){.begin = w->out[i].len, .worker = w->number};
        else p->words = (uint32_t)(w->out[i].len - p->begin);
    }
}

// The states of a strip that are in a file are read at once.
static bool is_in_file(const search *s, const strips_place *at) {
    return at->local < store_on_disk(s->x->states, at->part);
}

static void take_state(const search *s, worker *w, store_id first, uint32_t i, bool is_read) {
    if (is_read) expand_copy(w->state, w->strip + (uint64_t)i * s->words, s->words);
    else store_get(s->x->states, first + i, w->state);
}

// Of one strip.
static void expand_piece(search *s, worker *w, const strips_place *at, uint32_t count, uint64_t position) {
    store_id first = store_id_of(at->part, at->local);
    bool is_read = is_in_file(s, at);
    if (is_read && !store_read(s->x->states, first, count, w->strip)) settle_read_failed(s);
    for (uint32_t i = 0; i < count && !search_is_over(s); i++) {
        if (w->until_look == 0) {
            search_look(s, w);
            w->until_look = LOOK_EVERY;
        }
        take_state(s, w, first, i, is_read);
        expand_state(s, w, first + i, position + i);
    }
}

// One that is begun when the search is over has empty parcels.
static void expand_chunk(search *s, worker *w, uint64_t number) {
    const chunk *c = &s->chunks[number];
    strips level = {s->level_begin, s->level_end};
    strips_place at = c->first;
    w->sample_at = selfcheck_place(s, c->position);
    note_parcels(s, w, number, true);
    for (uint32_t done = 0, count; done < c->count; done += count, at.local += count) {
        if (!strips_left(level, &at)) strips_next(level, &at);
        count = strips_left(level, &at);
        if (count > c->count - done) count = c->count - done;
        expand_piece(s, w, &at, count, c->position + done);
    }
    note_parcels(s, w, number, false);
}

void expand_block(void *context, uint32_t number) {
    search *s = context;
    worker *w = s->workers[number];
    for (uint32_t p = 0; p < STORE_PARTS; p++) w->out[p].len = 0;
    if (s->options->limit_depth && s->depth >= s->options->limit_depth) search_stop(s, END_DEPTH);
    for (uint64_t k; (k = atomic_fetch_add(&s->next_chunk, 1)) < s->nchunks;)
        if (share_owns(s, s->chunks[k].first.part)) expand_chunk(s, w, k);
}

// Room for chunks and their parcels.
bool expand_reserve(search *s, uint64_t nchunks) {
    uint64_t each = sizeof *s->chunks + STORE_PARTS * sizeof *s->parcels;
    if (nchunks <= s->chunks_cap) return true;
    if (!budget_take(&s->x->memory, nchunks * each)) return false;
    s->parcels = mem_grow(s->parcels, nchunks * STORE_PARTS * sizeof *s->parcels);
    s->chunks = mem_grow(s->chunks, nchunks * sizeof *s->chunks);
    budget_give(&s->x->memory, s->chunks_cap * each);
    s->chunks_cap = nchunks;
    return true;
}

// Initial states go the same way, as the only chunk of blocks without a level.
void expand_initial(search *s, worker *w, const uint64_t *state) {
    expand_copy(w->next, state, s->words);
    if (s->is_reduced) space_canonical(w->run, w->next);
    append(s, w, w->next, store_hash(s->x->states, w->next), PLACE_INITIAL);
}
