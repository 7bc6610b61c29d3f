// SPDX-License-Identifier: Apache-2.0
// What to explore: the chosen properties, grouped by the system on which they are decided. A refinement has
// a product of its own, or compares two automata when its specification is not deterministic; invariants
// and freedom from deadlock of one system share one exploration.
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "cli/load.h"
#include "cli/options.h"
#include "cli/session.h"

typedef struct {
    sys system;
    sys spec;   // id 0, or a specification that chooses: inclusion of languages, for one property…
    sys trial;  // …unless the product with what it is said to choose (id 0: nothing is) shows it already
    VEC(prop) props;
    deadlock_choice deadlock;  // look for stuck states also without a property
} group;

typedef struct {
    VEC(group) groups;
    map *taken;  // properties that are in some group
} plan;

// The properties named by --property, else those of --system, else all of the file; a file without properties
// is explored for its assumptions and run-time errors. False with messages.
bool plan_make(session *s, const loaded *l, plan *p);
void plan_free(plan *p);

#endif
