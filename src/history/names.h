// SPDX-License-Identifier: Apache-2.0
// Names that became numbers 0, 1, 2, … in order of appearance: sessions, keys, values of a recorded history. Most are
// decimal numbers, and there may be millions of them, so a number costs 8 bytes and its place in a table; the number 7
// and the text "7" are one name.
#ifndef HISTORY_NAMES_H
#define HISTORY_NAMES_H

#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

typedef struct {
    VEC(uint64_t) codes;  // by name: a number, or NAMES_TEXT and an index of `texts`
    uint32_t *slots;      // open addressing: name + 1, 0 if free
    uint32_t nslots;      // a power of two, or 0
    map *texts;           // NULL until there is one
} names;

void names_free(names *n);
static inline uint32_t names_count(const names *n) { return n->codes.len; }

// The name's number; a new name is added.
uint32_t names_number(names *n, uint64_t number);
uint32_t names_text(names *n, const char *text, size_t size);

// True if the name is a decimal number, which goes to *number.
bool names_is_number(const names *n, uint32_t name, uint64_t *number);
// As it was written: any bytes.
void names_add(const names *n, uint32_t name, str *out);
// As it may be shown to people: control characters are visible.
void names_show(const names *n, uint32_t name, str *out);

#endif
