// SPDX-License-Identifier: Apache-2.0
// parvis simulate of timed automata.
#ifndef CLI_SIMULATE_TIMED_H
#define CLI_SIMULATE_TIMED_H

#include "cli/load.h"
#include "cli/session.h"

// An exit code.
int simulate_timed(session *s, const loaded *l);

#endif
