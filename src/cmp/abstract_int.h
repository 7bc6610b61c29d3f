// SPDX-License-Identifier: Apache-2.0
// Private to the abstraction: what abstract.c, translate.c and body.c share.
#ifndef CMP_ABSTRACT_INT_H
#define CMP_ABSTRACT_INT_H

#include "cmp/abstract.h"
#include "model/expr.h"

// Whether a condition is taken up or down where it cannot be known.
typedef enum { MAY, MUST } approx;

typedef struct {
    func f;  // of the origin: only argument of the sort, written by the body at other number `other`
    uint32_t other;
    func local;  // holds it while the body runs
} local_row;

typedef VEC(const stmt *) body_list;

typedef struct {
    abstraction *a;
    model *m;
    abstract_case *c;  // NULL: a closed formula
    ident_env env;
    VEC(var) bound;        // by quantifiers and loops around
    unknown_list pending;  // unknowns of the atom that is being translated
    bool in_atom;
    bool is_universal;  // quantifiers over the sort here range over kept elements, by symmetry
    // of a body:
    const stmt *whole;  // the origin's body; NULL: a guard or formula
    VEC(local_row) rows;
    body_list *out;
    uint32_t loops;   // around, whose rounds are many
    bool is_probing;  // only to see what would be written
} translator;

void abstract_refuse(abstraction *a, span at, const char *why);
bool abstract_is_sort(const abstraction *a, type t);
type abstract_value_type(const abstraction *a, type t);
type abstract_index_type(const abstraction *a, type t);
var abstract_other(abstraction *a, uint32_t k);  // stands for other k in keys of unknowns

const char *abstract_unknown_name(abstraction *a, expr key);

// translate.c
expr translate_guard(abstraction *a, abstract_case *c, expr e);
expr translate_bool(translator *t, expr e, approx mode);
expr translate_exact(translator *t, expr e);  // a bool; may add a constraint to the body
expr translate_value(translator *t, expr e);  // anything; of the sort: as a value of `id`
ident translate_ident(translator *t, expr e);
expr ident_value(const translator *t, ident x);
expr ident_is_kept(const translator *t, ident x);
expr ident_kept(const translator *t, ident x);  // as a kept element, where it is one
var translate_bind(translator *t, var v);       // of a quantifier or loop: the variable of the translation
void translate_unbind(translator *t, var v);
void translator_free(translator *t);

// body.c: sets c->body
void translate_body(abstraction *a, abstract_case *c, const stmt *body);

#endif
