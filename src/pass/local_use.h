// SPDX-License-Identifier: Apache-2.0
// Is the value that a local has after a statement ever read?
#ifndef PASS_LOCAL_USE_H
#define PASS_LOCAL_USE_H

#include "model/model.h"

typedef struct local_use local_use;

local_use *local_use_new(const model *m);
void local_use_free(local_use *u);
// The body that questions are about. Its statements are numbered from 0 in the order of the text: a statement, its
// body, its else branch.
void local_use_look_at(local_use *u, const stmt *body);
// May the value that f has after the statement be read, before f is written again? One-sided: true may also mean that
// it cannot be told.
bool local_use_after(const local_use *u, uint32_t statement, func f);

#endif
