// SPDX-License-Identifier: Apache-2.0
// word_spec: a specification of models/specs that reads words of transactions, by the reference evaluator.
#ifndef ORACLE_WORD_SPEC_H
#define ORACLE_WORD_SPEC_H

#include "front/pv/pv.h"
#include "model/eval.h"
#include "oracle/words.h"

enum { WORD_SPEC_KINDS = 4 };

typedef struct {
    diag *messages;
    model *m;
    instance *in;
    eval *ev;
    rule rules[WORD_SPEC_KINDS];
    value *states;  // states[i * ncells]: after i statements
} word_spec;

// models/specs/FILE.pv; fails the test when it cannot be read.
void word_spec_open(word_spec *a, const char *file, const pv_options *o, const char *system, uint32_t threads,
                    uint32_t locs);
void word_spec_close(word_spec *a);
// Reads the word's statement i, when those before it have been read; false when it is refused.
bool word_spec_step(word_spec *a, const word *w, uint32_t i);
// How many statements are accepted.
uint32_t word_spec_read(word_spec *a, const word *w);

#endif
