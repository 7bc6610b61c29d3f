// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds write alike.
#ifndef PASS_SAME_WRITES_H
#define PASS_SAME_WRITES_H

#include "model/model.h"

// Does every round that writes f write the same into the same cell, and no round read it? Then it does not matter in
// which order rounds are done, nor how often. One-sided.
bool same_writes(const model *m, const stmt *loop, func f);

#endif
