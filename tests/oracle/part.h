// SPDX-License-Identifier: Apache-2.0
// part: how much of a long run this program does. PARVIS_LONG=1 asks for the long run; PARVIS_LONG_PART=K/N for the
// K-th of N parts of it, which differ in their seeds and together make the whole. A sanitizer's build, which takes ten
// times as long, does a tenth. tests/run starts a test that includes this in every part, any other in one of them.
#ifndef ORACLE_PART_H
#define ORACLE_PART_H

#include <stdbool.h>
#include <stdint.h>

bool part_is_long(void);
// The rounds of a quick run, or this part's share of those of a long one; at least 1.
uint64_t part_rounds(uint64_t quick, uint64_t lengthy);
// The seed of this part: the one given (PARVIS_SEED, if set) for the first.
uint64_t part_seed(uint64_t seed);

#endif
