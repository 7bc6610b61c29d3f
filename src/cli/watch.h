// SPDX-License-Identifier: Apache-2.0
// Explorations that the user watches: limits and engine from the options, a live line, Ctrl-C.
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "cli/session.h"
#include "cli/sizes.h"
#include "explore/explore.h"
#include "model/instance.h"

typedef struct {
    session *s;
    explore_options options;
    VEC(instance *) instances;  // that results speak of; freed at the end
} watch;

void watch_begin(watch *w, session *s);
void watch_end(watch *w);
instance *watch_keep(watch *w, instance *in);  // as long as the watch; NULL is none
// Before each exploration: its name on the live line (may be NULL). False when a limit is met, or the user pressed
// Ctrl-C: limits_why() says which.
bool watch_next(watch *w, const char *title);

// Does one for every combination of sizes until one is false, and clears the live line.
bool watch_sizes(watch *w, sizes *z, bool (*one)(void *context), void *context);

#endif
