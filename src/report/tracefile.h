// SPDX-License-Identifier: Apache-2.0
// Reading back what object_trace() wrote: a trace file, or the whole answer of `check --json` that holds a
// trace. Nothing in the file is trusted: each step is fired by the reference evaluator and compared with
// what was recorded.
#ifndef REPORT_TRACEFILE_H
#define REPORT_TRACEFILE_H

#include "model/instance.h"
#include "result/trace.h"

#include <jansson.h>

typedef struct tracefile tracefile;

// NULL, with a message, when it cannot be read or is not a trace.
tracefile *tracefile_open(const char *path, diag *messages);
void tracefile_free(tracefile *f);

const char *tracefile_system(const tracefile *f);
const char *tracefile_property(const tracefile *f);  // NULL when it shows none
const json_t *tracefile_sizes(const tracefile *f);   // an object: sizes by the names of sorts
const char *tracefile_reason(const tracefile *f);    // of the answer around the trace; may be NULL

// The trace in an instance; NULL, with a message about the first step that does not fit.
trace *tracefile_trace(const tracefile *f, const instance *in, diag *messages);

#endif
