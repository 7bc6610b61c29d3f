// SPDX-License-Identifier: Apache-2.0
// Diagrams: a finite state as a cube, that is, as literals over variables that stand for different elements
// (Karbyshev, Bjørner, Itzhaky, Rinetzky and Shoham, CAV 2015).
//
// *Words* are what literals are made of: every state function, whatever its arity, the order of ordered sorts, and the
// quantified shapes of the pool, which begin with ∃ and count only where they are false: where one is true, its witness
// is an element of the state. A cube is a choice of a diagram's literals; its negation is a clause, in which
// variables of a sort that are the same element are let off. A cube is *seen* when a sampled state meets it: then its
// negation is no invariant.
#ifndef INFER_DIAGRAM_H
#define INFER_DIAGRAM_H

#include "infer/atoms.h"
#include "infer/sample.h"
#include "logic/logic.h"
#include "model/instance.h"

enum { WORD_MOST_FORMALS = MODEL_MOST_ARGS + 1 };  // a function's arguments and its value

typedef struct {
    expr body;  // without definitions
    const var *formals;
    uint32_t nformals;
    bool is_quantified;
} word;

// A word, or its negation, at variables of a cube.
typedef struct {
    uint32_t word;
    bool negated;
    uint8_t args[WORD_MOST_FORMALS];
} fact;

enum { CUBE_MOST_VARS = 31 };  // elements of a state that becomes a cube

typedef struct {
    VEC(var) vars;
    VEC(fact) facts;
    VEC(expr) lits;       // by fact
    VEC(uint32_t) masks;  // by fact: its variables
} cube;

typedef struct {
    model *m;
    atom_pool *pool;
    VEC(word) words;
    VEC(var) vars;                // made so far, of all sorts
    VEC(const sample *) samples;  // not owned
    map *columns;                 // (sample, word, elements) -> number in `values`
    VEC(uint64_t *) values;
} diagram_maker;

void diagram_start(diagram_maker *d, atom_pool *pool, bool with_quantified);
void diagram_stop(diagram_maker *d);
// False if the state has too many elements.
bool diagram_of(diagram_maker *d, const instance *in, const value *state, cube *out);
void cube_free(cube *c);
// Variable number `index` of a sort: the pool's first, so that lemmas read alike.
var diagram_var(diagram_maker *d, type t, uint32_t index);
// Does a sampled state meet the facts in `keep`?
bool diagram_is_seen(diagram_maker *d, const cube *c, const bits *keep, const bits *same);
// Variable number `to`, which may be a new one, in the place of argument `arg` of a fact; false if there is no room.
bool diagram_split(diagram_maker *d, cube *c, uint32_t fact_number, uint32_t arg, uint32_t to);
// No state meets the facts in `keep`: as a formula, and in a form to read.
expr diagram_clause(diagram_maker *d, const cube *c, const bits *keep, const bits *same);
expr diagram_readable(diagram_maker *d, const cube *c, const bits *keep, const bits *same);
// The facts in `keep`, for a question; `part` is freed by cube_free(). facts[i] of the part is the i-th of `keep`.
void diagram_part(const cube *c, const bits *keep, cube *part);
uint32_t diagram_vars(const cube *c, const bits *keep);  // mask

#endif
