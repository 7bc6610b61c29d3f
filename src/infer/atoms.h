// SPDX-License-Identifier: Apache-2.0
// Atoms: what candidates are built from.
//
// A *pool* has a few variables of each sort. A *shape* is a formula over formal parameters (`rs(x, y)`,
// `phase(x) = aborted`, `x = y`, `exists v. rs(x, v) & ws(y, v)`); an *atom* is a shape with pool variables
// for its parameters. The table from (shape, variables) to atoms makes renaming and identifying variables a
// matter of looking up. Shapes come from the state functions, from equality, and from the quantified
// conditions that occur in the model itself (harvest.c); the last replace the papers'
// hand-written helper predicates.
#ifndef INFER_ATOMS_H
#define INFER_ATOMS_H

#include "model/instance.h"

enum {
    POOL_PER_SORT = 4,  // variables per sort
    POOL_SORTS = 8,     // further sorts are left out
    SHAPE_MOST_ARGS = 4,
    ATOM_NONE = 0xffff  // a trivial atom (x = x)
};

// Kinds of shapes, in the order in which the growing schema adds them.
typedef enum {
    ATOMS_OF_MODEL,  // state functions, equality, conditions of the model
    ATOMS_OF_TERMS,  // and functions of functions
    ATOMS_ALL        // and `exists z. a(x, z) & b(y, z)` for every two relations
} atom_kind;

typedef struct {
    expr body;  // without definitions
    var formals[SHAPE_MOST_ARGS];
    uint8_t sorts[SHAPE_MOST_ARGS];  // index into the pool's sorts
    uint32_t nformals;
    uint32_t group;       // shape of the first literal of the same enum term; UINT32_MAX: none
    uint32_t group_size;  // how many values that term has
    bool is_equality;     // of two variables: used in conclusions only
    bool is_quantified;
    atom_kind level;
    uint32_t *table;  // mixed radix over the variables: atom number
} shape;

typedef struct {
    expr e;
    uint32_t shape;
    uint8_t args[SHAPE_MOST_ARGS];  // pool variables
    uint32_t vars;                  // mask of pool variables
} atom;

typedef struct {
    model *m;
    sys system;
    VEC(type) sorts;
    VEC(var) vars;  // variable i of sort s is number s * POOL_PER_SORT + i
    VEC(shape) shapes;
    VEC(atom) atoms;
    VEC(var) bound;              // bound variables of quantified shapes, like vars; id 0: not made
    map *by_body;                // closed bodies seen, to take each shape once
    uint64_t edges[POOL_SORTS];  // sort a -> sorts that a Skolem function or state function of a leads to
} atom_pool;

atom_pool *atoms_new(model *m, sys s, prop p);
void atoms_free(atom_pool *p);

// One more shape: e over the formals. False if it is there already, too wide, or a constant.
bool atoms_add_shape(atom_pool *p, expr e, const var *formals, uint32_t nformals, atom_kind level);
// Makes the atoms of every shape; called once after the last shape.
void atoms_make(atom_pool *p);
// The index of a sort in the pool, or UINT32_MAX.
uint32_t atoms_sort(const atom_pool *p, type t);
// The atom with its variables replaced: to[v] is the new pool variable of v.
uint32_t atoms_image(const atom_pool *p, uint32_t atom, const uint8_t *to);
// The atom of another shape with the same variables.
uint32_t atoms_of_shape(const atom_pool *p, uint32_t atom, uint32_t shape);

// May a formula `exists z: to` stand under universal variables of the given sorts without leaving the
// stratified fragment? If so, remembers it.
bool atoms_allow_edges(atom_pool *p, uint32_t from_mask, uint32_t to);

// harvest.c: the quantified conditions of the system's rules, requirements and properties, as shapes.
void harvest_conditions(atom_pool *p, prop property);
// ... and every `exists z. a(x, z) & b(y, z)` over two relations, for the grown schema.
void harvest_pairs(atom_pool *p);

#endif
