// SPDX-License-Identifier: Apache-2.0
// The outcome of rechecking a claim, and its limits: the same for claims of all kinds.
#ifndef CERTIFICATE_CLAIM_H
#define CERTIFICATE_CLAIM_H

#include "base/limits.h"

typedef enum { CLAIM_CONFIRMED, CLAIM_REFUSED, CLAIM_STOPPED } claim_verdict;

typedef struct {
    uint32_t threads;      // 0: all cores
    uint64_t most_states;  // or zones, with all images; 0: as many as memory and time allow
    limits limits;
} claim_options;

#endif
