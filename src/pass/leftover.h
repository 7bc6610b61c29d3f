// SPDX-License-Identifier: Apache-2.0
// Values that nobody reads any more: a system that forgets them.
//
// A message that was taken leaves its fields behind, and each value they have makes another state. Where guards and
// conditions show that a cell is only read while another one of the same element has certain values (the sender of a
// message, while there is one), the cell is made undefined where that has others.
//
// Why this is right: the property becomes the property and that every such cell has a value wherever it may be read.
// That nothing else is read follows from the text, for any number of elements (leftover.c). So as long as it holds,
// runs are those of the system with some values missing that nothing depends on, step by step. It is proved with the
// property: a run-time error would not do, since what goes wrong among elements that are not kept is not seen.
#ifndef PASS_LEFTOVER_H
#define PASS_LEFTOVER_H

#include "model/model.h"

typedef VEC(func) leftover_list;

// The functions that are forgotten now and then, as they are called in the user's model, are added to `out`. The model
// is on top of the user's (model/overlay.h). is_bold: also where some rule seems to lead to a state in which they
// are read: the property may fail then.
void leftover_forget(model *m, sys s, prop p, bool is_bold, leftover_list *out);

#endif
