// SPDX-License-Identifier: Apache-2.0
// Where a document uses what a name stands for.
#ifndef CLI_LSP_USES_H
#define CLI_LSP_USES_H

#include "cli/lsp/names.h"

typedef struct {
    const char *text;
    size_t size;
    bool is_murphi;  // its comments
} uses_text;

// Calls for each word of the document, file 1 of the model, that means this name, in their order; its declaration too.
void uses_each(const uses_text *t, const model *m, const lsp_name *of, void (*take)(void *context, span at),
               void *context);

#endif
