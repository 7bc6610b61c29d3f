// SPDX-License-Identifier: Apache-2.0
// Where an expression has a value: conditions without run-time errors.
#ifndef CMP_SURE_H
#define CMP_SURE_H

#include "model/model.h"

// A condition, never an error itself, that holds exactly where evaluating e is no run-time error.
expr sure_has_value(model *m, expr e);
// e where it can be evaluated, else false.
expr sure_holds(model *m, expr e);

#endif
