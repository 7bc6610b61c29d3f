// SPDX-License-Identifier: Apache-2.0
// Parts of long runs: see part.h.
#include "oracle/part.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef PARVIS_ASAN
enum { SLOWER = 10 };
#else
enum { SLOWER = 1 };
#endif

bool part_is_long(void) {
    const char *text = getenv("PARVIS_LONG");
    return text && *text;
}

// From 0.
static void part_read(uint64_t *which, uint64_t *parts) {
    unsigned k = 1, n = 1;
    const char *text = getenv("PARVIS_LONG_PART");
    if (text && (sscanf(text, "%u/%u", &k, &n) != 2 || !k || k > n)) {
        fprintf(stderr, "PARVIS_LONG_PART=%s: expected K/N with K from 1 to N\n", text);
        exit(2);
    }
    *which = k - 1, *parts = n;
}

uint64_t part_rounds(uint64_t quick, uint64_t lengthy) {
    uint64_t which, parts;
    if (!part_is_long()) return quick;
    part_read(&which, &parts);
    lengthy /= SLOWER;
    uint64_t share = lengthy * (which + 1) / parts - lengthy * which / parts;
    return share ? share : 1;
}

uint64_t part_seed(uint64_t seed) {
    uint64_t which, parts;
    const char *own = getenv("PARVIS_SEED");
    part_read(&which, &parts);
    return (own ? strtoull(own, NULL, 10) : seed) + which * 0xD1B54A32D192ED03u;
}
