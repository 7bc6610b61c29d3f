// SPDX-License-Identifier: Apache-2.0
// One setting of a question (a rule with chosen parameters, or the start), grounded to SAT over a
// growing set of elements. Private to src/logic; ground.c explains why its answers are right.
#ifndef LOGIC_GROUND_H
#define LOGIC_GROUND_H

#include "base/bits.h"
#include "logic/matrix.h"
#include "logic/sat.h"
#include "model/heavy.h"
#include "model/update.h"

// The elements of one unbounded sort. The first `constants` are alive always (parameters, or one to make the sort
// nonempty), the next `goals` stand for the variables of a violated lemma, the others are witnesses.
typedef struct {
    uint32_t size, constants, goals;
    uint32_t room;        // tables are laid out for this many
    lit_list alive;       // by element
    lit_list order;       // ordered sort: [b*(b-1)/2 + a] for a < b: "a is before b"
    uint32_t least;       // ordered sort: choice + 1 that is the least element; 0: not used yet
    VEC(value) members;   // elements alive in the last model, in order
    uint64_t mask;        // of the members below 64
    VEC(value) follower;  // by element: the next member, or -1
    VEC(uint32_t) rank;   // by element: place among the members
} domain;

typedef enum { TABLE_FREE, TABLE_INITIAL } table_start;

// Where a function has a value, as one bit per element of one argument; the other arguments are in the row's number.
typedef struct {
    uint64_t mask;
    uint32_t epoch;
} mask_row;

// The cells of one state function.
typedef struct {
    func f;
    uint32_t nargs;
    const type *args;
    type result;
    table_start start;      // TABLE_INITIAL: every cell has the initial value
    bool is_chosen;         // the step gives it any value
    const update *written;  // by the step, or NULL
    uint32_t nvalues;       // of the result; 0: unbounded
    uint32_t ncells, stride[MATRIX_MOST_ARGS];
    uint32_t origin;     // sum of the arguments' least values times strides
    int *lit[2];         // now and (chosen functions) next: the first variable, or choice + 1; 0: none yet
    mask_row **rows[2];  // [argument * number of values + value], made when needed
    value *val[2];       // in the last model, before and after the step
} table;

// A cell whose value is an element: one literal per element.
typedef struct {
    type sort;
    lit_list is;
} choice;

// ∀x over an unbounded sort under `lit`, with the values of its free variables: instantiated for each new element.
typedef struct {
    int lit;
    expr e;
    bool negated, after;
    uint32_t env;  // into the pool
} universal;

// Something that needs a witness: ∃x, or the value of a choice. While `more` is false the witness is among the
// elements seen; a new element for it is made when a refutation rests on that.
typedef struct {
    int more;
    uint32_t seen;
    type sort;
    bool is_choice, is_closed;
    uint32_t choice;
    expr e;
    bool negated, after;
    uint32_t env;
} witness_point;

// Truth values of a canonical formula for bindings of its variables, kept while the model lasts.
typedef struct {
    uint32_t stride[MATRIX_MOST_VARS], size;  // size 0: too many to keep
    uint32_t *seen;                           // twice: before and after; epoch * 2 + truth
} truth_table;

typedef struct {
    const update_list *updates;
    const rule_info *step;  // NULL: none
    const value *args;      // of its parameters
    bool is_start;          // the state before is the start: initial values
    const uint32_t *goals;  // by type id: how many variables of it a goal may have
    const uint32_t *sizes;  // by type id: sorts have just so many elements; NULL: any number
    bool is_small;          // models with few true cells are wanted: see sat_init_small()
} ground_setting;

typedef struct ground {
    model *m;
    sys system;
    sat solver;
    const limits *stop;  // may be NULL
    uint32_t steps;
    bool is_fixed;  // sorts have the size given: all elements are there, and no witness is added
    // Formulas did not become clauses, for a limit or too many variables, or elements found no room: nothing is
    // answered any more, and in the last case no element may be named.
    bool is_cut;
    value *env;  // by variable id
    uint32_t nenv;
    domain *domains;  // by type id
    uint32_t ndomains;
    table *tables;  // by func id
    uint32_t ntables;
    map *memo;  // formula with environment -> literal
    bits touched_known, touched;
    map *truth_index;  // formula -> its table of truth values in the last model
    VEC(truth_table) truths;
    uint32_t epoch;      // of the last model
    heavy_values heavy;  // in it
    VEC(choice) choices;
    VEC(universal) universals;
    VEC(witness_point) points;
    VEC(value) pool;
    VEC(var) split_vars;  // for values of terms: see formula.c
} ground;

void ground_init(ground *g, model *m, sys s, const ground_setting *set, const limits *stop);
void ground_done(ground *g);
// A new element for a witness point; false when the sort is full.
bool ground_add_witness(ground *g, uint32_t point);
void ground_make_room(ground *g);        // for variables added to the model
bool ground_touched(ground *g, expr e);  // does the step change a function in e?

// ---- cells.c

void cells_init(ground *g, const ground_setting *set);
void cells_done(ground *g);
uint32_t cells_room(const ground *g, type t);  // for how many values of a type tables are laid out
// Do the initial states leave the function's values open?
bool cells_starts_free(const model *m, const func_info *f);
// Tables get room for one more element; false when they would be too large.
bool cells_reserve(ground *g, type sort);
uint32_t cells_index(const ground *g, const table *t, const value *args);
// The literal of f(args) = v now or (chosen functions) next.
int cells_is(ground *g, const table *t, bool next, const value *args, value v);
// The literal of "a is before b" in an ordered sort, of "v is the least".
int cells_before(const ground *g, type sort, value a, value b);
int cells_is_least(ground *g, type sort, value v);
void cells_grow(ground *g, type sort);  // choices and order of a new element
int cells_alive(const ground *g, type t, value v);

// ---- formula.c: the literals returned imply the formula, not more.

int formula_literal(ground *g, expr e, bool negated, bool after);
void formula_assert(ground *g, expr e);
void formula_extend(ground *g, type sort, uint32_t upto);  // the first `upto` universals, for the newest element
void formula_witness(ground *g, uint32_t point);           // with the elements it has not seen

// ---- finite.c: the last model as a finite structure

void finite_drop_rows(table *t);  // after a new layout
void finite_read(ground *g);      // after SAT_YES: members and values before
void finite_step(ground *g);      // values after
// The first binding (continuing after `binding` unless *first) that makes the clause false; false: none left.
bool finite_violation(ground *g, const matrix_clause *c, bool after, value *binding, bool *first);

#endif
