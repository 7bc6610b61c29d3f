// SPDX-License-Identifier: Apache-2.0
// The library of interchange specifications: the files of models/interchange, kept inside the program so that
// their names work everywhere.
#include "front/ix/ix.h"

__asm__(".section .rodata\n"
        "ix_structural: .incbin \"../models/interchange/structural.ix\"\n .byte 0\n"
        "ix_overlap: .incbin \"../models/interchange/overlap.ix\"\n .byte 0\n"
        "ix_eager_wr: .incbin \"../models/interchange/eager_wr.ix\"\n .byte 0\n"
        "ix_lazy: .incbin \"../models/interchange/lazy_invalidation.ix\"\n .byte 0\n"
        "ix_eager: .incbin \"../models/interchange/eager_invalidation.ix\"\n .byte 0\n"
        ".previous\n");

extern const char ix_structural[], ix_overlap[], ix_eager_wr[], ix_lazy[], ix_eager[];

static const struct {
    const char *name, *text;
} sets[] = {{"structural", ix_structural},
            {"overlap", ix_overlap},
            {"eager_wr", ix_eager_wr},
            {"lazy_invalidation", ix_lazy},
            {"eager_invalidation", ix_eager}};

enum { SETS = sizeof sets / sizeof *sets };

const char *ix_library_find(const char *name) {
    for (uint32_t i = 0; i < SETS; i++)
        if (str_same(sets[i].name, name)) return sets[i].text;
    return NULL;
}

uint32_t ix_library_names(const char *names[IX_LIBRARY_MOST]) {
    for (uint32_t i = 0; i < SETS; i++) names[i] = sets[i].name;
    return SETS;
}

const char *ix_library_refused(const char *name) {
    if (!str_same(name, "mixed_invalidation")) return NULL;
    return "mixed invalidation cannot be stated: whether two of its events may be swapped depends on events that come "
           "later, and an interchange is judged by the history that leads to it (Cohen, Pnueli and Zuck, CAV 2008, "
           "section 2.2)";
}
