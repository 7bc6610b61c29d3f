// SPDX-License-Identifier: Apache-2.0
// Data type reduction: a system with any number of elements of one symmetric sort, as a finite one.
//
// Of the sort's elements (threads, nodes) c are *kept*; all others together are `Other`. The state of the
// others is dropped: a function of the sort keeps its cells at kept elements; a value of the sort becomes a
// kept element or Other. A rule with parameters of the sort becomes several *cases*, one for every way in
// which its parameters can be kept elements or others, the same or different ones.
//
// What a case reads of dropped state is *unknown*: a further parameter of the case, the same one wherever
// the same cell is read before it is written. So a guard over the state of another element says that there
// may be such an element, and lemmas about every element can narrow that down (strengthening). Where
// nothing better is possible, conditions are taken to be possibly true and possibly false.
//
// Invariant: every step of an instance with more than c elements, seen at any c of its elements, is a step
// of a case (S. Krstic, AVIS 2005; C.-T. Chou, P. Mannava, S. Park, FMCAD 2004). tests/diff/cmp_sound_test.c.
//
//   abstract.c    types, functions and cases
//   cells.c       what a case knows of elements, and dropped state
//   translate.c   conditions, up or down where they cannot be known
//   known.c       what the translation of a large condition remembers
//   body.c        statements
//   ghost.c       whether some element that is not kept satisfies what a property asks for
//   ghost_body.c  the same through bodies
//   mirror.c      one such element, followed through a body
//   strengthen.c  guards with lemmas, as rules
//   project.c     states seen at some elements
#ifndef CMP_ABSTRACT_ABSTRACT_H
#define CMP_ABSTRACT_ABSTRACT_H

#include "base/map.h"
#include "model/model.h"

enum { ABSTRACT_MOST_PARAMS = 4 };  // parameters of the sort that a rule may have

// What an expression of the sort is worth in a case.
typedef enum {
    IDENT_KEPT,   // a kept element: `e` of the type of kept elements
    IDENT_OTHER,  // number `other` of the others that the case is about
    IDENT_ANY     // `e` of the type of kept elements and Other, maybe other members of a union
} ident_kind;

typedef struct {
    ident_kind kind;
    expr e;
    uint32_t other;
    type as;     // IDENT_ANY: the type of `e`: `id`, or that of a union with the sort as a member
    expr key;    // IDENT_ANY: the cell it was read from, as in the key of an unknown; id 0: none
    expr which;  // IDENT_ANY: if it is Other: 0, or k + 1 for other k of the case; id 0: see key
} ident;

typedef struct {
    var from;  // of the sort
    ident to;
} ident_binding;

typedef VEC(ident_binding) ident_env;

typedef enum {
    UNKNOWN_VALUE,    // of a dropped cell
    UNKNOWN_DEFINED,  // whether a dropped cell has a value
    UNKNOWN_WHICH,  // which of the case's others a cell holds if it holds Other: k + 1 for other k, 0 for none of them
    UNKNOWN_SAME    // whether two cells hold the same element, if both hold one that is none of these
} unknown_kind;

typedef struct {
    var v;     // a parameter of the case
    expr key;  // the cell, with abstract_other() for the others; id 0: none, used in one place only
    unknown_kind kind;
} unknown;

typedef VEC(unknown) unknown_list;

typedef struct {
    rule origin;
    bool is_init;
    const char *name;
    ident_env env;  // the origin's parameters of the sort
    uint32_t nothers;
    VEC(var) params;  // kept elements, and the origin's other parameters
    unknown_list unknowns;
    expr guard;
    const stmt *body;  // NULL: changes nothing that is kept
} abstract_case;

// The sort, or a union with it as a member: with kept elements and Other instead, and with kept elements alone for
// indices.
typedef struct {
    type from, to, index;
} ident_types;

// Whether some element that is not kept satisfies what a property says of some element.
typedef struct {
    expr formula;  // what the property says, of `someone`
    expr holds;    // what is looked for: the formula without a fault, and what guards deny, or the contrary
    expr denied;   // this implies it, and quantified guards deny it of every element; id 0: none
    func f;        // a bool of the abstract system
} ghost;

typedef struct {
    model *m;
    sys origin;
    type sort;  // the one that is abstracted
    uint32_t kept_count;
    type kept, other, id;  // id: kept elements and Other
    VEC(ident_types) types;
    var someone;  // of ghosts
    VEC(ghost) ghosts;
    func *funcs;      // by id of the origin's function
    VEC(func) state;  // functions of the abstract system, locals of bodies among them
    VEC(abstract_case) cases;
    map *instances;       // of lemmas, by case and lemma
    VEC(var) others;      // abstract_other()
    sys system;           // owner of the functions
    const char *refusal;  // why the system cannot be treated; NULL: it can
    span refused_at;
} abstraction;

// What every element must satisfy: forall formals. body.
typedef struct {
    const char *name;    // the user's, or NULL
    const var *formals;  // of the sort
    uint32_t nformals;
    expr body;      // over the formals
    rule only;      // strengthens the cases of this rule only; id 0: of every rule, for all its others
    const var *at;  // with `only`: the rule's parameter that each formal is; id 0: any kept element
} lemma;

// Never NULL; `refusal` says if it is of no use. Lives as long as the model but for abstract_free().
abstraction *abstract_new(model *m, sys s, type sort, uint32_t kept);
void abstract_free(abstraction *a);

// A closed formula of the abstract system that holds in a state only if e holds in every state of an instance
// that looks like it: universal quantifiers over the sort range over kept elements, by symmetry. Never holds if
// fewer elements are kept than it speaks of at once (pass/elements.h).
expr abstract_formula(abstraction *a, expr e);
// e over formals of the sort that stand for kept elements: `kept` has their variables. Like abstract_formula().
expr abstract_over(abstraction *a, expr e, const var *formals, const var *kept, uint32_t n);

// forall n. e, stated by the user, is about n.
lemma abstract_lemma_from(abstraction *a, const char *name, expr stated);
// The instance of the lemma for the others of a case, as a condition that may be added to its guard (it may
// add unknowns): at least one formal is an other.
expr abstract_lemma(abstraction *a, abstract_case *c, const lemma *l);

#endif
