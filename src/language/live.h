// SPDX-License-Identifier: Apache-2.0
// Liveness properties of an instance: explore it, look for loops that break the promise, show one as a lasso.
#ifndef LANGUAGE_LIVE_H
#define LANGUAGE_LIVE_H

#include "explore/explore.h"

// Adds one entry for each property (prop_is_liveness(), all over the instance's system) to `out`. Symmetry is
// not used: a loop of orbits need not be a loop.
void live_run(const instance *in, const prop *props, uint32_t nprops, const explore_options *options,
              result *out);

#endif
