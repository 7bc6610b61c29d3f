// SPDX-License-Identifier: Apache-2.0
// The model as canonical `.pv` text: parses back to the same model, and printing that gives the same text. Where a body
// uses statements again and again (calls of procedures), so that it would be long, it says in which line they are.
#ifndef MODEL_PRINT_H
#define MODEL_PRINT_H

#include "model/model.h"

void print_expr(const model *m, expr e, str *out);
// In a composition, functions of parts other than the first are written "Spec.rs(t, v)", for people to read.
void print_expr_in(const model *m, sys composition, expr e, str *out);
// What the specification of a refinement is said to choose: a line "  with …" for each, with a newline before it.
void print_choices(const model *m, prop p, str *out);
void print_system(const model *m, sys s, str *out);
void print_model(const model *m, str *out);

#endif
