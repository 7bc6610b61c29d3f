// SPDX-License-Identifier: Apache-2.0
// Progress: one live line on a terminal, redrawn in place; nothing at all elsewhere.
//
//   1.24M states  620k/s  frontier 80.2k  depth 17  31.0 MB  12.4 s, about 40 s more  time 41 %  memory 3 %
//   weakening  5,210 states  1,200 candidates  31 lemmas  round 4  812 queries
//
// Every engine shows its figures itself: its options have the line, which may be NULL. The percentages are the shares
// of limits that are used; in a narrow terminal they stay, and other figures go.
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    uint64_t states, frontier, memory_bytes;
    uint32_t depth;
    double rate;  // states per second
    double seconds;
    double rest_seconds;  // estimate; negative: cannot tell
    // Of a search for a proof; what is 0 is left out.
    const char *phase;  // "weakening"; NULL: an exploration
    uint64_t candidates, lemmas, dropped, queries;
    uint32_t kept, round, level;
} progress_figures;

typedef struct progress progress;

// Draws on `terminal`; NULL draws nothing.
progress *progress_new(FILE *terminal, unsigned columns);
void progress_free(progress *p);           // clears the line
bool progress_is_live(const progress *p);  // does anybody see it?
// What the run may use; 0: as much as it likes.
typedef struct {
    double started, until;  // clock_seconds() at both ends of the time
    double cpu_seconds;
    uint64_t bytes, states;
} progress_limits;

void progress_limit(progress *p, const progress_limits *most);
// Before the first line of a run that has several: "Thread=2, Loc=3". May be NULL.
void progress_title(progress *p, const char *title);
void progress_show(progress *p, const progress_figures *figures);
void progress_note(progress *p, const char *text);  // any text instead of figures
void progress_clear(progress *p);

// The line without its title.
void progress_text(const progress_figures *figures, str *out);

#endif
