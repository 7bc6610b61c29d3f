// SPDX-License-Identifier: Apache-2.0
// One obligation as a TPTP problem in first-order form (FOF), for E and other provers that read it.
#ifndef LOGIC_TPTP_H
#define LOGIC_TPTP_H

#include "logic/obligation.h"

void tptp_problem(const obligations *o, const obligation_set *s, uint32_t goal, str *out);

#endif
