// SPDX-License-Identifier: Apache-2.0
// Timed systems: queries decided on the zone graph. See doc/timed.md.
//
// Reachability (A[], E<>, sup, inf, also with `deadlock`) is one breadth-first search for all queries, with
// inclusion in the passed list and Extra+LU abstraction; where a query asks for deadlocks, bounds keep
// regions apart. Liveness (E[], A<>, -->) looks for a maximal run in a graph of equal zones. A verdict that
// has a run (a witness of E<>, a counterexample of A[]) comes with a concrete one, whose times were solved
// from the constraints of its steps alone and which was replayed by an interpreter of its own.
#ifndef ZONE_ZONE_H
#define ZONE_ZONE_H

#include "explore/explore.h"
#include "result/result.h"

// Decides PROP_TIMED properties of the instance's system and adds an entry each to `out`; a run-time error is
// an entry of its own. Limits, engine, progress and interruption as in explore/explore.h.
explore_end zone_run(const instance *in, const prop *props, uint32_t nprops, const explore_options *options,
                     result *out);

#endif
