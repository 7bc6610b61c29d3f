// SPDX-License-Identifier: Apache-2.0
// brute_explore: the slow twin of src/explore. Breadth-first search with the reference evaluator alone,
// states as arrays of values in a plain map, symmetry by trying every permutation.
//
// Steps that fault or that a requirement refuses lead nowhere; every state is expanded.
#ifndef ORACLE_BRUTE_EXPLORE_H
#define ORACLE_BRUTE_EXPLORE_H

#include "model/eval.h"

#define BRUTE_NEVER UINT32_MAX

typedef struct {
    uint64_t states, transitions;
    uint32_t depth;    // greatest distance from the initial states
    bool is_complete;  // false: there are more than `most` states, nothing else is set
    // Counted in orbits under permutations of the symmetric sorts, with multisets compared by what is in them:
    uint64_t orbits, orbit_transitions;
    uint64_t contents;  // states that differ in more than the slots of multisets
    // Steps of a shortest trace, the refused one included, or BRUTE_NEVER:
    uint32_t deadlock, fault;
    uint32_t stuttering;         // no step that leads to another state
    VEC(uint32_t) invariants;    // by position in the list of properties given (BRUTE_NEVER for other kinds)
    VEC(uint32_t) requirements;  // likewise, for PROP_REFINES
    VEC(uint32_t) assumptions;   // by position in the system's list
    // By position in the list of properties:
    VEC(uint32_t) covers;    // PROP_COVER, PROP_REACHES: to the nearest state that satisfies it
    VEC(uint32_t) hopeless;  // likewise: to the nearest state from which none of these can be reached
} brute;

brute brute_explore(const instance *in, const prop *props, uint32_t nprops, uint32_t most, bool count_orbits);
void brute_free(brute *b);

#endif
