// SPDX-License-Identifier: Apache-2.0
// What the names of a model stand for, for an editor: declarations with their place and what they are.
//
//   lsp.c     the command: documents, requests and answers
//   names.c   what names of a model stand for
//   uses.c    where a document uses a name
//   text.c    positions and URIs
//   format.c  a text in our layout, if it means the same
#ifndef CLI_LSP_NAMES_H
#define CLI_LSP_NAMES_H

#include "model/model.h"

typedef enum {
    NAME_SORT,
    NAME_FUNCTION,
    NAME_DEFINITION,
    NAME_VARIABLE,
    NAME_ACTION,
    NAME_SYSTEM,
    NAME_PROPERTY
} lsp_kind;

typedef struct {
    lsp_kind kind;
    const char *name;
    span at;
    sys owner;  // the system that it is in; id 0: none
    uint32_t id;
} lsp_name;

// Calls for each declaration of the model, in no particular order.
void lsp_names_each(const model *m, void (*take)(void *context, const lsp_name *n), void *context);
// What is declared there, in the words of the model: "rel busy(Thread)".
void lsp_names_text(const model *m, const lsp_name *n, str *out);
// Of those of that name, the one that a use at this place means: the parameter or variable declared last before it,
// else a member of the system around it, else any. False: there is none.
bool lsp_names_find(const model *m, const char *name, size_t length, span at, lsp_name *out);
// The same among these names only.
bool lsp_names_among(const model *m, const lsp_name *list, uint32_t n, const char *name, size_t length, span at,
                     lsp_name *out);

#endif
