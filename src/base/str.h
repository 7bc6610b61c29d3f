// SPDX-License-Identifier: Apache-2.0
// A growable string. `text` is always NUL-terminated once something was added.
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *text;
    size_t len, cap;
} str;

void str_add(str *s, const char *text);
void str_addn(str *s, const char *text, size_t n);
void str_char(str *s, char c);
void str_pad(str *s, char c, size_t n);  // n times c
void str_printf(str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Text from a file or an argument, as it may be shown: control characters (C0, DEL, C1), marks that change the
// direction of writing, and bytes that are not UTF-8 appear as \x1B or \u202E.
void str_add_visible(str *s, const char *text, size_t n);
// As a text or an attribute of XML, which has no control characters, however written: they are made visible.
void str_add_xml(str *s, const char *text);
bool str_is_visible(const char *text, size_t n);  // it would be added as it is
void str_clear(str *s);
void str_free(str *s);
const char *str_get(const str *s);  // "" when nothing was added

bool str_same(const char *a, const char *b);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);

// The length of the UTF-8 character at text[0], of which n bytes may be read, and its number; 0: there is none.
size_t str_decode(const char *text, size_t n, uint32_t *code);

// The folder of a path: what is before its last name, "." if nothing is.
void str_add_folder(str *s, const char *path);

// How many single-character edits (insert, delete, replace, swap neighbours) lead from a to b.
unsigned str_distance(const char *a, const char *b);

// The width of UTF-8 text in columns, one per code point.
size_t str_columns(const char *s);

// A count with thousands separators, "64,488"; one of four static buffers per thread.
const char *str_count(unsigned long long n);

// Reads a whole file; NULL with errno set when that fails. The caller frees it.
char *str_read_file(const char *path, size_t *size);

#endif
