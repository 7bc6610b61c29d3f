// SPDX-License-Identifier: Apache-2.0
// Phase 2 of a block: each partition takes its candidates, in order of their chunks, into its part of the
// store.
//
// A thread owns a partition while it works on it, so there are no locks. Nearly every candidate costs two
// cache misses, its slot and the state that the slot names; a window of candidates in flight asks for both
// ahead of time. New states are checked at once, while they are in the cache.
#include "explore/share.h"

#include <string.h>

enum { WINDOW = 32, SLOT_AHEAD = 24, STATE_AHEAD = 12 };

// The candidates of a partition, one after the other through all parcels.
typedef struct {
    search *s;
    const parcel *at, *end;
    uint32_t part, stride;
    const uint64_t *entry, *entry_end;
} feed;

static const uint64_t *parcel_words(const feed *f, const parcel *p) {
    if (p->worker == PARCEL_RECEIVED) return f->s->received + p->begin;
    return f->s->workers[p->worker]->out[f->part].data + p->begin;
}

static bool feed_open(feed *f) {
    for (; f->at < f->end; f->at += STORE_PARTS) {
        if (f->at->words == 0) continue;
        f->entry = parcel_words(f, f->at);
        f->entry_end = f->entry + f->at->words;
        f->at += STORE_PARTS;
        return true;
    }
    return false;
}

static inline const uint64_t *feed_next(feed *f) {
    if (f->entry == f->entry_end && !feed_open(f)) return NULL;
    const uint64_t *entry = f->entry;
    f->entry += f->stride;
    return entry;
}

static inline uint32_t entry_print(const feed *f, const uint64_t *entry) {
    return (uint32_t)(entry[f->stride - 1] >> 32);
}

static void set_parent(const feed *f, const uint64_t *entry, store_id id) {
    uint32_t place = (uint32_t)entry[f->stride - 1];
    if (place != PLACE_INITIAL) store_set_parent(f->s->x->states, id, f->s->block_first + place);
}

static void merge_put(feed *f, worker *w, const uint64_t *entry, uint32_t guess) {
    search *s = f->s;
    store *states = s->x->states;
    switch (store_put(states, f->part, entry_print(f, entry), entry, guess)) {
    case STORE_OLD: return;
    case STORE_FULL: search_stop(s, END_MEMORY); return;
    case STORE_NEW: break;
    }
    store_id id = store_id_of(f->part, store_count(states, f->part) - 1);
    set_parent(f, entry, id);
    if (s->nchecks == 0) return;
    memcpy(w->state, entry, s->words * sizeof *entry);
    finding_check(s, w, id);
}

static void merge_part(search *s, worker *w, uint32_t part) {
    const parcel *first = s->parcels + part;
    feed f = {.s = s, .part = part, .stride = s->words + 1, .at = first};
    f.end = first + s->nchunks * STORE_PARTS;
    const uint64_t *window[WINDOW];
    uint32_t guess[WINDOW];
    uint64_t in = 0, guessed = 0;
    for (uint64_t out = 0;; out++) {
        for (const uint64_t *entry; in < out + SLOT_AHEAD && (entry = feed_next(&f)); in++) {
            window[in % WINDOW] = entry;
            store_prefetch(s->x->states, part, entry_print(&f, entry));
        }
        if (out == in) return;
        for (; guessed < in && guessed <= out + STATE_AHEAD; guessed++)
            guess[guessed % WINDOW] = store_guess(s->x->states, part, entry_print(&f, window[guessed % WINDOW]));
        merge_put(&f, w, window[out % WINDOW], guess[out % WINDOW]);
    }
}

void merge_block(void *context, uint32_t number) {
    search *s = context;
    for (uint32_t part; (part = atomic_fetch_add(&s->next_part, 1)) < STORE_PARTS;)
        if (share_owns(s, part)) merge_part(s, s->workers[number], part);
}
