// SPDX-License-Identifier: Apache-2.0
// Positions and URIs: see text.h. A byte that is not UTF-8 counts as one unit.
#include "cli/lsp/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The bytes of the character at text[i], and the units of UTF-16 that it takes.
static size_t lsp_character(const char *text, size_t size, size_t i, uint32_t *units) {
    uint32_t code;
    size_t n = str_decode(text + i, size - i, &code);
    *units = n && code > 0xFFFF ? 2 : 1;
    return n ? n : 1;
}

size_t lsp_text_offset(const char *text, size_t size, uint32_t line, uint32_t column) {
    size_t i = 0;
    for (; line && i < size; i++) line -= text[i] == '\n';
    for (uint32_t units; column && i < size && text[i] != '\n'; column -= units < column ? units : column)
        i += lsp_character(text, size, i, &units);
    return i < size ? i : size;
}

void lsp_text_lines(const char *text, size_t size, lsp_lines *out) {
    out->len = 0;
    vec_push(out, 0);
    for (const char *end = text; (end = memchr(end, '\n', (size_t)(text + size - end)));) vec_push(out, ++end - text);
}

// The line that an offset is in, by halves.
static uint32_t lsp_line_of(const lsp_lines *lines, size_t at) {
    uint32_t low = 0, high = lines->len;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if ((size_t)lines->data[middle] <= at) low = middle;
        else high = middle;
    }
    return low;
}

static json_t *lsp_text_position(const char *text, size_t size, const lsp_lines *lines, size_t at) {
    uint32_t line = 0, column = 0;
    if (at > size) at = size;
    if (lines && lines->len) line = lsp_line_of(lines, at);
    for (size_t i = line ? (size_t)lines->data[line] : 0; i < at;) {
        uint32_t units;
        bool is_end = text[i] == '\n';
        i += lsp_character(text, size, i, &units);
        line += is_end;
        column = is_end ? 0 : column + units;
    }
    return json_pack("{s:i, s:i}", "line", (int)line, "character", (int)column);
}

json_t *lsp_text_range(const char *text, size_t size, const lsp_lines *lines, span at) {
    return json_pack("{s:o, s:o}", "start", lsp_text_position(text, size, lines, at.begin), "end",
                     lsp_text_position(text, size, lines, at.end));
}

static bool is_in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

bool lsp_text_word(const char *text, size_t size, size_t at, size_t *begin, size_t *end) {
    *begin = *end = at < size ? at : size;
    while (*begin > 0 && is_in_word(text[*begin - 1])) --*begin;
    while (*end < size && is_in_word(text[*end])) ++*end;
    return *end > *begin;
}

static int hex_value(char c) {
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

char *lsp_text_path(const char *uri) {
    if (!str_starts(uri, "file://")) return NULL;
    str path = {0};
    str_add(&path, "");
    for (const char *p = strchr(uri + strlen("file://"), '/'); p && *p; p++) {
        int high = *p == '%' ? hex_value(p[1]) : -1, low = high >= 0 ? hex_value(p[2]) : -1;
        str_char(&path, low >= 0 ? (char)(high * 16 + low) : *p);
        if (low >= 0) p += 2;
    }
    return path.text;
}

void lsp_text_uri(const char *path, str *out) {
    char *real = *path == '/' ? NULL : realpath(path, NULL);
    str_add(out, "file://");
    for (const unsigned char *p = (const unsigned char *)(real ? real : path); *p; p++)
        if (isalnum(*p) || strchr("/-_.~", *p)) str_char(out, (char)*p);
        else str_printf(out, "%%%02X", *p);
    free(real);
}
