// SPDX-License-Identifier: Apache-2.0
// A growable string and small text helpers: see str.h.
#include "base/str.h"

#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void room(str *s, size_t more) {
    if (s->len + more + 1 <= s->cap) return;
    size_t cap = s->cap ? s->cap : 64;
    while (cap < s->len + more + 1) cap *= 2;
    s->text = mem_grow(s->text, cap);
    s->cap = cap;
}

void str_addn(str *s, const char *text, size_t n) {
    room(s, n);
    memcpy(s->text + s->len, text, n);
    s->len += n;
    s->text[s->len] = '\0';
}

void str_add(str *s, const char *text) { str_addn(s, text, strlen(text)); }
void str_char(str *s, char c) { str_addn(s, &c, 1); }

void str_pad(str *s, char c, size_t n) {
    room(s, n);
    memset(s->text + s->len, c, n);
    s->len += n;
    s->text[s->len] = '\0';
}

size_t str_decode(const char *text, size_t n, uint32_t *code) {
    const unsigned char *t = (const unsigned char *)text;
    size_t length = t[0] < 0x80 ? 1 : t[0] < 0xC2 ? 0 : t[0] < 0xE0 ? 2 : t[0] < 0xF0 ? 3 : t[0] < 0xF5 ? 4 : 0;
    static const unsigned char mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    static const uint32_t least_code[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!length || length > n) return 0;
    *code = t[0] & mask[length];
    for (size_t i = 1; i < length; i++) {
        if ((t[i] & 0xC0) != 0x80) return 0;
        *code = *code << 6 | (t[i] & 0x3F);
    }
    bool is_good = *code >= least_code[length] && *code <= 0x10FFFF && (*code < 0xD800 || *code > 0xDFFF);
    return is_good ? length : 0;
}

static bool str_is_shown(uint32_t code) {
    bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    bool turns = code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                 (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
    bool is_character = code != 0xFFFE && code != 0xFFFF;  // XML has neither
    return !is_control && !turns && is_character;
}

// How many bytes from text[0] on are shown as they are.
static size_t shown_prefix(const char *text, size_t n) {
    size_t i = 0;
    uint32_t code;
    for (size_t length; i < n && (length = str_decode(text + i, n - i, &code)); i += length)
        if (!str_is_shown(code)) break;
    return i;
}

bool str_is_visible(const char *text, size_t n) { return shown_prefix(text, n) == n; }

void str_add_visible(str *s, const char *text, size_t n) {
    for (size_t i = 0; i < n;) {
        size_t plain = shown_prefix(text + i, n - i);
        str_addn(s, text + i, plain);
        if ((i += plain) == n) return;
        uint32_t code = 0;
        size_t length = str_decode(text + i, n - i, &code);
        if (length && code > 0xFF) str_printf(s, "\\u%04X", code);
        else str_printf(s, "\\x%02X", length ? code : (unsigned char)text[i]);
        i += length ? length : 1;
    }
}

void str_add_xml(str *s, const char *text) {
    str shown = {0};
    str_add_visible(&shown, text, strlen(text));
    for (const char *p = str_get(&shown); *p; p++) {
        if (*p == '&') str_add(s, "&amp;");
        else if (*p == '<') str_add(s, "&lt;");
        else if (*p == '>') str_add(s, "&gt;");
        else if (*p == '"') str_add(s, "&quot;");
        else str_char(s, *p);
    }
    str_free(&shown);
}

void str_printf(str *s, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    room(s, (size_t)n);
    vsnprintf(s->text + s->len, (size_t)n + 1, format, again);
    va_end(again);
    s->len += (size_t)n;
}

void str_clear(str *s) {
    s->len = 0;
    if (s->text) s->text[0] = '\0';
}

void str_free(str *s) {
    free(s->text);
    *s = (str){0};
}

const char *str_get(const str *s) { return s->text ? s->text : ""; }

bool str_same(const char *a, const char *b) { return strcmp(a, b) == 0; }
bool str_starts(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

bool str_ends(const char *s, const char *suffix) {
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && strcmp(s + n - m, suffix) == 0;
}

void str_add_folder(str *s, const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) str_add(s, ".");
    else str_addn(s, path, slash == path ? 1 : (size_t)(slash - path));
}

static unsigned str_least(unsigned a, unsigned b) { return a < b ? a : b; }

enum { DISTANCE_LONGEST = 63 };

unsigned str_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > DISTANCE_LONGEST || m > DISTANCE_LONGEST) return (unsigned)(n + m);
    unsigned d[DISTANCE_LONGEST + 1][DISTANCE_LONGEST + 1];
    for (size_t i = 0; i <= n; i++) d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= m; j++) d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            unsigned cost = a[i - 1] != b[j - 1];
            d[i][j] = str_least(str_least(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = str_least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

size_t str_columns(const char *s) {
    size_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

const char *str_count(unsigned long long n) {
    static _Thread_local char buffers[4][32];
    static _Thread_local unsigned turn;
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", n);
    char *out = buffers[turn++ % 4], *p = out;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0) *p++ = ',';
        *p++ = digits[i];
    }
    *p = '\0';
    return out;
}

char *str_read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    str s = {0};
    char part[65536];
    size_t n;
    while ((n = fread(part, 1, sizeof part, f)) > 0) str_addn(&s, part, n);
    int failed = ferror(f) ? (errno ? errno : EIO) : 0;
    fclose(f);
    if (failed) {
        str_free(&s);
        errno = failed;
        return NULL;
    }
    if (!s.text) str_addn(&s, "", 0);
    if (size) *size = s.len;
    return s.text;
}
