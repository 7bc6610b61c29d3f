// SPDX-License-Identifier: Apache-2.0
// Is a proof about anything? Rules that can never happen, premises that are never true, no start: facts that make
// `holds for all sizes` say less than it seems to (result/doubt.h).
#ifndef INFER_TRIED_H
#define INFER_TRIED_H

#include "infer/infer.h"
#include "logic/logic.h"
#include "result/proof.h"
#include "result/result.h"

typedef struct {
    logic *logic;         // NULL: there is none to ask
    const bits *lemmas;   // those of the proof
    const result *first;  // an earlier exploration of the system, with its doubts; or NULL
} tried_by;

// Explores small instances of growing size, and asks the logic whether the lemmas of the proof exclude a rule.
// What is in doubt, of the system and of the premises of these invariants, goes to the proof; a system without a
// start at any size is not proved.
void tried_look(proof *p, const prop *invariants, uint32_t n, const tried_by *by, const infer_options *o);

// Can instances of the system be explored? Not where only a formula describes a step.
bool tried_can_explore(const model *m, sys s);

#endif
