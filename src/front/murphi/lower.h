// SPDX-License-Identifier: Apache-2.0
// Inside the lowering of Murphi: syntax trees (murphi/internal.h) to the model.
//
//   parse.c   text to syntax trees
//   type.c    types, and the functions that a variable becomes
//   scope.c   names
//   range.c   ranges that are read as scalarsets
//   slot.c    names of slots of multisets
//   place.c   designators, and what is done to whole records and arrays
//   expr.c    expressions
//   number.c  numbers beyond those of the model
//   real.c    real numbers
//   stmt.c    statements
//   call.c    functions and procedures, inlined
//   shared.c  bodies of large ones, lowered once
//   summary.c functions called in properties and guards, as expressions
//   pure.c    statements before an expression made part of it, for guards and properties
//   rule.c    rules and properties
//   start.c   which variables always have a value
//   read.c    the file as a whole
//
// A *place* is what a designator names: a type, the functions of its leaves, and the indices on the path.
// What an expression needs to have done before it can be evaluated (calls of functions) is put into the
// list `out`.
#ifndef FRONT_MURPHI_LOWER_H
#define FRONT_MURPHI_LOWER_H

#include "front/murphi/murphi.h"
#include "front/murphi/internal.h"
#include "front/scopes.h"
#include "model/expr.h"

enum {
    MURPHI_MOST_INDICES = 12,
    MURPHI_LONGEST_LOOP = 1024,
    MURPHI_MOST_PROPERTIES = 4096,
    MURPHI_MOST_ROUNDS = 1 << 16
};

// ---- types

typedef enum { SHAPE_SIMPLE, SHAPE_RECORD, SHAPE_ARRAY, SHAPE_MULTISET } murphi_shape;

typedef struct murphi_type murphi_type;

typedef struct {
    const char *name;
    const murphi_type *ty;
    uint32_t leaf;  // its first among the leaves of the record
} murphi_field;

struct murphi_type {
    murphi_shape shape;
    type simple;                 // SHAPE_SIMPLE
    type index;                  // array; multiset: the sort of its slots
    const murphi_type *element;  // array, multiset (its leaf 0 tells which slots are taken)
    const murphi_field *fields;
    uint32_t nfields;
    uint32_t scope;  // of their names, in lowering.fields
    uint32_t nleaves;
    uint32_t nindices;  // on the way to the leaf that has the most: MURPHI_MOST_INDICES at the most
    uint32_t nparts;    // leaves, and types around them: INSTANCE_MOST_CELLS times 4 at the most
};

typedef struct {
    const murphi_type *ty;
    const func *funcs;  // as many as ty has leaves
    expr args[MURPHI_MOST_INDICES];
    uint32_t nargs;
    bool is_constant;  // may not be written: a parameter that is not `var`
    bool is_copy;      // a parameter with a place of its own, which nothing else names
} place;

// ---- names

typedef enum { SYMBOL_VALUE, SYMBOL_TYPE, SYMBOL_PLACE, SYMBOL_FUNCTION } symbol_kind;

typedef struct {
    const char *name;
    symbol_kind kind;
    uint32_t shadows;  // 1 + the symbol of this name before it; 0: none
    span at;
    expr e;            // SYMBOL_VALUE: constant, quantified variable, alias
    bool is_argument;  // SYMBOL_VALUE: of a call, so isundefined() may ask
    bool is_large;     // SYMBOL_VALUE: a constant that no value can be, see murphi/number.c
    murphi_wide large;
    const murphi_type *ty;    // SYMBOL_TYPE
    place p;                  // SYMBOL_PLACE
    const murphi_node *decl;  // SYMBOL_FUNCTION
} symbol;

// A variable whose values are slots, and the multiset that they are slots of.
typedef struct {
    var v;
    place set;
} slot_name;

// A range that is read as a scalarset.
typedef struct {
    const murphi_node *bounds;
    const murphi_type *ty;
} named_range;

typedef VEC(const murphi_node *) node_list;

// The body that is being lowered.
typedef struct {
    const murphi_type *result_type;  // NULL: none
    place result;
    func returned;  // set when a return was met; id 0: nothing follows any return
    bool is_function;
} frame;

// The temporaries of one type. A body takes them in order; the next body takes the same ones again, since locals have
// no value between bodies.
typedef struct {
    const murphi_type *ty;
    VEC(const func *) leaves;
    uint32_t taken;
} temp_pool;

typedef VEC(temp_pool) temp_pools;

typedef struct murphi_callee murphi_callee;  // what belongs to a function whose body serves several calls

// What a call hands over.
typedef struct {
    place p;
    expr e;         // id 0: the place
    bool is_value;  // the place is a copy
} murphi_argument;

// A call under way.
typedef struct {
    const murphi_node *origin;  // the function…
    murphi_node *decl;          // …or a copy of it, for a call from within itself
    murphi_argument *args;
    uint32_t nargs;
    frame *f;
} murphi_calling;

// What an expression after statements is: its value; where that cannot be had; and, of a variable, where it has one at
// all. No value (id 0): it is none.
typedef struct {
    expr value, failed, limited, defined;
} murphi_parts;

typedef struct {
    model *m;
    const murphi_options *options;
    sys system;
    VEC(symbol) names;
    map *last_of;    // name -> 1 + its last symbol
    scopes *fields;  // of records
    VEC(named_range) ranges;
    VEC(slot_name) slots;      // in scope; later ones count
    uint32_t nglobals, floor;  // visible: the globals, and those from floor on
    stmt_list *out;
    frame *body;
    node_list calls;             // being inlined
    VEC(uint32_t) rule_aliases;  // names of aliases around the rule
    VEC(var) params;             // of the rulesets around
    VEC(expr) guards;            // of rulesets with steps, and of choose
    VEC(named_expr) assumes;
    bool is_declaring;   // the declarations of the file are being read
    bool is_collecting;  // the first walk over the rules, for the assumptions
    VEC(func) covers;    // set when a `cover` statement was met
    map *rule_names;
    temp_pools temps;
    VEC(murphi_callee *) callees;
    VEC(const stmt *) bodies;  // that serve several calls
    map *callee_of, *body_of;  // function -> callee; function and variables -> body
    map *weights, *recursive;  // function -> how large it is, written out; 1: it does not call itself, 2: it does
    VEC(murphi_parts) summaries;
    map *summary_of;    // function and arguments -> summary
    map *pure;          // function -> may it be one?
    map *where;         // expression -> where it has a value
    bool is_property;   // every call has to become an expression…
    bool is_guard;      // …or should, where it can
    bool is_summing;    // the same, in what is called from there
    bool keeps_loops;   // no loop over a scalarset is unrolled for it
    VEC(place) nevers;  // locals that are never written, for each simple type
    uint32_t ntemps;
    uint32_t ninlined;  // calls
} lowering;

#define murphi_error(l, ...) diag_error((l)->m->messages, __VA_ARGS__)

// murphi/type.c. NULL after an error; `name` is the declared one, or "".
const murphi_type *murphi_resolve(lowering *l, murphi_node *n, const char *name);
const murphi_type *murphi_simple(lowering *l, type t);
// The functions of a variable's leaves.
const func *murphi_leaves(lowering *l, const murphi_type *ty, const char *name, bool is_scratch, span at);
bool murphi_same_shape(const lowering *l, const murphi_type *a, const murphi_type *b);
void murphi_type_text(const lowering *l, const murphi_type *ty, str *out);

type murphi_add_sort(lowering *l, const char *name, uint32_t size, span at);

// murphi/range.c
// The scalarset that a range from low to high is read as, declared by that name or, with the same constants, without
// one; NULL: none.
const murphi_type *murphi_range_sort(lowering *l, const murphi_node *n, const char *name, int64_t low, int64_t high);
bool murphi_is_range_sort(const lowering *l, const murphi_node *n);  // was it read so?

// murphi/scope.c
symbol *murphi_find(lowering *l, const char *name);
void murphi_unknown(lowering *l, const char *what, const char *name, span at);  // with a hint
void murphi_declare(lowering *l, symbol s);
bool murphi_is_known(lowering *l, const murphi_node *d);  // with a message: it is declared twice
void murphi_leave(lowering *l, uint32_t scope);           // names declared since there were so many are gone
void murphi_declare_value(lowering *l, const char *name, expr e, span at);
void murphi_declare_place(lowering *l, const char *name, place p, span at);
// The literals of the enumerations in a type.
void murphi_declare_literals(lowering *l, murphi_node *type_node);
// const, type and var of a body; its variables are locals.
void murphi_declare_const(lowering *l, const murphi_node *d, expr e);  // with this value
void murphi_declare_type(lowering *l, const murphi_node *d);
void murphi_declare_locals(lowering *l, const murphi_node *locals);

// murphi/slot.c
void murphi_slot_bind(lowering *l, var v, const place *set);
// The slot as an index of this multiset; id 0 after an error.
expr murphi_slot_index(lowering *l, const place *set, expr slot, span at);
bool murphi_is_slot(const lowering *l, expr e);
bool murphi_is_multiset(lowering *l, const place *p, span at);      // false, with a message: it is not
expr murphi_same_slot(lowering *l, expr a, expr b, span at);        // id 0 after an error
bool murphi_slots_read_state(const lowering *l, const place *set);  // does which multiset it is depend on the state?
void murphi_slots_freeze(lowering *l);                              // from here on: the multiset that it is now

// murphi/place.c
bool murphi_place(lowering *l, const murphi_node *n, place *p);  // false after an error
bool murphi_is_place(lowering *l, const murphi_node *n);         // is it a designator?
place murphi_element(const place *p, expr index);                // p[index], of the right type
place murphi_taken(lowering *l, const place *set, expr slot);    // whether there is an element in it
// "WANTED expected, but this is …"; false
bool murphi_wrong_type(lowering *l, span at, const char *wanted, const murphi_type *found);
place murphi_temp(lowering *l, const murphi_type *ty, span at);
void murphi_begin_body(lowering *l);  // the temporaries of other bodies are free again
typedef enum { NEVER_FAILS, NEVER_LIMITS, NEVER_SAID } murphi_never_kind;       // func_info: is_limit, is_said
place murphi_never(lowering *l, type simple, murphi_never_kind kind, span at);  // without a value, at all times
// Indices that depend on the state are evaluated now, once and for all.
void murphi_freeze(lowering *l, place *p);
expr murphi_read_place(lowering *l, const place *p);              // simple
expr murphi_is_defined(lowering *l, const place *p);              // simple
void murphi_write(lowering *l, const place *p, expr e, span at);  // simple; id 0: undefine
void murphi_copy(lowering *l, const place *to, const place *from, span at);
void murphi_clear(lowering *l, const place *p, span at);
void murphi_undefine(lowering *l, const place *p, span at);
expr murphi_same(lowering *l, const place *a, const place *b);  // equal, leaf by leaf; multisets by what is in them

// murphi/expr.c. Id 0 after an error, unless another value stands in.
expr murphi_value(lowering *l, const murphi_node *n);
expr murphi_bool(lowering *l, const murphi_node *n);    // false after an error
expr murphi_number(lowering *l, const murphi_node *n);  // 0 after an error
bool murphi_constant(lowering *l, const murphi_node *n, int64_t *out);
expr murphi_convert(lowering *l, expr e, type to,
                    span at);  // to a union or a member of one; id 0: impossible
bool murphi_is_union(const lowering *l, type t);
expr murphi_int(lowering *l, int64_t x);
void murphi_emit(lowering *l, const stmt *s);
void murphi_emit_all(lowering *l, stmt_list *list);    // which is freed
stmt_list *murphi_into(lowering *l, stmt_list *list);  // statements go there from now on; where they went
bool murphi_reads_state(const lowering *l, expr e);
expr murphi_once(lowering *l, expr e, span at);  // evaluated now, once and for all
// a | b, where the statements `before`, which are taken over, compute b: only if a does not hold.
expr murphi_or_late(lowering *l, expr a, expr b, stmt_list *before, span at);
// A quantified variable: declares it and returns it; `cond` is what its value has to satisfy (id 0: nothing).
typedef struct {
    bool ok, is_empty;
    var v;
    expr cond, value;
} binder;
// From, to and step of a range, as numbers; calls in them come before.
typedef struct {
    expr from, to, by;
} murphi_bounds;
murphi_bounds murphi_read_bounds(lowering *l, const murphi_node *q);
// of_loop: the bounds of a range, which are evaluated once, before the loop; NULL: not a loop.
binder murphi_bind(lowering *l, const murphi_node *q, const murphi_bounds *of_loop);

// murphi/number.c
bool murphi_fold(lowering *l, const murphi_node *n, murphi_wide *out);  // a constant number
bool murphi_is_large(murphi_wide x);                                    // no value can be that
int32_t murphi_cut(int64_t x);                                          // the nearest value
expr murphi_large_constant(lowering *l,
                           const murphi_node *n);  // a number or a name; id 0, with a message: large
bool murphi_compare_large(lowering *l, const murphi_node *n, expr *out);  // false: no side is large
expr murphi_arith(lowering *l, expr_kind kind, expr a, expr b, span at);

// murphi/real.c
const murphi_type *murphi_real_type(lowering *l, const murphi_node *n);  // NULL after an error
bool murphi_is_real(const lowering *l, expr e);
expr murphi_compute(lowering *l, const murphi_node *n, expr a, expr b);  // n is an operator; id 0 after an error
type murphi_real_common(lowering *l, expr a, expr b);
expr murphi_as_real(lowering *l, expr e, type to, span at);  // id 0 after an error

// murphi/stmt.c
void murphi_body(lowering *l, const murphi_node *locals, const murphi_node *block, frame *f);
bool murphi_says_undefined(lowering *l, const murphi_node *n);       // CMurphi: x := undefined, f(undefined)
const stmt *murphi_sequence(lowering *l, stmt_list *list, span at);  // frees the list

// murphi/call.c
bool murphi_call(lowering *l, const murphi_node *n, place *result);
void murphi_inline(lowering *l, const murphi_calling *with);  // the body, with what is handed over
bool murphi_is_recursive(lowering *l, const murphi_node *decl);

// murphi/shared.c
// Nodes of a text, with calls written out; of a function's.
uint32_t murphi_weigh(lowering *l, const murphi_node *n);
uint32_t murphi_weight(lowering *l, const murphi_node *decl);
bool murphi_is_heavy(lowering *l, const murphi_node *decl);  // its body should serve several calls
// False: it cannot, and nothing was done.
bool murphi_call_shared(lowering *l, const murphi_node *n, murphi_calling *with, place *result);
void murphi_callees_free(lowering *l);

// murphi/pure.c: e after the statements, as an expression over the state before; id 0: it cannot be one.
enum { MURPHI_PURE_STEPS = 1 << 20, MURPHI_SMALL_STEPS = 2000 };  // statements run for it; where it may be refused
expr murphi_pure(lowering *l, const stmt_list *before, uint32_t steps, expr e);
// The same with the conditions under which something fails, or more is needed than can be had.
// is_whole: where the value itself has none is a failure too, and no condition of the parts fails anywhere else.
murphi_parts murphi_pure_parts(lowering *l, const stmt_list *before, uint32_t steps, bool is_whole, expr e);
void murphi_says_all(lowering *l, const murphi_parts *p);  // what fails where p does needs no other condition

// murphi/summary.c: a call, mostly in a property or a guard, by what the function is for these arguments. False: that
// cannot be said, and the arguments are still to be read.
bool murphi_call_summed(lowering *l, const murphi_node *n, murphi_calling *with, place *result);

// murphi/rule.c
void murphi_rules(lowering *l, murphi_node *const *nodes, uint32_t n);
void murphi_add_covers(lowering *l);  // a property for each `cover` statement

// murphi/start.c
void murphi_find_defined(model *m, sys system);

#endif
