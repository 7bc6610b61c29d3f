// SPDX-License-Identifier: Apache-2.0
// Explorations that the user watches: limits and engine from the options, a live line, Ctrl-C.
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "cli/session.h"

typedef struct {
    session *s;
    progress *line;
    explore_options options;
} watch;

void watch_begin(watch *w, session *s);
void watch_end(watch *w);
// Before each exploration: its name on the live line (may be NULL), what is left of the time limit. False
// when no time is left or the user pressed Ctrl-C; then `reason` says which.
bool watch_next(watch *w, const char *title, const char **reason);

#endif
