// SPDX-License-Identifier: Apache-2.0
// What of a recorded history counts at a level: the reads that somebody else must have written, the last writes of what
// may have committed, and for each read who may have written what it returned.
//
//   digest.c         reads, writes, and who counts
//   digest_source.c  who may have written what was read
//
// A pending transaction whose value some transaction that counts must have read has committed; one that nobody reads
// from counts as not committed, which is never harder; the rest (values that others write too) is undecided.
#ifndef HISTORY_DIGEST_H
#define HISTORY_DIGEST_H

#include "base/limits.h"
#include "base/map.h"
#include "history/level.h"
#include "history/recorded.h"

#define DIGEST_INITIAL UINT32_MAX        // a writer: the initial value
#define DIGEST_OPEN    (UINT32_MAX - 1)  // a writer: one of several candidates

typedef enum { COUNTS_NOT, COUNTS_MAYBE, COUNTS } counting;

typedef struct {
    uint32_t tx, key, value;     // of a list: without what the transaction itself appended
    uint32_t op, last_op;        // the first and the last operation that returned it
    uint32_t writer;             // transaction, DIGEST_INITIAL or DIGEST_OPEN
    uint32_t first, candidates;  // DIGEST_OPEN: in `candidates`
    uint64_t answer;             // the earliest answer that returned it
    bool is_list;
} digest_read;

typedef struct {
    uint32_t tx, key, value;
} digest_write;

// Why no order can exist, seen without looking for one.
typedef enum { MISFIT_NONE, MISFIT_OWN_WRITE, MISFIT_NO_WRITER, MISFIT_LISTS } misfit_kind;

typedef struct {
    misfit_kind kind;
    uint32_t tx, op;
    uint32_t other;  // MISFIT_LISTS: another operation that read the same list otherwise
} misfit;

typedef struct {
    const recorded *h;
    level l;
    uint8_t *writes_count, *reads_count;  // by transaction: counting
    VEC(digest_read) reads;               // by transaction, in order
    VEC(digest_write) writes;             // by key, then transaction
    uint32_t *key_first;                  // by key: its writes are key_first[k] … key_first[k + 1] - 1
    uint32_t *tx_first;                   // by transaction: its reads are tx_first[t] … tx_first[t + 1] - 1
    VEC(uint32_t) candidates;             // writers, may be DIGEST_INITIAL
    VEC(uint32_t) list_order;             // pairs of transactions: one before the other, if that counts
    map *appenders;                       // with lists: (key, element) to transaction
    uint64_t *latest_end;                 // with times, beside `writes`: the latest end of its key's writes so far
    misfit wrong;                         // when there is one
    const char *trouble;                  // it cannot be decided, and why
} digest;

void digest_make(digest *d, const recorded *h, level l, const limits *stop);
void digest_free(digest *d);

// An operation of the same transaction returned the same, and not its own write.
bool digest_same_read(const digest *d, const digest_read *q, uint32_t op);

// ---- for digest_source.c
void digest_find_writers(digest *d, const limits *stop);

#endif
