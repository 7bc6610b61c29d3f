// SPDX-License-Identifier: Apache-2.0
// Names for shared parts, where an expression written out as a tree would be too long to be text.
//
// Whoever writes text finds the parts of everything it is going to write; there are none unless one of the trees is
// large. Each part then gets a definition, and is called wherever it occurs, so the text is as long as the shared
// graph. Parts have numbers from the inside out: one only contains those before it. Which numbers depends on what the
// expressions are, not on how the model came by them.
#ifndef MODEL_SHARED_H
#define MODEL_SHARED_H

#include "model/walk.h"

enum { SHARED_LARGE = 20000 };  // nodes of a tree: more are not written out

typedef struct {
    const model *m;
    uint32_t *number;  // by expression: from 1, 0 for those that are not parts
    uint32_t nexprs;
    VEC(expr) parts;
    const char *prefix;  // names are this and the number; no name of the model begins so
} shared;

// The parts of everything that the walk goes through; the walk is then over. With `whole`, also parts about the state
// after a step and parts with any number of variables, and names like #1: for text that is not a model.
shared shared_find(walk *w, bool whole);
void shared_free(shared *x);

static inline uint32_t shared_number(const shared *x, expr e) { return x && e.id < x->nexprs ? x->number[e.id] : 0; }

#endif
