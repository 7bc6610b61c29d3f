// SPDX-License-Identifier: Apache-2.0
// A small interpreter that replays an order found for a level, from the recorded history alone: before an order is
// shown, and when a certificate is rechecked. It shares nothing with the checker but the history.
//
//   replay.c       orders of transactions, and of snapshots and commits
//   replay_weak.c  the levels of Biswas and Enea
#ifndef HISTORY_REPLAY_H
#define HISTORY_REPLAY_H

#include "history/level.h"
#include "history/recorded.h"

// A witness that a level holds. At the levels of serializability and the weak ones `order` has transactions; at those
// of snapshots it has points: 2 t where transaction t takes its snapshot, 2 t + 1 where it commits. `committed` says by
// transaction which count. Weak levels: `writers` says by operation who wrote what a read returned: a transaction + 1,
// 0 for the initial value; 0 for operations that are no reads from others.
typedef struct {
    uint32_t *order, norder;
    uint8_t *committed;
    uint32_t *writers;  // NULL unless the level is weak
} witness;

void witness_free(witness *w);
// False, with the reason, if the witness does not show that the level holds.
bool replay_witness(const recorded *h, level l, const witness *w, str *why);

// ---- shared by the two files
bool replay_weak(const recorded *h, level l, const witness *w, str *why);
void replay_name(const recorded *h, uint32_t tx, str *out);  // "transaction 3 of session 1"

#endif
