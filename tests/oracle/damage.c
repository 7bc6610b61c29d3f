// SPDX-License-Identifier: Apache-2.0
// Damaged texts: see damage.h.
#include "oracle/damage.h"

#include <string.h>

void damage(rng *r, const char *marks, char *text, size_t *size, size_t room) {
    size_t at = rng_below(r, (uint32_t)*size), n = 1 + rng_below(r, 30);
    if (at + n > *size) n = *size - at;
    switch (rng_below(r, 5)) {
    case 0: text[at] = (char)rng_below(r, 256); break;
    case 1: text[at] = marks[rng_below(r, (uint32_t)strlen(marks))]; break;
    case 2:
        memmove(text + at, text + at + n, *size - at - n);
        *size -= n;
        break;
    case 3:
        if (*size + n > room) break;
        memmove(text + at + n, text + at, *size - at);
        *size += n;
        break;
    default: {
        size_t from = rng_below(r, (uint32_t)(*size - n + 1));
        memmove(text + at, text + from, n);
    }
    }
}
