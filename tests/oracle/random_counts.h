// SPDX-License-Identifier: Apache-2.0
// random_counts: Murphi models over a scalarset `node` and a second one, `block`, that indexes state of nodes.
// Functions count the blocks for which something holds of a node, of nodes that are reached from it or of any; guards,
// indices, assigned values and invariants use them, under quantifiers and negations. The same seed gives the same text;
// rules and invariants have numbers, and those in `skip` are left out.
#ifndef ORACLE_RANDOM_COUNTS_H
#define ORACLE_RANDOM_COUNTS_H

#include "base/bits.h"
#include "base/str.h"

// Appends the text; returns the number of parts that could be left out.
uint32_t random_counts(uint64_t seed, const bits *skip, str *out);

#endif
