// SPDX-License-Identifier: Apache-2.0
// Bytecode for linear code and its interpreter.
#ifndef SPACE_INTERP_H
#define SPACE_INTERP_H

#include "space/ir.h"
#include "space/lower.h"

typedef struct interp interp;

// NULL when it needs more registers than an instruction can name.
interp *interp_new(const lowering *p, const ir_code *code);
void interp_free(interp *x);

// Every thread has its own register file.
uint64_t *interp_registers(const interp *x, arena *memory);

// As space_next() and space_check(); the code must be of that kind.
uint32_t interp_next(const interp *x, uint64_t *r, const uint64_t *state, uint64_t *next, uint32_t *labels);
void interp_check(const interp *x, uint64_t *r, const uint64_t *state, uint64_t *failed);

#endif
