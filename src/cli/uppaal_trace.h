// SPDX-License-Identifier: Apache-2.0
// Runs as UPPAAL's XML traces: see uppaal_trace.c.
#ifndef CLI_UPPAAL_TRACE_H
#define CLI_UPPAAL_TRACE_H

#include "result/trace.h"

// A run of a timed system, as `verifyta -X` writes one. False, with the reason: its steps cannot be taken with zones.
bool uppaal_trace_text(const trace *t, str *out, str *why);

#endif
