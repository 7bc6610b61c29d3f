// SPDX-License-Identifier: Apache-2.0
// value_system: a system with the actions begin, read, write, commit and abort of models/specs and models/tm-values,
// run by the reference evaluator: random runs, and which words it has, whatever it chooses. And words as recorded
// histories, for the checker of these.
#ifndef ORACLE_VALUE_SYSTEM_H
#define ORACLE_VALUE_SYSTEM_H

#include "base/rng.h"
#include "front/pv/pv.h"
#include "history/recorded.h"
#include "model/eval.h"
#include "oracle/value_words.h"

typedef struct {
    diag *messages;
    model *m;
    prop property;  // of a memory: what it refines
    instance *in;
    eval *ev;
} value_system;

typedef struct {
    uint32_t threads, locs, values, times;
} value_sizes;

// A file with this value of BUG (0: as it is), and its first property. Fails the test when it cannot be read.
void value_system_read(value_system *s, const char *path, int bug);
// Of the property's system, as it is now; until it is stopped, for other sizes, or freed.
void value_system_start(value_system *s, value_sizes sizes);
void value_system_stop(value_system *s);
void value_system_free(value_system *s);

// A random run of at most `steps` steps; its word. Few aborts, and small times first.
void value_system_walk(value_system *s, rng *r, uint32_t steps, value_word *w);
// How many letters of the word it has: w->len if it has all of it.
uint32_t value_system_follows(value_system *s, const value_word *w);

void value_word_record(const value_word *w, diag *messages, recorded *h);

#endif
