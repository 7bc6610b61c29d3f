// SPDX-License-Identifier: Apache-2.0
// mutate: a system with one mistake in it, for tests that nothing wrong is ever proved.
//
//     for (uint32_t k = 0; mutate_system(m, s, k, &what); k++) …   // on a fresh model each time
//
// Mistakes: one conjunct of a guard dropped; one assignment forgotten; the guards of two rules with the same
// parameters exchanged. `what` gets a description.
#ifndef ORACLE_MUTATE_H
#define ORACLE_MUTATE_H

#include "model/model.h"

// Makes mistake number k in the rules of s; false when there are not so many.
bool mutate_system(model *m, sys s, uint32_t k, str *what);

#endif
