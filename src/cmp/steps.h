// SPDX-License-Identifier: Apache-2.0
// The steps of others by some rules. They depend on few cells of the state, the same for many states: they are
// found once for all states that agree on the cells that the rules read and write, as differences (exclusive
// or) to the state.
#ifndef CMP_STEPS_H
#define CMP_STEPS_H

#include "cmp/strengthen.h"
#include "base/tuples.h"
#include "space/space.h"

typedef struct {
    uint32_t label;
    bool is_error;  // of run time: there is no state after it
} change;

typedef struct {
    strengthened st;
    instance *in;
    space *sp;
    space_run *run;
    uint32_t words;
    uint64_t *mask;             // the cells that matter
    tuples *known;              // what a state has there -> the number of its list
    VEC(uint32_t) first;        // by list: its first change; one more at the end
    VEC(change) changes;        // each difference once, and none that is 0
    VEC(uint64_t) differences;  // `words` for every change
    uint64_t *key, *next;
    uint32_t *labels;
} steps;

// Adds to a mask (of a space's states) the cells that the rules of a system read or write.
void steps_mask(const space *sp, model *m, const strengthened *st, uint64_t *mask);

// Takes over the system. False, with nothing to close, if it cannot be compiled.
bool steps_open(steps *x, model *m, strengthened st);
void steps_close(steps *x);
// The number of the list of the state's changes.
uint32_t steps_of(steps *x, const uint64_t *state);

// The steps of kept elements, from any state: kept_next() leaves them in `next` and `labels`.
typedef struct {
    strengthened st;
    instance *in;
    space *sp;
    space_run *run;
    uint64_t *next;
    uint32_t *labels;
} kept_steps;

bool kept_open(kept_steps *x, abstraction *a);  // false if it cannot be compiled; to be closed all the same
void kept_close(kept_steps *x);
uint32_t kept_next(kept_steps *x, const uint64_t *state);

static inline const uint64_t *steps_difference(const steps *x, uint32_t number) {
    return &x->differences.data[(size_t)number * x->words];
}

#endif
