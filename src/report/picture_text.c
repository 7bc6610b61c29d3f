// SPDX-License-Identifier: Apache-2.0
// Words in pictures: see picture_int.h.
#include "report/picture_int.h"

#include "report/timed.h"

#include <string.h>

// The length of the UTF-8 character at `c`; 0: it is not allowed in XML.
static size_t character(const unsigned char *c) {
    static const struct {
        unsigned char mask, bits;
        uint32_t least;
    } kinds[] = {{0x80, 0x00, 0x20}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++) {
        if ((c[0] & kinds[n].mask) != kinds[n].bits) continue;
        uint32_t code = c[0] & (unsigned char)~kinds[n].mask;
        for (size_t i = 1; i <= n; i++) {
            if ((c[i] & 0xc0) != 0x80) return 0;
            code = code << 6 | (c[i] & 0x3f);
        }
        bool is_bad = code < kinds[n].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) || code == 0xfffe ||
                      code == 0xffff || (code >= 0x7f && code < 0xa0);
        return is_bad ? 0 : n + 1;
    }
    return 0;
}

void picture_escape(const char *text, str *out) {
    for (size_t n; *text; text += n ? n : 1) {
        n = character((const unsigned char *)text);
        if (!n) str_char(out, strchr("\t\n\r", *text) ? ' ' : '?');
        else if (*text == '&') str_add(out, "&amp;");
        else if (*text == '<') str_add(out, "&lt;");
        else if (*text == '>') str_add(out, "&gt;");
        else if (*text == '"') str_add(out, "&quot;");
        else if (*text == '\'') str_add(out, "&#39;");
        else str_addn(out, text, n);
    }
}

void picture_label(const trace *t, uint32_t i, str *out) {
    str plain = {0};
    trace_label_text(t->in, t->steps.data[i].r, t->steps.data[i].args, &plain);
    for (const char *c = str_get(&plain); *c; c++) {
        bool is_arrow = c[0] == '-' && c[1] == '>';
        if (is_arrow) str_add(out, "\xe2\x86\x92");
        else str_char(out, *c);
        c += is_arrow;
    }
    str_free(&plain);
}

void picture_changes(const trace *t, uint32_t i, str *out) {
    const style plain = {.utf8 = true};
    str text = {0};
    timed_changes(t, i, ", ", &plain, &text);
    if (text.len) str_add(out, str_get(&text) + strlen(", "));
    str_free(&text);
}
