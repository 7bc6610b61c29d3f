// SPDX-License-Identifier: Apache-2.0
// Phase 2 of a block: each partition takes its candidates, in order of their runs, into its part of the
// store.
//
// A thread owns a partition while it works on it, so there are no locks; from block to block it has the same ones where
// it can, since what another processor wrote last takes longer to get. Nearly every candidate costs two cache misses,
// its slot and the state that the slot names; several groups of candidates are in flight, each at another stage of
// asking for them (store.h). New states are checked at once, while they are in the cache.
#include "explore/share.h"

#include <string.h>

enum { GROUP = 16, STAGES = 4 };

// The candidates of a partition, one after the other through the parcels of all runs.
typedef struct {
    search *s;
    const uint32_t *run, *end;
    uint32_t part, stride;
    const uint64_t *entry, *entry_end;
} feed;

static const uint64_t *parcel_words(const feed *f, const parcel *p) {
    if (p->worker == PARCEL_RECEIVED) return f->s->received + p->begin;
    return f->s->workers[p->worker]->out[f->part].data + p->begin;
}

static const parcel *parcel_of(const search *s, uint32_t run, uint32_t part) {
    return &s->parcels[(size_t)run * STORE_PARTS + part];
}

static bool feed_open(feed *f) {
    while (f->run < f->end) {
        const parcel *p = parcel_of(f->s, *f->run++, f->part);
        if (p->words == 0) continue;
        f->entry = parcel_words(f, p);
        f->entry_end = f->entry + p->words;
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

// Candidates that go through the stages together.
typedef struct {
    const uint64_t *entries[GROUP];
    uint32_t prints[GROUP], guesses[GROUP];
    uint32_t n;
} group;

static void group_take(feed *f, group *g) {
    const uint64_t *entry;
    for (g->n = 0; g->n < GROUP && (entry = feed_next(f)); g->n++) {
        g->entries[g->n] = entry;
        g->prints[g->n] = entry_print(f, entry);
    }
    store_prefetch(f->s->x->states, f->part, g->prints, g->n);
}

static void group_put(feed *f, worker *w, const group *g) {
    for (uint32_t i = 0; i < g->n; i++) merge_put(f, w, g->entries[i], g->guesses[i]);
}

// No other group is there to be worked on while memory answers.
static void put_only_group(feed *f, worker *w, group *g) {
    store_guess(f->s->x->states, f->part, g->prints, g->n, g->guesses);
    store_expect(f->s->x->states, f->part, g->prints, g->n, g->guesses);
    group_put(f, w, g);
}

// Group number `at` is put when three more were asked for; after the last one these are empty.
static void put_groups(feed *f, worker *w, group *groups) {
    const store *states = f->s->x->states;
    store_prefetch_pages(states, f->part);
    for (uint32_t i = 1; i < STAGES; i++) groups[i].n = 0;
    for (uint32_t at = 1, empty = 0; empty < STAGES - 1; at++) {
        group *newest = &groups[at % STAGES], *second = &groups[(at + STAGES - 1) % STAGES],
              *third = &groups[(at + STAGES - 2) % STAGES], *oldest = &groups[(at + STAGES - 3) % STAGES];
        group_take(f, newest);
        store_guess(states, f->part, second->prints, second->n, second->guesses);
        store_expect(states, f->part, third->prints, third->n, third->guesses);
        group_put(f, w, oldest);
        empty = newest->n ? 0 : empty + 1;
    }
}

static void merge_part(search *s, worker *w, uint32_t part) {
    feed f = {.s = s, .part = part, .stride = s->words + 1, .run = s->runs, .end = s->runs + s->nruns};
    group groups[STAGES];
    group_take(&f, groups);
    if (groups[0].n < GROUP) put_only_group(&f, w, groups);
    else put_groups(&f, w, groups);
}

// Most partitions get nothing from the blocks of a small search.
static bool has_candidates(const search *s, uint32_t part) {
    for (uint32_t k = 0; k < s->nruns; k++)
        if (parcel_of(s, s->runs[k], part)->words) return true;
    return false;
}

void merge_begin(search *s) { ranges_deal(s->part_ranges, s->nactive, STORE_PARTS, false); }

// In increasing order: what a thread finds first comes before all else that it finds (finding.c).
void merge_block(void *context, uint32_t number) {
    search *s = context;
    work_range *own = &s->part_ranges[number];
    uint32_t part = 0;  // the last one that was taken
    do {
        while (ranges_next(own, &part))
            if (share_owns(s, part) && has_candidates(s, part)) merge_part(s, s->workers[number], part);
    } while (ranges_take_half(s->part_ranges, s->nactive, part, own));
}
