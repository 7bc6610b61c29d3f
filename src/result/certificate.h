// SPDX-License-Identifier: Apache-2.0
// Certificates: proofs written out so that another program, or `parvis recheck`, can discharge every
// obligation again.
//
// A certificate is one JSON object: the model as canonical `.pv` text with its hash, and for each property
// that was proved the lemmas (as text to read and as a tree to process) and the list of obligations.
// doc/prove.md describes it.
#ifndef RESULT_CERTIFICATE_H
#define RESULT_CERTIFICATE_H

#include "result/proof.h"

#include <jansson.h>

// The proofs with the verdict `holds`, all over the model whose text is given.
void certificate_write(const char *model_text, const proof *const *proofs, uint32_t n, str *out);

// A closed formula without definitions as a tree, and back; id 0 if the tree does not fit the model.
json_t *certificate_formula(const model *m, expr e);
expr certificate_formula_read(model *m, const json_t *tree);

typedef struct certificate certificate;

// NULL, with a message, when it cannot be read or is no certificate, or the model's text is not what was
// proved.
certificate *certificate_open(const char *path, diag *messages);
void certificate_free(certificate *c);

const char *certificate_model(const certificate *c);
uint32_t certificate_proofs(const certificate *c);
const char *certificate_property(const certificate *c, uint32_t i);

typedef struct {
    const char *name;  // NULL: none
    lemma_kind kind;
    bool is_assumed;
    expr formula;
} certificate_lemma;

// The lemmas of proof i over the model read from certificate_model(); false, with a message, when a name or a
// type does not fit. `out` is freed by the caller, the names belong to c.
typedef VEC(certificate_lemma) certificate_lemmas;
bool certificate_read(const certificate *c, uint32_t i, model *m, diag *messages, certificate_lemmas *out);

#endif
