// SPDX-License-Identifier: Apache-2.0
// naive_history: past temporal logic and serializability by interchanges, by their definitions (Cohen,
// Pnueli and Zuck, CAV 2008, section 2) and nothing else. Shares the data types with src/history, none of
// its code.
#ifndef ORACLE_NAIVE_HISTORY_H
#define ORACLE_NAIVE_HISTORY_H

#include "history/history.h"
#include "history/interchange.h"

enum { NAIVE_LONGEST = 48 };

typedef struct {
    event at[NAIVE_LONGEST];
    uint32_t len;
} naive_sequence;

// Does the formula hold at the end of the first `len` events, for some choice of its variables?
bool naive_past_holds(const past *f, const uint32_t sizes[PAST_SORTS], const event *events, uint32_t len);

// The committed transactions of a well-formed history, accesses outside transactions replaced. Own reads
// are left out.
void naive_purify(const event *events, uint32_t len, naive_sequence *out);
// Transactions one after the other, every read finds what was written last (0: nothing).
bool naive_is_atomic(const naive_sequence *s);
// May the events i - 1 and i be swapped?
bool naive_may_swap(const interchange *x, const uint32_t sizes[PAST_SORTS], const naive_sequence *s, uint32_t i);
bool naive_is_serializable(const interchange *x, const uint32_t sizes[PAST_SORTS], const naive_sequence *s);

// A random well-formed history: `len` events at most, reads return any value but own ones.
void naive_history_random(uint64_t seed, const uint32_t sizes[PAST_SORTS], uint32_t len, naive_sequence *out);
// As the library's type; values and names are numbers, 0 is the initial value.
void naive_as_history(const naive_sequence *s, const uint32_t sizes[PAST_SORTS], history *h);

#endif
