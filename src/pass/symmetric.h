// SPDX-License-Identifier: Apache-2.0
// May the elements of symmetric sorts be exchanged for each other in a system?
#ifndef PASS_SYMMETRIC_H
#define PASS_SYMMETRIC_H

#include "model/instance.h"

typedef struct {
    type sort;
    span at;          // what may tell its elements apart
    const char *why;  // in words; lives as long as the model
} symmetric_exception;

typedef VEC(symmetric_exception) symmetric_exceptions;

// The symmetric sorts of several elements that a rule or one of the conditions tells apart, or may tell apart. The
// language `.pv` cannot say such a thing; models from other languages, or built by hand, can.
void symmetric_find_exceptions(const instance *in, const expr *conds, uint32_t nconds, symmetric_exceptions *out);
// The symmetric sort of any size that most rules have a parameter of, of those that index a function; id 0: none.
type symmetric_main_sort(const model *m, sys s);

#endif
