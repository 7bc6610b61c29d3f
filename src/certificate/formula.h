// SPDX-License-Identifier: Apache-2.0
// Formulas as JSON trees: ["forall", [["t", "Thread"]], body], ["and", a, b], ["app", "TL2.rs", ["var", "t"]],
// ["const", "finished", "TL2.Phase"]. One that would be too large as a tree is ["let", [[[["t0", "Thread"]], part]],
// formula], with ["part", 1, ["var", "t1"]] for part 1 with t1 instead of t0. Reading trusts nothing:
// names, types, ranges and depth are checked.
#ifndef CERTIFICATE_FORMULA_H
#define CERTIFICATE_FORMULA_H

#include "model/model.h"

#include <jansson.h>

// A closed formula without definitions as a tree (NULL: it would be too deep or too large to be read), and back: id 0,
// with a message unless `messages` is NULL, when the tree does not fit the model.
json_t *formula_object(const model *m, expr e);
expr formula_read(model *m, const json_t *tree, diag *messages);
// The same of a term of any type over these variables.
json_t *formula_term(const model *m, const var *of, uint32_t n, expr e);
expr formula_read_term(model *m, const var *of, uint32_t n, type ty, const json_t *tree, diag *messages);

#endif
