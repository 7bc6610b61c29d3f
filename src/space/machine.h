// SPDX-License-Identifier: Apache-2.0
// Machine code from bytecode: made at once, in this process, without a compiler.
#ifndef SPACE_MACHINE_H
#define SPACE_MACHINE_H

#include "space/interp.h"

typedef struct machine machine;

// NULL where there is none: a processor other than x86-64, a system that does not allow generated code, a program
// too long.
machine *machine_new(const interp *x);
void machine_free(machine *m);

// As interp_next() and interp_check(), with a register file of interp_registers().
uint32_t machine_next(const machine *m, uint64_t *r, const uint64_t *state, uint64_t *next, uint32_t *labels);
void machine_check(const machine *m, uint64_t *r, const uint64_t *state, uint64_t *failed);

#endif
