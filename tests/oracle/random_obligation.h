// SPDX-License-Identifier: Apache-2.0
// random_obligation: small random systems with random lemmas, for comparing the provers with each other.
//
//     random_obligation r = random_obligation_new(seed, OBLIGATION_STRATIFIED);
//     r.m, r.system, r.lemmas.data[0..r.lemmas.len)
//     random_obligation_free(&r);
//
// Two unbounded sorts A and B, relations over them, an enum, a range, functions into sorts. In stratified
// ones a witness of sort B may depend on variables of sort A and never otherwise, so every question is
// decidable.
#ifndef ORACLE_RANDOM_OBLIGATION_H
#define ORACLE_RANDOM_OBLIGATION_H

#include "base/rng.h"
#include "model/instance.h"

enum {
    OBLIGATION_STRATIFIED = 0,
    OBLIGATION_WILD = 1,     // quantifiers and functions in any order
    OBLIGATION_ORDERED = 2,  // sort A is ordered
    OBLIGATION_CHOSEN = 4,   // rules may choose a function's next values
    OBLIGATION_TINY = 8,     // few cells, for brute force
    OBLIGATION_AXIOMS = 16,  // about the rigid functions
    OBLIGATION_RANGES = 32   // rules count up and down, and may leave the range
};

typedef struct {
    diag *messages;
    model *m;
    sys system;
    type a, b;
    VEC(expr) lemmas;
    rng random;
} random_obligation;

random_obligation random_obligation_new(uint64_t seed, unsigned features);
void random_obligation_free(random_obligation *r);

#endif
