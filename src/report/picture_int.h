// SPDX-License-Identifier: Apache-2.0
// Shared by picture.c (SVG) and picture_page.c (HTML): text that is safe in both, and the steps of a run in words.
#ifndef REPORT_PICTURE_INT_H
#define REPORT_PICTURE_INT_H

#include "report/picture.h"

// Text for XML and HTML: escaped; what is not UTF-8 or not allowed there becomes '?'.
void picture_escape(const char *text, str *out);
// "release: P(0).cs → idle"; what step i changes other than locations: "id: 1 → 0, n: 2 → 3".
void picture_label(const trace *t, uint32_t i, str *out);
void picture_changes(const trace *t, uint32_t i, str *out);
// Without the head that makes it a file of its own.
void picture_drawing(const result_property *p, bool has_list, str *out);

#endif
