// SPDX-License-Identifier: Apache-2.0
// Phase 1 of a block: the successors of its states, each sent to the partition its hash names.
//
// Threads append what they send to streams of their own, one per partition; a parcel remembers which part of a stream
// belongs to which run of chunks. Each thread begins with a range of chunks (ranges.h); one that has none left takes
// half of what another one has, from the end. States near each other have successors in common, so that one thread
// should have them: from block to block threads have ranges in the opposite order, and each goes on where it was.
// Nothing is shared but the ranges.
//
// Most successors were seen a moment ago. A cache of states recently sent by the same worker (recent.h) drops those,
// which costs far less than asking the store; it grows with the search, up to some megabytes. This does not change any
// result: a worker takes chunks in increasing order, also those of others, so what is in its cache was sent for an
// earlier position (or an earlier block), and the store would have found the later one to be old. With symmetry the
// cache also holds successors as they were before they were made canonical: what they became was sent.
//
// The cache does not fit into the processor's nearest ones. So the successors of a state wait while those of the next
// state are computed: by then their sets of the cache are there.
#include "explore/share.h"

#include "explore/pages.h"
#include "explore/recent.h"

enum {
    CACHE_LEAST_LOG = 12,
    CACHE_MOST_LOG = 18,
    CACHE_STATES = 32,  // stored for one in the cache, at least
    CACHE_SHARE = 16,   // of the memory allowed that the caches of all workers may take
    LOOK_EVERY = 64,
    FIRST_STREAM_WORDS = 64,
};

// ---- the cache

static uint64_t cache_wanted(const search *s) {
    uint64_t states = order_total(&s->x->numbers), size = (uint64_t)1 << CACHE_LEAST_LOG;
    while (size < (uint64_t)1 << CACHE_MOST_LOG && size * CACHE_STATES < states) size *= 2;
    return size;
}

// A state that need not be sent, to w->state: one of a cache, or the first ever.
static void read_stored(search *s, worker *w) {
    const worker *first = s->workers[0];
    const uint64_t *known = first && first->cache_size ? first->sent : s->seed;
    if (known) recent_copy(w->state, known, s->words);
    for (uint32_t p = 0; p < STORE_PARTS && !known; p++) {
        uint32_t at = store_first_whole(s->x->states, p);
        if (at == store_count(s->x->states, p)) continue;
        if (!store_read(s->x->states, store_id_of(p, at), 1, w->state)) settle_read_failed(s);
        break;
    }
}

// The least one is not refused; a larger one must leave room for states and candidates.
static bool cache_take(search *s, const worker *w, uint64_t size) {
    uint64_t each = s->words * sizeof *w->sent, bytes = (size - w->cache_size) * each;
    bool is_small = size * each * s->nthreads <= s->x->memory.limit / CACHE_SHARE;
    if (w->cache_size) return is_small && budget_take(&s->x->memory, bytes);
    budget_charge(&s->x->memory, bytes);
    return true;
}

void expand_free_cache(const search *s, worker *w) { pages_free(w->sent, w->cache_size * s->words * sizeof *w->sent); }

// An empty place would have to be told from a state; so all places hold one that is stored already.
void expand_seed_cache(search *s, worker *w) {
    uint64_t size = w->cache_size ? cache_wanted(s) : (uint64_t)1 << CACHE_LEAST_LOG;
    if (size <= w->cache_size || !cache_take(s, w, size)) return;
    read_stored(s, w);
    expand_free_cache(s, w);
    w->sent = pages_alloc(size * s->words * sizeof *w->sent);
    w->cache_size = size;
    for (uint64_t i = 0; i < size; i++) recent_copy(w->sent + i * s->words, w->state, s->words);
}

void expand_fit_caches(search *s) {
    for (uint32_t i = 0; i < s->nworkers; i++)
        if (s->workers[i]->cache_size < cache_wanted(s)) expand_seed_cache(s, s->workers[i]);
}

RECENT_INLINE uint64_t *cache_set(worker *w, uint64_t hash, uint32_t words) {
    return recent_set(w->sent, w->cache_size, hash, words);
}

// ---- sending

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

RECENT_INLINE void append(search *s, worker *w, const uint64_t *state, uint64_t hash, uint32_t place, uint32_t words) {
    stream *out = &w->out[store_hash_part(hash)];
    uint64_t len = out->len + words + 1;
    if (len > out->cap && !stream_grow(s, out, len)) return;
    uint64_t *to = out->data + out->len;
    recent_copy(to, state, words);
    to[words] = (uint64_t)store_hash_print(hash) << 32 | place;
    out->len = len;
}

// Sends a state unless it was sent recently.
RECENT_INLINE void send_once(search *s, worker *w, const uint64_t *state, uint64_t hash, uint32_t place,
                             uint32_t words) {
    uint64_t *set = cache_set(w, hash, words);
    if (recent_has(set, state, words)) return;
    recent_put(set, state, words);
    append(s, w, state, hash, place, words);
}

// Of those that were not seen lately, the canonical forms; their sets of the cache are asked for. What is left of
// `from`, in the same order, is what they are the forms of.
RECENT_INLINE void reduce_words(worker *w, sending *from, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < from->n; k++) {
        uint64_t hash = from->hashes[k], *next = from->states + (uint64_t)from->which[k] * words;
        if (recent_has(cache_set(w, hash, words), next, words)) continue;
        uint64_t *form = w->forms + (uint64_t)n * words;
        recent_copy(form, next, words);
        space_canonical(w->run, form);
        w->form_hashes[n] = store_hash_words(form, words);
        recent_prefetch(cache_set(w, w->form_hashes[n], words), words);
        from->which[n] = from->which[k];
        from->hashes[n++] = hash;
    }
    from->n = n;
}

RECENT_INLINE void send_reduced(search *s, worker *w, sending *from, uint32_t words) {
    reduce_words(w, from, words);
    for (uint32_t k = 0; k < from->n; k++) {
        const uint64_t *raw = from->states + (uint64_t)from->which[k] * words;
        send_once(s, w, w->forms + (uint64_t)k * words, w->form_hashes[k], from->place, words);
        recent_put(cache_set(w, from->hashes[k], words), raw, words);  // only now: its canonical form was sent
    }
}

RECENT_INLINE void send_plain(search *s, worker *w, const sending *from, uint32_t words) {
    const uint64_t *states = from->states, *hashes = from->hashes;
    const uint32_t *which = from->which;
    uint32_t n = from->n, place = from->place;
    for (uint32_t k = 0; k < n; k++) send_once(s, w, states + (uint64_t)which[k] * words, hashes[k], place, words);
}

RECENT_INLINE void send_words(search *s, worker *w, sending *from, uint32_t words) {
    if (s->is_reduced) send_reduced(s, w, from, words);
    else send_plain(s, w, from, words);
    from->n = 0;
}

// Those that wait.
static void send_waiting(search *s, worker *w) {
    sending *from = &w->sendings[!w->turn];
    switch (s->words) {
    case 1: send_words(s, w, from, 1); break;
    case 2: send_words(s, w, from, 2); break;
    default: send_words(s, w, from, s->words); break;
    }
}

// Successors that differ from the state are noted, and their sets of the cache asked for. What is written here might be
// part of the worker, for all that the compiler knows: so what is read of it is read once.
RECENT_INLINE void note_words(const worker *w, sending *to, uint32_t n, uint32_t words) {
    const uint64_t *next = to->states, *state = w->state;
    const uint32_t *labels = w->labels;
    uint64_t *hashes = to->hashes, *sent = w->sent, cache_size = w->cache_size;
    uint32_t *which = to->which, noted = 0;
    for (uint32_t i = 0; i < n; i++, next += words) {
        uint64_t hash = store_hash_words(next, words);
        hashes[noted] = hash;
        which[noted] = i;
        recent_prefetch(recent_set(sent, cache_size, hash, words), words);
        noted += !(labels[i] & SPACE_TROUBLE) && !recent_is_same(next, state, words);
    }
    to->n = noted;
}

// The n successors of w->state, in w->next. They wait, and those that did are sent.
static void send_later(search *s, worker *w, uint32_t n, uint32_t place) {
    sending *to = &w->sendings[w->turn];
    switch (s->words) {
    case 1: note_words(w, to, n, 1); break;
    case 2: note_words(w, to, n, 2); break;
    default: note_words(w, to, n, s->words); break;
    }
    to->place = place;
    send_waiting(s, w);
    w->turn = !w->turn;
    w->next = w->sendings[w->turn].states;
}

// ---- states

// No successor differs from the state.
static bool only_stutters(const search *s, const worker *w, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (w->labels[i] & SPACE_TROUBLE || !recent_is_same(w->next + (uint64_t)i * s->words, w->state, s->words))
            return false;
    return true;
}

// There is room for a successor by every label, in three places; what no state needed has never been written to.
static void charge_room(search *s, worker *w, uint32_t n) {
    if (n <= w->most_next) return;
    budget_charge(&s->x->memory, 3 * sizeof *w->next * s->words * (n - w->most_next));
    w->most_next = n;
}

// The state of w->state.
static void expand_state(search *s, worker *w, store_id id, uint64_t position) {
    uint32_t n = space_next(w->run, w->state, w->next, w->labels), steps = 0;
    charge_room(s, w, n);
    if (position == w->sample_at) {
        selfcheck_state(s, w, id, position, n);
        w->sample_at += s->tried.every;
    }
    bool is_stuck = n == 0 || (s->options->is_stuttering_stuck && only_stutters(s, w, n));
    if (is_stuck) finding_deadlock(s, w, position);
    uint64_t *fired = w->fired;
    for (const uint32_t *label = w->labels, *end = label + n; label < end; label++) {
        fired[*label & ~SPACE_TROUBLE]++;
        if (*label & SPACE_TROUBLE) finding_trouble(s, w, (uint32_t)(label - w->labels), position);
        else steps++;
    }
    send_later(s, w, n, (uint32_t)(position - s->block_begin));
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
    if (is_read) recent_copy(w->state, w->strip + (uint64_t)i * s->words, s->words);
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

// The next strip from a place on, or what a chunk has left of it. Memory is asked for its states a strip ahead.
static uint32_t next_piece(const search *s, batches_place *at, uint32_t left) {
    if (!left) return 0;
    uint32_t count = batches_strip(s, at);
    if (count > left) count = left;
    if (!is_in_file(s, &at->at)) store_prefetch_states(s->x->states, store_id_of(at->at.part, at->at.local), count);
    return count;
}

static void expand_chunk(search *s, worker *w, const chunk *c) {
    batches_place at, next = c->first;
    w->sample_at = selfcheck_place(s, c->position);
    uint32_t done = 0, count = next_piece(s, &next, c->count);
    for (uint32_t now; (now = count); done += now) {
        at = next;
        batches_skip(&next, now);
        count = next_piece(s, &next, c->count - done - now);
        expand_piece(s, w, &at.at, now, c->position + done);
    }
}

// ---- ranges

void expand_begin(search *s, uint32_t nthreads) {
    s->nactive = nthreads;
    ranges_deal(s->chunk_ranges, nthreads, (uint32_t)s->nchunks, s->is_turned);
    s->is_turned = !s->is_turned;
}

// Chunks that follow each other. A run that is begun when the search is over has empty parcels. Ranks know the chunks
// of each other, not the runs: there each chunk is one.
static void expand_run(search *s, worker *w, uint32_t *k) {
    uint32_t first = *k;
    s->chunks[first].is_first = true;
    note_parcels(s, w, first, true);
    do expand_chunk(s, w, &s->chunks[*k]);
    while (!s->is_shared && ranges_next(&s->chunk_ranges[w->number], k));
    send_waiting(s, w);
    note_parcels(s, w, first, false);
}

void expand_block(void *context, uint32_t number) {
    search *s = context;
    worker *w = s->workers[number];
    work_range *own = &s->chunk_ranges[number];
    uint32_t k = 0;  // the last one that was taken
    for (uint32_t p = 0; p < STORE_PARTS; p++) w->out[p].len = 0;
    if (s->options->limit_depth && s->depth >= s->options->limit_depth) search_stop(s, END_DEPTH);
    do {
        while (ranges_next(own, &k))
            if (share_owns(s, s->chunks[k].first.at.part)) expand_run(s, w, &k);
    } while (ranges_take_half(s->chunk_ranges, s->nactive, k, own));
}

// The runs of all threads, in order.
void expand_find_runs(search *s) {
    s->nruns = 0;
    for (uint64_t k = 0; k < s->nchunks; k++)
        if (s->is_shared || s->chunks[k].is_first) s->runs[s->nruns++] = (uint32_t)k;
}

// Room for chunks and their parcels.
bool expand_reserve(search *s, uint64_t nchunks) {
    uint64_t each = sizeof *s->chunks + sizeof *s->runs + STORE_PARTS * sizeof *s->parcels;
    if (nchunks <= s->chunks_cap) return true;
    if (!budget_take(&s->x->memory, nchunks * each)) return false;
    s->parcels = mem_grow(s->parcels, nchunks * STORE_PARTS * sizeof *s->parcels);
    s->chunks = mem_grow(s->chunks, nchunks * sizeof *s->chunks);
    s->runs = mem_grow(s->runs, nchunks * sizeof *s->runs);
    budget_give(&s->x->memory, s->chunks_cap * each);
    s->chunks_cap = nchunks;
    return true;
}

// Initial states go the same way, as the only chunk of blocks without a level.
void expand_initial(search *s, worker *w, const uint64_t *state) {
    recent_copy(w->next, state, s->words);
    if (s->is_reduced) space_canonical(w->run, w->next);
    append(s, w, w->next, store_hash(s->x->states, w->next), PLACE_INITIAL, s->words);
}
