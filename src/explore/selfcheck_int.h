// SPDX-License-Identifier: Apache-2.0
// Private to the self-check: what selfcheck.c (when, failures) and selfcheck_try.c (the trying) share.
#ifndef EXPLORE_SELFCHECK_INT_H
#define EXPLORE_SELFCHECK_INT_H

#include "explore/search.h"

// Does the symmetry rest on loops whose rounds may be done in any order?
bool selfcheck_has_suspects(const search *s);
// Adds the worker's counts to the plan's.
void selfcheck_count(search *s, selfcheck *c);
// Successors of states that were tried are in the store by now.
void selfcheck_keep_promises(search *s, worker *w);
// "a[node_1] = eb, w = ea": cells that do not have their initial value.
void selfcheck_state_text(const instance *in, const value *cells, str *out);

#endif
