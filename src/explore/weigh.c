// SPDX-License-Identifier: Apache-2.0
// Whether a compact store saves memory: see search.h.
//
// A store of states keeps the bits in which they differ, a compact one a hash for each, and the whole states of two
// levels. So where states have many bits of which few vary, hashes take more. This is found out once, when there are
// enough states, from those of the level that begins, which are the same on any number of threads and ranks. A search
// whose hashes save nothing ends, and starts again with states: then it also says `holds`. One that is written to files
// goes on as it began.
#include "base/mem.h"
#include "explore/explore.h"
#include "explore/search.h"
#include "explore/share.h"
#include "explore/store.h"

#include <stdlib.h>

enum { WEIGH_STATES = 1 << 16, HASH_BYTES = 8, WHOLE_SHARE = 4 };

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

// Two levels in whole states come to about a fourth of a state for each.
static bool are_hashes_worth_it(search *s) {
    return bytes_that_vary(s) > HASH_BYTES + store_whole_bytes(s->x->states) / WHOLE_SHARE;
}

// The first level with which there are enough states.
static bool is_level_to_weigh(const search *s) {
    uint64_t before = 0, with = 0;
    for (uint32_t p = 0; p < STORE_PARTS; p++) {
        before += s->level_begin[p];
        with += s->level_end[p];
    }
    return before < WEIGH_STATES && with >= WEIGH_STATES;
}

void weigh_hashes(search *s) {
    const explore_options *o = s->options;
    if (!s->is_compact || o->checkpoint || o->disk || !is_level_to_weigh(s)) return;
    s->wants_states = !are_hashes_worth_it(s);
    if (s->wants_states) search_stop(s, END_LIMIT);
}
