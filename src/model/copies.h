// SPDX-License-Identifier: Apache-2.0
// Bodies without copies: locals that only ever hold a parameter of the rule or a constant are replaced by it.
// Inlined procedures pass their arguments in such locals; an array indexed by one hides whose cell it is, and what is
// copied from one looks as if it might be undefined.
#ifndef MODEL_COPIES_H
#define MODEL_COPIES_H

#include "model/model.h"

const stmt *copies_propagate(model *m, rule r);  // the rule's body

#endif
