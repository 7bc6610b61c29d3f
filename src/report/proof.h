// SPDX-License-Identifier: Apache-2.0
// Proofs as text and JSON.
//
//   strictly_serializable: holds for all sizes
//       12 lemmas: 64 states, 4,320 candidates, … 0.04 s
//       invariant
//         forall t: Thread, v: Loc. ws(t, v) -> StrictSerializability.ws(t, v)
#ifndef REPORT_PROOF_H
#define REPORT_PROOF_H

#include "report/object.h"
#include "report/style.h"
#include "report/text.h"
#include "result/proof.h"

void proof_text(const proof *p, const style *s, const text_options *options, str *out);
// The answer of `prove --json`: the fields of every answer, summed up, and one object per property.
json_t *proof_answer(const proof *const *proofs, uint32_t count, object_detail detail);

#endif
