// SPDX-License-Identifier: Apache-2.0
// The typed model that every front end builds and every engine reads.
//
// A model holds types, state functions, definitions, systems (state + rules) and properties.
// - The state of a system is a set of *functions* from argument types to a simple type: a boolean
//   function is a relation, a function without arguments a plain variable. Arrays and records of the
//   imperative languages become functions too (one per leaf), so there is one kind of state.
// - A *sort* has no size here: sizes make an instance (instance.h); the prover never makes one.
// - Expressions are hash-consed: equal expressions have equal handles. Handles are 32-bit numbers
//   wrapped in a struct; id 0 is "none". A bound variable is identified by its `var`; inner binders of the same
//   variable shadow outer ones, and substitution renames them where it would capture.
// - A rule is an action: parameters, guard, body, visible or not. Its label is its name with the
//   values of its parameters; the word of a run is the sequence of its visible labels.
// - Bodies: S_PAR reads everything before it writes anything; where two of its writes meet in a cell
//   the later one in the text counts. S_SEQ runs in order (also the bindings of an S_FORALL in it, in the order of
//   elements). There is no S_SEQ below an S_PAR.
// - Run-time errors: a value that leaves its range, an argument outside its type, a division by zero are
//   faults. `&`, `|`, `->` and `if` evaluate from left to right and stop early; quantifiers evaluate every
//   binding. So whether a fault happens does not depend on an order of elements.
// Everything in a model lives as long as the model. Pointers from x_of() are valid until something is added to
// that table; the arrays they point to (params, args, bodies, names) stay. Building is for one thread at a time.
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"

// clang-format off
typedef struct { uint32_t id; } type;
typedef struct { uint32_t id; } func;       // state function
typedef struct { uint32_t id; } var;        // bound variable or parameter
typedef struct { uint32_t id; } def;        // definition with parameters
typedef struct { uint32_t id; } expr;
typedef struct { uint32_t id; } rule;
typedef struct { uint32_t id; } sys;
typedef struct { uint32_t id; } prop;
typedef struct stmt stmt;

typedef VEC(func) func_list;
typedef VEC(var) var_list;
typedef VEC(expr) expr_list;
typedef VEC(rule) rule_list;
typedef VEC(const stmt *) stmt_list;
// clang-format on

typedef int32_t value;             // bool 0/1, enum literal index, sort element index, range number
#define VALUE_UNDEFINED INT32_MIN  // what a cell without a value holds

// ---- types

typedef enum { TYPE_BOOL, TYPE_ENUM, TYPE_RANGE, TYPE_SORT, TYPE_UNION, TYPE_REAL } type_kind;

typedef struct {
    type_kind kind;
    const char *name;  // "" for an anonymous range
    span at;
    int32_t lo, hi;               // range, and the values of a real type (real.h)
    uint32_t digits, exponent;    // real; without digits: of expressions alone
    const char *const *literals;  // enum
    uint32_t nliterals;
    const type *members;  // union: values are those of the members, one member after the other
    uint32_t nmembers;
    bool is_ordered;         // sort: not symmetric, elements may be compared
    uint32_t fixed_size;     // sort: given in the declaration, else 0
    const char *size_given;  // sort: constants that its size is made of and that are used elsewhere: "M=3"; may be NULL
    bool size_is_meant;      // sort: no other size is meant; else that is one of many instances
    bool size_is_used;       // sort: the model depends on its size in other places too
    bool size_in_ranges;     // sort: bounds of ranges depend on its size…
    bool is_size;            // …and this is one of these ranges
    const char *size_name;   // sort: the constant that is its size; range: that is its end, "": there are several
    uint32_t default_size;   // sort: for runs without --size, else 0
    bool is_range;           // sort: written as a range whose numbers are only used as names
    bool is_slot;            // sort: of the slots of multisets, not declared by the user
    sys owner;               // enum: the system it is local to; id 0: none
} type_info;

// ---- state functions, variables, definitions

typedef struct {
    const char *name;      // short name, unique in its system
    const char *spelling;  // "cache[].mode": as its language writes it, [] an argument; NULL: none
    span at;
    const type *args;
    uint32_t nargs;
    type result;
    bool is_rigid;          // a constant: any value at the start, never written
    bool may_be_undefined;  // a cell may hold no value: reading it is a fault
    bool is_scratch;        // a local of a body: undefined before and after, not part of the state
    bool is_limit;          // scratch that is never written: reading it is like S_FAIL with is_limit
    bool is_said;           // scratch that is never written: in `if c then it else e` c says where e has no value
    bool starts_any;        // every value is a possible start (rigid functions too)
    value initial;          // else: of every cell before the init rules run
    sys owner;              // the system that declares it
    uint32_t process;       // of a timed system: 1 + the process it belongs to; 0: to none
    const char *member;     // what that process calls it, "" its location; else its own name
} func_info;

typedef struct {
    const char *name;
    type ty;
    span at;
    uint32_t process;  // a choice of a step of a timed system: 1 + the process that makes it
    bool is_pick;      // which of its edges that process takes
} var_info;

typedef struct {
    const char *name;
    span at;
    const var *params;
    uint32_t nparams;
    expr body;
    sys owner;  // id 0: outside any system
} def_info;

// ---- expressions

typedef enum {
    E_CONST,    // a value of a type
    E_VAR,      // a bound variable
    E_APP,      // state function applied
    E_NEXT,     // state function applied, in the state after the step: only in the relation of a rule
    E_DEFINED,  // state function applied: does the cell have a value?
    E_CALL,     // definition applied
    E_NOT,
    E_AND,  // two or more arguments
    E_OR,   // two or more arguments
    E_IMPLIES,
    E_EQ,  // any type; on bool it is "iff"
    E_LT,  // ranges and ordered sorts; > and >= are written with arguments swapped
    E_LE,
    E_ADD,
    E_SUB,
    E_MUL,
    E_DIV,  // truncates; by zero is a fault
    E_MOD,
    E_NEG,
    E_BITAND,  // of numbers, as the machine's
    E_BITOR,
    E_BITXOR,
    E_BITNOT,
    E_SHL,  // by a negative amount shifts the other way
    E_SHR,
    E_WIDEN,   // a member's value as the union's
    E_NARROW,  // a union's value as a member's; a fault if it is another's
    E_IS,      // is the union's value one of type `ref`?
    E_REAL,    // computing with real numbers: `ref` is a real_op (real.h)
    E_ITE,
    E_FORALL,  // one variable, args[0] is the body
    E_EXISTS,
    E_COUNT  // for how many values of the variable the body holds
} expr_kind;

static inline bool expr_kind_binds(expr_kind k) { return k >= E_FORALL; }

typedef struct {
    expr_kind kind;
    type ty;
    uint32_t ref;  // E_CONST: (uint32_t)value; else the id of variable, function, definition
    uint32_t nargs;
    const expr *args;
    uint64_t free_mask;  // bit v % 64 is set for every free variable v, and no other
    uint32_t frees;      // its free variables: a number of model.var_sets
    bool can_fault;      // evaluating it may fault
    bool has_next;       // it refers to the state after a step
    uint32_t depth;      // nodes on the longest way down, through definitions too: see EXPR_DEEPEST
    uint32_t nesting;    // binders on the longest way down
    uint32_t tree;       // nodes of the tree, a call is one; UINT32_MAX: very many
    uint32_t weight;     // what evaluating it costs, with four values for each binder; UINT32_MAX: very much
    span at;             // where it was first written
} expr_info;

// Variables, each once, in the order in which they first occur. Equal sets have equal numbers; 0 is the empty one.
typedef struct {
    const var *vars;
    uint32_t n;
} var_set;

// ---- statements

typedef enum {
    S_ASSIGN,
    S_IF,
    S_FORALL,
    S_PAR,
    S_SEQ,
    S_WHILE,   // these three: in sequences only
    S_ASSUME,  // the step is impossible unless cond holds here
    S_FAIL     // a fault that the model asks for: error, assert
} stmt_kind;

struct stmt {
    stmt_kind kind;
    span at;
    func target;  // S_ASSIGN: target(args) := value
    const expr *args;
    uint32_t nargs;
    expr value;       // id 0: the cell becomes undefined
    const var *vars;  // S_FORALL: for all vars with cond, body, all at once
    uint32_t nvars;
    expr cond;                // S_IF, S_FORALL (id 0: true), S_WHILE, S_ASSUME
    bool is_guard;            // S_ASSUME: part of the rule's guard, not an assumption of the user's
    bool any_order;           // S_FORALL: the front end says that rounds are alike up to symmetry
    const char *text;         // S_FAIL: what the user says
    bool is_limit;            // S_FAIL: not an error of the model, but beyond what we can compute
    const stmt *const *body;  // S_IF (then), S_FORALL, S_PAR, S_SEQ, S_WHILE
    uint32_t nbody;
    const stmt *const *orelse;  // S_IF
    uint32_t norelse;
};

// ---- clocks: what only timed systems have (engine: src/zone; the others refuse it)

// left - right <= bound (strict: <) wherever `when` holds; both are clock numbers, and clock 0 is always 0.
typedef struct {
    uint32_t left, right;
    bool is_strict;
    expr bound;      // a number, over the state and a rule's parameters
    expr when;       // id 0: always
    uint32_t owner;  // the process that it belongs to: index of timed_info.locations
    span at;
} clock_bound;

// The clock gets a value; both expressions are read in the state before the step.
typedef struct {
    uint32_t clock;
    expr value;
    expr when;  // id 0: always
    span at;
} clock_reset;

// A bool variable that stands, in the formulas of PROP_TIMED, for a clock condition or for "no step is possible,
// now or after any delay".
typedef struct {
    var stands;
    bool is_deadlock;
    clock_bound is;  // `when` is not used
} clock_atom;

// An edge of a template, which each of its processes has.
typedef struct {
    const char *name;  // "Template.from -> to"
    const char *family;
    value from, to;  // locations
    span at;
    bool listens;  // to a broadcast: rules say when it takes part (rule_info.listeners)
} timed_edge;

typedef struct {
    const char *name;    // "Train(2).x[3]"
    uint32_t process;    // 1 + the process it belongs to; 0: to none
    const char *member;  // "x"
    const value *index;  // of an element of an array of clocks
    uint32_t nindices;
    value initial;  // what it starts with: at least 0
} timed_clock;

// One of the processes of a template, one for each choice of the parameters left open: they are alike in all but
// these values.
typedef struct {
    const char *name;    // "Train(2)"
    const char *family;  // "Train"
    const value *values;
    uint32_t nvalues;
} timed_process;

// A process takes an edge.
typedef struct {
    uint32_t process, edge;  // indices of timed_info.processes and .edges
} edge_move;

// Some process takes an edge that listens to a broadcast, if it can.
typedef struct {
    uint32_t edge;
    expr when;  // over the state before and the rule's parameters
} edge_listener;

typedef struct {
    VEC(timed_edge) edges;    // those without a rule too
    VEC(timed_clock) clocks;  // [0] is the clock that is always 0
    VEC(func) locations;      // where each process is: functions without arguments
    VEC(timed_process) processes;
    VEC(clock_bound) invariants;  // hold in every state, while time passes too
    VEC(clock_bound) rates;       // of the clock `left`: `bound`, where `when` holds; 1 where nothing is said
    VEC(clock_atom) atoms;
    uint32_t time_clock;   // is never set: for bounds on time, and the fastest run; 0: there is none
    uint32_t since_clock;  // is set by queries only (prop_info.restarts); 0: there is none
    expr still;            // where no time may pass
    bool has_priorities;   // no step is possible where one of a rule of higher priority is
    expr valid;            // a step to a state where this fails is impossible (id 0: none is)
} timed_info;

// ---- rules, systems, properties

// What must hold whenever a rule is enabled: in a product, that the specification allows the step.
typedef struct {
    prop property;
    expr cond;        // over the rule's parameters
    bool has_choice;  // a specification that refuses might allow it with other choices: that is no violation yet
} requirement;

// What an action is for a transactional memory; model_add_rule() knows it by its name, and nobody else asks for names.
typedef enum { ROLE_OTHER, ROLE_READ, ROLE_WRITE, ROLE_COMMIT, ROLE_ABORT } rule_role;

typedef struct {
    const char *name;
    span at;
    rule_role role;
    const var *params;
    uint32_t nparams;
    uint32_t nhidden;    // of them, at the end: choices that are not part of the label (rule_nshown)
    uint32_t actor;      // 1 + the parameter that the model calls the acting thread; 0: not given
    expr guard;          // id 0: true
    const stmt *body;    // NULL: nothing changes
    const func *chosen;  // functions that get arbitrary values in the step…
    uint32_t nchosen;
    expr relation;  // …for which this holds (id 0: true); for proofs, searches refuse it
    bool is_visible;
    const requirement *requires;
    uint32_t nrequires;
    const clock_bound *bounds;  // of a timed system: hold when the step is taken
    uint32_t nbounds;
    const clock_reset *resets;  // in order
    uint32_t nresets;
    const edge_move *moves;  // of a timed system: those that are part of every step of the rule
    uint32_t nmoves;
    const edge_listener *listeners;  // of a broadcast: those that may take part too
    uint32_t nlisteners;
    const char *channel;  // of a timed system: on which they synchronise, as text; NULL: none
    expr priority;        // of a timed system, a number (id 0: 0): see has_priorities
} rule_info;

// Parameters that are part of the label of a step: the first ones.
static inline uint32_t rule_nshown(const rule_info *r) { return r->nparams - r->nhidden; }

typedef struct {
    const char *name;
    expr cond;
    span at;
} named_expr;

// A multiset, or an array of them: the functions of its elements' parts, of which argument `position` is the slot,
// and funcs[0] tells which slots are taken. Which slot holds an element is not part of the state (bag.h).
typedef struct {
    const func *funcs;
    uint32_t nfuncs;
    uint32_t position;
} bag_info;

enum { SCHEMA_MOST_VARS = 4, SCHEMA_MOST_LITERALS = 8 };  // variables per sort; holes and fixed literals together

// A shape of lemmas to try: forall vars. fixed literals | holes for any others.
typedef struct {
    const char *name;
    span at;
    const var *vars;
    uint32_t nvars, nholes, nfixed;
    const expr *fixed;
} schema_info;

typedef struct {
    const char *name;
    span at;
    VEC(func) funcs;
    VEC(bag_info) bags;  // multisets; those inside elements of others come before these
    VEC(def) defs;
    VEC(rule) inits;  // each a possible start; none: the initial values as they are
    VEC(rule) rules;
    VEC(named_expr) assumes;             // hold by construction; checked on every explored state
    VEC(named_expr) axioms;              // over rigid functions: which constants are considered
    VEC(prop) invariants;                // those declared inside the system
    VEC(named_expr) lemmas;              // given by the user for a proof of the invariants; never trusted
    VEC(schema_info) schemas;            // shapes of lemmas, by the user
    VEC(named_expr) hints;               // lemmas for the search for a proof to try, by the user; never trusted
    VEC(named_expr) theorems;            // said to follow from the axioms alone, in every state
    VEC(sys) parts;                      // of a composition, in order
    prop refinement;                     // of a product: the property it was built for
    const struct prop_witness *choices;  // of a product: what its specification was said to choose when it was built
    bool is_imperative;                  // statements run in order, values may be undefined: no first-order proofs
    timed_info *timed;                   // NULL: a system without time; in the model's memory
} sys_info;

typedef enum {
    PROP_INVARIANT,
    PROP_REFINES,
    PROP_DEADLOCK_FREE,
    PROP_COVER,             // some reachable state satisfies cond
    PROP_REACHES,           // from every reachable state one that satisfies cond can be reached
    PROP_TIMED,             // a query about a timed system
    PROP_OBSTRUCTION_FREE,  // these three: loops of the explored graph, language/liveness.h
    PROP_LIVELOCK_FREE,
    PROP_WAIT_FREE
} prop_kind;

typedef enum {
    QUERY_ALWAYS,
    QUERY_POSSIBLY,
    QUERY_KEEPS,
    QUERY_EVENTUALLY,
    QUERY_LEADS_TO,
    QUERY_SUP,
    QUERY_INF
} query_kind;

// How a specification that chooses answers a rule of the system: with its action of the same name, whose hidden
// parameters get values, or, a rule that is not seen, with one of its internal actions.
typedef struct prop_witness {
    rule r, answer;
    const expr *args;  // over the parameters of r: of the hidden parameters, or of an internal action all
    uint32_t nargs;
} prop_witness;

static inline bool prop_is_liveness(prop_kind k) { return k >= PROP_OBSTRUCTION_FREE; }

typedef struct {
    prop_kind kind;
    const char *name;
    span at;
    sys system;
    expr cond;                   // PROP_INVARIANT, PROP_COVER, PROP_REACHES
    sys spec;                    // PROP_REFINES
    const named_expr *relation;  // PROP_REFINES: conjuncts of the user's abstraction relation, if any…
    uint32_t nrelation;
    const named_expr *justice;      // …and what follows from it about fairness: C -> A, where the system
    uint32_t njustice;              // is assumed to satisfy C again and again, and the specification must A
    const prop_witness *witnesses;  // PROP_REFINES: what the user says of the specification's choices
    uint32_t nwitnesses;
    query_kind query;     // PROP_TIMED: A[] E<> E[] A<> --> sup inf, of cond (over clock atoms too)
    expr then;            // QUERY_LEADS_TO: cond --> then
    uint32_t restarts;    // QUERY_LEADS_TO: a clock that is set to 0 where cond holds; 0: none
    uint32_t clock;       // QUERY_SUP, QUERY_INF: of this clock where cond holds, or if it is 0…
    expr measured;        // …of this number
    const char *refused;  // PROP_TIMED: why no engine is asked, NULL: one is
    const char *text;     // PROP_TIMED: as it was asked; the name of a second one of the same text has a number
    span size_use;        // PROP_TIMED: where it uses the number of processes, or the name of one, as a number
} prop_info;

// `--define NAME=VALUE`: another value for a constant.
typedef struct {
    const char *name;
    int32_t value;
} model_define;

// `expect NAME at Thread=2, Loc=2: holds, 64 states`: what `parvis test` compares with what it finds.
typedef struct {
    prop property;     // id 0: not one that the model declares…
    const char *name;  // …then its name in an answer ("deadlock"); NULL: all properties, or any
    span at;
    VEC(struct {
        type sort;
        uint32_t size;
    })
    sizes;
    const model_define *defines;  // of constants
    uint32_t ndefines;
    const char *verdict;  // "holds", "violated"
    uint64_t states;      // without symmetry; 0: not said
    uint64_t orbits;      // up to symmetry; 0: not said
    uint32_t length;      // visible steps of a shortest trace; 0: not said
} expectation;

// Contracts on sizes, asserted where a table grows; the front ends refuse what is larger with its place.
enum {
    MODEL_MOST_ARGS = 16,     // arguments of a function, parameters of a definition
    MODEL_MOST_PARAMS = 1024  // parameters of a rule in a file; engines may make rules with more
};

typedef struct model {
    arena *memory;
    diag *messages;        // not owned
    VEC(type_info) types;  // [0] is unused in every table, so that id 0 means none
    VEC(func_info) funcs;
    VEC(var_info) vars;
    VEC(def_info) defs;
    VEC(expr_info) exprs;
    VEC(rule_info) rules;
    VEC(sys_info) systems;
    VEC(prop_info) props;
    VEC(expectation) expectations;
    map *expr_table;   // hash-consing
    map *range_table;  // (lo, hi) -> anonymous range
    VEC(var_set) var_sets;
    map *var_set_table;    // variables -> set
    map *var_set_results;  // (set, set) -> their union, (set, variable, 0) -> the set without it
    map *prop_table;       // name -> the first property of that name
    uint32_t most_params;  // see model_most_params()
    type bool_type;
    expr true_expr, false_expr;
} model;

// Every list and map that a timed system, a system, a model owns: for those who free or copy them all.
#define MODEL_TIMED_LISTS(X) X(edges) X(clocks) X(locations) X(processes) X(invariants) X(rates) X(atoms)
#define MODEL_SYSTEM_LISTS(X) \
    X(funcs)                  \
    X(bags)                   \
    X(defs) X(inits) X(rules) X(assumes) X(axioms) X(invariants) X(lemmas) X(schemas) X(hints) X(theorems) X(parts)
#define MODEL_TABLES(X) X(types) X(funcs) X(vars) X(defs) X(exprs) X(rules) X(systems) X(props) X(var_sets)
#define MODEL_MAPS(X)   X(expr_table) X(range_table) X(var_set_table) X(var_set_results) X(prop_table)

model *model_new(diag *messages);
void model_free(model *m);

static inline const type_info *type_of(const model *m, type t) { return &m->types.data[t.id]; }
static inline const func_info *func_of(const model *m, func f) { return &m->funcs.data[f.id]; }
static inline const var_info *var_of(const model *m, var v) { return &m->vars.data[v.id]; }
static inline const def_info *def_of(const model *m, def d) { return &m->defs.data[d.id]; }
static inline const expr_info *expr_of(const model *m, expr e) { return &m->exprs.data[e.id]; }
static inline const rule_info *rule_of(const model *m, rule r) { return &m->rules.data[r.id]; }
static inline sys_info *sys_of(const model *m, sys s) { return &m->systems.data[s.id]; }
static inline const prop_info *prop_of(const model *m, prop p) { return &m->props.data[p.id]; }

static inline bool rule_chooses(const rule_info *r, func f) {
    for (uint32_t i = 0; i < r->nchosen; i++)
        if (r->chosen[i].id == f.id) return true;
    return false;
}

static inline expr_kind expr_kind_of(const model *m, expr e) { return expr_of(m, e)->kind; }
static inline type expr_type(const model *m, expr e) { return expr_of(m, e)->ty; }
static inline expr expr_arg(const model *m, expr e, uint32_t i) { return expr_of(m, e)->args[i]; }
static inline var_set expr_frees(const model *m, expr e) { return m->var_sets.data[expr_of(m, e)->frees]; }
static inline bool expr_is_bool(const model *m, expr e) { return expr_type(m, e).id == m->bool_type.id; }
static inline bool expr_same(expr a, expr b) { return a.id == b.id; }
static inline bool type_same(type a, type b) { return a.id == b.id; }

// ---- building. Arrays passed in are copied.

// A name as the model keeps it: control characters of the file are made visible (str_add_visible), since names are
// printed everywhere. All model_add_x() do this.
const char *model_keep_name(model *m, const char *name);
type model_add_type(model *m, type_info info);
type model_range(model *m, int32_t lo, int32_t hi, span at);  // one type per pair of bounds
func model_add_func(model *m, func_info info);                // and adds it to its owner's list
var model_add_var(model *m, const char *name, type ty, span at);
def model_add_def(model *m, def_info info);     // and adds it to its owner's list
rule model_add_rule(model *m, rule_info info);  // in no list yet
sys model_add_system(model *m, const char *name, span at);
prop model_add_prop(model *m, prop_info info);

stmt *model_assign(model *m, func target, const expr *args, uint32_t nargs, expr written, span at);
stmt *model_if(model *m, expr cond, const stmt *const *then, uint32_t nthen, const stmt *const *orelse,
               uint32_t norelse, span at);
stmt *model_forall(model *m, const var *vars, uint32_t nvars, expr cond, const stmt *const *body, uint32_t nbody,
                   span at);
stmt *model_while(model *m, expr cond, const stmt *const *body, uint32_t nbody, span at);
stmt *model_assume(model *m, expr cond, span at);
stmt *model_fail(model *m, const char *text, span at);
stmt *model_block(model *m, stmt_kind kind, const stmt *const *body, uint32_t nbody, span at);  // S_PAR, S_SEQ

// Room for the parameters of any rule and the arguments of any function so far: every array that holds a binding
// is sized by it, where it is used.
static inline uint32_t model_most_params(const model *m) { return m->most_params; }

// The type's number of values; 0 for a sort without a size.
uint32_t type_known_size(const model *m, type t);
// The least value of a type: values are counted from it.
static inline value type_first(const model *m, type t) { return type_of(m, t)->lo; }
static inline bool type_is_number(const model *m, type t) { return type_of(m, t)->kind == TYPE_RANGE; }
bool type_contains(const model *m, type t, type member);  // it is that, or a union with it
// A sort that may have any number of elements.
static inline bool type_is_unbounded(const model *m, type t) {
    return type_of(m, t)->kind == TYPE_SORT && !type_of(m, t)->fixed_size;
}

// By name; id 0 when absent.
type model_find_type(const model *m, const char *name);
sys model_find_system(const model *m, const char *name);
prop model_find_prop(const model *m, const char *name);
rule model_find_rule(const model *m, sys s, const char *name);  // the first action of that name
func model_find_func(const model *m, sys s, const char *name);

#endif
