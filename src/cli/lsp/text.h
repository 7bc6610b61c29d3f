// SPDX-License-Identifier: Apache-2.0
// Texts as the language server protocol sees them: lines from 0, columns in units of UTF-16, files as URIs.
#ifndef CLI_LSP_TEXT_H
#define CLI_LSP_TEXT_H

#include "base/diag.h"
#include "base/vec.h"

#include <jansson.h>

// Where lines begin: with it a place is found by its line, without (NULL) from the beginning of the text.
typedef VEC(ptrdiff_t) lsp_lines;
void lsp_text_lines(const char *text, size_t size, lsp_lines *out);

// Byte offset of a position, at most the end of its line; and back.
size_t lsp_text_offset(const char *text, size_t size, uint32_t line, uint32_t column);
json_t *lsp_text_range(const char *text, size_t size, const lsp_lines *lines, span at);

// The word around an offset: where it begins and ends; false if there is none.
bool lsp_text_word(const char *text, size_t size, size_t at, size_t *begin, size_t *end);

// "file:///a%20b.pv" to "/a b.pv", and back; the first is NULL for other schemes, and the caller frees it.
char *lsp_text_path(const char *uri);
void lsp_text_uri(const char *path, str *out);

#endif
