// SPDX-License-Identifier: Apache-2.0
// murphi_mutate: a Murphi model with one mistake in it, for tests that mistakes are found and nothing wrong
// is proved.
//
//     for (uint32_t k = 0; murphi_mutate(text, k, &mutant, &what); k++) …
//
// Mistakes, in rules and procedures: one conjunct of a guard or of an `if` is dropped, a branch is never
// taken, one assignment or call is forgotten. So every lock, unlock, mark, validation and comparison of a
// model is dropped once.
#ifndef ORACLE_MURPHI_MUTATE_H
#define ORACLE_MURPHI_MUTATE_H

#include "base/str.h"

#include <stdint.h>

// Mutant number k of the model: its text, and what was done to it. False when there are not so many.
bool murphi_mutate(const char *text, uint32_t k, str *mutant, str *what);

#endif
