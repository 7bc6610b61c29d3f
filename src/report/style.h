// SPDX-License-Identifier: Apache-2.0
// How text looks: colour only when asked for, arrows and rules in UTF-8 or ASCII, and the width of a line.
// The command line decides (terminal, locale, options); reports only follow.
#ifndef REPORT_STYLE_H
#define REPORT_STYLE_H

#include "base/str.h"

typedef struct {
    bool colour, utf8;
    unsigned width;  // columns of a line
} style;

typedef enum { ROLE_PLAIN, ROLE_GOOD, ROLE_BAD, ROLE_UNSURE, ROLE_DIM, ROLE_STRONG } style_role;

void style_add(const style *s, style_role role, const char *text, str *out);
const char *style_arrow(const style *s);  // "→"
const char *style_cross(const style *s);  // "✗"

// Text set in lines of a given width: `first` columns are taken on the first line already; later lines start
// with `indent` spaces. Words are added one by one and never broken.
typedef struct {
    const style *style;
    str *out;
    unsigned indent, at;  // `at`: columns used on this line
    unsigned gap;         // spaces between words
    bool is_fresh;        // nothing on this line yet
} style_flow;

void style_flow_begin(style_flow *f, const style *s, str *out, unsigned indent, unsigned at);
void style_flow_word(style_flow *f, style_role role, const char *word);
void style_flow_line(style_flow *f);  // goes to a new line

// "name: verdict", without what follows.
void style_verdict(const style *s, const char *name, style_role role, const char *verdict, str *out);
// A text set in lines, with a newline at the end; `at` columns are taken on the first line already.
void style_paragraph(const style *s, style_role role, const char *text, unsigned indent, unsigned at, str *out);
// A paragraph of its own, indented as what belongs to a verdict is.
void style_detail(const style *s, style_role role, const char *text, str *out);

#endif
