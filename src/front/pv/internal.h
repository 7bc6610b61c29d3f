// SPDX-License-Identifier: Apache-2.0
// The front end's own structures: tokens, syntax tree, scopes. See pv.h for who does what.
// Everything here lives in one arena that is freed when pv_read returns; NULL (or id 0) stands for "was wrong
// and has been reported", and whoever meets it goes on without a message of its own.
#ifndef FRONT_PV_INT_H
#define FRONT_PV_INT_H

#include "front/depth.h"
#include "front/pv/pv.h"
#include "front/scopes.h"
#include "model/expr.h"
#include "model/keywords.h"

enum {
    PV_DEEPEST_CHAIN = 2000,  // the same through definitions and procs
    PV_LARGEST_NUMBER = (1 << 30) - 1,
    PV_LARGEST_SORT = 64,
    PV_MOST_ARGUMENTS = 8,        // of a function, definition, proc or action
    PV_MOST_PARTS = 256,          // of a composition
    PV_MOST_STATEMENTS = 100000,  // after expansion of procs
    PV_LARGEST_ARGUMENT = 1000,   // nodes in an argument of a proc
    PV_LARGEST_FILE = 1 << 24
};

// ---- tokens

// Longest first where one is the beginning of another.
// clang-format off
#define PV_SYMBOLS(X)                                                                                       \
    X(IFF, "<->")                                                                                           \
    X(ASSIGN, ":=")                                                                                         \
    X(ARROW, "->")                                                                                          \
    X(NE, "!=")                                                                                             \
    X(LE, "<=")                                                                                             \
    X(GE, ">=") X(PARALLEL, "||") X(DOTS, "..") X(LPAREN, "(") X(RPAREN, ")") X(LBRACE, "{") X(RBRACE, "}") \
        X(COMMA, ",") X(SEMICOLON, ";") X(COLON, ":") X(DOT, ".") X(EQ, "=") X(LT, "<") X(GT, ">")          \
            X(AND, "&") X(OR, "|") X(NOT, "!") X(PLUS, "+") X(MINUS, "-") X(STAR, "*") X(SLASH, "/")        \
                X(PERCENT, "%")
// clang-format on

typedef enum {
    TOK_END,
    TOK_NAME,
    TOK_HOLE,  // _
    TOK_NUMBER,
    TOK_STRING,
    TOK_STRAY,  // what is no token, and was reported
#define X(id, text) TOK_##id,
    PV_KEYWORDS(X) PV_SYMBOLS(X)
#undef X
        TOK_COUNT
} pv_tok;

typedef struct {
    pv_tok kind;
    span at;
    bool starts_line;  // nothing but blanks before it
    uint32_t column;
    const char *text;  // names and strings
    uint64_t number;
} pv_token;

typedef VEC(pv_token) pv_tokens;

// ---- syntax tree

typedef struct pv_expr pv_expr;

typedef struct {
    span at;
    const char *name;  // NULL: a range
    const pv_expr *lo, *hi;
} pv_type;

typedef struct {
    const char *name;
    span at;
    const pv_type *ty;
    bool is_actor;   // `by t: Thread`
    bool is_hidden;  // an action's, after `;`
} pv_binder;

typedef struct {
    const pv_binder *data;
    uint32_t len;
} pv_binders;

typedef enum {
    PE_NUMBER,
    PE_BOOL,
    PE_HOLE,
    PE_NAME,  // a name or name(args)
    PE_NOT,
    PE_AND,
    PE_OR,
    PE_IMPLIES,
    PE_IFF,
    PE_COMPARE,    // op, two arguments; op TOK_MEETS too
    PE_ARITH,      // op, two arguments; one: negation
    PE_IF,         // three arguments
    PE_VARIABLE,   // number is the id of a variable of the model: what lowering puts in the place of `_`
    PE_QUANTIFIER  // op, binders, args[0] is the body, args[1], if any, the `where`
} pv_expr_kind;

struct pv_expr {
    pv_expr_kind kind;
    pv_tok op;
    span at;
    const char *name;    // as written
    const char *member;  // PE_NAME: System.member, the part of the name after the dot; NULL: there is none
    span name_at;
    bool has_parens;  // PE_NAME: written with an argument list
    uint64_t number;  // PE_NUMBER; PE_BOOL: 0, 1
    const pv_expr *const *args;
    uint32_t nargs;
    pv_binders binders;
    uint32_t depth;
};

typedef enum { PS_ASSIGN, PS_CLEAR, PS_IF, PS_FORALL, PS_CALL } pv_stmt_kind;

typedef struct pv_stmt pv_stmt;

typedef struct {
    const pv_stmt *const *data;
    uint32_t len;
} pv_stmts;

struct pv_stmt {
    pv_stmt_kind kind;
    span at;
    const pv_expr *target;  // PS_ASSIGN, PS_CLEAR; PS_CALL: the call
    const pv_expr *value;
    const pv_expr *cond;  // PS_IF; PS_FORALL: its `where` or NULL
    pv_binders binders;
    pv_stmts body, orelse;
};

typedef enum {
    PD_SORT,
    PD_SIZE,
    PD_ENUM,
    PD_SYSTEM,
    PD_FUNC,
    PD_CONST,
    PD_DEF,
    PD_PROC,
    PD_INIT,
    PD_ACTION,
    PD_ASSUME,
    PD_AXIOM,
    PD_INVARIANT,
    PD_SCHEMA,
    PD_LEMMA,
    PD_PROPERTY,
    PD_COMPOSE,
    PD_USE,
    PD_EXPECT,
    PD_ALGORITHM,  // this and the following are gone after pv_algorithm_expand
    PD_MANAGER,
    PD_COMMAND,
    PD_CLAUSE,
    PD_ABORT
} pv_decl_kind;

typedef struct {  // a name with a number or not: literals, parts, sizes
    const char *name;
    span at;
    const pv_expr *value;
} pv_item;

typedef struct pv_decl pv_decl;
struct pv_decl {
    pv_decl_kind kind;
    const char *name;
    span at;             // of the name
    const char *prefix;  // of a member of a contention manager in a system: names of other members have it too
    bool is_ordered, is_rigid, is_any, is_internal;
    prop_kind property;          // PD_PROPERTY
    const pv_type *const *args;  // PD_FUNC: argument types
    uint32_t nargs;
    const pv_type *ty;  // PD_FUNC: result (NULL: bool); PD_DEF: result (NULL: bool)
    pv_binders params;
    const pv_expr *expr;  // value, size, guard, condition
    pv_stmts body;
    const pv_item *items;  // PD_ENUM literals, PD_COMPOSE parts, PD_EXPECT sizes, PD_PROPERTY system [, spec]
    uint32_t nitems;
    const char *verdict;  // PD_EXPECT
    uint64_t states, length;
    // PD_SYSTEM, PD_ALGORITHM, PD_MANAGER; PD_COMMAND: its clauses; PD_PROPERTY: its relation
    const pv_decl *const *decls;
    uint32_t ndecls;
    bool is_justice;   // of a conjunct of PD_PROPERTY
    bool is_done;      // PD_CLAUSE: completes the command
    bool is_clause;    // PD_ACTION made of a clause: several may have one name
    pv_binders enemy;  // PD_CLAUSE: `against u: Thread where …`
    const pv_expr *conflict;
    const pv_decl *const *witnesses;  // PD_PROPERTY: its `with` clauses (pv/witness.c)
    uint32_t nwitnesses;
};

typedef VEC(const pv_decl *) pv_decl_list;

// Each declaration `d` at the top level of a file.
#define PV_EACH_TOP(f, d)                                                        \
    for (uint32_t i_##d = 0; i_##d < (f)->files.len; i_##d++)                    \
        for (uint32_t k_##d = 0; k_##d < (f)->files.data[i_##d].ndecls; k_##d++) \
            for (const pv_decl *d = (f)->files.data[i_##d].decls[k_##d]; d; d = NULL)

// ---- scopes

typedef struct pv_scope pv_scope;

typedef enum { SYM_FUNC, SYM_CONST, SYM_DEF, SYM_PROC, SYM_LITERAL, SYM_TYPE } pv_sym_kind;
typedef enum { PV_NEW, PV_BUSY, PV_DONE, PV_WRONG } pv_state;

typedef struct {
    pv_sym_kind kind;
    const char *name;
    span at;
    const pv_decl *decl;
    pv_scope *home;
    pv_state state;
    func f;
    def d;
    type ty;        // SYM_TYPE, SYM_LITERAL
    expr value;     // SYM_CONST, SYM_LITERAL
    uint32_t next;  // SYM_LITERAL: the next of that name in the same scope, or 0
} pv_symbol;

// Values and types: indices of pv_front.symbols. The others: 1 + the first member of a system of that name.
typedef enum { PV_VALUES, PV_TYPES, PV_ACTIONS, PV_FACTS, PV_SCHEMAS, PV_SYSTEMS, PV_TABLES } pv_table;

struct pv_scope {
    pv_scope *outer;  // NULL: top level
    uint32_t tables;  // the first of PV_TABLES numbers of pv_front.names
    sys system;
    const pv_decl *decl;
    pv_state state;         // of a composition
    VEC(pv_scope *) parts;  // of a composition: names are looked up in all of them
};

typedef struct {
    const char *path;
    const char *real;
    uint32_t number;  // in the diagnostics
    const pv_decl *const *decls;
    uint32_t ndecls;
    bool is_named;  // by the user, not by a `use`
} pv_file;

typedef struct {
    model *m;
    diag *messages;
    arena *memory;
    const pv_options *options;
    VEC(pv_file) files;
    const pv_decl *manager;  // of every algorithm, when the options name one
    VEC(pv_symbol) symbols;  // [0] unused
    VEC(pv_scope *) scopes;  // [0] is the top level, then one per system or composition
    scopes *names;           // what is declared in each scope; PV_SYSTEMS of the top level: index of scopes
    scopes *literals;        // values of enums, by type
    uint32_t chain;          // nesting through definitions and procs, see PV_DEEPEST_CHAIN
    uint32_t nstatements;    // so far
} pv_front;

// What is bound where an expression stands: parameters, quantified variables, arguments of a proc.
typedef struct {
    const char *name;
    span at;
    type ty;
    expr value;  // id 0: its type was wrong
} pv_local;

typedef struct {
    span at;  // the call
    const char *name;
} pv_expansion;

// `next(below)` in an action: a parameter of the step, which is chosen.
typedef struct {
    expr below;
    var after;
} pv_next;

typedef struct {
    const var *params;  // of the action as written
    uint32_t nparams;
    uint32_t first;  // variables of the model from here on belong to the action
    VEC(pv_next) made;
} pv_nexts;

typedef struct {
    pv_front *f;
    pv_scope *scope;
    const char *prefix;  // of names that have it where they are declared, see pv_decl; NULL: none
    VEC(pv_local) locals;
    uint32_t visible;         // locals from here on are in scope: a proc's body does not see its caller's
    VEC(var) loops;           // variables of the `forall` statements around
    VEC(pv_expansion) calls;  // procs being expanded
    pv_nexts *nexts;          // of the action; NULL: this is none
} pv_context;

// ---- pv/lex.c

void pv_lex(pv_front *f, uint32_t file, pv_tokens *out);
bool pv_begins_decl(pv_tok t);         // a declaration
const char *pv_tok_text(pv_tok kind);  // "'->'", "a name"

// ---- pv/parse.c and pv/term.c

typedef struct {
    pv_tok op;
    uint32_t column, parens;
} pv_bullet;

typedef struct {
    pv_front *f;
    const pv_token *tok;    // the next one
    const pv_token *first;  // of the file
    bool taken;             // some token was taken, so there is one before
    uint32_t depth, parens;
    bool may_say_by;    // parameters of an action are read: one may be the acting thread
    pv_decl_list *out;  // where declarations go
    VEC(pv_bullet) bullets;
} pv_parser;

bool pv_parse_file(pv_front *f, pv_file *file);
bool pv_parse_members_of(pv_front *f, pv_file *file);  // as inside a system
// ---- lemmas.c: the file's declarations become members of the system that proofs are about
bool pv_lemmas_add(pv_front *f, const pv_file *lemmas);
const pv_expr *pv_parse_expr(pv_parser *p);
const pv_type *pv_parse_type(pv_parser *p);
bool pv_parse_binders(pv_parser *p, pv_binders *out);
bool pv_parse_action_binders(pv_parser *p, pv_binders *out);
const pv_expr *pv_parse_call(pv_parser *p);     // NAME or NAME(args)
const pv_expr *pv_parse_sum(pv_parser *p);      // an expression without operators looser than + and -
const pv_token *pv_parse_take(pv_parser *p);    // the next token, and on
bool pv_parse_have(pv_parser *p, pv_tok kind);  // takes it if it is there
bool pv_parse_need(pv_parser *p, pv_tok kind, const char *where);  // or says what is missing
bool pv_parse_wrong(pv_parser *p, const char *wanted);             // "expected …, found …"; false
bool pv_parse_enter(pv_parser *p);                                 // one level deeper, or a message
span pv_parse_since(const pv_parser *p, span from);                // from there to the last token taken

bool pv_parse_block(pv_parser *p, pv_stmts *out);
bool pv_parse_params(pv_parser *p, pv_decl *d);
bool pv_parse_item(pv_parser *p, const char *what, pv_item *out);  // a name, or says that it is missing
bool pv_parse_word(pv_parser *p, const char *word);                // takes a name that reads so, if it is there
bool pv_parse_members(pv_parser *p, pv_decl *d);                   // { declarations }

// ---- pv/witness.c

bool pv_witness_parse(pv_parser *p, pv_decl *property);  // the `with` clauses that are there
bool pv_witness_lower(pv_front *f, const pv_decl *property, pv_scope *system, prop_info *p);

// ---- pv/order.c

bool pv_order_choices(pv_parser *p, pv_decl *action);  // the `choose` clauses that are there
bool pv_order_guard(pv_parser *p, pv_decl *action);    // `when …`, and what the clauses ask for
bool pv_order_is_word(const pv_expr *e);               // next(x), max(a, b), min(a, b)
expr pv_order_lower(pv_context *c, const pv_expr *e);
void pv_order_close(pv_context *c, rule_info *r);  // parameters and guards for what `next` was said of

// ---- pv/algorithm.c

// Readers of declarations, after the name.
bool pv_algorithm_rest(pv_parser *p, pv_decl *d);
bool pv_algorithm_command(pv_parser *p, pv_decl *d);
bool pv_algorithm_reaction(pv_parser *p, pv_decl *d);
bool pv_algorithm_expand(pv_front *f);  // algorithms and managers into systems

// ---- pv/names.c

void pv_names_collect(pv_front *f);  // all declarations into their scopes
uint32_t pv_names_find(const pv_front *f, const pv_scope *s, pv_table table, const char *name);  // 0: it is not there
bool pv_names_is_first(pv_front *f, const pv_scope *s, pv_table table, const pv_decl *member);   // or a message
pv_symbol *pv_names_value(pv_front *f, const pv_scope *s, const char *name, span at);  // NULL: none, unreported
const char *pv_names_prefixed(pv_context *c, const pv_scope *s, const char *name);     // NULL: no member of the manager
pv_symbol *pv_names_called(pv_context *c, const pv_expr *e);  // what a name stands for that is not bound
pv_symbol *pv_names_type(pv_front *f, const pv_scope *s, const char *name, span at);
void pv_names_each(pv_front *f, pv_decl_kind kind, void (*visit)(pv_front *, const pv_decl *));  // at top level
void pv_names_unknown(pv_context *c, const pv_expr *e, type expected);  // says so, with the nearest name
void pv_names_unknown_target(pv_context *c, const pv_expr *e);
void pv_names_unknown_proc(pv_context *c, const pv_expr *e);
void pv_names_unknown_sort(pv_front *f, const pv_item *item);
void pv_names_unknown_type(pv_front *f, const pv_scope *s, const char *name, span at);
bool pv_names_system_or_error(pv_front *f, const pv_item *item, pv_scope **out);

// ---- pv/type.c

type pv_type_lower(pv_context *c, const pv_type *t);
void pv_type_declare(pv_front *f);                                                     // sorts, enums, sizes
expr pv_type_constant(pv_front *f, pv_symbol *s, span use);                            // the value of a `const`
bool pv_type_sort_size(pv_front *f, const pv_item *item, type *sort, uint32_t *size);  // `Thread = 2`
void pv_type_functions(pv_front *f);
bool pv_type_literal(const pv_front *f, type t, const char *name, value *out);  // a value of an enum by its name
void pv_type_text(const model *m, type t, str *out);
const char *pv_type_name(pv_front *f, type t);  // the same, in the arena
bool pv_type_fits(const model *m, type have, type want);
// e as a value of type `want`: its type and, if it is constant, its range; `what` begins a message.
bool pv_type_check(pv_context *c, expr e, type want, span at, const char *what);
bool pv_type_number(pv_context *c, const pv_expr *e, int64_t *out);  // a constant number

// ---- pv/expr.c

expr pv_expr_lower(pv_context *c, const pv_expr *e, type expected);  // expected id 0: any
expr pv_expr_condition(pv_context *c, const pv_expr *e);             // of type bool
expr pv_expr_fact(pv_front *f, pv_scope *s, const pv_decl *d);       // that of a declaration, where nothing is bound
const pv_local *pv_expr_find_bound(const pv_context *c, const pv_expr *e);  // the variable that a name stands for
// Arguments of a definition or proc lie in the ranges of the parameters, whatever happens.
bool pv_expr_args_inside(pv_context *c, const pv_expr *call, const type *types, const expr *args);
bool pv_expr_args(pv_context *c, const pv_expr *call, const type *types, uint32_t n, expr *out);
def pv_expr_def(pv_front *f, pv_symbol *s, span use);  // lowers a definition when it is first needed
bool pv_expr_bind(pv_context *c, pv_binders b, var *out);
void pv_expr_unbind(pv_context *c, uint32_t n);
var pv_expr_fresh(pv_context *c, type ty, span at);  // with a name that is not taken here
// The comparison by order that e is, and its two sides, lowered once; id 0 after a message.
expr pv_expr_order(pv_context *c, const pv_expr *e, expr *a, expr *b);
// The call with a variable in the place of argument `hole`: *v, or a fresh one of that type put there.
const pv_expr *pv_expr_fill(pv_context *c, const pv_expr *call, uint32_t hole, type ty, var *v);
bool pv_expr_enter(pv_context *c, span at);
void pv_context_free(pv_context *c);

// ---- pv/stmt.c

const stmt *pv_stmt_body(pv_context *c, pv_stmts body, span at);  // one S_PAR, NULL if empty
void pv_stmt_check_procs(pv_front *f);

// ---- pv/lower.c, pv/check.c

void pv_lower(pv_front *f);
void pv_check_starts(pv_front *f, sys s);  // functions without a neutral initial value
void pv_check_axiom(pv_front *f, const named_expr *axiom);

// pv/schema.c
void pv_lower_schema(pv_front *f, pv_scope *s, const pv_decl *d);
void pv_check_refines(pv_front *f, sys system, sys spec, span at);
bool pv_check_apart(pv_front *f, sys a, sys b, span at);  // no system is a part of both
bool pv_check_count(pv_front *f, uint32_t n, span at);    // not more than PV_MOST_ARGUMENTS
void pv_check_defines(pv_front *f);

#endif
