// SPDX-License-Identifier: Apache-2.0
// Why a specification does not allow a step, in its own words.
#ifndef RESULT_REFUSAL_H
#define RESULT_REFUSAL_H

#include "model/model.h"

// "StrictSerializability refuses this commit: it asks for `!precedes(t, t)`,
// models/specs/strict_serializability.pv:56:10", for an action that the specification of a PROP_REFINES property
// refuses. Without arguments, which a trace may rename.
void refusal_text(const model *m, prop property, rule r, str *out);
// Where the specification says what it asks of the action; no place: it does not say.
span refusal_place(const model *m, prop property, rule r);

#endif
