// SPDX-License-Identifier: Apache-2.0
// A search in a file, so that a run that was killed goes on from there.
//
// A checkpoint is the search at the begin of a block. The store only grows, so the search as it was at the
// last begin of a block can be written at any time: what was stored later is left out. The file is
// replaced as a whole, by renaming a new one, and ends in a checksum; it begins with a fingerprint of the model,
// its sizes and the options that matter, and is refused for any other.
#ifndef EXPLORE_CHECKPOINT_H
#define EXPLORE_CHECKPOINT_H

#include "explore/search.h"

typedef enum { CHECKPOINT_NONE, CHECKPOINT_RESUMED, CHECKPOINT_REFUSED } checkpoint_start;

// Reads the file of the options, if there is one: then the level and block to go on with are set. REFUSED, with
// a message, when it cannot be used, or a new one cannot be written.
checkpoint_start checkpoint_begin(search *s);
// At the begin of a block, when nobody works: remembers it, and writes it from time to time.
void checkpoint_block(search *s);
// After the search: the file goes when the search is done, and is written when it was cut short.
void checkpoint_end(search *s);

#endif
