// SPDX-License-Identifier: Apache-2.0
// Runs that take the least time: see fastest.c.
#ifndef ZONE_FASTEST_H
#define ZONE_FASTEST_H

#include "explore/explore.h"
#include "model/instance.h"
#include "result/result.h"

// Replaces runs of reachability queries, from the property `first` on, by the fastest ones, and says how long they
// take. The system has a time_clock.
void zone_find_fastest(const instance *in, const explore_options *o, uint32_t first, result *out);

#endif
