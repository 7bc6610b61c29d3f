// SPDX-License-Identifier: Apache-2.0
// An inductive invariant checked again, every obligation, by an external prover. Shares with the ground engine the
// model and its update expressions (model/update.h), but no encoding.
#ifndef LOGIC_RECHECK_H
#define LOGIC_RECHECK_H

#include "logic/external.h"

typedef struct {
    obligation_kind kind;
    rule r;            // id 0: none
    uint32_t lemma;    // index in the invariant; UINT32_MAX: the property
    const char *name;  // "commit preserves lemma 3"
    answer a;
    const char *why;         // why unknown, else ""
    uint32_t number, total;  // of the obligations, from 1
} recheck_step;

// Called after every obligation; false stops.
typedef bool (*recheck_callback)(const recheck_step *step, void *context);

// ANSWER_PROVED: every obligation was discharged, so the property holds for all sizes. ANSWER_REFUTED: the prover has
// a countermodel for one (the invariant is not inductive or too weak). ANSWER_UNKNOWN: some are open, or, with a
// message in the model's diagnostics, they cannot be stated. `callback` may be NULL, `granted` too (obligation.h).
answer recheck_obligations(model *m, sys s, const expr *invariant, uint32_t n, const bits *granted, prop p,
                           external_prover prover, const external_limits *limits, recheck_callback callback,
                           void *context);

#endif
