// SPDX-License-Identifier: Apache-2.0
// The same without what is plain: branches that are never taken, conditions about locals that certainly have a value,
// comparisons that types decide. For text that people read.
#ifndef CMP_TIDY_H
#define CMP_TIDY_H

#include "model/model.h"

const stmt *tidy_body(model *m, const stmt *s);
bool tidy_has_assume(const stmt *s);

#endif
