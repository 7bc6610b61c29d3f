// SPDX-License-Identifier: Apache-2.0
// Inside the front end for UPPAAL's languages.
//
//   lex.c      text to tokens
//   parse.c    tokens to syntax trees
//   xml.c      the same from XML files, whose labels are pieces of text
//   type.c     scopes, types, constants, declarations
//   expr.c     expressions
//   place.c    what names denote; values of any type
//   clock.c    clock conditions
//   stmt.c     updates and functions
//   network.c  processes, their locations and edges
//   rule.c     what edges do together
//   left_out.c rates, probabilities, branch points
//   query.c    queries
//   names.c    whether processes are no more than names
//   read.c     files and the order of the above
//
// Functions are inlined. A *local* of an inlined function holds an expression as long as its value is a
// constant of the text (so loops with constant bounds unroll), and becomes a scratch function of the model
// when it is not.
#ifndef FRONT_XTA_INT_H
#define FRONT_XTA_INT_H

#include "base/cursor.h"
#include "base/map.h"
#include "front/depth.h"
#include "front/scopes.h"
#include "front/source.h"
#include "front/xta/xta.h"
#include "model/expr.h"

// ---- tokens

extern const cursor_language xta_language;

// ---- syntax

typedef enum {
    X_NUMBER,
    X_DOUBLE,  // a floating-point number, or text
    X_BOOL,
    X_NAME,
    X_INDEX,
    X_FIELD,
    X_CALL,
    X_UNARY,
    X_BINARY,
    X_ASSIGN,
    X_STEP,
    X_RATE,  // x'
    X_COND,
    X_FORALL,
    X_EXISTS,
    X_SUM,
    X_DEADLOCK,
    X_LIST,
    X_MEMBER  // of a list: name: args[0]
} xta_kind;

// Binary operators: name, text, strength, do they associate, and what they are in the model if that is arithmetic.
// clang-format off
#define XTA_OPERATORS(X) \
    X(OR, "||", 1, true, 0)             X(IMPLY, "imply", 1, false, 0)      X(AND, "&&", 2, true, 0) \
    X(BITOR, "|", 3, true, E_BITOR)     X(BITXOR, "^", 4, true, E_BITXOR)   X(BITAND, "&", 5, true, E_BITAND) \
    X(EQ, "==", 6, false, 0)            X(NE, "!=", 6, false, 0)            X(LT, "<", 7, false, 0) \
    X(LE, "<=", 7, false, 0)            X(GT, ">", 7, false, 0)             X(GE, ">=", 7, false, 0) \
    X(MIN, "<?", 8, true, 0)            X(MAX, ">?", 8, true, 0)            X(SHL, "<<", 9, false, E_SHL) \
    X(SHR, ">>", 9, false, E_SHR)       X(ADD, "+", 10, true, E_ADD)        X(SUB, "-", 10, false, E_SUB) \
    X(MUL, "*", 11, true, E_MUL)        X(DIV, "/", 11, false, E_DIV)       X(MOD, "%", 11, false, E_MOD)
// clang-format on
#define XTA_OP(name, text, level, associates, kind) OP_##name,

typedef enum { OP_NONE, XTA_OPERATORS(XTA_OP) OP_NOT, OP_NEG, OP_PLUS } xta_op;

typedef struct xta_ast xta_ast;
typedef struct xta_type_ast xta_type_ast;

struct xta_ast {
    xta_kind kind;
    span at;
    xta_op op;        // X_ASSIGN: the operation before storing, OP_NONE: plain; X_STEP: OP_ADD or OP_SUB
    bool is_postfix;  // X_STEP
    int64_t number;
    const char *name;    // X_NAME, X_FIELD, X_MEMBER, bound variable; X_DOUBLE: as written, NULL: text
    xta_type_ast *type;  // of a bound variable
    xta_ast *of;         // X_CALL: the process whose function it is; NULL: none
    xta_ast **args;
    uint32_t nargs;
    uint32_t depth;  // levels below it
};

typedef enum { TA_INT, TA_BOOL, TA_CLOCK, TA_CHAN, TA_VOID, TA_SCALAR, TA_STRUCT, TA_DOUBLE, TA_NAME } xta_type_kind;

typedef struct xta_decl xta_decl;

struct xta_type_ast {
    xta_type_kind kind;
    span at;
    bool is_const, is_urgent, is_broadcast;
    xta_ast *lo, *hi;  // int[lo,hi], scalar[lo]
    const char *name;
    xta_decl *fields;
    uint32_t nfields;
};

typedef struct {
    xta_ast *size;  // one of the two
    xta_type_ast *type;
} xta_dim;

typedef struct xta_stmt xta_stmt;

typedef enum { XD_VAR, XD_TYPE, XD_FUNC } xta_decl_kind;

struct xta_decl {
    xta_decl_kind kind;
    span at;
    const char *name;
    xta_type_ast *type;  // of a function: what it returns
    xta_dim *dims;
    uint32_t ndims;
    xta_ast *init;
    bool is_ref;  // parameter
    xta_decl *params;
    uint32_t nparams;
    xta_stmt *body;
};

typedef enum { XS_BLOCK, XS_EXPR, XS_IF, XS_WHILE, XS_DO, XS_FOR, XS_EACH, XS_RETURN } xta_stmt_kind;

struct xta_stmt {
    xta_stmt_kind kind;
    bool returns;  // there is a `return` in it
    span at;
    xta_decl *decls;  // XS_BLOCK
    uint32_t ndecls;
    xta_stmt **body;  // XS_BLOCK; XS_IF: then and else; loops: one
    uint32_t nbody;
    xta_ast *expr, *init, *step;
    const char *name;  // XS_EACH
    xta_type_ast *type;
};

typedef struct {
    const char *id, *name;  // id: of the XML file, else the name
    span at;
    xta_ast *invariant;
    bool is_urgent, is_committed;
} xta_location;

typedef struct {
    span at;
    const char *from, *to;  // ids
    span from_at, to_at;
    xta_decl *selects;
    uint32_t nselects;
    xta_ast *guard, *channel;
    bool is_send, is_csp;  // is_csp: `sync a`, with all processes that have the channel in their IO set
    xta_ast **updates;
    uint32_t nupdates;
} xta_edge;

typedef struct {
    const char *name;
    span at;
    xta_decl *params;
    uint32_t nparams;
    xta_decl *decls;
    uint32_t ndecls;
    VEC(xta_location) locations;
    VEC(const char *) branchpoints;  // ids
    VEC(xta_edge) edges;
    const char *init;  // id
    span init_at;
    // Made when first asked for: id and name to number of a location, and the names that its functions and edges write.
    map *ids, *names, *written;
    uint32_t *numbers;  // of its edges in timed_info, once they have some
} xta_template;

// P(params) = Of(args)
typedef struct {
    const char *name, *of;
    span at;
    xta_decl *params;
    uint32_t nparams;
    xta_ast **args;
    uint32_t nargs;
} xta_instance;

// IO P { a, b[1] }: the channels on which P takes part in every step.
typedef struct {
    xta_ast *process;
    xta_ast **channels;
    uint32_t nchannels;
} xta_io;

typedef struct {
    const char *text;  // as written
    span at;
    const char *refused;  // why it is not decided; NULL: it is
    bool is_wrong;        // because there is a mistake in it
    bool is_given;        // by the user, not by a file: a mistake in it is one of the whole run
    query_kind kind;
    bool is_both;       // inf and sup
    xta_ast *deadline;  // E<>[<=10]: how much time may pass from the start on (of -->: since then); NULL: any
    bool is_before;     // ... and less than that: [<10]
    span size_use;      // where it uses the number of processes, or the name of one, as a number
    xta_ast *cond, *then;
    xta_ast **measured;
    uint32_t nmeasured;
    const char *expects;  // "holds", "violated": what the file says was answered; NULL: nothing
} xta_query;

typedef struct {
    const char *name;
    span at;
    uint32_t level;  // of its priority
} xta_name;

// An entry of `chan priority`.
typedef struct {
    xta_ast *channel;  // NULL: default
    span at;
    uint32_t level;
} xta_priority;

typedef struct {
    model *m;
    arena *memory;  // the model's
    diag *messages;
    uint32_t file;
    VEC(xta_decl) decls;
    VEC(xta_template) templates;
    VEC(xta_instance) instances;
    VEC(xta_name) processes;  // the system line
    VEC(xta_priority) priorities;
    VEC(xta_io) ios;
    VEC(xta_query) queries;
    bool skips_queries;  // those in the file are not wanted
    bool gives_queries;  // they come from the command line
    bool has_warned[4];  // see xta_warn_once()
} xta_file;

void xta_file_free(xta_file *f);
// What only statistical queries are about is left out, and said once.
typedef enum { LEFT_RATES, LEFT_PROBABILITIES, LEFT_DOUBLES, LEFT_COSTS } xta_left_out;
void xta_warn_once(xta_file *f, xta_left_out what, span at);
// Edges through branch points become one edge for every branch.
bool xta_join_branches(xta_file *f, xta_template *t);
uint32_t xta_location_find(xta_template *t, const char *id);  // its number; UINT32_MAX: none
uint32_t xta_location_named(xta_template *t, const char *name);

// A whole .xta file, or a piece of an XML file.
typedef struct {
    uint32_t file;
    const char *text;
    size_t size;
} xta_piece;

bool xta_parse_file(xta_file *f, xta_piece x);
bool xta_parse_decls(xta_file *f, xta_piece x, xta_decl **decls, uint32_t *n);
bool xta_parse_params(xta_file *f, xta_piece x, xta_template *t);
typedef enum { LABEL_SELECT, LABEL_CONDITION, LABEL_SYNC, LABEL_ASSIGN } xta_label;
bool xta_parse_label(xta_file *f, xta_piece x, xta_label which, xta_edge *e);
bool xta_parse_queries(xta_file *f, xta_piece x);
const char *xta_refusal(xta_file *f, diag_mark before);  // of a query, whose mistakes become warnings
// Notes the first use of a process' name as a number, and the other way round.
void xta_check_names(xta_file *f, const char *size, span *use);
bool xta_parse_xml(xta_file *f, const char *path, const char *text, size_t size);

// ---- types and places

// Y_DOUBLE: floating-point numbers, text and hybrid clocks, whose values are not followed: written, but never read.
typedef enum { Y_INT, Y_BOOL, Y_CLOCK, Y_CHAN, Y_VOID, Y_DOUBLE, Y_STRUCT, Y_ARRAY } xtype_kind;

typedef struct xscope xscope;
typedef struct xprocess xprocess;
typedef struct xedge xedge;

typedef struct xtype xtype;
struct xtype {
    xtype_kind kind;
    int32_t lo, hi;  // Y_INT; index of a Y_ARRAY
    bool is_urgent, is_broadcast;
    bool is_cost;         // Y_DOUBLE: what runs cost or yield
    const char **names;   // Y_STRUCT
    const xscope *scope;  // the same names, to be found
    const xtype **members;
    uint32_t nmembers;
    const xtype *element;  // Y_ARRAY
    uint32_t nparts;       // types inside it, and itself
    uint64_t nvalues;      // numbers that a value consists of; 2^32: that many or more
};

// Where a variable of some type lives: one function, clock or channel a leaf of its type.
typedef struct xstore xstore;
struct xstore {
    const xtype *ty;
    func f;              // int, bool
    uint32_t base;       // first clock; first channel
    const xtype **dims;  // arrays on the way, outermost first
    uint32_t ndims;
    xstore **kids;  // struct: members; array: one
    // Channels: the edges that receive on one of them, by process and number; 1 + index of the first that is shared.
    struct xlistener *first_listener, *last_listener;
    uint32_t shared;
};

typedef struct xlistener {
    const xprocess *p;
    const xedge *e;
    struct xlistener *next;
} xlistener;

// A constant of the text.
typedef struct xconst xconst;
struct xconst {
    const xtype *ty;
    int32_t number;
    xconst **kids;
    uint32_t nkids;
};

enum { XTA_MOST_INDICES = 8 };
#define XTA_NO_DOUBLE \
    "a floating-point number cannot be used here: only statistical queries could decide something with it"

#define XTA_NO_COST "costs and rewards are not followed: they can be added to, but not read"

typedef struct xlocal xlocal;

typedef enum { P_NONE, P_STORE, P_CONST, P_LOCAL, P_VALUE } xplace_kind;

// What an expression denotes.
typedef struct {
    xplace_kind kind;
    bool is_const;  // may not be written, though it is no constant of the text
    const xtype *ty;
    xstore *store;
    const xconst *constant;
    xlocal *local;
    expr value;  // P_VALUE
    expr index[XTA_MOST_INDICES];
    uint32_t nindex;
} xplace;

// ---- names

typedef enum { SYM_TYPE, SYM_PLACE, SYM_FUNC } xsym_kind;

typedef struct {
    xsym_kind kind;
    span at;
    uint32_t number;  // in the order of declarations
    const xtype *ty;
    xplace place;
    const xta_decl *function;
    const xscope *defined_in;                                             // functions
    bool is_const;                                                        // may not be written
    uint32_t member;                                                      // of a struct: its number
    enum { WRITES_UNKNOWN, WRITES_ASKED, WRITES_NO, WRITES_YES } writes;  // functions: xwrites_state()
} xsym;

struct xscope {
    const xscope *outer;
    uint32_t number;
    uint32_t until;  // of a call: what was declared after the function is not seen in it
};

struct xlocal {
    const char *name;
    const xtype *ty;
    expr value;  // while it is not a scratch function
    const xstore *scratch;
    bool is_result;  // of a call, or whether it has returned: read after it
    xlocal **kids;   // of a struct or array, of a function that is executed symbolically: its parts
    uint32_t nkids;
};

typedef VEC(clock_bound) bound_list;
typedef VEC(clock_reset) reset_list;
// An edge of a process, lowered.
struct xedge {
    const xta_edge *ast;
    uint32_t number;  // in timed_info: the same in all processes of the template, and in all alternatives of a guard
    uint32_t place;   // among the edges of its process
    uint32_t from, to;
    VEC(var) params;
    expr guard;
    bound_list bounds;
    bool has_channel, is_send;
    xplace channel;
    stmt_list body;
    reset_list resets;
    func joins;  // keeps whether it receives; id 0: nothing asked yet
};

struct xprocess {
    const char *name;
    span at;
    xta_template *templ;
    xscope *scope;
    uint32_t index, nscratch;  // its number; locals so far
    uint32_t level;            // of its priority
    func location;
    type location_type;
    VEC(xedge) edges;
};

// ---- lowering

// A branch of statements being made: what stands before it, and when it is taken.
typedef struct xpath {
    expr cond;
    bool is_loop;  // any number of times
    const stmt_list *before;
    const struct xpath *outer;
} xpath;

// A call being inlined.
typedef struct xcall {
    xlocal *returned;
    xplace result;         // P_NONE: it has none
    uint32_t first_local;  // its own locals start here in xlower.locals
    const xsym *function;
    const struct xcall *outer;
} xcall;

typedef struct {
    xta_file *file;
    model *m;
    sys system;
    timed_info *timed;
    const front_define *defines;
    uint32_t ndefines;
    xscope *globals;
    VEC(xprocess *) processes;
    map *process_numbers;              // by name
    map *query_counts;                 // by text: how many there are
    map *atoms;                        // by what they say: 1 + index of timed_info.atoms
    VEC(const xtype *) channel_types;  // by channel number
    uint32_t *channel_levels;          // of their priorities
    uint32_t default_level;            // of steps without a channel
    stmt_list starts;                  // initial values of cells that differ from the function's
    scopes *names;                     // of scopes, and members of structs: index of syms
    VEC(xsym *) syms;
    func leaves;            // its value faults: a value leaves its range; id 0: not needed yet
    func limit;             // its value is a limit of ours; id 0: not needed yet
    bool syncs, syncs_csp;  // some edge has a channel; it is used as `sync a`

    const xscope *scope;  // where names are looked up
    xprocess *process;    // being lowered; NULL: none
    stmt_list *out;       // where statements go; NULL: none may
    reset_list *resets;
    VEC(xlocal *) locals;  // of the calls being inlined
    xcall *call;
    map *results;  // of functions that change nothing: (function, arguments) -> the expression
    uint32_t depth, unrolled, nscratch;
    uint32_t first_expr;  // of the edge, invariant or query
    const xpath *path;    // the branches on the way to here
    uint32_t ninlined;    // calls, of the edge, invariant or query
    bool in_query;
    uint32_t nvalues;  // that quantifiers and loops went through so far
    const char *size;  // xta_options.size
    span *size_use;
    uint32_t size_end;  // within the end of a range, where it may be used
    bool failed;
} xlower;

bool xfail(xlower *w, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

xscope *xscope_new(xlower *w, const xscope *outer);
xsym *xscope_bind(xlower *w, xscope *s, const char *name, span at, xplace p);  // the name of a place
xsym *xscope_find(const xlower *w, const xscope *s, const char *name);         // there or further out
xsym *xscope_own(const xlower *w, const xscope *s, const char *name);          // in that very scope

const xtype *xtype_int(xlower *w, int32_t lo, int32_t hi);
const xtype *xtype_of_expr(xlower *w, expr e);             // of a number or bool
const xtype *xtype_of_value(xlower *w, const xta_ast *a);  // that a place or call denotes; NULL: not known
const xtype *xtype_of(xlower *w, const xta_type_ast *ast);
const xtype *xtype_with_dims(xlower *w, const xtype *ty, const xta_dim *dims, uint32_t n);
type xtype_model(xlower *w, const xtype *ty);  // of Y_INT, Y_BOOL
bool xtype_is_scalar(const xtype *ty);
bool xtype_is_structured(const xtype *ty);  // a struct or array
bool xtype_is_valued(const xtype *ty);      // of numbers and truth values only
xstore *xstore_new(xlower *w, const xtype *ty, const xprocess *of, const char *name, span at, bool is_scratch);
xconst *xconst_of(xlower *w, const xtype *ty, const xta_ast *init, span at);

void xset_initial(xlower *w, const xplace *to, const xplace *from, span at);  // of a variable, by a constant

void xdeclare_known(xlower *w, xscope *s);  // int8_t, INT8_MAX, …

// Declarations into a scope; `prefix` names what they declare ("P.").
bool xdeclare(xlower *w, xscope *s, const xta_decl *decls, uint32_t n, const xprocess *of);

// Expressions. After an error the result is some constant and w->failed is set.
expr xexpr(xlower *w, const xta_ast *a);  // number or bool, by its type
expr xint(xlower *w, int64_t n);
expr xnumber(xlower *w, const xta_ast *a);
expr xbool(xlower *w, const xta_ast *a);
expr xas_number(xlower *w, expr e);
expr xas_bool(xlower *w, expr e);
bool xconstant(xlower *w, const xta_ast *a, int32_t *value);
expr xchoose(xlower *w, expr c, expr a, expr b);  // c ? a : b, of numbers and truth values
expr xbinary(xlower *w, xta_op op, expr a, expr b, span at);
expr xin_range(xlower *w, const xtype *ty, expr e, span at);  // e, which faults where the type does not have it
bool xhas_clock(xlower *w, const xta_ast *a);
// Calls `each` for every value of a bound variable's type, with the name bound to it.
typedef void (*xeach)(xlower *w, void *context);
void xfor_values(xlower *w, const char *name, const xtype *ty, span at, xeach each, void *context);

// Places.
xplace xplace_of(xlower *w, const xta_ast *a);  // P_NONE: it is none
xplace xvalue(xlower *w, const xta_ast *a);     // ... or what a call returns
bool xis_place(const xta_ast *a);
bool xis_structured(xlower *w, const xta_ast *a);  // does it denote a struct or array?
expr xread(xlower *w, const xplace *p, span at);   // of a number or bool
expr xfaulty(xlower *w, span at);                  // a number that is a run-time error
expr xlimit(xlower *w, span at);                   // a number that we cannot compute
int64_t xtype_count(const xtype *ty);              // of values of a Y_INT, of elements of a Y_ARRAY
void xwrite_local(xlower *w, const xplace *to, expr e, span at);
void xcopy(xlower *w, const xplace *to, const xplace *from, span at);   // of any type
expr xsame(xlower *w, const xplace *a, const xplace *b, span at);       // are they equal?
void xinit(xlower *w, const xplace *to, const xta_ast *init, span at);  // by a value or a list of them

// Clock conditions.
// Splits a guard or invariant into clock bounds and the rest.
void xclock_split(xlower *w, const xta_ast *a, expr when, bound_list *bounds, expr *rest);
// A guard as alternatives, each a conjunction. There are few: see clock.c.
typedef struct {
    bound_list bounds;
    expr rest;
} xguard;
typedef VEC(xguard) xguard_list;
void xclock_guard(xlower *w, const xta_ast *a, xguard_list *out);
void xguards_free(xguard_list *list);
expr xclock_atom(xlower *w, const xta_ast *a);  // a comparison with clocks in a query
uint32_t xclock_number(xlower *w, const xplace *p, uint32_t candidate, expr *when);
uint32_t xclock_candidates(const xplace *p);
expr xelement_is(xlower *w, const xplace *p, uint32_t candidate);  // of clocks and channels: it is meant

// Statements.
void xupdate(xlower *w, const xta_ast *a);
void xassign(xlower *w, const xplace *to, const xta_ast *from, span at);
void xwrite_place(xlower *w, const xplace *to, expr e, span at);
xplace xkept(xlower *w, const xplace *p, span at);      // a struct or array as it is now, whatever is written later
xplace xcall_value(xlower *w, const xta_ast *a);        // P_NONE: it returns nothing
const xtype *xfunction_type(xlower *w, const xsym *f);  // what it returns
xlocal *xlocal_new(xlower *w, const char *name, const xtype *ty, expr value);
void xlocal_set(xlower *w, xlocal *l, expr value, span at);
expr xlocal_get(xlower *w, const xlocal *l);
expr xdefault(xlower *w, const xtype *ty);
bool xhas_effect(xlower *w, const xta_ast *a);                        // does it write anything?
bool xwrites_param(xlower *w, const xprocess *p, const char *param);  // of its template

bool xnetwork(xlower *w);
void xbegin(xlower *w, xprocess *p, const xscope *scope);  // an edge or invariant of a process, or a query
void xrules(xlower *w);
bool xreads_written(const xlower *w, expr e, const stmt_list *body);
// What e is worth after these statements, over the state before them.
expr xbefore(xlower *w, expr e, const stmt_list *done, span at);
expr xlocation_is(xlower *w, const xprocess *p, uint32_t location);
xprocess *xprocess_find(xlower *w, const char *name);
xprocess *xprocess_of(xlower *w, const xta_ast *a);  // that P or P(1) names; NULL: none
bool xqueries(xlower *w);
expr xdeadlock(xlower *w);
uint32_t xtime_clock(xlower *w);                                                    // the clock that is never set
uint32_t xsince_clock(xlower *w);                                                   // the clock that queries set
expr xtime_atom(xlower *w, uint32_t clock, int32_t most, bool is_strict, span at);  // is it at most that?

#endif
