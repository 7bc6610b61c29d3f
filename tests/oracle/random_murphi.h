// SPDX-License-Identifier: Apache-2.0
// random_murphi: Murphi models as text, for comparing with other checkers. The same seed gives the same
// text; statements, rules and properties have numbers in the order of their making, and those in `skip` are
// left out, which is how a failing model is made smaller.
#ifndef ORACLE_RANDOM_MURPHI_H
#define ORACLE_RANDOM_MURPHI_H

#include "base/bits.h"
#include "base/str.h"

// Appends the text; returns the number of parts that could be left out.
uint32_t random_murphi(uint64_t seed, const bits *skip, str *out);

#endif
