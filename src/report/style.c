// SPDX-License-Identifier: Apache-2.0
// Colours, symbols and line breaking: see style.h.
#include "report/style.h"

#include <stdlib.h>
#include <string.h>

static const char *const codes[] = {"", "\033[32m", "\033[31m", "\033[33m", "\033[2m", "\033[1m"};

void style_add(const style *s, style_role role, const char *text, str *out) {
    bool coloured = s->colour && role != ROLE_PLAIN;
    if (coloured) str_add(out, codes[role]);
    str_add(out, text);
    if (coloured) str_add(out, "\033[0m");
}

const char *style_arrow(const style *s) { return s->utf8 ? "→" : "->"; }
const char *style_cross(const style *s) { return s->utf8 ? "✗" : "x"; }

void style_flow_begin(style_flow *f, const style *s, str *out, unsigned indent, unsigned at) {
    *f = (style_flow){.style = s, .out = out, .indent = indent, .at = at, .gap = 1, .is_fresh = true};
}

void style_flow_line(style_flow *f) {
    str_char(f->out, '\n');
    str_pad(f->out, ' ', f->indent);
    f->at = f->indent;
    f->is_fresh = true;
}

void style_flow_word(style_flow *f, style_role role, const char *word) {
    unsigned columns = (unsigned)str_columns(word);
    if (!f->is_fresh && f->at + f->gap + columns > f->style->width) style_flow_line(f);
    if (!f->is_fresh) {
        str_pad(f->out, ' ', f->gap);
        f->at += f->gap;
    }
    style_add(f->style, role, word, f->out);
    f->at += columns;
    f->is_fresh = false;
}

// A bracket at the end, as of statistics, stays together.
void style_paragraph(const style *s, style_role role, const char *text, unsigned indent, unsigned at, str *out) {
    style_flow f;
    style_flow_begin(&f, s, out, indent, at);
    char *copy = strdup(text), *rest = copy;
    while (rest) {
        char *word = strsep(&rest, *rest == '(' && str_ends(rest, ")") ? "" : " ");
        if (*word) style_flow_word(&f, role, word);
    }
    str_char(out, '\n');
    free(copy);
}

enum { DETAIL_INDENT = 4 };

void style_detail(const style *s, style_role role, const char *text, str *out) {
    str_pad(out, ' ', DETAIL_INDENT);
    style_paragraph(s, role, text, DETAIL_INDENT, DETAIL_INDENT, out);
}

void style_verdict(const style *s, const char *name, style_role role, const char *verdict, str *out) {
    style_add(s, ROLE_STRONG, name, out);
    str_add(out, ": ");
    style_add(s, role, verdict, out);
}
