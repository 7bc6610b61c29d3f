// SPDX-License-Identifier: Apache-2.0
// Formulas as JSON trees: see formula.h.
#include "certificate/formula.h"

#include "certificate/certfile.h"
#include "model/expr.h"
#include "model/shared.h"
#include "model/walk.h"

#include <stdio.h>
#include <string.h>

// What can be read again: no deeper than the JSON library reads, and a tree has what is shared as often as it is used.
enum { DEEPEST = 2000, MOST_NODES = 1 << 20, MOST_ARGS = 64 };

static const span nowhere = {0};

// ---- writing

typedef struct {
    const model *m;
    VEC(uint32_t) bound;  // ids of variables, innermost last; named by place
    shared parts;
    uint32_t depth, nodes;
    bool is_too_large;
} writer;

static json_t *write_expr(writer *w, expr e);

static json_t *formula_text_of(const char *format, const char *a, const char *b) {
    str s = {0};
    str_printf(&s, format, a, b);
    json_t *j = certfile_text(str_get(&s));
    str_free(&s);
    return j;
}

static json_t *variable_name(const writer *w, uint32_t place) {
    char number[16];
    snprintf(number, sizeof number, "%u", place);
    return formula_text_of("%s%s", var_of(w->m, (var){w->bound.data[place]})->name, number);
}

static json_t *formula_type_name(const model *m, type t) {
    const type_info *info = type_of(m, t);
    if (info->kind == TYPE_ENUM && info->owner.id)
        return formula_text_of("%s.%s", sys_of(m, info->owner)->name, info->name);
    if (info->kind == TYPE_BOOL) return json_string("bool");
    if (info->kind == TYPE_RANGE) return json_pack("[i, i]", info->lo, info->hi);
    return certfile_text(info->name);
}

static json_t *write_const(const model *m, const expr_info *x) {
    const type_info *t = type_of(m, x->ty);
    if (t->kind == TYPE_BOOL) return json_pack("[s]", x->ref ? "true" : "false");
    json_t *shown = t->kind == TYPE_ENUM ? certfile_text(t->literals[x->ref]) : json_integer((value)x->ref);
    return json_pack("[s, o, o]", "const", shown, formula_type_name(m, x->ty));
}

static json_t *write_var(const writer *w, uint32_t id) {
    for (uint32_t i = w->bound.len; i-- > 0;)
        if (w->bound.data[i] == id) return json_pack("[s, o]", "var", variable_name(w, i));
    return json_pack("[s, s]", "var", "?");
}

static json_t *write_binder(writer *w, uint32_t id) {
    vec_push(&w->bound, id);
    return json_pack("[o, o]", variable_name(w, w->bound.len - 1),
                     formula_type_name(w->m, var_of(w->m, (var){id})->ty));
}

static json_t *write_quantifier(writer *w, const expr_info *x) {
    json_t *binder = json_pack("[o]", write_binder(w, x->ref));
    json_t *j = json_pack("[s, o, o]", x->kind == E_FORALL ? "forall" : "exists", binder, write_expr(w, x->args[0]));
    w->bound.len--;
    return j;
}

static json_t *write_args(writer *w, json_t *j, const expr_info *x) {
    for (uint32_t i = 0; i < x->nargs; i++) json_array_append_new(j, write_expr(w, x->args[i]));
    return j;
}

static const struct {
    expr_kind kind;
    const char *name;
} operators[] = {{E_NOT, "not"}, {E_AND, "and"}, {E_OR, "or"},   {E_IMPLIES, "implies"}, {E_EQ, "="},
                 {E_LT, "<"},    {E_LE, "<="},   {E_ADD, "+"},   {E_SUB, "-"},           {E_MUL, "*"},
                 {E_DIV, "/"},   {E_MOD, "%"},   {E_NEG, "neg"}, {E_ITE, "ite"}};
enum { NOPERATORS = sizeof operators / sizeof *operators };

static json_t *write_node(writer *w, expr e) {
    expr_info x = *expr_of(w->m, e);
    if (x.kind == E_CONST) return write_const(w->m, &x);
    if (x.kind == E_VAR) return write_var(w, x.ref);
    if (x.kind == E_FORALL || x.kind == E_EXISTS) return write_quantifier(w, &x);
    if (x.kind == E_APP) {
        const func_info *f = func_of(w->m, (func){x.ref});
        json_t *name = formula_text_of("%s.%s", sys_of(w->m, f->owner)->name, f->name);
        return write_args(w, json_pack("[s, o]", "app", name), &x);
    }
    for (uint32_t i = 0; i < NOPERATORS; i++)
        if (operators[i].kind == x.kind) return write_args(w, json_pack("[s]", operators[i].name), &x);
    return json_pack("[s]", "?");
}

// ["part", 3, ["var", "t0"]]: part 3 of those that "let" has, of these variables.
static json_t *write_use(const writer *w, expr e, uint32_t number) {
    const var_set of = expr_frees(w->m, e);
    json_t *j = json_pack("[s, i]", "part", number);
    for (uint32_t i = 0; i < of.n; i++) json_array_append_new(j, write_var(w, of.vars[i].id));
    return j;
}

static json_t *write_expr(writer *w, expr e) {
    uint32_t number = shared_number(&w->parts, e);
    w->is_too_large |= ++w->nodes > MOST_NODES || w->depth >= DEEPEST;
    if (w->is_too_large) return json_null();
    if (number) return write_use(w, e, number);
    w->depth++;
    json_t *j = write_node(w, e);
    w->depth--;
    return j;
}

// [[["t0", "Thread"], …], body]
static json_t *write_part(writer *w, expr e) {
    json_t *binders = json_array();
    for (uint32_t i = 0; i < expr_frees(w->m, e).n; i++)
        json_array_append_new(binders, write_binder(w, expr_frees(w->m, e).vars[i].id));
    json_t *j = json_pack("[o, o]", binders, write_node(w, e));
    w->bound.len = 0;
    return j;
}

json_t *formula_term(const model *m, const var *of, uint32_t n, expr e) {
    writer w = {.m = m};
    if (expr_of(m, e)->tree > SHARED_LARGE) {
        walk all = walk_expr(m, e, 0);
        w.parts = shared_find(&all, true);
    }
    json_t *parts = json_array();
    for (uint32_t i = 0; i < w.parts.parts.len; i++)
        json_array_append_new(parts, write_part(&w, w.parts.parts.data[i]));
    for (uint32_t i = 0; i < n; i++) vec_push(&w.bound, of[i].id);
    json_t *j = write_expr(&w, e);
    if (w.parts.parts.len) j = json_pack("[s, O, o]", "let", parts, j);
    json_decref(parts);
    vec_free(&w.bound);
    shared_free(&w.parts);
    if (!w.is_too_large) return j;
    json_decref(j);
    return NULL;
}

json_t *formula_object(const model *m, expr e) { return formula_term(m, NULL, 0, e); }

// ---- reading

typedef struct {
    const char *name;
    var v;
} named_var;

typedef struct {
    uint32_t nvars;
    var vars[MOST_ARGS];
    expr body;
} read_shared;

typedef struct {
    model *m;
    diag *messages;  // NULL: silent
    VEC(named_var) bound;
    VEC(read_shared) parts;
    bool failed;
    uint32_t depth;
} reader;

static expr formula_wrong(reader *r, const char *what, const char *name) {
    if (!r->failed && r->messages) diag_error(r->messages, nowhere, "certificate: %s '%s'", what, name ? name : "");
    r->failed = true;
    return r->m->true_expr;
}

// What follows "SYSTEM." in a name; NULL: it does not begin so. Names may have dots in them, so every system is tried.
static const char *after_system(const model *m, const char *name, uint32_t system) {
    const char *owner = m->systems.data[system].name;
    size_t n = strlen(owner);
    return name && strncmp(name, owner, n) == 0 && name[n] == '.' ? name + n + 1 : NULL;
}

static func formula_find_function(const model *m, const char *name) {
    for (uint32_t i = 1; i < m->systems.len; i++) {
        const char *rest = after_system(m, name, i);
        func f = rest ? model_find_func(m, (sys){i}, rest) : (func){0};
        if (f.id) return f;
    }
    return (func){0};
}

static bool is_type_called(const model *m, uint32_t id, const char *name) {
    const type_info *t = &m->types.data[id];
    const char *own = t->owner.id ? after_system(m, name, t->owner.id) : name;
    return own && strcmp(t->name, own) == 0 && *own;
}

static type read_range(reader *r, const json_t *j) {
    json_int_t lo = json_integer_value(json_array_get(j, 0)), hi = json_integer_value(json_array_get(j, 1));
    if (lo >= INT32_MIN && hi <= INT32_MAX && lo <= hi) return model_range(r->m, (int32_t)lo, (int32_t)hi, nowhere);
    formula_wrong(r, "no range", "");
    return r->m->bool_type;
}

static type read_type(reader *r, const json_t *j) {
    const char *name = json_string_value(j);
    if (json_is_array(j)) return read_range(r, j);
    if (name && strcmp(name, "bool") == 0) return r->m->bool_type;
    for (uint32_t i = 1; name && i < r->m->types.len; i++)
        if (is_type_called(r->m, i, name)) return (type){i};
    formula_wrong(r, "there is no type", name);
    return r->m->bool_type;
}

static expr read_const(reader *r, const json_t *j) {
    type t = read_type(r, json_array_get(j, 2));
    const json_t *v = json_array_get(j, 1);
    const type_info *info = type_of(r->m, t);
    if (info->kind == TYPE_RANGE && json_is_integer(v))
        return json_integer_value(v) >= info->lo && json_integer_value(v) <= info->hi
                   ? expr_const(r->m, t, (value)json_integer_value(v))
                   : formula_wrong(r, "a number outside its range", "");
    for (uint32_t i = 0; info->kind == TYPE_ENUM && json_is_string(v) && i < info->nliterals; i++)
        if (strcmp(info->literals[i], json_string_value(v)) == 0) return expr_const(r->m, t, (value)i);
    return formula_wrong(r, "there is no value", json_string_value(v));
}

static expr formula_read_expr(reader *r, const json_t *j);

static expr read_var(reader *r, const json_t *j) {
    const char *name = json_string_value(json_array_get(j, 1));
    for (uint32_t i = r->bound.len; name && i-- > 0;)
        if (strcmp(r->bound.data[i].name, name) == 0) return expr_var(r->m, r->bound.data[i].v);
    return formula_wrong(r, "there is no variable", name);
}

static expr read_app(reader *r, const json_t *j) {
    const char *name = json_string_value(json_array_get(j, 1));
    func f = formula_find_function(r->m, name);
    if (!f.id) return formula_wrong(r, "there is no function", name);
    func_info info = *func_of(r->m, f);
    expr args[MOST_ARGS];
    if (json_array_size(j) != info.nargs + 2 || info.nargs > MOST_ARGS)
        return formula_wrong(r, "wrong arguments of", name);
    for (uint32_t i = 0; i < info.nargs; i++) {
        args[i] = formula_read_expr(r, json_array_get(j, i + 2));
        type t = expr_type(r->m, args[i]);
        if (!type_same(t, info.args[i]) && !(type_is_number(r->m, t) && type_is_number(r->m, info.args[i])))
            return formula_wrong(r, "wrong type of an argument of", name);
    }
    return expr_app(r->m, f, args);
}

// ["t0", "Thread"]; the variable is bound from here on. False: it is none.
static bool read_binder(reader *r, const json_t *j, var *v) {
    const char *name = json_string_value(json_array_get(j, 0));
    if (!name) formula_wrong(r, "a variable lacks its name", NULL);
    *v = model_add_var(r->m, name ? name : "", read_type(r, json_array_get(j, 1)), nowhere);
    if (!r->failed) vec_push(&r->bound, (named_var){name, *v});
    return !r->failed;
}

static expr read_quantifier(reader *r, const json_t *j, expr_kind kind) {
    var v;
    if (!read_binder(r, json_array_get(json_array_get(j, 1), 0), &v)) return r->m->true_expr;
    expr body = formula_read_expr(r, json_array_get(j, 2));
    r->bound.len--;
    bool is_bool = type_same(expr_type(r->m, body), r->m->bool_type);
    return is_bool ? expr_quantify(r->m, kind, v, body) : formula_wrong(r, "no formula under", "a quantifier");
}

static expr formula_read_use(reader *r, const json_t *j) {
    json_int_t number = json_integer_value(json_array_get(j, 1));
    if (number < 1 || number > r->parts.len) return formula_wrong(r, "there is no such part", NULL);
    const read_shared p = r->parts.data[number - 1];
    expr args[MOST_ARGS];
    if (json_array_size(j) != p.nvars + 2) return formula_wrong(r, "wrong arguments of", "a part");
    for (uint32_t i = 0; i < p.nvars; i++) {
        args[i] = formula_read_expr(r, json_array_get(j, i + 2));
        if (!type_same(expr_type(r->m, args[i]), var_of(r->m, p.vars[i])->ty))
            return formula_wrong(r, "wrong type of an argument of", "a part");
    }
    return r->failed ? r->m->true_expr : expr_subst(r->m, p.body, p.vars, args, p.nvars);
}

static void read_part(reader *r, const json_t *j) {
    const json_t *binders = json_array_get(j, 0);
    read_shared p = {.nvars = (uint32_t)json_array_size(binders)};
    if (p.nvars > MOST_ARGS) formula_wrong(r, "too many variables of", "a part");
    for (uint32_t i = 0; !r->failed && i < p.nvars; i++) read_binder(r, json_array_get(binders, i), &p.vars[i]);
    p.body = formula_read_expr(r, json_array_get(j, 1));
    r->bound.len = 0;
    vec_push(&r->parts, p);
}

static bool formula_is_connective(expr_kind kind) {
    return kind == E_NOT || kind == E_AND || kind == E_OR || kind == E_IMPLIES;
}

static bool args_fit(const reader *r, expr_kind kind, const expr *args, uint32_t n) {
    uint32_t least = kind == E_NOT || kind == E_NEG ? 1 : kind == E_ITE ? 3 : 2;
    if (n < least || (n > least && kind != E_AND && kind != E_OR)) return false;
    for (uint32_t i = 0; i < n && formula_is_connective(kind); i++)
        if (!type_same(expr_type(r->m, args[i]), r->m->bool_type)) return false;
    for (uint32_t i = 0; i < n && kind >= E_LT && kind <= E_NEG; i++)
        if (!type_is_number(r->m, expr_type(r->m, args[i])) && !type_of(r->m, expr_type(r->m, args[i]))->is_ordered)
            return false;
    if (kind == E_ITE && !type_same(expr_type(r->m, args[0]), r->m->bool_type)) return false;
    type a = expr_type(r->m, args[n > 1 ? n - 2 : 0]), b = expr_type(r->m, args[n - 1]);
    bool alike = type_same(a, b) || (type_is_number(r->m, a) && type_is_number(r->m, b));
    return alike || formula_is_connective(kind);
}

static expr formula_build(reader *r, expr_kind kind, const expr *a, uint32_t n) {
    switch (kind) {
    case E_NOT: return expr_not(r->m, a[0]);
    case E_AND: return expr_and_all(r->m, a, n);
    case E_OR: return expr_or_all(r->m, a, n);
    case E_IMPLIES: return expr_implies(r->m, a[0], a[1]);
    case E_EQ: return expr_eq(r->m, a[0], a[1]);
    case E_ITE: return expr_ite(r->m, a[0], a[1], a[2]);
    default: return expr_arith(r->m, kind, a[0], n > 1 ? a[1] : a[0]);
    }
}

static expr read_operator(reader *r, const json_t *j, expr_kind kind) {
    VEC(expr) args = {0};
    for (size_t i = 1; i < json_array_size(j); i++) vec_push(&args, formula_read_expr(r, json_array_get(j, i)));
    bool fits = !r->failed && args.len && args_fit(r, kind, args.data, args.len);
    expr e = fits ? formula_build(r, kind, args.data, args.len) : formula_wrong(r, "wrong operands of", "an operator");
    vec_free(&args);
    return e;
}

static expr formula_read_node(reader *r, const json_t *j) {
    const char *name = json_string_value(json_array_get(j, 0));
    if (!name) return formula_wrong(r, "no formula", NULL);
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) return expr_bool(r->m, name[0] == 't');
    if (strcmp(name, "const") == 0) return read_const(r, j);
    if (strcmp(name, "var") == 0) return read_var(r, j);
    if (strcmp(name, "app") == 0) return read_app(r, j);
    if (strcmp(name, "part") == 0) return formula_read_use(r, j);
    if (strcmp(name, "forall") == 0) return read_quantifier(r, j, E_FORALL);
    if (strcmp(name, "exists") == 0) return read_quantifier(r, j, E_EXISTS);
    for (uint32_t i = 0; i < NOPERATORS; i++)
        if (strcmp(operators[i].name, name) == 0) return read_operator(r, j, operators[i].kind);
    return formula_wrong(r, "unknown operator", name);
}

static expr formula_read_expr(reader *r, const json_t *j) {
    if (r->failed || ++r->depth > DEEPEST) return formula_wrong(r, "the formula is nested too deeply", NULL);
    expr e = formula_read_node(r, j);
    r->depth--;
    return e;
}

// As variable_name() has it.
static void bind_given(reader *r, var v) {
    const char *name = arena_printf(r->m->memory, "%s%u", var_of(r->m, v)->name, r->bound.len);
    vec_push(&r->bound, (named_var){name, v});
}

expr formula_read_term(model *m, const var *of, uint32_t n, type ty, const json_t *tree, diag *messages) {
    reader r = {.m = m, .messages = messages};
    const char *name = json_string_value(json_array_get(tree, 0));
    const json_t *parts = name && strcmp(name, "let") == 0 ? json_array_get(tree, 1) : NULL;
    for (size_t i = 0; i < json_array_size(parts) && !r.failed; i++) read_part(&r, json_array_get(parts, i));
    for (uint32_t i = 0; i < n; i++) bind_given(&r, of[i]);
    expr e = formula_read_expr(&r, parts ? json_array_get(tree, 2) : tree);
    vec_free(&r.bound);
    vec_free(&r.parts);
    if (!r.failed && !type_same(expr_type(m, e), ty)) formula_wrong(&r, "no formula", "");
    return r.failed ? (expr){0} : e;
}

expr formula_read(model *m, const json_t *tree, diag *messages) {
    return formula_read_term(m, NULL, 0, m->bool_type, tree, messages);
}
