// SPDX-License-Identifier: Apache-2.0
// Names as numbers: see names.h. A code is the number itself, or a text's index below NAMES_TEXT, so that equal names
// have equal codes and one table of codes serves both.
#include "history/names.h"

#include <inttypes.h>
#include <stdio.h>

#define NAMES_TEXT (UINT64_C(1) << 63)

void names_free(names *n) {
    vec_free(&n->codes);
    free(n->slots);
    if (n->texts) map_free(n->texts);
    *n = (names){0};
}

static uint32_t names_slot(const names *n, uint64_t code) {
    uint64_t h = code * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t mask = n->nslots - 1, i = (uint32_t)(h >> 32) & mask;
    while (n->slots[i] && n->codes.data[n->slots[i] - 1] != code) i = (i + 1) & mask;
    return i;
}

static void names_more_slots(names *n) {
    free(n->slots);
    n->nslots = n->nslots ? n->nslots * 2 : 64;
    n->slots = mem_zero(n->nslots, sizeof *n->slots);
    for (uint32_t i = 0; i < n->codes.len; i++) n->slots[names_slot(n, n->codes.data[i])] = i + 1;
}

static uint32_t names_intern(names *n, uint64_t code) {
    if (((uint64_t)n->codes.len + 1) * 3 > (uint64_t)n->nslots * 2) names_more_slots(n);
    uint32_t i = names_slot(n, code);
    if (!n->slots[i]) {
        vec_push(&n->codes, code);
        n->slots[i] = n->codes.len;
    }
    return n->slots[i] - 1;
}

// "0", "17", not "007" or "-1" or what has more than 18 digits.
static bool names_decimal(const char *text, size_t size, uint64_t *number) {
    if (size == 0 || size > 18 || (text[0] == '0' && size > 1)) return false;
    *number = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    }
    return true;
}

static uint32_t names_other(names *n, const char *text, size_t size) {
    if (!n->texts) n->texts = map_new();
    return names_intern(n, NAMES_TEXT | map_intern(n->texts, text, size, map_count(n->texts)));
}

uint32_t names_number(names *n, uint64_t number) {
    char text[24];
    if (number < UINT64_C(1000000000000000000)) return names_intern(n, number);
    int size = snprintf(text, sizeof text, "%" PRIu64, number);
    return names_other(n, text, (size_t)size);
}

uint32_t names_text(names *n, const char *text, size_t size) {
    uint64_t number;
    return names_decimal(text, size, &number) ? names_intern(n, number) : names_other(n, text, size);
}

bool names_is_number(const names *n, uint32_t name, uint64_t *number) {
    *number = n->codes.data[name];
    return !(*number & NAMES_TEXT);
}

static const char *names_bytes(const names *n, uint32_t name, char *buffer, size_t room, size_t *size) {
    uint64_t code = n->codes.data[name];
    if (code & NAMES_TEXT) return map_key(n->texts, (uint32_t)(code & ~NAMES_TEXT), size);
    *size = (size_t)snprintf(buffer, room, "%" PRIu64, code);
    return buffer;
}

void names_add(const names *n, uint32_t name, str *out) {
    char buffer[24];
    size_t size;
    const char *text = names_bytes(n, name, buffer, sizeof buffer, &size);
    str_addn(out, text, size);
}

void names_show(const names *n, uint32_t name, str *out) {
    char buffer[24];
    size_t size;
    const char *text = names_bytes(n, name, buffer, sizeof buffer, &size);
    str_add_visible(out, text, size);
}
