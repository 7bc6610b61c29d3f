// SPDX-License-Identifier: Apache-2.0
// A growing set of clauses and its solver: CaDiCaL behind six functions.
//
// Literals are numbers other than 0, negated by sign. Variable 1 is true from the start, so that constants
// are literals too: clauses drop SAT_FALSE and vanish at SAT_TRUE.
#ifndef LOGIC_SAT_H
#define LOGIC_SAT_H

#include "base/limits.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { SAT_TRUE = 1, SAT_FALSE = -1 };

typedef enum { SAT_YES, SAT_NO, SAT_STOPPED } sat_answer;

typedef VEC(int) lit_list;

typedef struct {
    void *solver;
    int nvars;
} sat;

void sat_init(sat *s, const limits *stop);  // stop: may be NULL, lives as long as the solver
// Decides false also where true was found before: models are smaller, and where a question is hard take longer to find.
void sat_init_small(sat *s, const limits *stop);
void sat_done(sat *s);
int sat_var(sat *s);
void sat_clause(sat *s, const int *lits, uint32_t n);
void sat_assume(sat *s, int lit);
sat_answer sat_solve(sat *s, int most_conflicts);  // 0: no limit
bool sat_value(const sat *s, int lit);             // after SAT_YES
bool sat_in_core(const sat *s, int lit);           // after SAT_NO, of an assumed literal

static inline void sat_clause2(sat *s, int a, int b) { sat_clause(s, (int[]){a, b}, 2); }
static inline void sat_clause3(sat *s, int a, int b, int c) { sat_clause(s, (int[]){a, b, c}, 3); }

#endif
