// SPDX-License-Identifier: Apache-2.0
// Why an abstract step could be taken: values for all unknowns of its case, also those that the rule does not show.
#ifndef CMP_WITNESS_H
#define CMP_WITNESS_H

#include "cmp/strengthen.h"
#include "model/eval.h"

// The step of a case strengthened by these lemmas, from `before`, with the rule's arguments `args`. Binds in `ev` the
// case's parameters and unknowns so that the guard holds. False if no values are found (or too many would have to be
// tried).
bool witness_bind(eval *ev, const instance *in, const draft *d, const abstract_case *c, const value *before,
                  const value *args);

#endif
