// SPDX-License-Identifier: Apache-2.0
// Liveness properties of an instance: explore it, look for loops that break the promise, show one as a lasso.
#ifndef LANGUAGE_LIVE_H
#define LANGUAGE_LIVE_H

#include "explore/explore.h"
#include "language/liveness.h"
#include "model/instance.h"
#include "result/result.h"

// What answers "holds" rest on, for certificates: the exploration, and for each such property its ranks.
typedef struct {
    explored *x;  // NULL: nothing was explored that an answer could rest on
    VEC(prop) props;
    VEC(live_tables) tables;
} live_ranks;
void live_ranks_free(live_ranks *r);

// Adds one entry for each property (prop_is_liveness(), all over the instance's system) to `out`. Symmetry is
// not used: a loop of orbits need not be a loop. `ranks` gets the reasons why properties hold; NULL: nobody wants them.
void live_run(const instance *in, const prop *props, uint32_t nprops, const explore_options *options, result *out,
              live_ranks *ranks);

#endif
