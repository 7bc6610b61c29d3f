// SPDX-License-Identifier: Apache-2.0
// Certificates of proofs by the compositional method: the model's text, and for each property the lemmas and the
// abstract model, all in Murphi.
#ifndef CLI_CERTIFY_CMP_H
#define CLI_CERTIFY_CMP_H

#include "certificate/certfile.h"
#include "cli/session.h"
#include "cli/certify/source.h"
#include "result/proof.h"

// The proofs with the verdict `holds`; false, with a message, when the file cannot be written.
bool cmp_certificate_write(session *s, const source *of, const char *path, const proof *const *proofs, uint32_t n);
// Explores every abstract model again, as it is printed and as it follows from the model and the lemmas.
int cmp_certificate_recheck(session *s, certfile *file);

#endif
