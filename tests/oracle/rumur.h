// SPDX-License-Identifier: Apache-2.0
// rumur: asks the checker that Debian's `rumur` and a C compiler make of a Murphi model. Both take seconds for each.
#ifndef ORACLE_RUMUR_H
#define ORACLE_RUMUR_H

#include "base/str.h"

typedef struct {
    bool is_violated;
    uint64_t states, fired;  // without symmetry
} rumur_answer;

bool rumur_is_here(void);
// A folder for what it makes, under /tmp; rumur_close() removes it.
void rumur_open(char folder[64]);
void rumur_close(const char *folder);
// False when Rumur or the compiler refuses, or it takes too long.
bool rumur_ask(const char *folder, const str *text, rumur_answer *x);

#endif
