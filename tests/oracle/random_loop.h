// SPDX-License-Identifier: Apache-2.0
// random_loop: Murphi models around one rule, "test", the last one, whose loop over the scalarset `node` is made of
// random statements: scalars, arrays by the loop's variable, by inner variables and by constants, locals and local
// arrays, inner loops, returns, counters up and down, faults, unions, records, multisets, calls. The same seed
// gives the same text.
#ifndef ORACLE_RANDOM_LOOP_H
#define ORACLE_RANDOM_LOOP_H

#include "base/str.h"

#include <stdint.h>

// All variables, and rules that bring them into any state: for random walks.
void random_loop_text(uint64_t seed, str *out);
// The variables that the rule uses, a few of the rules that change them, each a few times, and invariants about what
// "test" leaves behind: small enough to be explored. "test" may have chosen an element of a multiset too.
void random_loop_model(uint64_t seed, str *out);

#endif
