// SPDX-License-Identifier: Apache-2.0
// The same without what is plain: branches that are never taken, conditions about locals that certainly have a value,
// comparisons that types decide. For text that people read.
#ifndef PASS_SIMPLIFY_H
#define PASS_SIMPLIFY_H

#include "model/model.h"

const stmt *simplify_body(model *m, const stmt *s);
// The same of all rules of a system, in place.
void simplify_system(model *m, sys s);

#endif
