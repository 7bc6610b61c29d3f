// SPDX-License-Identifier: Apache-2.0
// The front end of the language `.pv` (doc/language.md): text to model. Files of interchanges (.ix) are used like
// others.
//
//   lex.c        bytes to tokens
//   parse.c      tokens to declarations and statements
//   term.c       tokens to expressions
//   order.c      what is said of ordered sorts: choose … above, next, max, min
//   algorithm.c  TM algorithms with their commands and contention managers into systems
//   names.c      scopes, what a name stands for, the nearest name to a misspelt one
//   type.c       types, constants, state functions
//   expr.c       expressions, checked against their types, into the model
//   stmt.c       statements, procs expanded, into the model
//   lower.c      systems, compositions, properties, expectations into the model
//   schema.c     shapes of lemmas
//   lemmas.c     lemmas from a file of their own
//   witness.c    how a specification answers steps
//   check.c      checks of what was built: starts, axioms, refinements
//   read.c       files and the order of the above
//   layout.c     a text in our layout
#ifndef FRONT_PV_H
#define FRONT_PV_H

#include "front/source.h"

typedef struct {
    const front_define *defines;
    uint32_t ndefines;
    const char *text;  // not NULL: the main file's text; `path` then only names it, nothing is opened for it
    size_t size;
    const char *lemmas;          // not NULL: a file of lemmas and schemas for proofs to try
    const char *manager;         // not NULL: every algorithm has this contention manager (a name or a path)
    bool alone;                  // `use` is an error: no file is opened
    const char *const *allowed;  // folders from which files may be used besides, see base/reach.h
    uint32_t nallowed;
    front_search search;  // where files are that are not beside the one that uses them
} pv_options;

// What the main file declares itself, in the order of its text; the rest comes from files it uses.
// Lives as long as the model.
typedef struct {
    const sys *systems;
    uint32_t nsystems;
    const prop *props;  // invariants of its systems too
    uint32_t nprops;
} pv_unit;

// Reads `path` and the files it uses into an empty model. Mistakes go to m->messages; false after any.
// `o` and `unit` may be NULL. The files' texts live as long as the model.
bool pv_read(model *m, const char *path, const pv_options *o, pv_unit *unit);

// The text in our layout: the same tokens on the same lines, and all comments. False: it has mistakes, or cannot be
// set; *out is of no use then.
bool pv_layout(const char *text, size_t size, str *out);

#endif
