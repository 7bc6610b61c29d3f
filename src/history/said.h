// SPDX-License-Identifier: Apache-2.0
// One event as our own formats say it, and what it does to a recording.
//
//   said.c   the names of events, and their meaning
#ifndef HISTORY_SAID_H
#define HISTORY_SAID_H

#include "history/recorded.h"

typedef enum {
    SAID_OPEN,
    SAID_READ,
    SAID_WRITE,
    SAID_APPEND,
    SAID_CALL,  // commit is called; the next commit or abort is its answer
    SAID_COMMIT,
    SAID_ABORT,
    SAID_LEFT,  // the session goes on without an answer
    SAID_NT_READ,
    SAID_NT_WRITE,
    SAID_KINDS
} said_kind;

typedef struct {
    said_kind kind;
    uint32_t session, key, value;
    bool is_list;    // the value is a list
    bool has_times;  // else it is an instant, at its place in the file
    bool is_answered;
    uint64_t call, answer;
    size_t place, end;  // in the file
} said;

// What is known of the times of one file; zero at its beginning.
typedef struct {
    bool is_untimed, has_kind;
    recording_times_kind kind;
} said_times;

extern const char *const said_words[];  // names of events first, then the other words of .hist
extern const uint32_t said_nwords;

said_kind said_find(const char *name, size_t size);  // SAID_KINDS: there is none
bool said_has_key(said_kind k);
// False after a mistake, with a message.
bool said_record(recording *r, said_times *times, said *e);

#endif
