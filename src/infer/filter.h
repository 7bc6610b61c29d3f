// SPDX-License-Identifier: Apache-2.0
// The filter: all clauses of a schema up to a number of literals, and which of them the sample satisfies.
//
// Candidates are numbered in the order found. One that a shorter or more general candidate implies is
// *parked* under that one: it is not a candidate of its own as long as the other stands, and comes back when
// that one falls (Emmi et al., PLDI 2010, section 6).
#ifndef INFER_FILTER_H
#define INFER_FILTER_H

#include "base/bits.h"
#include "base/crew.h"
#include "base/limits.h"
#include "infer/atoms.h"
#include "infer/clause.h"
#include "infer/rows.h"

enum { CANDIDATE_FREE = UINT32_MAX };

typedef struct {
    clause c;
    uint32_t parked_under;  // a candidate that implies it, or CANDIDATE_FREE
} candidate;

typedef struct {
    const atom_pool *p;
    crew *crew;        // not owned; may be NULL. What is found does not depend on it
    bool divides_all;  // work that is not worth it, too
    VEC(candidate) all;
    map *by_clause;        // canonical clause -> number
    uint64_t total;        // clauses generated, modulo symmetry
    uint64_t evaluations;  // literal evaluations: literals times rows
    double seconds;
} filter;

filter *filter_new(const atom_pool *p);
void filter_free(filter *f);
typedef struct {
    uint32_t literals;   // at most
    bool plain;          // no quantified atoms
    bool free_equality;  // literals x = y do not count
    limits limits;       // gives up when they are met
} filter_options;

// Adds the clauses of the schema that hold in all its rows.
void filter_add(filter *f, const rows *r, const filter_options *o);
// One more candidate, unless it is there already.
void filter_take(filter *f, const clause *c);
// The threads for work on these rows; NULL: it is not worth them.
crew *filter_helpers(const filter *f, const rows *r);
// Sets parked_under of every candidate. Called after the last filter_add().
void filter_park(filter *f);
// A candidate that implies number i and for which `stands` is true, or CANDIDATE_FREE.
uint32_t filter_implied_by(const filter *f, uint32_t i, const bits *stands);
uint32_t filter_count_free(const filter *f);

#endif
