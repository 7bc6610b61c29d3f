// SPDX-License-Identifier: Apache-2.0
// Runs as UPPAAL's XML traces: see uppaal.c.
#ifndef REPORT_UPPAAL_H
#define REPORT_UPPAAL_H

#include "base/str.h"
#include "result/trace.h"
#include "result/zones.h"

void uppaal_trace(const trace *t, const trace_zones *zones, str *out);

#endif
