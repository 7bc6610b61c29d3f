// SPDX-License-Identifier: Apache-2.0
// random_model: small random models built with the model's API, the same for the same seed, for
// differential tests.
//
//     random_model r = random_model_new(seed, size, RANDOM_ALL);
//     instance *in = random_model_instance(&r, 3);        // sorts get sizes 1..3
//     random_model_state(in, &rng, cells);
//     instance_free(in); random_model_free(&r);
//
// `size` (1..10) bounds how many functions, definitions and rules there are and how deep expressions go: to
// shrink a failure, run the same seed with smaller sizes. Every name is a legal `.pv` identifier, no
// expression is a constant of a sort, variables of a `forall` statement are direct arguments of each
// target, and functions into symmetric sorts start with any value, so a model without RANDOM_SEQUENCES and
// RANDOM_REQUIRES can be printed.
#ifndef ORACLE_RANDOM_MODEL_H
#define ORACLE_RANDOM_MODEL_H

#include "base/rng.h"
#include "model/instance.h"

enum {
    RANDOM_FAULTS = 1,     // values may leave their range, divisors may be zero
    RANDOM_SEQUENCES = 2,  // bodies may be S_SEQ, with S_PAR and S_SEQ inside
    RANDOM_REQUIRES = 4,   // rules may have requirements
    RANDOM_ORDERED = 8,    // sorts may be ordered
    RANDOM_STARTS = 16,    // init rules, functions that start with any value, rigid functions
    RANDOM_ALL = 31,
    RANDOM_IMPERATIVE = 64,  // undefined values, locals, unions, bits, while, assume, fail; not in RANDOM_ALL
    RANDOM_SHADOWS = 32,     // a quantifier may bind a variable that is bound outside already; not in RANDOM_ALL
};

typedef struct {
    diag *messages;
    model *m;
    sys system;  // with invariants, assumptions and, if asked, requirements
    rng random;
} random_model;

random_model random_model_new(uint64_t seed, uint32_t size, unsigned features);
void random_model_free(random_model *r);

// An instance with random sizes of the sorts, each 1..most; the caller frees it.
instance *random_model_instance(random_model *r, uint32_t most);
// Any state: every cell gets any value of its type.
void random_model_state(const instance *in, rng *random, value *cells);

#endif
