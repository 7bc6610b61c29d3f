// SPDX-License-Identifier: Apache-2.0
// Levels of consistency of recorded histories, and what is answered about them.
//
// For every level some choice of the commit-pending transactions counts as committed. A read is legal if it returns its
// transaction's own last write of the key before it, else what the last writer before it (in the order in question)
// left there, else the initial value. Only last writes of committed transactions are left.
//
//   serializable    an order of the committed transactions in which all their reads are legal
//   session         … that keeps the order of each session
//   strict          … that keeps real time too: T before U if T's last answer came before U's first call
//   opaque          an order of all transactions, aborted and live ones too, that keeps sessions and real time, in
//                   which all reads are legal; and what is read from another transaction comes from one that had called
//                   commit before the read returned
//   si              each committed transaction has a snapshot point before its commit point; reads are legal at the
//                   snapshot; of two that write one key, one commits before the other takes its snapshot
//   session_si      … and snapshots come after the commits of earlier transactions of the session
//   strong_si       … and after the commits of all that had answered before the transaction's first call
//   causal          Biswas and Enea (OOPSLA 2019): an order that contains sessions and read-from, in which t2 is before
//                   t1 whenever t3 reads from t1 a key that t2 writes too, and t2 happens before t3
//   read_atomic     … whenever t2 is earlier in t3's session, or t3 reads from it
//   read_committed  … whenever t3 read from t2 before it read that key
//
// A transaction that did not end (live, commit-pending) is before nothing in real time. Lists: a read of a list is a
// read from the appender of its last element, and the list is the order of its appenders, with nobody else between
// them.
#ifndef HISTORY_LEVEL_H
#define HISTORY_LEVEL_H

#include "history/recorded.h"

// From the strongest to the weakest: a level implies only levels after it.
typedef enum {
    LEVEL_OPAQUE,
    LEVEL_STRICT,
    LEVEL_SESSION,
    LEVEL_SERIALIZABLE,
    LEVEL_STRONG_SI,
    LEVEL_SESSION_SI,
    LEVEL_SI,
    LEVEL_CAUSAL,
    LEVEL_READ_ATOMIC,
    LEVEL_READ_COMMITTED,
    LEVEL_COUNT
} level;

const char *level_name(level l);  // "strong_si"
bool level_find(const char *name, level *out);
bool level_needs_times(level l);               // opaque, strict, strong_si
bool level_implies(level strong, level weak);  // every history of the first is one of the second
bool level_has_sessions(level l);              // keeps the order of sessions
static inline bool level_is_snapshot(level l) { return l == LEVEL_STRONG_SI || l == LEVEL_SESSION_SI || l == LEVEL_SI; }
static inline bool level_is_weak(level l) { return l >= LEVEL_CAUSAL; }

#endif
