// SPDX-License-Identifier: Apache-2.0
// One search on several ranks: see share.h.
//
// A message of a block, in words: how many are promises of the self-check | for each partition of the receiver and each
// chunk of the sender how many words, two numbers in a word | these words | the promises. A rank that had no room for
// its chunks sends none.
#include "explore/share.h"

#include "base/clock.h"
#include "explore/checkpoint.h"

#include <assert.h>
#include <string.h>

// States. With fewer, blocks are so short that ranks would mostly wait for each other. A search that is tried as a
// whole when it is over (selfcheck.c) has fewer.
enum { SHARE_LEAST = 100000 };

// What a rank says at the end of a block; then, of each partition, how many states and far parents (store.c) it has,
// and of each ask the first finding.
typedef struct {
    int64_t end;      // explore_end or SEARCH_GOES_ON
    uint64_t limit;   // limit_kind
    uint64_t is_due;  // on rank 0: the checkpoint is to be written
    uint64_t wants_room;
    uint64_t transitions, memory, sent, entries;
    uint64_t broken;  // the order of the first failure of the self-check, or UINT64_MAX
    selfcheck_counts done;
} news;

struct share_data {
    ranks_job *with;
    uint64_t *out, *in;
    uint64_t out_cap, in_cap;        // words
    uint64_t *out_words, *in_words;  // by rank
    uint64_t *in_begin;              // by rank: where its message begins
    uint64_t transitions;            // of all ranks, up to the last block
    selfcheck_counts done;           // the same of the self-check
    uint64_t memory, sent, entries;  // of all ranks: bytes; bytes and candidates sent so far
    uint64_t own_sent, own_entries;
    uint32_t njumps[STORE_PARTS], nfars[STORE_PARTS];  // of the store, by partition (store_extent)
    bool is_due, wants_room;
    bool sends_promises;       // in this block: a rank that is over did not send all that it promised
    unsigned char *all, *own;  // news
    size_t news_bytes;
};

static uint32_t parts_of(const ranks_job *with, uint32_t rank) {
    return share_first_part(with, rank + 1) - share_first_part(with, rank);
}

// ---- beginning

// What must be the same on all ranks for them to meet in the same places.
typedef struct {
    uint64_t is_set_up, print, limit_states, limit_bytes, limit_depth, share_least, batch_states, parallel_least;
    uint64_t self_check, is_compact, hashes_at_once, has_checkpoint, has_disk;
} terms;

static terms share_terms(const search *s, bool is_set_up) {
    const explore_options *o = s->options;
    return (terms){.is_set_up = is_set_up,
                   .print = is_set_up ? checkpoint_print(s) : 0,
                   .limit_states = o->limit_states,
                   .limit_bytes = o->limit_bytes,
                   .limit_depth = o->limit_depth,
                   .share_least = o->share_least,
                   .batch_states = o->batch_states,
                   .parallel_least = o->parallel_least,
                   .self_check = o->self_check,
                   .is_compact = o->is_compact,
                   .hashes_at_once = o->hashes_at_once,
                   .has_checkpoint = o->checkpoint != NULL,
                   .has_disk = o->disk != NULL};
}

bool share_begin(search *s, bool is_set_up) {
    ranks_job *with = s->options->ranks;
    if (!with) return is_set_up;
    terms own = share_terms(s, is_set_up), *all = mem_zero(with->count, sizeof *all);
    with->gather(with, &own, all, sizeof own);
    uint32_t other = 0;
    while (other < with->count && !memcmp(&all[other], &all[0], sizeof own)) other++;
    free(all);
    if (other == with->count) return is_set_up;
    diag_error(s->in->m->messages, (span){0},
               "rank %u does not search what rank 0 does: it has another file, other options or another parvis", other);
    return false;
}

static size_t news_size(const search *s) {
    return sizeof(news) + 2 * STORE_PARTS * sizeof(uint64_t) + s->asks.len * sizeof(uint64_t);
}

static share_data *share_new(search *s) {
    share_data *h = mem_zero(1, sizeof *h);
    uint32_t n = s->options->ranks->count;
    h->with = s->options->ranks;
    h->out_words = mem_zero(3 * (size_t)n, sizeof *h->out_words);
    h->in_words = h->out_words + n;
    h->in_begin = h->in_words + n;
    h->news_bytes = news_size(s);
    h->all = mem_zero(n + 1, h->news_bytes);
    h->own = h->all + n * h->news_bytes;
    h->transitions = s->transitions;
    h->done = s->tried.done;
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        store_extent e = store_extent_of(s->x->states, p);
        h->njumps[p] = e.njumps;
        h->nfars[p] = e.nfars;
    }
    return h;
}

void share_free(search *s) {
    share_data *h = s->shared;
    if (!h) return;
    free(h->out);
    free(h->in);
    free(h->out_words);
    free(h->all);
    free(h);
    s->shared = NULL;
}

// What all ranks did so far counts once.
static void forget_common(search *s) {
    for (uint32_t i = 0; i < s->nworkers && s->options->ranks->mine; i++)
        memset(s->workers[i]->fired, 0, s->nlabels * sizeof *s->workers[i]->fired);
}

// Somebody who is over cannot go on: then nobody does.
static bool share_meet_all(search *s, int end) {
    ranks_job *with = s->options->ranks;
    int64_t own[2] = {end, limits_met(&s->options->limits)}, *all = mem_zero(with->count, sizeof own);
    with->gather(with, own, all, sizeof own);
    bool is_over = false;
    for (uint32_t i = 0; i < with->count; i++) {
        bool ends = all[2 * i] != SEARCH_GOES_ON;
        if (ends) limits_note(&s->options->limits, (limit_kind)all[2 * i + 1]);
        is_over |= ends;
    }
    free(all);
    return is_over;
}

void share_meet(search *s, bool is_end) {
    uint64_t least = s->options->share_least ? s->options->share_least : SHARE_LEAST;
    if (!s->options->ranks || s->has_met || (!is_end && order_total(&s->x->numbers) <= least)) return;
    bool is_over = share_meet_all(s, is_end ? atomic_load(&s->end) : SEARCH_GOES_ON);
    s->has_met = true;
    if (is_over && !is_end) search_stop(s, END_LIMIT);
    if (is_over) return;
    s->is_shared = true;
    s->shared = share_new(s);
    forget_common(s);
}

// Each knows the far parents of its own partitions only.
static void share_fars(search *s) {
    share_data *h = s->shared;
    uint64_t both[STORE_PARTS];
    for (uint32_t p = 0; p < STORE_PARTS; p++)
        both[p] = share_owns(s, p) ? (uint64_t)h->njumps[p] << 32 | h->nfars[p] : 0;
    share_sum(s, both, STORE_PARTS);
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        h->njumps[p] = (uint32_t)(both[p] >> 32);
        h->nfars[p] = (uint32_t)both[p];
    }
}

// All need a state that is stored, to begin with (expand.c): the first of the level.
static void share_seed(search *s) {
    store_id first = search_place_id(s, 0);
    ranks_job *with = s->options->ranks;
    uint32_t owner = share_part_owner(with, store_id_part(first));
    s->seed = mem_zero(s->words + 1, sizeof *s->seed);
    bool is_read = owner != with->mine || store_read(s->x->states, first, 1, s->seed);
    if (!is_read) settle_read_failed(s);
    with->tell(with, owner, s->seed, s->words * sizeof *s->seed);
    if (share_any(s, !is_read)) search_stop(s, END_DISK);  // all, or the others would wait for this one
}

void share_resume(search *s) {
    if (!s->options->ranks) return;
    s->has_met = s->is_shared = true;
    s->shared = share_new(s);
    share_fars(s);
    if (s->level_size) share_seed(s);
}

store_extent share_extent(const search *s, uint32_t part) {
    if (!s->is_shared) return store_extent_of(s->x->states, part);
    return (store_extent){s->x->numbers.counts[part], s->shared->njumps[part], s->shared->nfars[part],
                          s->is_compact ? s->level_begin[part] : 0};
}

bool share_is_due(const search *s) { return s->shared->is_due; }

bool share_wants_room(const search *s) { return s->shared->wants_room; }

// ---- messages

static bool is_chunk_of(const search *s, uint64_t number, uint32_t rank) {
    return share_part_owner(s->shared->with, s->chunks[number].first.at.part) == rank;
}

static uint64_t chunks_of(const search *s, uint32_t rank) {
    uint64_t n = 0;
    for (uint64_t k = 0; k < s->nchunks; k++) n += is_chunk_of(s, k, rank);
    return n;
}

static uint64_t table_words(uint64_t nchunks, uint32_t nparts) { return (nchunks * nparts + 1) / 2; }

// Memory that must be there is counted, and ends the search if it is too much.
static void grow_buffer(search *s, uint64_t **buffer, uint64_t *cap, uint64_t words) {
    if (words <= *cap) return;
    uint64_t wanted = words + words / 4;
    budget_charge(&s->x->memory, (wanted - *cap) * sizeof **buffer);
    free(*buffer);
    *buffer = mem_alloc(wanted * sizeof **buffer);
    *cap = wanted;
    if (budget_used(&s->x->memory) > s->x->memory.limit) search_stop(s, END_MEMORY);
}

static uint32_t promise_owner(const search *s, const uint64_t *promise) {
    return share_part_owner(s->shared->with, store_hash_part(store_hash(s->x->states, selfcheck_promised(s, promise))));
}

// Words of promises to a rank; they are copied if there is a place for them.
static uint64_t put_promises(const search *s, uint32_t rank, uint64_t *to) {
    uint64_t n = 0;
    uint32_t words, stride = selfcheck_promise_words(s);
    for (uint32_t i = 0; i < s->nworkers && s->shared->sends_promises; i++) {
        const uint64_t *promises = selfcheck_promises(s->workers[i], &words);
        for (uint32_t k = 0; k < words; k += stride) {
            if (promise_owner(s, promises + k) != rank) continue;
            if (to) memcpy(to + n, promises + k, stride * sizeof *to);
            n += stride;
        }
    }
    return n;
}

static void count_words(search *s) {
    share_data *h = s->shared;
    uint64_t nchunks = chunks_of(s, h->with->mine);
    h->sends_promises = !search_is_over(s);
    memset(h->out_words, 0, h->with->count * sizeof *h->out_words);
    for (uint64_t k = 0; k < s->nchunks; k++)
        for (uint32_t p = 0; p < STORE_PARTS && is_chunk_of(s, k, h->with->mine); p++)
            h->out_words[share_part_owner(h->with, p)] += s->parcels[k * STORE_PARTS + p].words;
    for (uint32_t r = 0; r < h->with->count; r++) {
        h->own_entries += h->out_words[r] / (s->words + 1);
        if (r == h->with->mine || !s->nchunks) h->out_words[r] = 0;
        else h->out_words[r] += 1 + table_words(nchunks, parts_of(h->with, r)) + put_promises(s, r, NULL);
        h->own_sent += h->out_words[r] * sizeof *h->out;
    }
}

static uint64_t *put_parcel(const search *s, const parcel *p, uint32_t part, uint64_t *to) {
    if (p->words) memcpy(to, s->workers[p->worker]->out[part].data + p->begin, p->words * sizeof *to);
    return to + p->words;
}

static void put_size(uint64_t *table, uint64_t i, uint64_t size) {
    table[i / 2] = i % 2 ? table[i / 2] | size << 32 : size;
}

static uint32_t get_size(const uint64_t *table, uint64_t i) { return (uint32_t)(table[i / 2] >> i % 2 * 32); }

static uint64_t *put_message(const search *s, uint32_t rank, uint64_t *to) {
    const share_data *h = s->shared;
    uint64_t *head = to, *table = to + 1, n = 0;
    to = table + table_words(chunks_of(s, h->with->mine), parts_of(h->with, rank));
    for (uint32_t p = share_first_part(h->with, rank); p < share_first_part(h->with, rank + 1); p++)
        for (uint64_t k = 0; k < s->nchunks; k++) {
            if (!is_chunk_of(s, k, h->with->mine)) continue;
            const parcel *from = &s->parcels[k * STORE_PARTS + p];
            put_size(table, n++, from->words);
            to = put_parcel(s, from, p, to);
        }
    *head = put_promises(s, rank, to);
    return to + *head;
}

static void put_messages(search *s) {
    share_data *h = s->shared;
    uint64_t total = 0;
    for (uint32_t r = 0; r < h->with->count; r++) total += h->out_words[r];
    grow_buffer(s, &h->out, &h->out_cap, total);
    uint64_t *to = h->out;
    for (uint32_t r = 0; r < h->with->count; r++)
        if (h->out_words[r]) to = put_message(s, r, to);
    assert(to == h->out + total);
}

// Where the candidates of a message are. From a rank that sent none there are none.
static void take_message(search *s, uint32_t rank) {
    const share_data *h = s->shared;
    uint32_t mine = h->with->mine;
    const uint64_t *message = h->in + h->in_begin[rank];
    bool is_empty = !h->in_words[rank];
    uint64_t n = 0, at = h->in_begin[rank] + 1 + table_words(chunks_of(s, rank), parts_of(h->with, mine));
    for (uint32_t p = share_first_part(h->with, mine); p < share_first_part(h->with, mine + 1); p++)
        for (uint64_t k = 0; k < s->nchunks; k++) {
            if (!is_chunk_of(s, k, rank)) continue;
            uint32_t words = is_empty ? 0 : get_size(message + 1, n++);
            s->parcels[k * STORE_PARTS + p] = (parcel){.begin = at, .words = words, .worker = PARCEL_RECEIVED};
            at += words;
        }
    assert(is_empty || !s->nchunks || at + *message == h->in_begin[rank] + h->in_words[rank]);
}

static void receive(search *s) {
    share_data *h = s->shared;
    uint32_t n = h->with->count;
    uint64_t *all = mem_zero((size_t)n * n, sizeof *all), total = 0;
    h->with->gather(h->with, h->out_words, all, n * sizeof *all);
    for (uint32_t r = 0; r < n; r++) {
        h->in_begin[r] = total;
        h->in_words[r] = all[(size_t)r * n + h->with->mine];
        total += h->in_words[r];
    }
    free(all);
    grow_buffer(s, &h->in, &h->in_cap, total);
    h->with->swap(h->with, h->out, h->out_words, h->in, h->in_words);
}

void share_exchange(search *s) {
    if (!s->is_shared) return;
    count_words(s);
    put_messages(s);
    receive(s);
    for (uint32_t r = 0; r < s->shared->with->count; r++)
        if (r != s->shared->with->mine) take_message(s, r);
    s->received = s->shared->in;
}

void share_keep_promises(search *s) {
    share_data *h = s->shared;
    for (uint32_t r = 0; s->is_shared && !search_is_over(s) && r < h->with->count; r++) {
        if (!h->in_words[r]) continue;
        uint64_t words = h->in[h->in_begin[r]];
        selfcheck_keep_given(s, h->in + h->in_begin[r] + h->in_words[r] - words, words);
    }
}

// ---- the end of a block

static uint64_t *counts_in(unsigned char *n) { return (uint64_t *)(n + sizeof(news)); }

static uint64_t *keys_in(unsigned char *n) { return counts_in(n) + 2 * STORE_PARTS; }

static void put_extent(const search *s, uint32_t part, uint64_t *to) {
    store_extent e = store_extent_of(s->x->states, part);
    to[0] = e.count;
    to[1] = (uint64_t)e.njumps << 32 | e.nfars;
}

static void take_extent(search *s, uint32_t part, const uint64_t *from) {
    s->x->numbers.counts[part] = (uint32_t)from[0];
    s->shared->njumps[part] = (uint32_t)(from[1] >> 32);
    s->shared->nfars[part] = (uint32_t)from[1];
}

static void write_news(search *s) {
    share_data *h = s->shared;
    const selfcheck_failure *f = &s->tried.failed;
    news *own = (news *)h->own;
    *own = (news){.end = atomic_load(&s->end),
                  .limit = limits_met(&s->options->limits),
                  .is_due = checkpoint_is_due(s),
                  .wants_room = settle_is_due(s),
                  .transitions = s->transitions - h->transitions,
                  .memory = budget_used(&s->x->memory),
                  .sent = h->own_sent,
                  .entries = h->own_entries,
                  .broken = f->is_found ? f->order : UINT64_MAX};
    own->done.steps = s->tried.done.steps - h->done.steps;
    own->done.states = s->tried.done.states - h->done.states;
    for (uint32_t i = 0; i < TRIED_KINDS; i++) own->done.tried[i] = s->tried.done.tried[i] - h->done.tried[i];
    for (uint32_t p = 0; p < STORE_PARTS; p++) put_extent(s, p, counts_in(h->own) + 2 * p);
    for (uint32_t i = 0; i < s->asks.len; i++) keys_in(h->own)[i] = finding_key(s, i);
}

static void add_news(share_data *h, const news *n) {
    h->transitions += n->transitions;
    h->memory += n->memory;
    h->sent += n->sent;
    h->entries += n->entries;
    h->wants_room |= n->wants_room;
    h->done.steps += n->done.steps;
    h->done.states += n->done.states;
    for (uint32_t i = 0; i < TRIED_KINDS; i++) h->done.tried[i] += n->done.tried[i];
}

static unsigned char *news_of(const share_data *h, uint32_t rank) { return h->all + rank * h->news_bytes; }

static void share_counts(search *s) {
    share_data *h = s->shared;
    h->memory = h->sent = h->entries = 0;
    h->wants_room = false;
    for (uint32_t r = 0; r < h->with->count; r++) add_news(h, (const news *)news_of(h, r));
    s->transitions_before += h->transitions - s->transitions;
    s->transitions = h->transitions;
    s->tried.done = h->done;
    h->is_due = ((const news *)news_of(h, 0))->is_due;
    for (uint32_t p = 0; p < STORE_PARTS; p++)
        take_extent(s, p, counts_in(news_of(h, share_part_owner(h->with, p))) + 2 * p);
}

static void share_findings(search *s) {
    share_data *h = s->shared;
    for (uint32_t i = 0; i < s->asks.len; i++) {
        uint64_t first = UINT64_MAX;
        for (uint32_t r = 0; r < h->with->count; r++) {
            uint64_t key = keys_in(news_of(h, r))[i];
            if (key < first) first = key;
        }
        keys_in(h->own)[i] = first;
    }
    finding_settle(s, keys_in(h->own));
}

// One who met a limit, or has no memory left, ends the search of all.
static void share_limits(search *s) {
    const share_data *h = s->shared;
    int end = SEARCH_GOES_ON;
    for (uint32_t r = 0; r < h->with->count; r++) {
        const news *n = (const news *)news_of(h, r);
        limits_note(&s->options->limits, (limit_kind)n->limit);
        if (n->end == END_MEMORY || (n->end != SEARCH_GOES_ON && end == SEARCH_GOES_ON)) end = (int)n->end;
    }
    atomic_store(&s->end, end);
}

// The first failure over all ranks: who found it says what it is.
static void share_failure(search *s) {
    const share_data *h = s->shared;
    selfcheck_failure *f = &s->tried.failed;
    uint64_t first = UINT64_MAX;
    uint32_t who = 0;
    for (uint32_t r = 0; r < h->with->count; r++) {
        const news *n = (const news *)news_of(h, r);
        if (n->broken < first) first = n->broken, who = r;
    }
    if (first == UINT64_MAX) return;
    struct {
        tried_kind kind;
        span at;
        uint64_t len;
    } head = {f->kind, f->at, f->text.len};
    h->with->tell(h->with, who, &head, sizeof head);
    char *text = mem_zero(head.len + 1, 1);
    if (who == h->with->mine) memcpy(text, str_get(&f->text), head.len);
    h->with->tell(h->with, who, text, head.len);
    str_clear(&f->text);
    str_add(&f->text, text);
    free(text);
    *f = (selfcheck_failure){true, first, head.kind, head.at, f->text};
    atomic_store(&s->end, END_LIMIT);
}

void share_end_block(search *s) {
    share_data *h = s->shared;
    write_news(s);
    h->with->gather(h->with, h->own, h->all, h->news_bytes);
    share_limits(s);
    share_counts(s);
    share_findings(s);
    share_failure(s);
}

uint64_t share_memory(const search *s) { return s->shared ? s->shared->memory : budget_used(&s->x->memory); }

share_traffic share_sent(const search *s) {
    return s->shared ? (share_traffic){s->shared->sent, s->shared->entries} : (share_traffic){0};
}

// ---- after the search

void share_sum(search *s, uint64_t *numbers, uint32_t n) {
    if (!s->is_shared || !n) return;
    ranks_job *with = s->shared->with;
    uint64_t *all = mem_zero((size_t)with->count * n, sizeof *all);
    with->gather(with, numbers, all, n * sizeof *all);
    memset(numbers, 0, n * sizeof *numbers);
    for (uint32_t r = 0; r < with->count; r++)
        for (uint32_t i = 0; i < n; i++) numbers[i] += all[(size_t)r * n + i];
    free(all);
}

void share_or(search *s, uint64_t *bits, uint32_t n) {
    if (!s->is_shared || !n) return;
    ranks_job *with = s->shared->with;
    uint64_t *all = mem_zero((size_t)with->count * n, sizeof *all);
    with->gather(with, bits, all, n * sizeof *all);
    for (uint32_t r = 0; r < with->count; r++)
        for (uint32_t i = 0; i < n; i++) bits[i] |= all[(size_t)r * n + i];
    free(all);
}

share_first_answer share_first(search *s, uint64_t mine) {
    if (!s->is_shared) return (share_first_answer){.value = mine};
    ranks_job *with = s->shared->with;
    uint64_t *all = mem_zero(with->count, sizeof *all);
    with->gather(with, &mine, all, sizeof mine);
    uint32_t rank = 0;
    while (rank + 1 < with->count && !all[rank]) rank++;
    share_first_answer first = {all[rank], rank};
    free(all);
    return first;
}

bool share_any(search *s, bool is_here) {
    uint64_t n = is_here;
    share_sum(s, &n, 1);
    return n > 0;
}

// What one rank used, all did.
void share_end(search *s) {
    uint64_t used[SPACE_NATIVE + 1];
    for (uint32_t i = 0; i <= SPACE_NATIVE; i++) used[i] = s->has_used[i];
    share_sum(s, used, SPACE_NATIVE + 1);
    for (uint32_t i = 0; i <= SPACE_NATIVE; i++) s->has_used[i] = used[i];
}

void share_state(search *s, store_id id, store_number *parent, uint64_t *hash, uint64_t *state) {
    const store *states = s->x->states;
    uint32_t part = store_id_part(id), words = store_is_compact(states) ? 0 : s->words;
    uint64_t told[s->words + 2];
    if (share_owns(s, part)) {
        told[0] = store_parent(states, id);
        told[1] = store_hash_of(states, id);
        if (words) store_get(states, id, told + 2);
    }
    if (s->is_shared) {
        ranks_job *with = s->shared->with;
        with->tell(with, share_part_owner(with, part), told, (words + 2) * sizeof *told);
    }
    *parent = told[0];
    *hash = told[1];
    memcpy(state, told + 2, words * sizeof *state);
}

uint32_t share_decision(const explore_options *o, uint32_t mine) {
    if (o->ranks) o->ranks->tell(o->ranks, 0, &mine, sizeof mine);
    return mine;
}
