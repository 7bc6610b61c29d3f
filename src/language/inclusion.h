// SPDX-License-Identifier: Apache-2.0
// Is every word of A a word of B? For automata whose states all accept, with silent steps on both sides.
#ifndef LANGUAGE_INCLUSION_H
#define LANGUAGE_INCLUSION_H

#include "language/automaton.h"

typedef enum { INCLUSION_HOLDS, INCLUSION_FAILS, INCLUSION_STOPPED } inclusion_answer;

typedef struct {
    uint64_t limit_pairs;  // 0: none
    bool no_antichain;     // keep every pair: a plain product with the subsets of B
    limits limits;
    bool keeps;  // the pairs, for a certificate
} inclusion_options;

// Pairs of a state of A and a set of states of B, closed under steps up to smaller sets (certificate/relation.h).
typedef struct {
    VEC(uint32_t) pairs;           // state, set, state, set, …; sets count from 0
    VEC(uint32_t) first, members;  // set i is members[first[i]] … members[first[i + 1] - 1], ascending
} inclusion_kept;

typedef struct {
    inclusion_answer answer;
    VEC(automaton_edge) run;  // INCLUSION_FAILS: a run of A, its last letter refused by B; fewest letters
    bool is_product;          // B is deterministic: the product was searched, else antichains
    uint64_t pairs;           // kept pairs of a state of A and a set of states of B
    uint64_t sets;            // sets of states of B that were met
    inclusion_kept kept;      // INCLUSION_HOLDS, if asked for: why
} inclusion;

// Letters of A and B are matched by what they are, by number when neither says that.
inclusion inclusion_check(const automaton *a, const automaton *b, const inclusion_options *options);
void inclusion_free(inclusion *i);

// Is a limit met, with this many pairs? The clock is asked now and then only; `asked` counts.
bool inclusion_must_stop(const inclusion_options *o, uint64_t pairs, uint32_t *asked);

// By letter of a: the same letter of b; LETTER_NONE where b does not have it.
uint32_t *inclusion_letters(const automaton *a, const automaton *b);

#endif
