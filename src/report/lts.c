// SPDX-License-Identifier: Apache-2.0
// Aldebaran: see lts.h. Labels are in double quotes; one inside a label becomes a single quote, as there is no way to
// write it that all readers share. The internal step is `i`.
#include "report/lts.h"

#include <inttypes.h>

void lts_begin(uint64_t initial, uint64_t transitions, uint64_t states, str *out) {
    str_printf(out, "des (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")\n", initial, transitions, states);
}

void lts_edge(uint64_t from, const char *label, uint64_t to, str *out) {
    str_printf(out, "(%" PRIu64 ", ", from);
    if (label) {
        str_char(out, '"');
        for (; *label; label++) str_char(out, *label == '"' ? '\'' : *label);
        str_char(out, '"');
    } else str_char(out, 'i');
    str_printf(out, ", %" PRIu64 ")\n", to);
}
