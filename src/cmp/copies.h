// SPDX-License-Identifier: Apache-2.0
// Bodies without copies: locals that only ever hold a parameter of the rule or a constant are replaced by it.
// Inlined procedures pass their arguments in such locals, and an array indexed by one would hide whose cell it is.
#ifndef CMP_COPIES_H
#define CMP_COPIES_H

#include "model/model.h"

const stmt *copies_propagate(model *m, rule r);  // the rule's body

#endif
