// SPDX-License-Identifier: Apache-2.0
// A state graph in the DOT language of Graphviz, node by node and edge by edge.
#ifndef REPORT_DOT_H
#define REPORT_DOT_H

#include "base/str.h"

#include <stdint.h>

void dot_begin(const char *name, str *out);
// `cut`: its successors were not explored.
void dot_state(uint32_t number, const char *label, bool is_initial, bool is_cut, str *out);
// `refused`: leads nowhere, the specification does not allow it.
void dot_edge(uint32_t from, uint32_t to, const char *label, bool is_visible, str *out);
void dot_refused(uint32_t from, const char *label, str *out);
void dot_end(str *out);

#endif
