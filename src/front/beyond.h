// SPDX-License-Identifier: Apache-2.0
// Arithmetic whose result may lie beyond ±(2^31 - 1), which is as far as values of the model go: the question whether
// it does. Where the answer is yes, front ends end the run in a fault that is a limit of ours.
#ifndef FRONT_BEYOND_H
#define FRONT_BEYOND_H

#include "model/model.h"

// Does the result lie beyond? Id 0: that cannot be asked.
expr front_is_beyond(model *m, expr_kind kind, expr a, expr b);

#endif
