// SPDX-License-Identifier: Apache-2.0
// Lines of commands: from a terminal with editing, history and completion by Tab (libedit), else as they come.
#ifndef CLI_SIMULATE_LINES_H
#define CLI_SIMULATE_LINES_H

#include "base/limits.h"

typedef struct lines lines;

// Puts everything that a line may begin with, for completion.
typedef void lines_put(void *to, const char *text);
typedef void lines_offer(void *context, lines_put *put, void *to);

// edits: standard input and output are a terminal, and belong to the reader.
lines *lines_open(const limits *until, bool edits, lines_offer *offer, void *context);
void lines_close(lines *l);
// The next line, without its end, good until the next call; NULL: there is none, or a limit is met.
char *lines_next(lines *l);

#endif
