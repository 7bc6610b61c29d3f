// SPDX-License-Identifier: Apache-2.0
// One search on several ranks, with the answer that one rank gives.
//
// Ranks (ranks/ranks.h) own partitions of the store, each a range of them (share_first_part). A rank has the
// states of its partitions, expands them and merges what belongs there. Nothing else is divided: counts, levels,
// blocks, findings and limits are known to all, and all take the same decisions from them.
//
// Numbers. The order of discovery must not depend on ranks, and it does not depend on threads (search.h) for reasons
// that hold here as well: a position in a level follows from the sizes of its partitions and its cuts (batches.h), a
// block is a range of positions cut by counts, a chunk is a piece of it that one rank has. Phase 2 takes the candidates
// of a partition in order of chunks, wherever they come from. So every partition stores the same states in the same
// order as on one rank, and a state's id, its number (order.h) and that of its parent are the same. A parent is a
// number: who owns it follows from the order, which all ranks have.
//
// A block. Each rank expands its chunks. Candidates for other ranks travel in one message to each, which says first how
// many words every chunk has for every partition. What was sent recently is not sent again (expand.c). Then partitions
// are merged, and at the end of the block each rank tells all others what is new: sizes of partitions, transitions,
// first findings, what the self-check spent or found broken, whether it met a limit. The first finding over all ranks
// counts, by position, as it does over all threads. A limit of one rank is a limit of all.
//
// Beginning. A search begins on every rank, all doing the same: few states are not worth a message. When there are more
// than a hundred thousand, they meet, and from then on each rank goes on with its own partitions; what it has of the
// others stays where it is. Ranks that end before that, or at a limit, come to the same meeting, so nobody waits.
//
// End. The chain of parents is told link by link by the owners; every rank then rebuilds and replays the trace, and all
// come to the same result. Rank 0 alone says whether the search starts again without something that failed.
#ifndef EXPLORE_SHARE_H
#define EXPLORE_SHARE_H

#include "explore/explore.h"
#include "explore/search.h"
#include "explore/store.h"
#include "ranks/ranks.h"

// At the beginning of an attempt. False, with a message on rank 0, if ranks do not search the same.
bool share_begin(search *s, bool is_set_up);
void share_free(search *s);

// After a search was read from a checkpoint, by each rank its partitions.
void share_resume(search *s);
// For the next checkpoint: how far a partition is, on whatever rank, and whether all write it now.
store_extent share_extent(const search *s, uint32_t part);
bool share_is_due(const search *s);
bool share_wants_room(const search *s);  // some rank has little memory left: all settle their states (settle.c)

// Before a block, and when the search is over: from some number of states on, ranks divide the work.
void share_meet(search *s, bool is_end);
void share_exchange(search *s);       // between the phases of a block
void share_keep_promises(search *s);  // after phase 2: what other ranks' self-checks say must be stored here
void share_end_block(search *s);      // what all ranks did in a block, to all

uint64_t share_memory(const search *s);  // of all ranks
typedef struct {
    uint64_t bytes, candidates;  // sent to other ranks; sent at all
} share_traffic;
share_traffic share_sent(const search *s);

// After the search.
bool share_any(search *s, bool is_here);
typedef struct {
    uint64_t value;
    uint32_t rank;
} share_first_answer;
share_first_answer share_first(search *s, uint64_t mine);  // of the first rank that has not 0
void share_sum(search *s, uint64_t *numbers, uint32_t n);
void share_or(search *s, uint64_t *bits, uint32_t n);
void share_end(search *s);
// What the store has about a state, from whoever has it: its parent, its hash and, unless the store is compact, itself.
void share_state(search *s, store_id id, store_number *parent, uint64_t *hash, uint64_t *state);
// What rank 0 decides, to all.
uint32_t share_decision(const explore_options *o, uint32_t mine);

// The partitions of rank r are those from share_first_part(r) to before that of r + 1.
static inline uint32_t share_first_part(const ranks_job *with, uint32_t rank) {
    return (uint32_t)(((uint64_t)rank * STORE_PARTS + with->count - 1) / with->count);
}

static inline uint32_t share_part_owner(const ranks_job *with, uint32_t part) {
    return (uint32_t)((uint64_t)part * with->count / STORE_PARTS);
}

static inline bool share_owns(const search *s, uint32_t part) {
    return !s->is_shared || share_part_owner(s->options->ranks, part) == s->options->ranks->mine;
}

#endif
