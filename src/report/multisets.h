// SPDX-License-Identifier: Apache-2.0
// Multisets of a state, in the words of people: "net{k=req, src=P_1}" for an element, wherever it lies.
#ifndef REPORT_MULTISETS_H
#define REPORT_MULTISETS_H

#include "model/instance.h"
#include "report/style.h"

// Marks the cells of multisets as not to be shown one by one; false: there are none.
bool multisets_hide(const instance *in, bool *is_shown);

// What came and what went: "+net{k=req}", "-net{k=ack}".
void multisets_changes(const instance *in, const value *before, const value *after, style_flow *f);

// All elements, equal ones once with their number: "net{k=req} × 2".
void multisets_elements(const instance *in, const value *state, style_flow *f);

#endif
