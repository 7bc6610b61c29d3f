// SPDX-License-Identifier: Apache-2.0
// A look at larger instances: does a property that holds for small ones fail a few sizes further on?
#ifndef EXPLORE_FURTHER_H
#define EXPLORE_FURTHER_H

#include "explore/explore.h"
#include "model/instance.h"
#include "result/result.h"

enum { FURTHER_LARGEST = 9 };

typedef struct {
    const sort_size *from;  // the sorts that may have any size, and those that were explored already
    uint32_t nfrom;
    uint64_t states;   // budget for all instances together
    uint32_t threads;  // 0: one
    limits limits;
} further_options;

// Explores instances with one sort or all sorts larger, size by size, as far as the budget goes. Returns the result of
// the first that violates the property, with its instance, both owned by the caller; NULL: none was found.
result *further_violation(model *m, sys system, prop p, const further_options *o, instance **in);

// One instance of the sizes `from`, in the same way.
result *further_at(model *m, sys system, prop p, const further_options *o, instance **in);

// What was in doubt (result/doubt.h) in every instance looked at.
typedef struct {
    result *left;    // NULL: no instance could be explored
    bool has_start;  // some instance had an initial state
    uint32_t size;   // of the largest
} further_tried;

enum { FURTHER_TRIED = 4 };

// Explores instances in which these sorts have 2, 3, … up to FURTHER_TRIED elements, each as far as a budget of
// states goes, until nothing is in doubt: what is not tried at one size may be at the next.
further_tried further_doubts(model *m, sys system, const prop *props, uint32_t nprops, const type *sorts,
                             uint32_t nsorts, const limits *until);

#endif
