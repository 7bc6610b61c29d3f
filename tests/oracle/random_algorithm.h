// SPDX-License-Identifier: Apache-2.0
// random_algorithm: a small random TM algorithm with contention managers, the same for the same seed, as text and as a
// graph. The graph is made by interpreting the definition ("Algorithms and contention managers" in doc/language.md) on
// the structure that the text was printed from: no part of src reads it.
//
// The text has two algorithms, Base and Other, of the same commands with different managers, First and Second; Base
// may have none.
#ifndef ORACLE_RANDOM_ALGORITHM_H
#define ORACLE_RANDOM_ALGORITHM_H

#include "base/str.h"
#include "oracle/naive_words.h"

typedef struct random_algorithm random_algorithm;

typedef enum { RANDOM_BASE, RANDOM_OTHER, RANDOM_FIRST } random_which;  // RANDOM_FIRST: with the first manager

random_algorithm *random_algorithm_new(uint64_t seed);
void random_algorithm_free(random_algorithm *a);
void random_algorithm_text(const random_algorithm *a, str *out);
// Letters as naive_graph_of() makes them. False: too many states.
bool random_algorithm_graph(const random_algorithm *a, random_which which, bool sees_internal, naive_letters *letters,
                            naive_graph *g);

#endif
