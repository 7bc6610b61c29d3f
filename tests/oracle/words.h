// SPDX-License-Identifier: Apache-2.0
// words: words of transactions, as the papers write them: `r1_2` is thread 2 reading location 1, `w1_2` writing it,
// `c_2` its commit, `a_2` its abort. Threads and locations count from 0 in memory, from 1 in text.
#ifndef ORACLE_WORDS_H
#define ORACLE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "base/str.h"

enum { WORD_LONGEST = 32 };

typedef enum { STEP_READ, STEP_WRITE, STEP_COMMIT, STEP_ABORT } step_kind;

typedef struct {
    step_kind kind;
    uint32_t thread;
    uint32_t loc;  // of reads and writes, else 0
} step;

typedef struct {
    step at[WORD_LONGEST];
    uint32_t len;
} word;

// False when the text is not a word; words are separated by blanks.
bool words_parse(const char *text, word *out);
void words_print(const word *w, str *out);

// Statements of equal weight, but commits and aborts half as often as they would come.
void words_random(rng *r, uint32_t threads, uint32_t locs, uint32_t len, word *out);

// Visits every word of 1..longest statements, each after its prefixes, one of each class that renaming threads
// and locations gives: new ones come in order. `visit` returns false to leave out the words that extend this one.
typedef bool (*words_visit)(const word *w, void *context);
void words_each(uint32_t threads, uint32_t locs, uint32_t longest, words_visit visit, void *context);

#endif
