// SPDX-License-Identifier: Apache-2.0
// cover: is an abstraction sound for a model? Every step of an instance of size c+1, c+2 or c+3, seen at any c of its
// elements, is a step of the abstract model with the lemmas that the model states (which must be true), or changes
// nothing there; and so are the starts. An invariant that fails in a state fails in the abstract one at some c
// elements.
#ifndef ORACLE_COVER_H
#define ORACLE_COVER_H

#include "explore/explore.h"
#include "model/eval.h"

// A Murphi model with a scalarset `node`, of which there may be any number.
typedef struct {
    diag *messages;
    model *m;
    sys system;
    type sort;
} cover_sample;

cover_sample cover_read(const char *text);  // fails if it has a mistake
void cover_close(cover_sample *s);
// What can be reached of an instance, without symmetry; more than so many states are left.
explored *cover_explore(const instance *in, uint64_t most_states);
// Looks at every state of an instance. The model is the sample's, or one on top of it.
typedef void (*cover_look)(eval *ev, const value *cells, void *context);
void cover_each(const cover_sample *s, model *m, uint32_t size, cover_look look, void *context);

// Of the views of states some are excused: a rule of a kept element fails in the abstract state, so nothing is claimed
// of it.
typedef struct {
    uint32_t refused, compared;
    uint64_t states, views, excused;
} cover_tally;

bool cover_is_sound(const char *text, uint32_t kept, cover_tally *t);

// Models that a certain mistake would get wrong: all are taken, compared and covered, with one and two elements kept.
typedef struct {
    const char *what, *text;
} cover_model;

void cover_all(const cover_model *models, uint32_t n);
// Is the first invariant proved without lemmas, with so many elements kept? That is, does the abstraction know enough?
bool cover_knows(const char *text, uint32_t kept);

// Declarations and starts that many models share.
#define COVER_HEAD                                                                                \
    "type node : scalarset(3); none : enum { nobody }; maybe : union { node, none };\n"           \
    "var x, y : boolean; who, top : node; place : maybe; full, late : array [node] of boolean;\n" \
    "  link : array [node] of node; next : array [node] of maybe;\n"
#define COVER_START                                                                                      \
    "ruleset s : node; t : node do startstate x := false; y := false; who := s; top := t; place := s;\n" \
    "  for n : node do full[n] := false; late[n] := false; link[n] := t; next[n] := nobody; end; end; "  \
    "end;\n"
// Rules with which full[n] -> who = n, and so x never becomes true.
#define COVER_TOKEN                                                                           \
    "ruleset n : node do rule who = n & !full[n] ==> begin full[n] := true; end; end;\n"      \
    "ruleset n : node; p : node do rule full[n] ==> begin full[n] := false; who := p; end;\n" \
    "  rule n != p & full[n] & full[p] ==> begin x := true; end; end;\n"

#endif
