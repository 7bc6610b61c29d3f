// SPDX-License-Identifier: Apache-2.0
// A set of admissible interchanges as specifications in the language .pv, after Spec_A of Cohen, Pnueli and
// Zuck (CAV 2008, section 3). For the set lazy_invalidation:
//
//   LazyInvalidation        steps combined as in the paper's section 6: deterministic, for all sizes, for
//                           proofs. Sets of pairs only (shape_all_pairs).
//   LazyInvalidationQueue   Fig. 1: a queue whose neighbours are swapped in silent steps, marks, doomed flags.
//                           For finite sizes; the length of the queue is bounded.
//
// See doc/histories.md for what is repaired in Fig. 1, and why the first is as permissive as the second.
#ifndef HISTORY_SPEC_H
#define HISTORY_SPEC_H

#include "history/interchange.h"

void spec_combined(const interchange *x, const char *name, str *out);  // of sets of pairs
void spec_queue(const interchange *x, const char *name, str *out);

// A specification of the set under a name that no file has, and a property refines_NAME: `system` refines it.
void spec_property(const interchange *x, const char *system, str *out);

// All specifications of the set, as a text of their own.
void spec_text(const interchange *x, str *out);

#endif
