// SPDX-License-Identifier: Apache-2.0
// parvis check of histories.
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "cli/session.h"

// Is the file a history, by its name?
bool history_is_file(const char *path);
// Decides whether it is well-formed, atomic and serializable; returns the exit code.
int history_check(session *s);

#endif
