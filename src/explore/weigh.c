// SPDX-License-Identifier: Apache-2.0
// Whether a compact store saves memory: see search.h.
//
// A store of states keeps the bits in which they differ, a compact one a hash for each, and the whole states of two
// levels. So where states have many bits of which few vary, where there are few states, or where two levels have most
// of them, hashes take more. A search that may keep hashes begins with states, and weighs them now and then: at the
// beginning of a level, when there are four times as many states as the last time, and when memory is full. It goes by
// what is stored, which is the same on any number of threads and ranks. Once hashes take less, the search
// ends, and starts again with them. One that keeps states to the end also says `holds`. One that is written to files
// goes on as it began.
#include "base/mem.h"
#include "explore/explore.h"
#include "explore/order.h"
#include "explore/search.h"
#include "explore/share.h"
#include "explore/store.h"

#include <stdlib.h>

// Each list of states of a level has half as much room again.
enum { WEIGH_STATES = 1 << 14, WEIGH_AGAIN = 4, HASH_BYTES = 8 };

// The bits that some state of the level has, and those that some state has not.
typedef struct {
    uint64_t *set, *clear;
} seen_bits;

static void see_level(const search *s, const seen_bits *b) {
    uint64_t *state = mem_zero(s->words + 1, sizeof *state);
    for (uint32_t p = 0; p < STORE_PARTS; p++)
        for (uint32_t i = s->level_begin[p]; share_owns(s, p) && i < s->level_end[p]; i++) {
            store_get(s->x->states, store_id_of(p, i), state);
            for (uint32_t k = 0; k < s->words; k++) {
                b->set[k] |= state[k];
                b->clear[k] |= ~state[k];
            }
        }
    free(state);
}

static uint64_t bytes_that_vary(search *s) {
    uint64_t *room = mem_zero(2 * (size_t)s->words + 1, sizeof *room), bits = 0;
    seen_bits b = {room, room + s->words};
    see_level(s, &b);
    share_or(s, room, 2 * s->words);
    for (uint32_t k = 0; k < s->words; k++) bits += (uint64_t)__builtin_popcountll(b.set[k] & b.clear[k]);
    free(room);
    return (bits + 7) / 8;
}

// Of a state as it is kept: the first of a partition have all bits, later ones those that were seen to vary so far.
static double bytes_of_state(search *s) {
    uint64_t kept = 0, vary = bytes_that_vary(s), states = 0;
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        kept += share_owns(s, p) ? store_packed_bytes(s->x->states, p) : 0;
        states += share_owns(s, p) ? store_count(s->x->states, p) : 0;
    }
    share_sum(s, &kept, 1);
    share_sum(s, &states, 1);
    double each = (double)kept / (double)(states + !states);
    return each < (double)vary ? each : (double)vary;
}

// The most states of two levels in a row.
typedef struct {
    uint64_t last, most;
} widest;

static void see_size(uint64_t size, void *context) {
    widest *w = context;
    if (w->last + size > w->most) w->most = w->last + size;
    w->last = size;
}

// When the next level has grown, or shrunk, as this one did.
static bool are_hashes_worth_it(search *s) {
    uint64_t last = s->last_size ? s->last_size : 1, level = s->level_size;
    double next = (double)level * (double)level / (double)last, all = (double)(s->level_first + level) + next;
    widest w = {0};
    order_sizes(&s->x->numbers, s->level_first + level, see_size, &w);
    double whole = (double)level + next > (double)w.most ? (double)level + next : (double)w.most;
    double hashes = HASH_BYTES * all + 1.5 * whole * store_whole_bytes(s->x->states);
    return bytes_of_state(s) * all > hashes;
}

static bool is_level_to_weigh(const search *s) {
    uint64_t before = s->level_first, with = before + s->level_size, least = WEIGH_STATES;
    while (least <= before) least *= WEIGH_AGAIN;
    return with >= least;
}

static void weigh_now(search *s) { s->wants_hashes = s->weighs_hashes && s->level_size && are_hashes_worth_it(s); }

void weigh_hashes(search *s) {
    if (!s->weighs_hashes || !is_level_to_weigh(s)) return;
    weigh_now(s);
    if (s->wants_hashes) search_stop(s, END_LIMIT);
}

void weigh_at_limit(search *s) {
    if (atomic_load(&s->end) == END_MEMORY) weigh_now(s);
}
