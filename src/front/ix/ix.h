// SPDX-License-Identifier: Apache-2.0
// The language of sets of admissible interchanges (`.ix`, doc/histories.md):
//
//   interchange lazy_invalidation
//   use structural
//   forbid lazy_invalidation: p != q & commit(q) & previously (read(p, x) & !commit(q) since write(q, x))
//
// `use` names a set of the library or a file ("mine.ix").
//
//   parse.c     text to rules
//   library.c   the files of models/interchange, kept inside the program
#ifndef FRONT_IX_H
#define FRONT_IX_H

#include "history/interchange.h"

// From text. False after mistakes, which go to `messages`; x was begun by interchange_begin().
bool ix_parse(interchange *x, diag *messages, const char *path, const char *text, size_t size);
// From the library when the name is one of its sets, else from a file.
bool ix_load(interchange *x, diag *messages, const char *name_or_path);
// The text of a set as .pv (history/spec.h), in `memory`; NULL after messages.
const char *ix_translate(const char *path, const char *text, size_t size, diag *messages, arena *memory);

// ---- the library

enum { IX_LIBRARY_MOST = 16 };

const char *ix_library_find(const char *name);  // the text of a set; NULL if there is none with that name
uint32_t ix_library_names(const char *names[IX_LIBRARY_MOST]);
const char *ix_library_refused(const char *name);  // why a set of that name cannot be stated, or NULL

#endif
