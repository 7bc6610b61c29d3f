// SPDX-License-Identifier: Apache-2.0
// Discharging the obligations of a finished proof, one by one, with a prover of the user's choice.
#ifndef INFER_RECHECK_H
#define INFER_RECHECK_H

#include "base/progress.h"
#include "certificate/proofs.h"
#include "logic/external.h"

typedef struct {
    external_prover prover;
    bool others_help;      // what it leaves open is put to the others that are installed
    double query_seconds;  // of one obligation
    progress *line;        // may be NULL
    limits limits;
} recheck_options;

typedef struct {
    uint32_t obligations, proved, refuted, unanswered;
    uint32_t assumed;  // lemmas taken for granted: the model's assumptions that were not proved
    str first;         // the first obligation that was not proved, in words
    double seconds;
} recheck_result;

// Are the lemmas true initially, preserved by every rule, and strong enough for the property? False, with a
// message, when the system cannot be treated or a lemma taken for granted is not one of the model's assumptions.
bool recheck_proof(model *m, prop p, const proofs_lemmas *lemmas, const recheck_options *o, recheck_result *out);
void recheck_free(recheck_result *r);

#endif
