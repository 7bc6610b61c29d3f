// SPDX-License-Identifier: Apache-2.0
// The clock values that the steps of a timed run may lead to, whatever their times: a matrix for each of its states, as
// far as the run goes without a refused step.
#ifndef RESULT_ZONES_H
#define RESULT_ZONES_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int32_t value;
    bool is_strict, is_none;
} trace_bound;

typedef struct {
    uint32_t states;
    VEC(trace_bound) bounds;  // of clock i - clock j, row by row, state by state; clock 0 is always 0
} trace_zones;

#endif
