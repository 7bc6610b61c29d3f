// SPDX-License-Identifier: Apache-2.0
// Obligations as SMT-LIB 2 text: one script per set, one (check-sat) per goal between (push 1) and (pop 1). "unsat" for
// the negated goal means that it is proved.
#ifndef LOGIC_SMTLIB_H
#define LOGIC_SMTLIB_H

#include "logic/obligation.h"

void smtlib_script(const obligations *o, const obligation_set *s, str *out);

#endif
