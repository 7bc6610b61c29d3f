// SPDX-License-Identifier: Apache-2.0
// Shared by picture.c (SVG) and picture_page.c (HTML): text that is safe in both, and the steps of a run in words.
#ifndef REPORT_PICTURE_INT_H
#define REPORT_PICTURE_INT_H

#include "report/picture.h"
#include "result/result.h"
#include "result/trace.h"

// Text for XML and HTML: escaped; what is not UTF-8 or not allowed there becomes '?'.
const char *picture_safe(arena *memory, const char *text);
// "release: P(0).cs → idle"; what step i changes other than locations: "id: 1 → 0, n: 2 → 3". Both are safe texts.
const char *picture_label(arena *memory, const trace *t, uint32_t i);
const char *picture_changes(arena *memory, const trace *t, uint32_t i);
// The clocks after step i: "x = 0, y = 3/2".
const char *picture_clocks(arena *memory, const trace *t, uint32_t i);
// Without the head that makes it a file of its own.
void picture_drawing(const result_property *p, bool has_list, str *out);

#endif
