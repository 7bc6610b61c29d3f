// SPDX-License-Identifier: Apache-2.0
// Variables that a rule copies and copies back without a change: a system without these copies.
//
// Models often begin a rule with `next := now` and end it with `now := next`, of the whole state. Of most variables
// nothing happens in between.
#ifndef PASS_ROUND_TRIP_H
#define PASS_ROUND_TRIP_H

#include "model/model.h"

// How many pairs of copies were left out: the steps stay what they are. The model is on top of the user's
// (model/overlay.h).
uint32_t round_trip_leave_out(model *m, sys s);

#endif
