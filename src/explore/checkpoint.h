// SPDX-License-Identifier: Apache-2.0
// A search in a file, so that a run that was killed goes on from there.
//
// A checkpoint is the search at the beginning of a block. The store only grows, so the file does too: each segment has
// what is new since the one before, its length and a checksum, which are written last. A segment that was cut short is
// not there, and those before it are a search to go on with: whenever a run is killed, and on a full disk, the file is
// good. It begins with a fingerprint of the model, its sizes and the options that matter, and is refused for any other;
// it is locked as long as a run uses it.
#ifndef EXPLORE_CHECKPOINT_H
#define EXPLORE_CHECKPOINT_H

#include "explore/search.h"

typedef enum {
    CHECKPOINT_NONE,
    CHECKPOINT_RESUMED,
    CHECKPOINT_REFUSED,  // with a message: it cannot be used or written
    CHECKPOINT_CUT,      // a limit was met while reading
    CHECKPOINT_WITHOUT   // it is of a search that relied on less: s->without says on what not
} checkpoint_start;

// Opens the file of the options, or makes it. If a search is in it, the level and block to go on with are set.
checkpoint_start checkpoint_begin(search *s);
// At the beginning of a block, when nobody works: remembers it, and writes it from time to time.
void checkpoint_block(search *s);
// After the search: the file goes when the search is done or what it relied on has failed, and is written when it was
// cut short.
void checkpoint_end(search *s);

#endif
