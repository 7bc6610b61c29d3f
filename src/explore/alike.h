// SPDX-License-Identifier: Apache-2.0
// May the elements of symmetric sorts be exchanged for each other in a system?
#ifndef EXPLORE_ALIKE_H
#define EXPLORE_ALIKE_H

#include "model/instance.h"

// False when a rule or one of the conditions tells elements of a symmetric sort apart, or may do so; `at`
// gets the place. The language `.pv` cannot say such a thing; models from other languages, or built by hand,
// can.
bool alike_elements(const instance *in, const expr *conds, uint32_t nconds, span *at);

#endif
