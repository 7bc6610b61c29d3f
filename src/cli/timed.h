// SPDX-License-Identifier: Apache-2.0
// parvis check of timed automata.
#ifndef CLI_TIMED_H
#define CLI_TIMED_H

#include "cli/load.h"

bool timed_is_model(const loaded *l);
// Decides the queries and reports; returns the exit code.
int timed_check(session *s, const loaded *l);

#endif
