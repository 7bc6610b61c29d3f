// SPDX-License-Identifier: Apache-2.0
// May the elements of symmetric sorts be exchanged for each other in a system?
#ifndef EXPLORE_ALIKE_H
#define EXPLORE_ALIKE_H

#include "model/instance.h"

typedef struct {
    type sort;
    span at;  // what may tell its elements apart
} alike_exception;

typedef VEC(alike_exception) alike_exceptions;

// The symmetric sorts of several elements that a rule or one of the conditions tells apart, or may tell apart. The
// language `.pv` cannot say such a thing; models from other languages, or built by hand, can.
void alike_find_exceptions(const instance *in, const expr *conds, uint32_t nconds, alike_exceptions *out);

#endif
