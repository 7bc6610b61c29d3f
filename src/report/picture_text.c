// SPDX-License-Identifier: Apache-2.0
// Words in pictures: see picture_int.h.
#include "report/picture_int.h"

#include "report/style.h"
#include "report/timed.h"

#include <string.h>

const char *picture_safe(arena *memory, const char *text) {
    str out = {0};
    str_add_xml(&out, text);
    const char *kept = arena_str(memory, str_get(&out));
    str_free(&out);
    return kept;
}

const char *picture_label(arena *memory, const trace *t, uint32_t i) {
    str plain = {0}, label = {0};
    trace_label_text(t->in, t->steps.data[i].r, t->steps.data[i].args, &plain);
    for (const char *c = str_get(&plain); *c; c++) {
        bool is_arrow = c[0] == '-' && c[1] == '>';
        if (is_arrow) str_add(&label, "\xe2\x86\x92");
        else str_char(&label, *c);
        c += is_arrow;
    }
    const char *kept = picture_safe(memory, str_get(&label));
    str_free(&plain);
    str_free(&label);
    return kept;
}

const char *picture_changes(arena *memory, const trace *t, uint32_t i) {
    const style plain = {.utf8 = true};
    str text = {0};
    timed_changes(t, i, ", ", &plain, &text);
    const char *kept = picture_safe(memory, text.len ? text.text + strlen(", ") : "");
    str_free(&text);
    return kept;
}

const char *picture_clocks(arena *memory, const trace *t, uint32_t i) {
    str text = {0};
    timed_clocks(t, t->steps.data[i].clocks, ", ", &text);
    const char *kept = picture_safe(memory, str_get(&text));
    str_free(&text);
    return kept;
}
