// SPDX-License-Identifier: Apache-2.0
// The definitions of level.h, tried out: all orders, all choices. Nothing of the checker is used here. It is asked
// again about the few transactions that show a violation, and is the twin that tests compare the checker with.
//
//   brute.c       orders of transactions, and of snapshots and commits
//   brute_weak.c  the levels of Biswas and Enea
#ifndef HISTORY_BRUTE_H
#define HISTORY_BRUTE_H

#include "history/level.h"
#include "history/recorded.h"

enum { BRUTE_MOST = 9 };  // transactions

typedef enum { BRUTE_NO, BRUTE_YES, BRUTE_TOO_LARGE } brute_answer;

// Too large: over BRUTE_MOST transactions, or more than `most_steps` steps of search (0: no limit).
brute_answer brute_check(const recorded *h, level l, uint64_t most_steps);
// The same for LEVEL_OPAQUE, with the order that was found and who counts as committed: room for all transactions.
brute_answer brute_opaque(const recorded *h, uint64_t most_steps, uint32_t *order, uint8_t *committed);

// ---- shared by the two files

// T is before U for a reason that does not depend on the order: session, real time.
bool brute_is_before(const recorded *h, level l, uint32_t t, uint32_t u);
// Which sets of transactions count as committed: bit masks from `least` on, NULL-terminated by false.
bool brute_next_committed(const recorded *h, uint32_t *mask);
uint32_t brute_least_committed(const recorded *h);
brute_answer brute_weak(const recorded *h, level l, uint64_t most_steps);

#endif
