// SPDX-License-Identifier: Apache-2.0
// Claims about two systems: every word of the left one is a word of the right one, by pairs that steps do not leave.
//
// A letter is an action with its arguments, grouped by their sorts (numbers and literals are groups too), in each as
// they are written but the acting thread first; internal steps have none. Of a *simulation* the
// pairs are (p, q), states of the left and of the right system: every initial p is with an initial q, and for every
// pair and every step of p to p'
// - internal: p' is with a state that q reaches by internal steps (or with q);
// - with a letter: p' is with a state that q reaches by internal steps and one step with that letter.
// Of an *inclusion* the pairs are (p, S), S a set of right states that is not empty: every initial p is with a set of
// states that initial ones reach by internal steps, and for every pair and every step of p to p'
// - internal: p' is with a set within S, closed under internal steps;
// - with a letter: p' is with a set within what S reaches by internal steps, the letter and internal steps.
// By induction on its length every word of the left system leads to such a pair, so the right system has it too.
// A run-time error in any of these states refutes the claim.
//
// Data: the left states and the right states (cellcode.h), the sets (their size, then the distances of their members),
// the pairs.
#ifndef CERTIFICATE_RELATION_H
#define CERTIFICATE_RELATION_H

#include "certificate/certfile.h"
#include "certificate/claim.h"
#include "model/eval.h"
#include "model/instance.h"

// ---- writing: the claim, then the data in this order

typedef struct {
    const instance *left, *right;
    bool is_swapped;  // left is the file's second system (the other direction of an equivalence)
    prop property;    // of the left's model: the refinement that it shows; id 0: none
    bool is_simulation;
    uint64_t left_states, right_states;
    uint32_t nsets;  // of an inclusion
    uint64_t npairs;
} relation_claim;

void relation_write_claim(certfile_writer *w, const relation_claim *c);
// Then the states of both sides (stateset.h).
void relation_write_set(certfile_writer *w, const uint32_t *members, uint32_t n);  // ascending
void relation_write_pair(certfile_writer *w, uint32_t state, uint32_t other);

// ---- rechecking

typedef struct {
    claim_verdict verdict;
    str name;  // "every word of A is a word of B"
    str sizes;
    str why;
    uint64_t left_states, right_states, pairs, steps;
} relation_answer;

// Reads the claim and its data and checks them; `first` and `second` are the models of the file, which may be one. A
// broken file is reported by certfile_is_broken(). Free the answer in either case.
relation_answer relation_check(certfile *file, const json_t *claim, model *first, model *second,
                               const claim_options *o);
void relation_answer_free(relation_answer *a);

#endif
