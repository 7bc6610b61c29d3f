// SPDX-License-Identifier: Apache-2.0
// What an inductive proof has to show about a system: induction on the guarded system, and that every step is
// allowed.
#ifndef INFER_GUARDED_H
#define INFER_GUARDED_H

#include "model/model.h"

// The system where what a rule requires is part of its guard. Induction may take for granted that a step is
// allowed, as long as the lemmas imply just that: they hold up to the step, so it is allowed, so they hold
// after it.
sys guarded_system(model *m, sys s);

// forall parameters. guard -> cond, for requirement k of the system's rule number r; definitions inlined.
expr guarded_allowed(model *m, sys s, uint32_t r, uint32_t k);

#endif
