// SPDX-License-Identifier: Apache-2.0
// Linear code as C text, for the system's compiler.
#ifndef SPACE_EMIT_C_H
#define SPACE_EMIT_C_H

#include "base/str.h"
#include "space/ir.h"
#include "space/lower.h"

// Exports `uint32_t parvis_next(const word *state, word *next, uint32_t *labels)` and
// `void parvis_check(const word *state, word *failed)`.
void emit_c(const lowering *p, const ir_code *next, const ir_code *checks, str *out);

// Exports `void parvis_canonical(word *state)`: the step of a lowering's only label, in place.
void emit_c_canonical(const lowering *p, const ir_code *step, str *out);

#endif
