// SPDX-License-Identifier: Apache-2.0
// Deferred update where values repeat: see level_check.c.
//
//   deferred.c  finds the reads that are concerned
#ifndef HISTORY_DEFERRED_H
#define HISTORY_DEFERRED_H

#include "history/recorded.h"

// A view of the history in which deferred update asks nothing of some reads: of a value that somebody wrote who had not
// called commit, and that was there before as well. False: there are none.
// Everything but the times of answers belongs to `h`.
bool deferred_relax(const recorded *h, recorded *out);
void deferred_done(recorded *out);

#endif
