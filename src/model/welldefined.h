// SPDX-License-Identifier: Apache-2.0
// Where an expression has a value: conditions without run-time errors.
#ifndef MODEL_WELLDEFINED_H
#define MODEL_WELLDEFINED_H

#include "model/model.h"

// A condition, never an error itself, that holds exactly where evaluating e is no run-time error.
expr welldefined_where(model *m, expr e);
// The same, for many expressions that have parts in common: `known` begins empty.
expr welldefined_as_known(model *m, map *known, expr e);
// Is it `if c then f else e` where c says where e has no value (func_info.is_said)?
bool welldefined_is_said(const model *m, expr e);
// e where it can be evaluated, else false.
expr welldefined_holds(model *m, expr e);
// That e is in the range, if ty is one, where it has a value.
expr welldefined_as(model *m, type ty, expr e);

#endif
