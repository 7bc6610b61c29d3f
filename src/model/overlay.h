// SPDX-License-Identifier: Apache-2.0
// A model on top of another: what an engine adds, for as long as it works.
//
// An overlay begins as its model is: every handle of that means the same here. What is added here is not there, and
// goes with the overlay (its tables and its arena); the model below is only read, so that one that was read from a
// file stays what the file says. It must live longer than the overlay; what is added to it meanwhile is not seen here,
// and handles of such additions mean nothing here.
#ifndef MODEL_OVERLAY_H
#define MODEL_OVERLAY_H

#include "model/model.h"

// Freed by model_free(). Expectations, which tests read in a file, are left out.
model *overlay_new(const model *below);
// The same in which a sort that is declared with a size may have any.
model *overlay_with_any_size(const model *below, type sort);
void overlay_set_size(model *m, type sort, uint32_t size);  // of an overlay; 0: any number

#endif
