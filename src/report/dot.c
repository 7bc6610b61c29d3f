// SPDX-License-Identifier: Apache-2.0
// State graphs as DOT: see dot.h. Initial states have a double border, internal steps grey edges, cut states
// a dashed border; a refused step ends in a small red point of its own.
#include "report/dot.h"

static void put_quoted(const char *text, str *out) {
    str_char(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') str_char(out, '\\');
        if (*text == '\n') str_add(out, "\\n");
        else str_char(out, *text);
    }
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

void dot_refused(uint32_t from, const char *label, str *out) {
    str_printf(out, "  \"s%u ", from);
    str_add(out, label);
    str_add(out, "\" [shape=point, color=red];\n");
    str_printf(out, "  s%u -> \"s%u %s\" [label=", from, from, label);
    put_quoted(label, out);
    str_add(out, ", color=red, fontcolor=red];\n");
}

void dot_end(str *out) { str_add(out, "}\n"); }
