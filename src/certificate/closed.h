// SPDX-License-Identifier: Apache-2.0
// Claims about all reachable states of an instance: a set that contains the initial states, that no step leaves, and in
// which every state satisfies what is claimed. Such a set contains the reachable states, so what is claimed holds in
// them, whoever made the set and however.
//
// What is claimed, and how it is checked in each state s of the set:
// - an invariant (and the model's assumptions): the evaluator says it holds;
// - freedom from deadlock: some step is possible, or only an assumption of the user's rules one out;
// - refinement: the instance is the product with the specification, whose requirements hold for every step;
// - reaches: s satisfies the condition or has a successor of lower rank. Ranks are numbers, so from every state
//   a state that satisfies it is reached by going down;
// - cover: a state that satisfies it is reached from an initial one by steps inside the set;
// - liveness: ranks too, see ranking.h.
// A run-time error or a refused step anywhere refuses the claim.
//
// With symmetry the set is given by representatives, and what is checked is the set of all their images: as many states
// as there are without symmetry, so the model's symmetry need not be trusted.
#ifndef CERTIFICATE_CLOSED_H
#define CERTIFICATE_CLOSED_H

#include "certificate/certfile.h"
#include "certificate/claim.h"
#include "model/instance.h"

typedef enum { STUCK_ALLOWED, STUCK_REFUSED, STUTTERING_REFUSED } closed_stuck;

typedef struct {
    const instance *in;
    const prop *props;  // all over the instance's system
    uint32_t nprops;
    closed_stuck stuck;       // of states without a step; of states without a step elsewhere too
    bool checks_assumptions;  // the model's assumptions are part of the claim
    const type *permuted;     // sorts whose elements are permuted: the set is all images of the states given
    uint32_t npermuted;
} closed_claim;

// ---- the claim as an object

// `tables`: by property, how many tables of ranks it has; NULL: none have any.
json_t *closed_claim_object(const closed_claim *c, uint64_t states, const uint32_t *tables);

// From an object: the instance is made, with the product where that is what was explored. False, with a message in the
// file, when names, sizes or kinds do not fit the model. Free it in either case.
typedef struct {
    closed_claim claim;
    instance *in;
    VEC(prop) props;
    VEC(type) permuted;
} closed_read;
bool closed_read_claim(certfile *file, const json_t *object, model *m, closed_read *out);
void closed_read_free(closed_read *r);

// A system and the sizes of all sorts, for claims of other kinds too. The system has id 0, the instance is NULL when
// they do not fit the model.
json_t *closed_sizes_object(const instance *in);
sys closed_read_system(certfile *file, const json_t *object, const model *m);
instance *closed_read_instance(certfile *file, const json_t *object, model *m, sys system);

// Written: the claim, then every state (stateset.h), then the tables of ranks: property by property, table by table, a
// number for each state.

// ---- rechecking

typedef struct {
    claim_verdict verdict;
    str why;                 // refused, stopped
    uint64_t given;          // states in the file
    uint64_t states, steps;  // checked
} closed_answer;

// Reads the data of the present claim and checks it. certfile_is_broken() tells whether the file is broken.
closed_answer closed_check(certfile *file, const json_t *object, const closed_claim *c, const claim_options *o);

#endif
