// SPDX-License-Identifier: Apache-2.0
// Private to the abstraction: what its files share.
#ifndef CMP_ABSTRACT_INTERNAL_H
#define CMP_ABSTRACT_INTERNAL_H

#include "base/bits.h"
#include "cmp/abstract/abstract.h"
#include "model/expr.h"

enum { ABSTRACT_MOST_ARGS = 16 };

// Whether a condition is taken up or down where it cannot be known. MUST_EACH: down, but its universal quantifiers over
// the sort, that are below nothing else, range over kept elements, by symmetry.
typedef enum { MAY, MUST, MUST_EACH } approx;

typedef struct {
    func f;  // of the origin: only argument of the sort, written by the body at other number `other`
    uint32_t other;
    func local;  // holds it while the body runs
} local_row;

// An atom that a formula of all kept elements states, or denies, and that speaks of values: what they are is kept too,
// in some view; so in the others the formula need not fail for it.
typedef enum { CLAIM_NONE, CLAIM_STATED, CLAIM_DENIED } claim_part;

// A ghost while a body is translated.
typedef struct {
    int effect;  // of the body on what it reads of elements that are neither kept nor the case's
    expr rest;   // whether one of those satisfies it before the step; id 0: the body does not touch it
    expr rest_after;
    expr holds, holds_after;  // of the one that is followed
} pending_ghost;

// A cell of an element that is neither kept nor the case's, followed through a body.
typedef struct {
    func f;
    var value_before, has_before;
    expr value, has;
} mirror_cell;

// A variable that a quantifier or loop around binds. Invariant: no unknown stands for a value in several of its
// bindings. So one that is made below it has a key, in which it does not occur, or belongs to an atom below it; who
// unbinds it looks (translate_unbind).
typedef struct {
    var v;
    uint32_t npending, nunknowns;  // unknowns of the atom and of the case when it was bound
} binder;

typedef struct known_store known_store;

typedef struct {
    abstraction *a;
    model *m;
    abstract_case *c;  // NULL: a closed formula
    ident_env env;
    VEC(binder) bound;     // by quantifiers and loops around
    unknown_list pending;  // unknowns of the atom that is being translated
    bool in_atom;
    known_store *known;  // while a large expression is translated
    uint32_t atom, natoms;
    bool knows_values;  // of a formula: as many are kept as it speaks of, with those that values of it are
    claim_part claim;   // of the atom that is translated
    bool is_open;       // what is translated has unknowns of the atom around it
    int32_t most_more;  // of an atom that counts elements: how many more than are known make a difference
    // of a body:
    const stmt *whole;  // the origin's body; NULL: a guard or formula
    bits written;       // functions that the body may have written so far, the origin's and the abstraction's
    VEC(local_row) rows;
    stmt_list *out;
    uint32_t loops;   // around, whose rounds are many
    bool is_probing;  // only to see what would be written
    VEC(pending_ghost) posted;
    bool has_mirror;          // other number rest_number() is an element that is followed
    VEC(mirror_cell) mirror;  // its cells
} translator;

void abstract_refuse(abstraction *a, span at, const char *why);
bool abstract_is_sort(const abstraction *a, type t);
bool abstract_is_union(const abstraction *a, type t);  // with the sort as a member
bool abstract_is_ident(const abstraction *a, type t);  // one of these
type abstract_value_type(const abstraction *a, type t);
type abstract_index_type(const abstraction *a, type t);
// A variable over member k of the union that v ranges over; *as: its value as the union's.
var abstract_member(abstraction *a, var v, uint32_t k, expr *as);
var abstract_other(abstraction *a, uint32_t k);  // stands for other k in keys of unknowns

// cells.c: elements as values
ident ident_other(uint32_t k);
ident ident_kept(expr e);
expr ident_value(const translator *t, ident x);
expr ident_is_kept(const translator *t, ident x);
expr ident_is_other(const translator *t, ident x);
expr ident_is_number(translator *t, ident *x, uint32_t other);
expr ident_same(translator *t, ident a, ident b, approx mode);
ident translate_ident(translator *t, expr e);  // of the sort, or of a union with it
// cells.c: indices
typedef struct {
    bool is_ident;  // of the sort, or of a union with it
    bool is_open;   // it is not known whether that is kept
    ident who;
    type to;     // of the abstract array's index
    expr index;  // id 0: the cell is dropped, or is_open
} place;

expr place_is_kept(const translator *t, place p);
place place_kept(const translator *t, place p);  // where it is

// A cell of the origin.
typedef struct {
    func f;
    uint32_t n;
    place at[ABSTRACT_MOST_ARGS];
} cell;

cell cell_of(translator *t, func f, const expr *args);
bool cell_is_kept(const cell *c, expr *args);         // then these are its arguments
func cell_local(const translator *t, const cell *c);  // what holds it while the body runs; id 0: nothing
bool cell_has_locals(const translator *t, func f);    // its cells of the case's others are held so

// cells.c: dropped state
bool reads_written(const translator *t, expr e);  // something that the body may have written already
expr read_cell(translator *t, expr e);            // E_APP, E_DEFINED
expr add_unknown(translator *t, unknown_list *list, type ty, expr key, unknown_kind kind);
expr unknown_of(translator *t, expr key, type ty, unknown_kind kind);
uint32_t rest_number(const translator *t);    // how many others the case has; spectators have the next numbers
uint32_t nobody_number(const translator *t);  // of an element that is none of these

// translate.c
translator translator_of(abstraction *a, abstract_case *c);
expr translate_guard(abstraction *a, abstract_case *c, expr e);
expr translate_bool(translator *t, expr e, approx mode);
expr translate_exact(translator *t, expr e);  // a bool; may add a constraint to the body
expr translate_value(translator *t, expr e);  // anything; of the sort: as a value of `id`
var translate_bind(translator *t, var v);     // of a quantifier or loop: the variable of the translation
void translate_unbind(translator *t, var v);
void translator_free(translator *t);

// known.c: the answer of a translation that was made before, or the same question when it has been made
enum { KNOWN_VALUE = MUST_EACH + 1, KNOWN_IDENT };  // and approx: of a bool

typedef struct {
    expr e;
    uint32_t how;
    ident is;
    bool is_kept, is_outermost, was_open;
} known_question;

bool known_ask(translator *t, expr e, uint32_t how, known_question *q);  // true: `is` is the answer
ident known_tell(translator *t, const known_question *q, ident is);      // which it returns
var known_var(translator *t, var v);                                     // of kept elements, in the place of v

// ghost.c
void ghost_properties(abstraction *a);
// Holds only if its body, or if a forall: not its body, holds for some element that is not kept.
expr ghost_some(const abstraction *a, expr quantifier);
bool ghost_reads(const abstraction *a, func f);
// ghost_body.c: before and after a body is translated
void ghost_begin(translator *t);
void ghost_end(translator *t);

// mirror.c
expr mirror_read(translator *t, func f, bool asks);
// A value that depends on the followed element's cells and on what the body did not write alone; id 0: it may not.
expr mirror_value(translator *t, expr e);
bool mirror_stmt(translator *t, const stmt *s);  // false: the element cannot be followed
expr mirror_exists(translator *t, expr e);       // for some values of its cells before

// body.c
void body_note_writes(translator *t, const stmt *s);
// Sets c->body.
void translate_body(abstraction *a, abstract_case *c, const stmt *body);

#endif
