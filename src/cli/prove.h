// SPDX-License-Identifier: Apache-2.0
// The kind of `parvis prove` that is not that of prove.c. It decides, reports, and returns the exit code.
#ifndef CLI_PROVE_H
#define CLI_PROVE_H

#include "cli/session.h"

// Timed automata (prove_timed.c).
int prove_timed(session *s);

#endif
