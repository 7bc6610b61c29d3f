// SPDX-License-Identifier: Apache-2.0
// Candidates for relations between a memory and its specification: clauses with sets of phases.
//
// What relations are made of is said of a thread in some of its phases: phase(t) = checking | phase(t) = valid -> ….
// So a candidate is a few literals about other things, the *rest*, and the set of phases in which all may be false,
// the least that the samples allow: one candidate for each rest, not one for each set. With two threads it is a set of
// pairs of phases; what it leaves is covered by rectangles, with a candidate for each: a set for each thread. Where a
// candidate is false in a state, the phases there join its set; with all phases it is gone. So every candidate is
// weakened as little as possible.
#ifndef INFER_RELATED_H
#define INFER_RELATED_H

#include "infer/clause.h"
#include "infer/prover.h"
#include "infer/rows.h"

enum { RELATED_PHASES = 16, PAIR_WORDS = RELATED_PHASES * RELATED_PHASES / 64 };

// A set of pairs of phases: a + b * number of phases; of one thread b is 0.
typedef struct {
    uint64_t w[PAIR_WORDS];
} phase_pairs;

typedef struct {
    uint32_t schema;
    clause rest;      // with x = y where there are two variables of a sort
    phase_pairs bad;  // where all of the rest may be false
    uint8_t row[2];   // of two threads: phases of the first that stand for the rectangle meant
} related;

typedef struct {
    const prover *x;
    uint32_t literals;        // of a rest, at most
    uint32_t sort;            // whose elements have phases; UINT32_MAX: none
    uint32_t first, nphases;  // shapes phase(t) = a
    VEC(related) all;
    map *known;                 // their numbers
    struct rests_kind **kinds;  // of the literals of each schema; NULL: not known yet
} related_set;

// Rows of states, and the phases of each: which pair.
typedef struct {
    const rows *of;
    uint8_t *pair;
} phased_rows;
phased_rows related_phased(const related_set *w, const rows *of);
void related_free_phased(phased_rows *p);

// Those over the present schemas that hold in all samples.
void related_find(related_set *w);
// Its clause; false: it says nothing any more.
bool related_clause(const related_set *w, const related *c, clause *out);
// Makes it true in all rows, which are of its schema; false if it is already.
bool related_weaken(related *c, const phased_rows *state);
// Adds what takes the place of a candidate (a copy) that the rows speak against: the same with one more literal, which
// is true in those rows.
void related_extend(related_set *w, const related *c, const phased_rows *state);
void related_free(related_set *w);

#endif
