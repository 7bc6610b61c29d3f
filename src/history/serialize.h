// SPDX-License-Identifier: Apache-2.0
// Is a history serializable with respect to a set of admissible interchanges (Cohen, Pnueli and Zuck, CAV
// 2008, section 2.2)? That is: do admissible swaps of neighbours lead from its purified sequence to an
// atomic one?
//
//   serialize.c   sets of pairs (shape_all_pairs): the order of commits is the only one possible, and it is
//                 reached iff no forbidden pair is the other way round. Linear in the events.
//   derive.c      all others: every sequence that can be derived, breadth first, until one is atomic.
//                 Exponential; limited.
#ifndef HISTORY_SERIALIZE_H
#define HISTORY_SERIALIZE_H

#include "base/limits.h"
#include "history/history.h"
#include "history/interchange.h"

typedef enum { SERIALIZE_HOLDS, SERIALIZE_VIOLATED, SERIALIZE_UNKNOWN } serialize_verdict;

typedef struct {
    uint64_t most_sequences;  // 0: no limit
    limits limits;
    uint32_t most_swaps;  // at most this many are listed
} serialize_limits;

typedef struct {
    serialize_verdict verdict;
    bool by_pairs;             // decided by serialize.c
    str why;                   // violated, unknown
    VEC(pure_event) sequence;  // holds: the atomic sequence
    VEC(uint32_t) swaps;       // holds: the event at this place moves before its left neighbour
    uint64_t nswaps;           // even when there are too many to list
    uint64_t sequences;        // derived
} serialization;

void serialize(const history *h, const diag *messages, const interchange *x, const serialize_limits *limits,
               serialization *out);
void serialization_free(serialization *s);

// ---- the two engines

void serialize_by_pairs(const history *h, const diag *messages, const interchange *x, const purified *p,
                        const serialize_limits *limits, serialization *out);
void serialize_by_search(const history *h, const interchange *x, const purified *p, const serialize_limits *limits,
                         serialization *out);

#endif
