// SPDX-License-Identifier: Apache-2.0
// The obligations of an inductive invariant, as formulas with explicit symbols for the state after (E_NEXT), for
// external provers. Initiation, consecution for each rule, safety; each set has hypotheses and several goals.
//
// Shares no encoding with the ground engine: the step is stated by axioms, ∀y. f'(y) = e(y) for what the rule writes
// and ∀y. f'(y) = f(y) for what it leaves, instead of being substituted away.
#ifndef LOGIC_OBLIGATION_H
#define LOGIC_OBLIGATION_H

#include "base/bits.h"
#include "model/model.h"

typedef enum { OBLIGATION_INITIATION, OBLIGATION_CONSECUTION, OBLIGATION_SAFETY } obligation_kind;

typedef struct {
    const char *name;  // "commit preserves lemma 3"
    uint32_t lemma;    // UINT32_MAX: safety
    expr formula;
} obligation_goal;

// Goals under the same hypotheses; the rule's parameters are constants.
typedef struct {
    obligation_kind kind;
    rule r;  // id 0: none
    const var *params;
    uint32_t nparams;
    const expr *hypotheses;  // plain (plain.h), as are the goals
    uint32_t nhypotheses;
    const obligation_goal *goals;
    uint32_t ngoals;
} obligation_set;

typedef struct {
    model *m;
    sys system;
    arena *memory;
    VEC(obligation_set) sets;
} obligations;

// `granted` (may be NULL): lemmas taken for granted, hypotheses without a proof of their own. A rule's step is assumed
// to be one that the property allows: that the invariant guarantees this is a safety obligation.
// The property is an invariant, or a refinement whose product is the system. False, with a message, for
// any other property or a system that a proof cannot handle.
bool obligations_of(model *m, sys s, const expr *invariant, uint32_t n, const bits *granted, prop p, obligations *out);
void obligations_free(obligations *o);

#endif
