// SPDX-License-Identifier: Apache-2.0
// Names for shared parts, where an expression written out as a tree would be too long to be text.
//
// Whoever writes text finds the parts of everything it is going to write; there are none unless one of the trees is
// large. Each part then gets a definition, and is called wherever it occurs, so the text is as long as the shared
// graph. Parts have numbers from the inside out: one only contains those before it.
#ifndef MODEL_SHARED_H
#define MODEL_SHARED_H

#include "base/bits.h"
#include "model/walk.h"

enum { SHARED_LARGE = 20000 };              // nodes of a tree: more are not written out

typedef struct {
    const model *m;
    bits is_part;                           // by expression
    VEC(expr) parts;
    const char *prefix;                     // names are this and the number from 1 on; no name of the model begins so
} shared;

// The parts of all that the walk goes through; it is at its end then. With `whole`, parts that speak of the state after
// a step and parts with any number of variables as well: for text that is no model.
shared shared_find(walk *w, bool whole);
void shared_free(shared *x);

static inline bool shared_has(const shared *x, expr e) { return x && bits_has(&x->is_part, e.id); }
uint32_t shared_number(const shared *x, expr e);  // of a part, from 1 on

#endif
