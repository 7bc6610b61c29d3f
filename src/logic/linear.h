// SPDX-License-Identifier: Apache-2.0
// Systems of linear inequalities over the real numbers from 0 on, solved exactly.
#ifndef LOGIC_LINEAR_H
#define LOGIC_LINEAR_H

#include "base/limits.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t var;
    int32_t factor;
} linear_term;

// The sum of the terms is at most (is_strict: less than) `most`.
typedef struct {
    const linear_term *terms;
    uint32_t nterms;
    int64_t most;
    bool is_strict;
} linear_bound;

typedef enum { LINEAR_NONE, LINEAR_SOLVED, LINEAR_UNKNOWN } linear_end;

// Values for which all bounds hold, as multiples of 1 / unit; LINEAR_NONE: there are none; LINEAR_UNKNOWN: a limit was
// met, or the fractions are too fine.
linear_end linear_solve(const linear_bound *bounds, uint32_t n, uint32_t nvars, const limits *l, int64_t *values,
                        int64_t *unit);

#endif
