// SPDX-License-Identifier: Apache-2.0
// A set of admissible interchanges as a specification in the language .pv: Spec_A of Cohen, Pnueli and Zuck
// (CAV 2008, section 3), its steps combined as in their section 6. Deterministic, for all sizes; for sets of
// pairs (shape_all_pairs). The set lazy_invalidation gives the system LazyInvalidation. See doc/histories.md.
#ifndef HISTORY_SPEC_H
#define HISTORY_SPEC_H

#include "history/interchange.h"

void spec_combined(const interchange *x, const char *name, str *out);

// The text of a set as .pv, in `memory`; NULL after messages.
const char *spec_translate(const char *path, const char *text, size_t size, diag *messages, arena *memory);

#endif
