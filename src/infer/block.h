// SPDX-License-Identifier: Apache-2.0
// Blocking: the shortest clauses that hold in all sampled rows and are false in a given state.
//
// This is how the growing schema is searched: instead of listing all its clauses (there are 10^8 with
// five literals over two threads and a location), a state that stands in the way of the proof is taken, and
// for each binding of the schema's variables to different elements of it, only the literals that are false
// there are combined.
#ifndef INFER_BLOCK_H
#define INFER_BLOCK_H

#include "infer/clause.h"
#include "infer/rows.h"
#include "model/instance.h"

typedef struct {
    uint32_t most_literals;  // equalities not counted
    uint32_t most_clauses;   // of one schema and number of literals
    uint64_t most_nodes;     // of the search for one binding
} block_limits;

// The clauses found (canonical, each once), fewest literals first: the search stops with the first number of
// literals and the first schema that has some. Schemas are given in the order in which they are tried,
// smaller ones before those that contain them.
void block_state(rows *const *schemas, uint32_t nschemas, const instance *in, const value *state,
                 const block_limits *limits, clause_list *out);

#endif
