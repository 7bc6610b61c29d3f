// SPDX-License-Identifier: Apache-2.0
// The kinds of `parvis check` other than that of check.c. Each decides, reports, and returns the exit code.
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/load.h"
#include "cli/session.h"

// Timed automata (timed.c).
bool timed_is_model(const loaded *l);
int timed_check(session *s, const loaded *l);

// Histories (history.c): well-formed, atomic, serializable? Whether a file is one is told by its name.
bool history_is_file(const char *path);
int history_check(session *s);

// --structural (structural.c): the premises of the reduction to two threads and two locations, one by one.
int structural_check(session *s);

// --values (values.c): do values show what words without them hide?
int values_check(session *s);

#endif
