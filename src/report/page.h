// SPDX-License-Identifier: Apache-2.0
// An answer as one page to look at: the JSON object of the answer inside a template, whose script draws it.
//
// The template is the folder page/: page.html, page.css and scripts, put into the program when it is built. The page
// computes nothing: what it shows is in the object (object.h). It loads nothing and sends nothing: its policy allows
// one style and one script, by their hashes, and the object is data in which no sign ends the element it stands in.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/str.h"

#include <jansson.h>

void page_text(const json_t *answer, str *out);

#endif
