// SPDX-License-Identifier: Apache-2.0
// A search in a file, so that a run that was killed can continue from there.
//
// A checkpoint is the search at the beginning of a block. The store only grows, so the file does too: each segment has
// what is new since the one before, its length and a checksum, which are written last. A segment that was cut short
// counts as absent, and those before it are a search to continue: whenever a run is killed, and on a full disk, the
// file is usable. It begins with a fingerprint of the model, its sizes and the options that matter, and is refused for
// any other; it is locked as long as a run uses it. All ranks of a search write one file, which does not say how many
// they were.
#ifndef EXPLORE_CHECKPOINT_H
#define EXPLORE_CHECKPOINT_H

#include "explore/search.h"
#include "explore/store.h"

typedef enum {
    CHECKPOINT_NONE,
    CHECKPOINT_RESUMED,
    CHECKPOINT_REFUSED,  // with a message: it cannot be used or written
    CHECKPOINT_CUT,      // a limit was met while reading
    CHECKPOINT_WITHOUT   // it belongs to a search that relied on less: s->without says what it did without
} checkpoint_start;

// A fingerprint of the model, its sizes and the options that matter.
uint64_t checkpoint_print(const search *s);
// Opens the file of the options, or makes it. If a search is in it, the level and block to continue with are set.
checkpoint_start checkpoint_begin(search *s);
bool checkpoint_is_due(const search *s);  // it is time to write
// At the beginning of a block, when nobody works: remembers it, and writes it from time to time.
void checkpoint_block(search *s);
// After the search: the file is removed when the search is done or what it relied on has failed, and written when the
// search was cut short.
void checkpoint_end(search *s);

// A search with files of states (settle.c) has its checkpoint beside them. It is written when all states are in the
// files, and says how many, with a checksum of those that are new; it stays until the files are no longer needed.
bool checkpoint_is_kept(const search *s);  // there is something to go on from
void checkpoint_empty(search *s);          // from now on there is not
void checkpoint_free(search *s);
// Ids that the checkpoint has of the beginning of the block: of findings, and where each partition ended.
void checkpoint_each_id(search *s, void (*visit)(store_id *id, void *context), void *context);

#endif
