// SPDX-License-Identifier: Apache-2.0
// The library of interchange specifications: the files of models/interchange, kept inside the program so that
// their names work everywhere.
#include "history/interchange.h"

__asm__(".section .rodata\n"
        "library_structural:\n"
        ".incbin \"../models/interchange/structural.ix\"\n"
        "library_structural_end: .byte 0\n"
        "library_overlap:\n"
        ".incbin \"../models/interchange/overlap.ix\"\n"
        "library_overlap_end: .byte 0\n"
        "library_eager_wr:\n"
        ".incbin \"../models/interchange/eager_wr.ix\"\n"
        "library_eager_wr_end: .byte 0\n"
        "library_lazy_invalidation:\n"
        ".incbin \"../models/interchange/lazy_invalidation.ix\"\n"
        "library_lazy_invalidation_end: .byte 0\n"
        "library_eager_invalidation:\n"
        ".incbin \"../models/interchange/eager_invalidation.ix\"\n"
        "library_eager_invalidation_end: .byte 0\n"
        ".previous\n");

extern const char library_structural[], library_structural_end[];
extern const char library_overlap[], library_overlap_end[];
extern const char library_eager_wr[], library_eager_wr_end[];
extern const char library_lazy_invalidation[], library_lazy_invalidation_end[];
extern const char library_eager_invalidation[], library_eager_invalidation_end[];

typedef struct {
    const char *name, *text, *end;
} row;

static const row rows[] = {
    {"structural", library_structural, library_structural_end},
    {"overlap", library_overlap, library_overlap_end},
    {"eager_wr", library_eager_wr, library_eager_wr_end},
    {"lazy_invalidation", library_lazy_invalidation, library_lazy_invalidation_end},
    {"eager_invalidation", library_eager_invalidation, library_eager_invalidation_end},
};

enum { ROWS = sizeof rows / sizeof *rows };

const char *library_find(const char *name, size_t *size) {
    for (uint32_t i = 0; i < ROWS; i++) {
        if (!str_same(rows[i].name, name)) continue;
        *size = (size_t)(rows[i].end - rows[i].text);
        return rows[i].text;
    }
    return NULL;
}

uint32_t library_names(const char *names[LIBRARY_MOST]) {
    for (uint32_t i = 0; i < ROWS; i++) names[i] = rows[i].name;
    return ROWS;
}

const char *library_refused(const char *name) {
    if (!str_same(name, "mixed_invalidation")) return NULL;
    return "mixed invalidation cannot be stated: whether two of its events may be swapped depends on events "
           "that come "
           "later, and an interchange is judged by the history that leads to it (Cohen, Pnueli and Zuck, CAV "
           "2008, "
           "section 2.2)";
}
