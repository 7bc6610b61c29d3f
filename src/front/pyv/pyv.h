// SPDX-License-Identifier: Apache-2.0
// mypyvy's language `.pyv`: sorts, relations, transitions as two-state formulas. See doc/pyv.md.
//
// The file becomes one system. A transition is a relation between states; its functional part (p'(x) <-> e, also by
// cases) becomes an ordinary body, what is left open at one place becomes a parameter, the conditions become the
// guard; only what none of this covers is kept as a relation (model/model.h), which proofs take and searches refuse.
// safety declarations become invariant properties; invariant declarations become the system's lemmas.
#ifndef FRONT_PYV_H
#define FRONT_PYV_H

#include "model/model.h"

// Reads a file. False, with messages, on any error; *system is the system that it describes. `lemmas` is NULL or a file
// of further invariants, for proofs to try as lemmas.
bool pyv_read(model *m, const char *path, const char *lemmas, sys *system);
// The same from memory; `text` must outlive the model's diagnostics.
bool pyv_read_text(model *m, const char *path, const char *text, size_t size, sys *system);

#endif
