// SPDX-License-Identifier: Apache-2.0
// Runs of timed systems as pictures: a lane for each process, its locations as bars, synchronisations as arrows,
// exact times along the top; below, a list of the steps with what each changes.
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "result/result.h"

// The run as one SVG image that needs no other file.
void picture_svg(const result_property *p, str *out);
// A page with all verdicts and the picture of every run. `title` is the model's name.
void picture_page(const result *r, const char *title, str *out);

#endif
