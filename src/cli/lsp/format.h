// SPDX-License-Identifier: Apache-2.0
// Formatting for an editor: a text in our layout, if it means the same.
#ifndef CLI_LSP_FORMAT_H
#define CLI_LSP_FORMAT_H

#include "front/pv/pv.h"
#include "model/model.h"

// The text of a model that was read without a mistake, from `path` and as `how` says, in our layout (front/pv). False:
// it cannot be set so that the same model is read from it.
bool lsp_format(const model *m, const char *path, const pv_options *how, str *out);

#endif
