// SPDX-License-Identifier: Apache-2.0
// One obligation as a DFG problem, the language of SPASS.
#ifndef LOGIC_DFG_H
#define LOGIC_DFG_H

#include "logic/obligation.h"

void dfg_problem(const obligations *o, const obligation_set *s, uint32_t goal, str *out);

#endif
