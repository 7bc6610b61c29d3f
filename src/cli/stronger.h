// SPDX-License-Identifier: Apache-2.0
// Files that say what a specification refines: NAME_is_stronger.pv beside NAME.pv, which has the specification S, may
// state `S refines T by { ... }`. What is made of that: infer/stronger.h.
#ifndef CLI_STRONGER_H
#define CLI_STRONGER_H

#include "cli/session.h"
#include "infer/infer.h"
#include "model/model.h"
#include "result/proof.h"

// Is there such a file for what the one property says, stating what the other needs?
bool stronger_file_states(session *s, model *m, prop by, prop wanted);
// The proof of `wanted` by its relation, given that `by` is proved; NULL: there is none.
proof *stronger_file_conclude(session *s, model *m, prop by, prop wanted, const infer_options *how);

#endif
