// SPDX-License-Identifier: Apache-2.0
// Rechecking the claims of `check` and `compare`: by the reference evaluator alone.
#ifndef CLI_CERTIFY_CLAIMS_H
#define CLI_CERTIFY_CLAIMS_H

#include "certificate/certfile.h"
#include "cli/session.h"

// Checks every claim, says and answers; returns the exit code.
int recheck_claims(session *s, certfile *file);

#endif
