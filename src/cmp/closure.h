// SPDX-License-Identifier: Apache-2.0
// Which lemmas keep the abstraction within the views of real instances.
//
// A set of views (abstract states) begins with those of the instances looked at. A step of a kept element out
// of it adds a view. A step of others out of it is excluded by candidates, where some do, else its view is
// added too. A lemma that does not hold in all views is dropped, and what it excluded is looked at again. In
// the end the set is closed, and all lemmas used hold in it: it contains what the abstraction with them can
// reach.
#ifndef CMP_CLOSURE_H
#define CMP_CLOSURE_H

#include "cmp/refine_int.h"

typedef struct closure closure;

closure *closure_new(refinement *r);
void closure_free(closure *c);
// Brings in and drops lemmas until the views are closed. False when it cannot: a view violates the property, a
// run-time error is not excluded, there are too many views, or out of time.
bool closure_run(closure *c);
// Leaves lemmas out as long as the views stay closed without them; for so many seconds.
void closure_minimise(closure *c, double seconds);

#endif
