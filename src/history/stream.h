// SPDX-License-Identifier: Apache-2.0
// Levels about real time, decided while the history is read: memory follows the transactions that overlap and the keys,
// not the length of the history.
//
//   stream.c        blocks of transactions: which can be decided, and what to do when they cannot
//   stream_part.c   those of a block as a history of its own
//   stream_place.c  transactions get their place in the order, one after the other, and may lose it again
//
// Transactions wait until their block is full. Those whose writers are known are ordered by level_check, as a history
// that begins with what the memory holds. Of that order, the first ones that ended before anybody else began have their
// place: a small interpreter of its own replays each at its place (values, real time, sessions, deferred update), and
// what it wrote is what the memory holds. If there is no order, an earlier choice may be the reason, such as the order
// of two writers whom nobody had read: the last places are taken back, more and more of them, and the block is ordered
// anew. If that does not help, or something is met that is not decided here (lists, a mistake in the file), the answer
// is "undecided", and the history is to be looked at as a whole: nothing is ever violated here.
#ifndef HISTORY_STREAM_H
#define HISTORY_STREAM_H

#include "base/limits.h"
#include "history/format.h"
#include "history/level.h"
#include "history/names.h"
#include "history/recorded.h"

typedef struct {
    level level;         // strict or opaque
    const limits *stop;  // may be NULL
    uint32_t block;      // transactions that wait at least before they are ordered; 0: 8,192
    uint32_t kept;       // places that can be taken back at least; 0: 32,768
    uint32_t shown;      // of the order, for the answer
    bool is_mapped;      // the text is a file that is mapped into memory: what was read may go
} stream_how;

typedef struct {
    uint32_t session, number;  // the number-th transaction of the session, from 1
    bool is_committed;
} stream_tx;

typedef struct {
    bool holds;       // else it is undecided
    const char *why;  // then
    names sessions;
    uint64_t events, outcomes[TX_OUTCOMES];
    uint64_t placed;         // transactions of the order
    uint64_t committed;      // that count as committed
    VEC(stream_tx) shown;    // the first of them
    uint64_t blocks, taken;  // places that were taken back
    uint32_t most;           // transactions in memory
} stream_answer;

// Files of one format: one .hist file, or any number of logs, which are read side by side. False: not of such files.
bool stream_is_for(const format_source *files, uint32_t count, const format *by);
void stream_check(const format_source *files, uint32_t count, const stream_how *how, stream_answer *a);
void stream_answer_free(stream_answer *a);

#endif
