// SPDX-License-Identifier: Apache-2.0
// Certificates of proofs for all sizes: for each property that was proved the lemmas (as text to read and as a tree to
// process) and the list of obligations, so that another program, or `parvis recheck`, can discharge every one again.
// They are the member "proofs" of the header; doc/certificates.md describes it.
#ifndef CERTIFICATE_PROOFS_H
#define CERTIFICATE_PROOFS_H

#include "result/proof.h"

#include <jansson.h>

// The proofs with the verdict `holds`, as an array; NULL, with a message, where a lemma is too large for a file.
json_t *proofs_object(const proof *const *proofs, uint32_t n);

typedef struct {
    const char *name;  // NULL: none
    lemma_kind kind;
    bool is_assumed;
    expr formula;
} proofs_lemma;

// One entry of the array: its property and lemmas, over the model of the certificate. False, with a message, when a
// name or a type does not fit, the system or the sorts are others, or a lemma's text is not what its tree says.
// `out` is freed by the caller, the names belong to the entry.
typedef VEC(proofs_lemma) proofs_lemmas;
bool proofs_read(const json_t *entry, model *m, diag *messages, prop *property, proofs_lemmas *out);

// An entry may rest on that of another property of the same system, whose specification refines the one asked for: then
// its lemmas show only that. The name of that property, or NULL.
const char *proofs_given(const json_t *entry);
// Is there an entry, which rests on no other, for each property that entries rest on? If not, says so.
bool proofs_are_complete(const json_t *list, diag *messages);

#endif
