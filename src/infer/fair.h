// SPDX-License-Identifier: Apache-2.0
// What an abstraction relation assumes about the system's fairness, checked in an instance.
//
// Justice C -> A of a relation carries the specification's justice over to a system that satisfies C again and
// again. That it does is an assumption about schedulers and clients; that it can is checked here: from every
// reachable state one can be reached in which C holds for all elements at once.
#ifndef INFER_FAIR_H
#define INFER_FAIR_H

#include "infer/infer.h"

// Adds to `note` what was found out and at which sizes. VIOLATED: some assumption can no longer be met from a
// reachable state, `note` says which. UNKNOWN: the instance was not explored completely.
verdict fair_check(const model *m, prop p, sys system, const infer_options *options, str *note);

#endif
