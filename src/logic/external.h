// SPDX-License-Identifier: Apache-2.0
// External provers: obligations as text to a child process with limits, its output back as answers.
#ifndef LOGIC_EXTERNAL_H
#define LOGIC_EXTERNAL_H

#include "base/process.h"
#include "logic/logic.h"
#include "logic/obligation.h"

typedef enum { EXTERNAL_Z3, EXTERNAL_CVC5, EXTERNAL_SPASS, EXTERNAL_EPROVER, EXTERNAL_PROVERS } external_prover;

typedef struct {
    double seconds;         // per goal; 0: 60
    uint64_t memory_bytes;  // 0: 4 GiB
    limits limits;          // of all goals together
} external_limits;

const char *external_name(external_prover p);
bool external_find(const char *name, external_prover *out);  // z3, cvc5, spass, eprover
bool external_is_installed(external_prover p);               // z3 always is: its library will do

// Puts the goals [first, first + n) of a set to a prover. answers[i] is ANSWER_PROVED only where the prover said so in
// full; a prover that fails, lacks time, or says anything else gives ANSWER_UNKNOWN and, if not NULL, a reason.
void external_ask(external_prover p, const obligations *o, const obligation_set *s, uint32_t first, uint32_t n,
                  const external_limits *limits, answer *answers, str *why);

#endif
