// SPDX-License-Identifier: Apache-2.0
// Refinement is transitive: a system that refines S refines whatever S refines.
//
// That S refines T is stated by a relation in another model, a file beside the specification. The relation is carried
// over to the model at hand by the names it uses and checked there; the file is believed in nothing.
#ifndef INFER_STRONGER_H
#define INFER_STRONGER_H

#include "infer/infer.h"
#include "model/model.h"
#include "result/proof.h"

// Could what the one property says help with the other?
bool stronger_fits(const model *m, prop by, prop wanted);
// A property of `file` that states, by a relation, that the specification of the one refines that of the other; id 0:
// none.
prop stronger_stated(const model *file, const prop *props, uint32_t nprops, const model *m, prop by, prop wanted);
// The proof of `wanted` by the relation that is stated in `file`, given that `by` is proved; NULL: there is none.
// path: of the file, for people.
proof *stronger_conclude(model *file, prop stated, const char *path, model *m, prop by, prop wanted,
                         const infer_options *how);

#endif
