// SPDX-License-Identifier: Apache-2.0
// How a specification that chooses could answer the steps of a system: found from the terms of both.
#ifndef INFER_CHOICES_H
#define INFER_CHOICES_H

#include "infer/infer.h"

// For a PROP_REFINES whose specification makes choices that the property says nothing of: the property of the model
// gets witnesses (prop_info.witnesses) with which no step of a small instance is refused. They prove nothing by
// themselves. True if there is nothing to choose. False: there are none among those tried, and the model is as it was.
bool choices_find(model *m, prop p, const infer_options *options);

#endif
