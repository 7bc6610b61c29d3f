// SPDX-License-Identifier: Apache-2.0
// Events of a history: what a client asked of the memory, with the answer. Clients, addresses and values are
// numbers here; their names belong to the history (history.h) or to whoever runs a specification.
#ifndef HISTORY_EVENT_H
#define HISTORY_EVENT_H

#include "base/diag.h"

typedef enum {
    EVENT_OPEN,
    EVENT_READ,
    EVENT_WRITE,
    EVENT_COMMIT,
    EVENT_ABORT,
    EVENT_NT_READ,  // these two: outside transactions
    EVENT_NT_WRITE,
    EVENT_KINDS
} event_kind;

typedef struct {
    event_kind kind;
    uint32_t client;
    uint32_t address, value;  // of reads and writes, else 0
    uint32_t begin, end;      // its place in the text it was read from
} event;

static inline bool event_is_read(event_kind k) { return k == EVENT_READ || k == EVENT_NT_READ; }
static inline bool event_is_write(event_kind k) { return k == EVENT_WRITE || k == EVENT_NT_WRITE; }
static inline bool event_is_access(event_kind k) { return event_is_read(k) || event_is_write(k); }
static inline bool event_is_outside(event_kind k) { return k == EVENT_NT_READ || k == EVENT_NT_WRITE; }
static inline bool event_is_close(event_kind k) { return k == EVENT_COMMIT || k == EVENT_ABORT; }

const char *event_kind_name(event_kind k);  // "nt_read"
// EVENT_KINDS if there is none with that name.
event_kind event_kind_find(const char *name, size_t size);

#endif
