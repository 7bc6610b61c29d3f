// SPDX-License-Identifier: Apache-2.0
// Sizes of memory and spans of time as text: see units.h.
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// A plain non-negative decimal number; strtod alone would also take "inf", "0x1p4" and "-1".
static bool units_number(const char **text, double *value) {
    const char *p = *text;
    if (!isdigit((unsigned char)*p) && *p != '.') return false;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) return false;
    char *end;
    *value = strtod(p, &end);
    *text = end;
    return end != p && isfinite(*value);
}

static bool to_u64(double value, uint64_t *out) {
    if (!(value >= 0) || value >= 18446744073709551616.0) return false;
    *out = (uint64_t)value;
    return true;
}

bool units_parse_bytes(const char *text, uint64_t *bytes) {
    static const char letters[] = "KMGT";
    double value, factor = 1;
    if (!units_number(&text, &value)) return false;
    const char *letter = *text ? strchr(letters, toupper((unsigned char)*text)) : NULL;
    if (letter) {
        factor = pow(1024, (double)(letter - letters + 1));
        text++;
        if (*text == 'i') text++;
    }
    if (*text == 'B' || *text == 'b') text++;
    return !*text && to_u64(value * factor, bytes);
}

typedef struct {
    const char *name;
    double factor;
} unit;

// One unit name at the start of `text`, longest first in the table; the factor, or 0.
static double take_unit(const char **text, const unit *units, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(units[i].name);
        if (strncasecmp(*text, units[i].name, n) == 0 && !isalpha((unsigned char)(*text)[n])) {
            *text += n;
            return units[i].factor;
        }
    }
    return 0;
}

bool units_parse_seconds(const char *text, double *seconds) {
    static const unit units[] = {{"ms", 0.001}, {"s", 1},    {"sec", 1},  {"m", 60},
                                 {"min", 60},   {"h", 3600}, {"d", 86400}};
    double sum = 0, value;
    if (!*text) return false;
    while (*text) {
        if (!units_number(&text, &value)) return false;
        double factor = *text ? take_unit(&text, units, sizeof units / sizeof *units) : 1;
        if (factor == 0) return false;
        sum += value * factor;
    }
    *seconds = sum;
    return true;
}

bool units_parse_count(const char *text, uint64_t *count) {
    static const unit units[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}};
    double value;
    if (!units_number(&text, &value)) return false;
    double factor = *text ? take_unit(&text, units, sizeof units / sizeof *units) : 1;
    return factor > 0 && !*text && value * factor == floor(value * factor) && to_u64(value * factor, count);
}

void units_bytes_text(uint64_t bytes, str *out) {
    static const char *const names[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    unsigned i = 0;
    while (value >= 999.5 && i < 6) {
        value /= 1024;
        i++;
    }
    str_printf(out, i == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, names[i]);
}

void units_seconds_text(double seconds, str *out) {
    if (seconds < 0) seconds = 0;
    if (seconds < 9.995) {
        str_printf(out, "%.2f s", seconds);
    } else if (seconds < 59.95) {
        str_printf(out, "%.1f s", seconds);
    } else if (seconds < 3599.5) {
        unsigned s = (unsigned)(seconds + 0.5);
        str_printf(out, "%u min %u s", s / 60, s % 60);
    } else {
        unsigned long m = (unsigned long)(seconds / 60 + 0.5);
        str_printf(out, "%lu h %lu min", m / 60, m % 60);
    }
}

void units_count_text(double count, str *out) {
    static const char *const names[] = {"", "k", "M", "G", "T"};
    unsigned i = 0;
    while (count >= 999.5 && i < 4) {
        count /= 1000;
        i++;
    }
    str_printf(out, i == 0 || count >= 99.95 ? "%.0f%s" : count >= 9.995 ? "%.1f%s" : "%.2f%s", count, names[i]);
}

void units_things_text(uint64_t count, const char *thing, str *out) {
    size_t n = strlen(thing);
    bool is_ies = count != 1 && n && thing[n - 1] == 'y';
    str_printf(out, "%s %.*s%s", str_count(count), (int)(is_ies ? n - 1 : n), thing,
               is_ies       ? "ies"
               : count == 1 ? ""
                            : "s");
}
