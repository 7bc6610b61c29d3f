// SPDX-License-Identifier: Apache-2.0
// Refinement is transitive: a system that refines S refines whatever S refines.
//
// A file NAME_is_stronger.pv beside NAME.pv, which has the specification S, may state `S refines T by { ... }`. Where a
// model asks for both, and the system refines S, the relation is carried over to the model by the names it uses and
// checked there. The file is believed in nothing.
#ifndef CLI_STRONGER_H
#define CLI_STRONGER_H

#include "cli/session.h"
#include "infer/infer.h"
#include "model/model.h"
#include "result/proof.h"

// Is there such a file for what the one property says, stating what the other needs?
bool stronger_is_stated(session *s, model *m, prop by, prop wanted);
// The proof of `wanted` by that relation, given that `by` is proved; NULL: there is none.
proof *stronger_conclude(session *s, model *m, prop by, prop wanted, const infer_options *how);

#endif
