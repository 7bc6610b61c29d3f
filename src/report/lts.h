// SPDX-License-Identifier: Apache-2.0
// A labelled transition system in the Aldebaran format (.aut) that CADP, mCRL2 and LTSmin read.
#ifndef REPORT_LTS_H
#define REPORT_LTS_H

#include "base/str.h"

#include <stdint.h>

void lts_begin(uint64_t initial, uint64_t transitions, uint64_t states, str *out);
// NULL for a step that nobody outside can see.
void lts_edge(uint64_t from, const char *label, uint64_t to, str *out);

#endif
