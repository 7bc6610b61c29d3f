// SPDX-License-Identifier: Apache-2.0
// What the files of stream.h share.
#ifndef HISTORY_STREAM_INT_H
#define HISTORY_STREAM_INT_H

#include "history/recorded.h"
#include "history/stream.h"

// What a key holds.
typedef struct {
    uint32_t value;    // a name
    uint32_t initial;  // what it held at first, for a look at the end
    uint64_t commits;  // its writer had called commit then
    bool is_used;
} stream_cell;

typedef struct {
    uint32_t key, value;
    uint64_t commits;
} stream_undo;

// A transaction that has its place.
typedef struct {
    uint32_t tx;
    uint32_t undo;          // what it overwrote begins here
    uint32_t last_number;   // of its session, before it
    uint64_t latest_begin;  // of those before it
    bool is_committed;
} stream_place;

typedef struct {
    uint64_t last_end;     // of its last transaction
    uint64_t seen;         // how many were closed then, of all
    uint32_t numbers;      // of its transactions so far
    uint32_t last_number;  // that has its place
    bool is_open_ended;    // its last one never ended
} stream_session;

typedef struct {
    stream_how how;
    recording *r;
    recorded h;
    VEC(uint32_t) numbers;  // by transaction: in its session
    VEC(uint32_t) waiting;  // closed, without a place
    VEC(stream_place) placed;
    VEC(stream_undo) undone;
    VEC(stream_cell) memory;  // by key
    VEC(uint32_t) own;        // by key: the last value that the present transaction wrote to it, plus 1
    VEC(stream_session) sessions;
    uint64_t closed, latest_begin, outcomes[TX_OUTCOMES];
    uint64_t committed;  // that have their places
    uint64_t pending;    // that have, and count as committed
    uint32_t threshold;  // of waiting ones
    const char *why;     // it was given up
    uint64_t blocks, taken, dropped;
    uint32_t most;
    VEC(stream_tx) shown;
    const char *text;  // is_mapped: the file, of which the part before `forgotten` is not needed
    size_t forgotten;
} stream;

// ---- stream_part.c

// Some waiting transactions as a history of its own. Names are those of the whole.
typedef struct {
    recorded h;
    VEC(uint32_t) txs;  // which they are
    uint64_t before;    // whoever is not in it began at this time or later
} stream_part;

// All that wait and read only what is in the memory, or what others of them wrote. `until`: whoever has not been seen
// begins then or later. False: somebody read what nobody wrote.
bool stream_part_make(stream *s, uint64_t until, stream_part *p);
void stream_part_free(stream_part *p);

// ---- stream_place.c

// Its place is after all others. False: it is not legal there.
bool stream_place_tx(stream *s, uint32_t tx, bool is_committed);
void stream_take_back(stream *s, uint32_t count);   // the last ones wait again
void stream_show_first(stream *s, uint32_t count);  // for the answer
// The first ones are not taken back any more, and go from memory.
void stream_forget(stream *s, uint32_t count);
bool stream_initial_is_same(stream *s);  // nothing was said of initial values after they were used

#endif
