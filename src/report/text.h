// SPDX-License-Identifier: Apache-2.0
// Results as text: one verdict line per property, statistics, and for a violation its trace in lanes.
//
//   strictly_serializable: holds for Thread=2, Loc=2
//       47,464 states, 189,856 transitions, depth 14, 0.32 s, 3.1 MB (native, 2 threads)
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report/style.h"
#include "result/result.h"

typedef struct {
    bool quiet;        // verdict lines only
    bool full_states;  // whole states in traces
    bool statistics;   // how often each rule fired
} text_options;

void text_result(const result *r, const style *s, const text_options *options, str *out);

// What makes an answer say less than it seems to; empty if there is nothing.
void text_doubts(const result *r, const style *s, str *out);
void text_stats(const result_stats *stats, str *out);
style_role text_verdict_role(verdict v);

// Several results, one per size, as a table: sizes in the first columns; then the traces of the first violation
// of each property.
void text_table(const result *const *runs, uint32_t count, const style *s, const text_options *options, str *out);

#endif
