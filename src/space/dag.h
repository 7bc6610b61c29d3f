// SPDX-License-Identifier: Apache-2.0
// Computations on 64-bit words as a hash-consed graph without side effects: what rules are lowered to.
//
// A node is a number; equal computations have equal numbers. Constructors fold what is plain from the
// arguments, from the bits a node can have (`maybe`) and from its bounds as a signed number. A truth value
// is 0 or 1; a *mask* holds one truth value per bit. Tests of bits of one word are kept as cubes, (a & mask)
// == value, and conjunctions of cubes of one word as a single one, so that most guards are one comparison.
#ifndef SPACE_DAG_H
#define SPACE_DAG_H

#include "base/tuples.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t node;

typedef enum {
    N_CONST,  // imm
    N_WORD,   // word imm of the state before the step
    N_FIELD,  // (a >> imm2) & imm
    N_SHL,    // a << imm
    N_AND,
    N_OR,
    N_XOR,
    N_TEST,    // (a & imm) == imm2
    N_DIFFER,  // (a & imm) != imm2
    N_ADD,
    N_SUB,
    N_MUL,
    N_DIV,  // the divisor is never zero
    N_MOD,
    N_EQ,
    N_LT,  // signed
    N_LE,
    N_SELECT,  // a ? b : c
    N_SHLV,    // a << (b & 63)
    N_SHRV,    // a >> (b & 63)
    N_SARV,    // the same, keeping the sign
    N_SPREAD   // a ? imm : 0
} node_op;

typedef struct {
    uint8_t op;
    node a, b, c;
    uint64_t imm, imm2;
    uint64_t maybe;  // bits that can be one
    int64_t lo, hi;  // bounds as a signed number
} dag_node;

typedef VEC(node) node_list;

typedef struct {
    VEC(dag_node) nodes;
    tuples *known;  // what nodes compute, by number
    uint32_t *stamps, stamp, nstamps;
    node_list work;
} dag;

enum { DAG_FALSE = 0, DAG_TRUE = 1 };  // the constants 0 and 1 are the first nodes

void dag_init(dag *d);
void dag_free(dag *d);

static inline const dag_node *dag_at(const dag *d, node n) { return &d->nodes.data[n]; }
static inline bool dag_is_const(const dag *d, node n) { return dag_at(d, n)->op == N_CONST; }
static inline int64_t dag_number(const dag *d, node n) { return (int64_t)dag_at(d, n)->imm; }
static inline unsigned dag_arity(node_op op) {
    return op <= N_WORD                                                    ? 0
           : op == N_SELECT                                                ? 3
           : (op >= N_AND && op <= N_XOR) || (op >= N_ADD && op <= N_SARV) ? 2
                                                                           : 1;
}
static inline node dag_operand(const dag_node *x, unsigned i) { return i == 0 ? x->a : i == 1 ? x->b : x->c; }

node dag_const(dag *d, uint64_t value);
node dag_word(dag *d, uint32_t index);
node dag_field(dag *d, node a, uint32_t shift, uint64_t mask);
node dag_shl(dag *d, node a, uint32_t shift);
node dag_and(dag *d, node a, node b);
node dag_or(dag *d, node a, node b);
node dag_xor(dag *d, node a, node b);
node dag_test(dag *d, node a, uint64_t mask, uint64_t value);
node dag_differ(dag *d, node a, uint64_t mask, uint64_t value);
node dag_add(dag *d, node a, node b);
node dag_sub(dag *d, node a, node b);
node dag_mul(dag *d, node a, node b);
node dag_div(dag *d, node a, node b);
node dag_mod(dag *d, node a, node b);
node dag_eq(dag *d, node a, node b);
node dag_lt(dag *d, node a, node b);
node dag_le(dag *d, node a, node b);
node dag_select(dag *d, node c, node a, node b);
node dag_shl_by(dag *d, node a, node b);
node dag_shr_by(dag *d, node a, node b);
node dag_sar_by(dag *d, node a, node b);  // b is at most 63
node dag_spread(dag *d, node a, uint64_t mask);

// States that v is at most `most`, where v is a field of the state; returns v.
node dag_at_most(dag *d, node v, int64_t most);

// On truth values.
node dag_not(dag *d, node a);
node dag_all(dag *d, const node *args, uint32_t n);
node dag_any(dag *d, const node *args, uint32_t n);
static inline node dag_nonzero(dag *d, node mask) { return dag_differ(d, mask, UINT64_MAX, 0); }

// The conjuncts of a truth value.
void dag_conjuncts(dag *d, node a, node_list *out);

// The nodes, constants and words of the state aside, that it takes to compute a root, appended to `out`: those that
// were not appended since dag_begin(). And how many it takes for all of `roots`.
void dag_begin(dag *d);
void dag_add_needed(dag *d, node root, node_list *out);
uint32_t dag_cost(dag *d, const node *roots, uint32_t n);

#endif
