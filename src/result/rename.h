// SPDX-License-Identifier: Apache-2.0
// Renaming the elements of symmetric sorts in a trace so that they come in order of their first appearance:
// the first thread that moves is thread 1. A permutation of a symmetric sort maps runs to runs, so it is as
// good a trace.
#ifndef RESULT_RENAME_H
#define RESULT_RENAME_H

#include "result/result.h"
#include "result/trace.h"

// A new trace, replayed; NULL when the renamed one is not a run (then the model is not symmetric after all) or
// is the same.
trace *rename_by_appearance(const trace *t);
// The same of a result's traces, from a property on, in place.
void rename_traces(result *r, uint32_t first);

#endif
