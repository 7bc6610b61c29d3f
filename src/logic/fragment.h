// SPDX-License-Identifier: Apache-2.0
// Is a question inside stratified EPR, where the ground engine always ends? The sorts must not depend on
// each other in a cycle: S → T if a function takes an S to a T, or for all x: S there is a y: T.
#ifndef LOGIC_FRAGMENT_H
#define LOGIC_FRAGMENT_H

#include "model/model.h"

typedef struct {
    bool is_there;
    span at;  // of what causes the dependence
    func f;   // a function, or id 0: a quantifier
} fragment_edge;

typedef struct {
    const model *m;
    uint32_t ntypes;
    fragment_edge *edges;  // from * ntypes + to
} fragment;

void fragment_init(fragment *f, const model *m);
void fragment_done(fragment *f);
void fragment_add_func(fragment *f, func g);
// A formula without definitions, or its negation, that a question asserts. `outer`: variables that are universal.
void fragment_add(fragment *f, expr e, bool negated, const var *outer, uint32_t nouter);
bool fragment_leads(const fragment *f, type from, type to);  // is there an edge?
// False, and the cycle in `why` ("Loc → Thread → Loc, …"), when the sorts depend on each other.
bool fragment_is_stratified(const fragment *f, str *why);

#endif
