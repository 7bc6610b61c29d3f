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

#include "model/expr.h"
#include "model/instance.h"

enum {
    POOL_PER_SORT = 4,  // variables per sort
    POOL_SORTS = 8,     // further sorts are left out
    SHAPE_MOST_ARGS = 4,
    ATOM_NONE = 0xffff,  // a trivial atom (x = x)
    ATOM_MOST = 0x7fff   // atoms of a pool, so that a literal is a number of 16 bits: further ones are left out
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
    bool is_on_demand;  // in no clause that is tried before a countermodel calls for it
    bool is_value;      // equality of two values that have no order in the model (terms.c)
    uint8_t in_long;    // which literals of it long clauses about values have: 1 it, 2 its negation (terms.c)
    uint8_t in_last;    // and as their conclusion, likewise
    atom_kind level;
    uint32_t *table;  // mixed radix over the variables: atom number
} shape;

typedef struct {
    expr e;
    uint32_t shape;
    uint8_t args[SHAPE_MOST_ARGS];  // pool variables
    uint32_t vars;                  // mask of pool variables
} atom;

// Sort a leads to sort b: for all of a there is one of b. One mask per sort.
typedef struct {
    uint64_t to[POOL_SORTS];
} sort_edges;

// An order of the sorts; edges go from lower ranks to higher ones.
typedef struct {
    uint8_t rank[POOL_SORTS];
    bool is_any;   // everything fits
    bool is_wide;  // more shapes: projections, and what the property says of all elements
} sort_order;

typedef struct {
    model *m;
    sys system;
    VEC(type) sorts;
    VEC(var) vars;  // variable i of sort s is number s * POOL_PER_SORT + i
    VEC(shape) shapes;
    VEC(atom) atoms;
    VEC(var) bound;           // bound variables of quantified shapes, like vars; id 0: not made
    map *by_body;             // closed bodies seen, to take each shape once
    sort_edges edges;         // without an order: of state functions and of the shapes met so far
    uint32_t usable;          // variables that atoms may have; 0: all
    const sort_order *order;  // shapes whose Skolem functions go against it are left out; or NULL
    VEC(sort_edges) wants;    // with an order: of the shapes met, those left out too
} atom_pool;

// Without an order: a shape fits if it closes no cycle with those before it. With one: those that go along with it,
// and provenance.c's too.
atom_pool *atoms_new(model *m, sys s, prop p, const sort_order *order);
// Only the variables, for others to add shapes.
atom_pool *atoms_begin(model *m, sys s, const sort_order *order);
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

// May the formula, or its negation, be part of a lemma without going against the order of the sorts?
bool atoms_allow(atom_pool *p, expr e);

// harvest.c: the quantified conditions of the system's rules, requirements and properties, as shapes.
void harvest_conditions(atom_pool *p, prop property);
// `exists bound. body` as a shape over its free variables.
void harvest_exists(atom_pool *p, expr body, const var_list *bound, atom_kind level, bool in_any_case);
// ... and every `exists z. a(x, z) & b(y, z)` over two relations, for the grown schema.
void harvest_pairs(atom_pool *p);

// provenance.c: what the model's steps rest on, as shapes.
void provenance_add(atom_pool *p, prop property);

// order.c
typedef VEC(sort_order) order_list;
// The orders to try: those that go along with `base` (if none does, with nothing) and with as many as possible of the
// shapes met by a pool of any order; what was met first counts most.
void order_choose(const atom_pool *met, const sort_edges *base, order_list *out);
bool order_fits(const sort_order *o, const sort_edges *e, uint32_t nsorts);

#endif
