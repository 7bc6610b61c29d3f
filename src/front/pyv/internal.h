// SPDX-License-Identifier: Apache-2.0
// Inside the `.pyv` front end.
//
//   parse.c   text to syntax trees
//   lower.c   names and sorts, and the model
//   rule.c    transitions: the functional part of a two-state formula
#ifndef FRONT_PYV_INT_H
#define FRONT_PYV_INT_H

#include "front/pyv/pyv.h"

// ---- syntax

typedef enum {
    P_NAME,  // name, primes, args (may be none)
    P_TRUE,
    P_FALSE,
    P_NUMBER,
    P_NEW,  // new(e)
    P_OLD,  // old(e)
    P_NOT,
    P_AND,
    P_OR,
    P_IMPLIES,
    P_IFF,
    P_EQ,
    P_NEQ,
    P_COMPARE,  // < <= > >=
    P_ARITH,    // + - *
    P_DISTINCT,
    P_ITE,
    P_LET,  // binders[0] = args[0] in args[1]
    P_FORALL,
    P_EXISTS
} pyv_kind;

// A sort to be found out: `same` leads to the representative, `ty` is known there when id is not 0.
typedef struct pyv_sort {
    struct pyv_sort *same;
    type ty;
} pyv_sort;

// A bound variable.
typedef struct pyv_binder {
    const char *name;
    span at;
    const char *sort_name;  // NULL: to be found out
    span sort_at;
    pyv_sort *sort;
    var v;            // once the sort is known
    expr stands_for;  // of a let: what it stands for
} pyv_binder;

typedef struct pyv_ast pyv_ast;
struct pyv_ast {
    pyv_kind kind;
    span at;
    const char *name;
    uint32_t primes;
    pyv_ast **args;
    uint32_t nargs;
    uint32_t depth;        // levels below it
    pyv_binder **binders;  // quantifiers, let
    uint32_t nbinders;
    pyv_binder *bound;  // P_NAME that is a variable
    pyv_sort *sort;
};

typedef struct {
    const char *name;
    span at;
} pyv_name;

typedef enum {
    D_SORT,
    D_RELATION,
    D_CONSTANT,
    D_FUNCTION,
    D_AXIOM,
    D_INIT,
    D_SAFETY,
    D_INVARIANT,
    D_THEOREM,
    D_TRANSITION,
    D_DEFINITION,
    D_TRACE  // read over
} pyv_decl_kind;

typedef struct {
    pyv_decl_kind kind;
    span at;
    pyv_name name;                               // may be empty for formulas
    bool is_mutable, is_derived, is_relational;  // is_relational: "= expr", no modifies clause
    uint32_t states;                             // of a definition or theorem: 0, 1, 2
    pyv_name *sorts;                             // argument sorts
    uint32_t nsorts;
    pyv_name result;  // of a constant or function
    pyv_binder **params;
    uint32_t nparams;
    pyv_name *modifies;
    uint32_t nmodifies;
    pyv_ast *body;
} pyv_decl;

typedef struct {
    VEC(pyv_decl) decls;
    bool uses_old;  // the older dialect
} pyv_file;

bool pyv_parse(model *m, uint32_t file, const char *text, size_t size, pyv_file *out);

// ---- transitions

typedef struct {
    model *m;
    func *modified;  // functions that may change
    uint32_t nmodified;
    const var *params;
    uint32_t nparams;
    expr formula;  // over E_APP and E_NEXT
    const char *name;
    span at;
    bool is_init;  // E_NEXT is the initial state; what stays open starts with any value
} pyv_transition;

// The rule that a two-state formula describes.
rule_info pyv_rule(const pyv_transition *t);

#endif
