// SPDX-License-Identifier: Apache-2.0
// Systems that are compiled to be stepped; and the steps of others by some rules. These depend on few cells of the
// state, the same for many states: they are found once for all states that agree on the cells that the rules read and
// write, as differences (exclusive or) to the state.
#ifndef CMP_LEMMAS_STEPS_H
#define CMP_LEMMAS_STEPS_H

#include "cmp/abstract/strengthen.h"
#include "base/tuples.h"
#include "model/instance.h"
#include "space/space.h"

typedef struct {
    strengthened st;
    instance *in;
    space *sp;
    space_run *run;
    uint64_t *next;  // what runner_next() found, with the labels
    uint32_t *labels;
} runner;

// Takes over the system. False, with nothing to close, if it cannot be compiled.
bool runner_open(runner *x, strengthened st);
void runner_close(runner *x);
uint32_t runner_next(runner *x, const uint64_t *state);
// Adds to a mask (of another space's states with the same functions) the cells that the rules read or write.
void runner_mask(const runner *x, const space *sp, uint64_t *mask);

typedef struct {
    uint32_t label;
    bool is_error;  // of run time: there is no state after it
} change;

typedef struct {
    runner r;
    uint32_t words;
    uint64_t *mask;             // the cells that matter
    tuples *known;              // what a state has there -> the number of its list
    VEC(uint32_t) first;        // by list: its first change; one more at the end
    VEC(change) changes;        // each difference once, and none that is 0
    VEC(uint64_t) differences;  // `words` for every change
    uint64_t *key;
} steps;

// Like runner_open().
bool steps_open(steps *x, strengthened st);
void steps_close(steps *x);
// The number of the list of the state's changes.
uint32_t steps_of(steps *x, const uint64_t *state);

#endif
