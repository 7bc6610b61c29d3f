// SPDX-License-Identifier: Apache-2.0
// random_param: Murphi models over a scalarset `node` that abstraction takes most of the time: rules with one or two
// nodes, quantifiers and loops over nodes, variables that hold nodes, arrays indexed through them. The same seed
// gives the same text; rules and statements have numbers, and those in `skip` are left out.
#ifndef ORACLE_RANDOM_PARAM_H
#define ORACLE_RANDOM_PARAM_H

#include "base/bits.h"
#include "base/str.h"

// Appends the text; returns the number of parts that could be left out.
uint32_t random_param(uint64_t seed, const bits *skip, str *out);

#endif
