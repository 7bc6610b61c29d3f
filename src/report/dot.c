// SPDX-License-Identifier: Apache-2.0
// State graphs as DOT: see dot.h. Initial states have a double border, internal steps grey edges, cut states
// a dashed border; a refused step ends in a small red point of its own.
#include "report/dot.h"

static void put_escaped(const char *text, str *out) {
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') str_char(out, '\\');
        if (*text == '\n') str_add(out, "\\n");
        else str_char(out, *text);
    }
}

static void put_quoted(const char *text, str *out) {
    str_char(out, '"');
    put_escaped(text, out);
    str_char(out, '"');
}

void dot_begin(const char *name, str *out) {
    str_add(out, "digraph ");
    put_quoted(name, out);
    str_add(out, " {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
                 "  edge [fontname=\"monospace\", fontsize=10];\n");
}

void dot_state(uint32_t number, const char *label, bool is_initial, bool is_cut, str *out) {
    str_printf(out, "  s%u [label=", number);
    put_quoted(label, out);
    if (is_initial) str_add(out, ", peripheries=2");
    if (is_cut) str_add(out, ", style=dashed");
    str_add(out, "];\n");
}

void dot_edge(uint32_t from, uint32_t to, const char *label, bool is_visible, str *out) {
    str_printf(out, "  s%u -> s%u [label=", from, to);
    put_quoted(label, out);
    if (!is_visible) str_add(out, ", color=gray50, fontcolor=gray50");
    str_add(out, "];\n");
}

// A point of its own is named after where it is and the label.
void dot_refused(uint32_t from, const char *label, str *out) {
    str name = {0};
    put_escaped(label, &name);
    const char *l = str_get(&name);
    str_printf(out, "  \"s%u %s\" [shape=point, color=red];\n", from, l);
    str_printf(out, "  s%u -> \"s%u %s\" [label=\"%s\", color=red, fontcolor=red];\n", from, from, l, l);
    str_free(&name);
}

void dot_end(str *out) { str_add(out, "}\n"); }
