// SPDX-License-Identifier: Apache-2.0
// Any number of elements of two sorts at once: what was proved by an abstraction of the one is abstracted once
// more, for the other.
#ifndef CMP_BOTH_H
#define CMP_BOTH_H

#include "cmp/cmp.h"
#include "result/proof.h"

// The property holds for any number of elements of `sort`, as `out` shows, and a number of options->also. Does it hold
// for any number of both? Else *out is unknown or violated. The model is the user's.
bool both_hold(const model *m, prop p, type sort, const cmp_options *options, proof *out);

#endif
