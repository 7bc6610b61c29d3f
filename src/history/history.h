// SPDX-License-Identifier: Apache-2.0
// Finite histories of transactions with values and with accesses outside transactions (Cohen, Pnueli and
// Zuck, CAV 2008, section 2.1): what is well-formed, what is atomic, and the purified sequence on which
// serializability is decided.
//
//   history_text.c   the text form (.hist)
//   history_json.c   the JSON form
//
// Where the paper is silent: a location that nobody has written holds an initial value; a transaction that
// is not closed counts as one that will abort; a read of what its own transaction has written (which the
// paper assumes away) must return that, and does not concern anybody else: the purified sequence
// leaves it out.
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include "base/map.h"
#include "base/vec.h"
#include "history/event.h"

typedef struct {
    VEC(event) events;
    map *clients, *addresses, *values;  // names to numbers, in order of appearance
    VEC(uint32_t) initial;              // by address: value + 1, or 0 for the common one
    uint32_t common;                    // initial value of the others
    uint32_t file;                      // of the text, for messages
} history;

void history_begin(history *h);
void history_free(history *h);

// False after mistakes, which go to `messages`. The text must outlive `messages`.
bool history_read_text(history *h, diag *messages, const char *path, const char *text, size_t size);
bool history_read_json(history *h, diag *messages, const char *path, const char *text, size_t size);

uint32_t history_intern(map *names, const char *name, size_t size);
uint32_t history_initial(const history *h, uint32_t address);
void history_set_initial(history *h, uint32_t address, uint32_t value);
// "read(1,x,0)"
void history_event_text(const history *h, const event *e, str *out);
// The same with its place: "read(1,x,0) (line 3)"
void history_event_place(const history *h, const diag *messages, const event *e, str *out);

// ---- what it is

typedef struct {
    bool holds;
    str why;  // when not
} history_answer;

typedef struct {
    uint32_t committed, aborted, unfinished, outside;
} history_counts;

// Every client's events are transactions one after the other, and a read of what the transaction itself has
// written returns that. Prefixes of such sequences count.
history_answer history_is_well_formed(const history *h, const diag *messages, history_counts *counts);
// No two transactions overlap, and every read returns what was committed last. Of well-formed histories.
history_answer history_is_atomic(const history *h, const diag *messages);

// ---- the purified sequence: committed transactions only, accesses outside transactions as transactions

typedef struct {
    event e;
    uint32_t rank;  // its transaction's position in the order of commits
} pure_event;

typedef struct {
    VEC(pure_event) events;
    uint32_t transactions;
} purified;

// Of a well-formed history.
void history_purify(const history *h, purified *out);

#endif
