// SPDX-License-Identifier: Apache-2.0
// spec_run: a deterministic specification over Client, Loc and Value that reads words, by the reference evaluator.
#ifndef ORACLE_SPEC_RUN_H
#define ORACLE_SPEC_RUN_H

#include "front/pv/pv.h"
#include "model/eval.h"

enum { SPEC_RUN_LETTERS = 8 };

typedef struct {
    diag *messages;
    model *m;
    instance *in;
    eval *ev;
    rule rules[SPEC_RUN_LETTERS];
    value *states;  // states[i * ncells]: after i letters
} spec_run;

// The deterministic system of a file, with its actions called `names`; fails the test when there is none.
void spec_run_open(spec_run *s, const char *path, const pv_options *o, const uint32_t sizes[3],
                   const char *const *names, uint32_t nnames, uint32_t longest);
void spec_run_close(spec_run *s);
// Reads letter i, when those before it have been read; false when it is refused.
bool spec_run_step(spec_run *s, uint32_t i, uint32_t name, const value args[3]);

#endif
