// SPDX-License-Identifier: Apache-2.0
// Syntax of UPPAAL's languages: recursive descent over the tokens of one piece of text (a whole .xta file, or
// a label of an XML file). Binary operators are parsed by a table of their strength. The first error of a
// piece ends it.
#include "front/operators.h"
#include "front/depth.h"
#include "front/xta/internal.h"

#include <string.h>

static xta_file *xta_file_of(const cursor *p) { return p->owner; }

static void unsupported(cursor *p, const char *what) {
    cursor_fail(p, cursor_peek(p)->at, "%s are not supported", what);
}

// A list becomes an array of n that lives as long as the tokens.
#define keep(p, list, to, n)                                                              \
    do {                                                                                  \
        (n) = (list)->len;                                                                \
        (to) = arena_copy((p)->memory, (list)->data, (list)->len * sizeof *(list)->data); \
        vec_free(list);                                                                   \
    } while (0)

static bool xta_is_name(const token *t) { return t->kind == TOKEN_WORD && !t->is_reserved; }

static bool at_end(const cursor *p) { return p->failed || cursor_peek(p)->kind == TOKEN_END; }

static const char *take_name(cursor *p, const char *what, span *at) {
    bool is_there = cursor_sees_name(p);
    const token *t = cursor_name(p, what);
    if (at && is_there) *at = t->at;
    return is_there ? t->text : "";
}

// ---- expressions

static xta_ast *xta_node(cursor *p, xta_kind kind, span at) {
    xta_ast *a = arena_alloc(p->memory, sizeof *a);
    a->kind = kind;
    a->at = at;
    return a;
}

static xta_ast *with_args(cursor *p, xta_ast *a, xta_ast **args, uint32_t n) {
    a->args = arena_copy(p->memory, args, n * sizeof *args);
    a->nargs = n;
    if (a->of) a->depth = a->of->depth + 1;
    for (uint32_t i = 0; i < n; i++)
        if (args[i]->depth >= a->depth) a->depth = args[i]->depth + 1;
    if (a->depth > FRONT_LONGEST_CHAIN) cursor_fail(p, a->at, FRONT_TOO_DEEP, FRONT_LONGEST_CHAIN);
    return a;
}

static xta_ast *xta_two(cursor *p, xta_kind kind, xta_op op, xta_ast *a, xta_ast *b) {
    xta_ast *x = xta_node(p, kind, span_join(a->at, b->at));
    x->op = op;
    return with_args(p, x, (xta_ast *[]){a, b}, 2);
}

static xta_ast *parse_expr(cursor *p);
static xta_type_ast *parse_type(cursor *p);

typedef VEC(xta_ast *) ast_list;

// Expressions with commas between them.
static void parse_exprs(cursor *p, ast_list *out) {
    do vec_push(out, parse_expr(p));
    while (cursor_accept(p, ","));
}

// Expressions up to `close`, which is taken.
static void xta_parse_args(cursor *p, xta_ast *into, const char *close) {
    ast_list args = {0};
    if (!cursor_sees(p, close)) parse_exprs(p, &args);
    cursor_expect(p, close);
    with_args(p, into, args.data, args.len);
    vec_free(&args);
}

static xta_ast *xta_parse_quantifier(cursor *p, xta_kind kind) {
    xta_ast *a = xta_node(p, kind, cursor_peek(p)->at);
    p->next++;
    cursor_expect(p, "(");
    a->name = take_name(p, "a name", NULL);
    cursor_expect(p, ":");
    a->type = parse_type(p);
    cursor_expect(p, ")");
    return with_args(p, a, (xta_ast *[]){parse_expr(p)}, 1);
}

static xta_ast *xta_parse_number(cursor *p) {
    xta_ast *a = xta_node(p, X_NUMBER, cursor_peek(p)->at);
    a->number = cursor_peek(p)->number;
    if (strpbrk(cursor_peek(p)->text, ".eE")) a->kind = X_DOUBLE, a->name = cursor_peek(p)->text;
    p->next++;
    return a;
}

static xta_ast *parse_primary(cursor *p) {
    span at = cursor_peek(p)->at;
    if (p->failed) return xta_node(p, X_NUMBER, at);
    if (cursor_peek(p)->kind == TOKEN_NUMBER) return xta_parse_number(p);
    if (cursor_peek(p)->kind == TOKEN_STRING) {
        p->next++;
        return xta_node(p, X_DOUBLE, at);
    }
    if (cursor_sees(p, "forall")) return xta_parse_quantifier(p, X_FORALL);
    if (cursor_sees(p, "exists")) return xta_parse_quantifier(p, X_EXISTS);
    if (cursor_sees(p, "sum")) return xta_parse_quantifier(p, X_SUM);
    if (cursor_accept(p, "deadlock")) return xta_node(p, X_DEADLOCK, at);
    if (cursor_sees(p, "true") || cursor_sees(p, "false")) {
        xta_ast *a = xta_node(p, X_BOOL, at);
        a->number = cursor_accept(p, "true");
        if (!a->number) p->next++;
        return a;
    }
    if (cursor_accept(p, "(")) {
        xta_ast *a = parse_expr(p);
        cursor_expect(p, ")");
        return a;
    }
    if (cursor_sees(p, "spawn") || cursor_sees(p, "exit")) unsupported(p, "dynamic templates");
    xta_ast *a = xta_node(p, X_NAME, at);
    a->name = take_name(p, "an expression", NULL);
    return a;
}

static xta_ast *parse_field(cursor *p, xta_ast *of) {
    xta_ast *a = xta_node(p, X_FIELD, of->at);
    span at = of->at;
    if (cursor_sees(p, "location")) unsupported(p, "location variables");
    a->name = take_name(p, "the name of a member", &at);
    a->at = span_join(of->at, at);
    return with_args(p, a, (xta_ast *[]){of}, 1);
}

static xta_ast *parse_call(cursor *p, xta_ast *of) {
    xta_ast *a = xta_node(p, X_CALL, of->at);
    a->name = of->name;
    if (of->kind == X_FIELD) a->of = of->args[0];
    else if (of->kind != X_NAME) cursor_fail(p, of->at, "only a function or process can be called");
    xta_parse_args(p, a, ")");
    a->at.end = p->tokens.data[p->next - 1].at.end;
    return a;
}

static xta_ast *parse_postfix(cursor *p) {
    xta_ast *a = parse_primary(p);
    while (!p->failed) {
        if (cursor_accept(p, "[")) {
            xta_ast *b = parse_expr(p);
            cursor_expect(p, "]");
            a = xta_two(p, X_INDEX, OP_NONE, a, b);
            a->at.end = p->tokens.data[p->next - 1].at.end;
        } else if (cursor_accept(p, ".")) {
            a = parse_field(p, a);
        } else if (cursor_accept(p, "(")) {
            a = parse_call(p, a);
        } else if (cursor_sees(p, "++") || cursor_sees(p, "--")) {
            xta_ast *b = xta_node(p, X_STEP, a->at);
            b->op = cursor_accept(p, "++") ? OP_ADD : OP_SUB;
            if (b->op == OP_SUB) p->next++;
            b->is_postfix = true;
            a = with_args(p, b, (xta_ast *[]){a}, 1);
        } else if (cursor_accept(p, "'")) {
            a = with_args(p, xta_node(p, X_RATE, a->at), (xta_ast *[]){a}, 1);
        } else {
            break;
        }
    }
    return a;
}

static xta_ast *parse_unary(cursor *p) {
    static const struct {
        const char *text;
        xta_op op;
        bool is_step;
    } ops[] = {{"!", OP_NOT, false},  {"not", OP_NOT, false}, {"-", OP_NEG, false},
               {"+", OP_PLUS, false}, {"++", OP_ADD, true},   {"--", OP_SUB, true}};
    if (!cursor_enter(p)) return xta_node(p, X_NUMBER, cursor_peek(p)->at);
    xta_ast *result = NULL;
    for (size_t i = 0; !result && i < sizeof ops / sizeof *ops; i++) {
        span at = cursor_peek(p)->at;
        if (!cursor_accept(p, ops[i].text)) continue;
        xta_ast *of = parse_unary(p), *a = xta_node(p, ops[i].is_step ? X_STEP : X_UNARY, span_join(at, of->at));
        a->op = ops[i].op;
        result = with_args(p, a, (xta_ast *[]){of}, 1);
    }
    if (!result) result = parse_postfix(p);
    p->depth--;
    return result;
}

static void *xta_operand(cursor *p, int level) {
    (void)level;
    return parse_unary(p);
}

static void *xta_join(cursor *p, int op, void *a, void *b) { return xta_two(p, X_BINARY, (xta_op)op, a, b); }

#define OPERATOR(name, text, level, associates, kind) {text, OP_##name, level, associates},

static const front_operator binary_ops[] = {
    XTA_OPERATORS(OPERATOR){"or", OP_OR, 1, true}, {"and", OP_AND, 2, true}, {0}};

static const front_operators operators = {binary_ops, xta_operand, xta_join};

static xta_ast *parse_conditional(cursor *p) {
    xta_ast *a = front_parse_operators(p, &operators, 1);
    if (!cursor_accept(p, "?")) return a;
    xta_ast *b = parse_expr(p);
    cursor_expect(p, ":");
    xta_ast *c = parse_expr(p), *x = xta_node(p, X_COND, span_join(a->at, c->at));
    return with_args(p, x, (xta_ast *[]){a, b, c}, 3);
}

static xta_ast *parse_expr(cursor *p) {
    static const struct {
        const char *text;
        xta_op op;
    } ops[] = {{"=", OP_NONE},    {":=", OP_NONE},   {"+=", OP_ADD},  {"-=", OP_SUB},
               {"*=", OP_MUL},    {"/=", OP_DIV},    {"%=", OP_MOD},  {"|=", OP_BITOR},
               {"&=", OP_BITAND}, {"^=", OP_BITXOR}, {"<<=", OP_SHL}, {">>=", OP_SHR}};
    if (!cursor_enter(p)) return xta_node(p, X_NUMBER, cursor_peek(p)->at);
    xta_ast *a = parse_conditional(p);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (cursor_accept(p, ops[i].text)) {
            a = xta_two(p, X_ASSIGN, ops[i].op, a, parse_expr(p));
            break;
        }
    p->depth--;
    return a;
}

// ---- types and declarations

static bool xta_sees_type(const cursor *p) {
    static const char *const words[] = {"int",    "bool",      "clock",  "chan",   "void",   "const",  "meta",
                                        "urgent", "broadcast", "struct", "scalar", "double", "string", "hybrid"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cursor_sees(p, words[i])) return true;
    return cursor_sees_name(p) && xta_is_name(cursor_ahead(p, 1));
}

typedef VEC(xta_decl) decl_list;

static void parse_declaration(cursor *p, decl_list *out);

static void parse_struct(cursor *p, xta_type_ast *t) {
    decl_list fields = {0};
    cursor_expect(p, "{");
    while (!at_end(p) && !cursor_sees(p, "}")) parse_declaration(p, &fields);
    cursor_expect(p, "}");
    keep(p, &fields, t->fields, t->nfields);
}

static void parse_prefixes(cursor *p, xta_type_ast *t) {
    for (;;) {
        if (cursor_accept(p, "const")) t->is_const = true;
        else if (cursor_accept(p, "meta")) continue;
        else if (cursor_accept(p, "urgent")) t->is_urgent = true;
        else if (cursor_accept(p, "broadcast")) t->is_broadcast = true;
        else if (cursor_accept(p, "hybrid")) t->kind = TA_DOUBLE;
        else return;
    }
}

// [a] or [a, b]: the sizes of a type; b NULL: there is one.
static void parse_sizes(cursor *p, xta_ast **a, xta_ast **b) {
    cursor_expect(p, "[");
    *a = parse_expr(p);
    if (b && cursor_expect(p, ",")) *b = parse_expr(p);
    cursor_expect(p, "]");
}

static xta_type_ast *parse_type(cursor *p) {
    static const struct {
        const char *word;
        xta_type_kind kind;
    } words[] = {{"int", TA_INT},       {"bool", TA_BOOL},     {"clock", TA_CLOCK},
                 {"chan", TA_CHAN},     {"void", TA_VOID},     {"scalar", TA_SCALAR},
                 {"struct", TA_STRUCT}, {"double", TA_DOUBLE}, {"string", TA_DOUBLE}};
    xta_type_ast *t = arena_alloc(p->memory, sizeof *t);
    t->at = cursor_peek(p)->at;
    t->kind = TA_NAME;
    if (!cursor_enter(p)) return t;
    parse_prefixes(p, t);
    if (t->kind == TA_DOUBLE) cursor_expect(p, "clock");
    for (size_t i = 0; i < sizeof words / sizeof *words && t->kind == TA_NAME; i++)
        if (cursor_accept(p, words[i].word)) t->kind = words[i].kind;
    if (t->kind == TA_INT && cursor_sees(p, "[")) parse_sizes(p, &t->lo, &t->hi);
    else if (t->kind == TA_SCALAR) parse_sizes(p, &t->lo, NULL);
    else if (t->kind == TA_STRUCT) parse_struct(p, t);
    if (t->kind == TA_NAME) t->name = take_name(p, "a type", NULL);
    p->depth--;
    return t;
}

static void parse_dims(cursor *p, xta_decl *d) {
    VEC(xta_dim) dims = {0};
    while (cursor_accept(p, "[")) {
        xta_dim dim = {0};
        if (cursor_sees(p, "int") || cursor_sees(p, "bool") || cursor_sees(p, "scalar")) dim.type = parse_type(p);
        else dim.size = parse_expr(p);
        cursor_expect(p, "]");
        vec_push(&dims, dim);
    }
    keep(p, &dims, d->dims, d->ndims);
}

static xta_ast *parse_initialiser(cursor *p);

// 3, or member: 3
static xta_ast *parse_item(cursor *p) {
    if (!cursor_sees_name(p) || !token_is(cursor_ahead(p, 1), ":")) return parse_initialiser(p);
    xta_ast *a = xta_node(p, X_MEMBER, cursor_peek(p)->at);
    a->name = take_name(p, "a member", NULL);
    p->next++;
    return with_args(p, a, (xta_ast *[]){parse_initialiser(p)}, 1);
}

static xta_ast *parse_initialiser(cursor *p) {
    if (!cursor_enter(p) || !cursor_sees(p, "{")) {
        if (!p->failed) p->depth--;
        return parse_expr(p);
    }
    xta_ast *a = xta_node(p, X_LIST, cursor_peek(p)->at);
    ast_list items = {0};
    p->next++;
    do vec_push(&items, parse_item(p));
    while (cursor_accept(p, ","));
    cursor_expect(p, "}");
    with_args(p, a, items.data, items.len);
    vec_free(&items);
    p->depth--;
    return a;
}

// Parameters up to `close`, which is taken (old syntax has ';' between them).
static void parse_params(cursor *p, xta_decl **params, uint32_t *n, const char *close) {
    decl_list list = {0};
    while (!at_end(p) && !cursor_sees(p, close)) {
        xta_decl d = {.kind = XD_VAR};
        d.type = parse_type(p);
        d.is_ref = cursor_accept(p, "&");
        d.name = take_name(p, "the name of a parameter", &d.at);
        parse_dims(p, &d);
        vec_push(&list, d);
        if (!cursor_accept(p, ",") && !cursor_accept(p, ";")) break;
    }
    if (*close) cursor_expect(p, close);
    keep(p, &list, *params, *n);
}

static xta_stmt *parse_block(cursor *p);

static void parse_function(cursor *p, xta_decl *d) {
    d->kind = XD_FUNC;
    parse_params(p, &d->params, &d->nparams, ")");
    if (!cursor_sees(p, "{")) cursor_wrong(p, "'{'");
    d->body = parse_block(p);
}

static void parse_declarators(cursor *p, xta_type_ast *t, xta_decl_kind kind, decl_list *out) {
    do {
        xta_decl d = {.kind = kind, .type = t};
        d.name = take_name(p, kind == XD_TYPE ? "the name of a type" : "the name of a variable", &d.at);
        parse_dims(p, &d);
        if (cursor_accept(p, "=") || cursor_accept(p, ":=")) d.init = parse_initialiser(p);
        vec_push(out, d);
    } while (cursor_accept(p, ","));
    cursor_expect(p, ";");
}

// const NAME VALUE, as UPPAAL 3 had it.
static bool sees_old_const(const cursor *p) {
    const token *name = cursor_ahead(p, 1), *next = cursor_ahead(p, 2);
    return cursor_sees(p, "const") && xta_is_name(name) && (next->kind == TOKEN_NUMBER || token_is(next, "-"));
}

static void parse_old_const(cursor *p, decl_list *out) {
    xta_decl d = {.kind = XD_VAR, .type = arena_alloc(p->memory, sizeof *d.type)};
    p->next++;
    *d.type = (xta_type_ast){.kind = TA_INT, .at = cursor_peek(p)->at, .is_const = true};
    d.name = take_name(p, "a name", &d.at);
    d.init = parse_expr(p);
    vec_push(out, d);
    cursor_expect(p, ";");
}

// chan priority a, b[1] < default < c;
static void parse_priorities(cursor *p) {
    uint32_t level = 0;
    if (xta_file_of(p)->priorities.len) cursor_fail(p, cursor_peek(p)->at, "there are channel priorities already");
    p->next += 2;
    while (!p->failed) {
        xta_priority x = {.at = cursor_peek(p)->at, .level = level};
        if (!cursor_accept(p, "default")) x.channel = parse_postfix(p);
        vec_push(&xta_file_of(p)->priorities, x);
        if (cursor_accept(p, "<")) level++;
        else if (!cursor_accept(p, ",")) break;
    }
    cursor_expect(p, ";");
}

static void parse_declaration(cursor *p, decl_list *out) {
    if (cursor_sees(p, "chan") && token_is(cursor_ahead(p, 1), "priority")) {
        parse_priorities(p);
        return;
    }
    if (cursor_sees(p, "before_update") || cursor_sees(p, "after_update"))
        unsupported(p, "before_update and after_update");
    if (cursor_sees(p, "dynamic")) unsupported(p, "dynamic templates");
    if (cursor_sees(p, "import")) unsupported(p, "imported libraries");
    if (p->failed) return;
    if (sees_old_const(p)) {
        parse_old_const(p, out);
        return;
    }
    bool is_typedef = cursor_accept(p, "typedef");
    xta_type_ast *t = parse_type(p);
    if (!is_typedef && cursor_sees_name(p) && token_is(cursor_ahead(p, 1), "(")) {
        xta_decl d = {.type = t};
        d.name = take_name(p, "a name", &d.at);
        cursor_expect(p, "(");
        parse_function(p, &d);
        vec_push(out, d);
        return;
    }
    parse_declarators(p, t, is_typedef ? XD_TYPE : XD_VAR, out);
}

// ---- statements

static xta_stmt *xta_new_stmt(cursor *p, xta_stmt_kind kind) {
    xta_stmt *s = arena_alloc(p->memory, sizeof *s);
    s->kind = kind;
    s->at = cursor_peek(p)->at;
    return s;
}

static xta_stmt *xta_parse_stmt(cursor *p);

static void xta_set_body(cursor *p, xta_stmt *s, xta_stmt **body, uint32_t n) {
    s->body = arena_copy(p->memory, body, n * sizeof *body);
    s->nbody = n;
    for (uint32_t i = 0; i < n; i++) s->returns |= body[i]->returns;
}

static xta_stmt *parse_block(cursor *p) {
    xta_stmt *s = xta_new_stmt(p, XS_BLOCK);
    decl_list decls = {0};
    VEC(xta_stmt *) body = {0};
    cursor_expect(p, "{");
    while (!at_end(p) && (cursor_sees(p, "typedef") || xta_sees_type(p))) parse_declaration(p, &decls);
    while (!at_end(p) && !cursor_sees(p, "}")) vec_push(&body, xta_parse_stmt(p));
    cursor_expect(p, "}");
    xta_set_body(p, s, body.data, body.len);
    keep(p, &decls, s->decls, s->ndecls);
    vec_free(&body);
    return s;
}

static xta_ast *parse_bracketed(cursor *p) {
    cursor_expect(p, "(");
    xta_ast *a = parse_expr(p);
    cursor_expect(p, ")");
    return a;
}

static void parse_body(cursor *p, xta_stmt *s) { xta_set_body(p, s, (xta_stmt *[]){xta_parse_stmt(p)}, 1); }

static xta_stmt *xta_parse_if(cursor *p) {
    xta_stmt *s = xta_new_stmt(p, XS_IF), *body[2] = {0};
    p->next++;
    s->expr = parse_bracketed(p);
    body[0] = xta_parse_stmt(p);
    if (cursor_accept(p, "else")) body[1] = xta_parse_stmt(p);
    xta_set_body(p, s, body, body[1] ? 2 : 1);
    return s;
}

// Expressions up to `close`, which are one: a list if there are several, NULL if there is none.
static xta_ast *parse_sequence(cursor *p, const char *close) {
    xta_ast *a = cursor_sees(p, close) ? NULL : parse_expr(p);
    while (a && cursor_accept(p, ",")) a = xta_two(p, X_LIST, OP_NONE, a, parse_expr(p));
    cursor_expect(p, close);
    return a;
}

static xta_stmt *parse_for(cursor *p) {
    xta_stmt *s = xta_new_stmt(p, XS_FOR);
    p->next++;
    cursor_expect(p, "(");
    if (cursor_sees_name(p) && token_is(cursor_ahead(p, 1), ":")) {
        s->kind = XS_EACH;
        s->name = take_name(p, "a name", NULL);
        cursor_expect(p, ":");
        s->type = parse_type(p);
        cursor_expect(p, ")");
    } else {
        s->init = parse_sequence(p, ";");
        s->expr = cursor_sees(p, ";") ? NULL : parse_expr(p);
        cursor_expect(p, ";");
        s->step = parse_sequence(p, ")");
    }
    parse_body(p, s);
    return s;
}

static xta_stmt *parse_while(cursor *p) {
    xta_stmt *s = xta_new_stmt(p, XS_WHILE);
    p->next++;
    s->expr = parse_bracketed(p);
    parse_body(p, s);
    return s;
}

static xta_stmt *parse_do(cursor *p) {
    xta_stmt *s = xta_new_stmt(p, XS_DO);
    p->next++;
    parse_body(p, s);
    cursor_expect(p, "while");
    s->expr = parse_bracketed(p);
    cursor_expect(p, ";");
    return s;
}

static xta_stmt *parse_simple(cursor *p) {
    xta_stmt *s = xta_new_stmt(p, cursor_sees(p, "return") ? XS_RETURN : XS_EXPR);
    s->returns = s->kind == XS_RETURN;
    if (s->returns) p->next++;
    if (!cursor_sees(p, ";")) s->expr = parse_expr(p);
    cursor_expect(p, ";");
    return s;
}

static xta_stmt *xta_parse_stmt(cursor *p) {
    xta_stmt *s;
    if (!cursor_enter(p)) return xta_new_stmt(p, XS_BLOCK);
    if (cursor_sees(p, "{")) s = parse_block(p);
    else if (cursor_sees(p, "if")) s = xta_parse_if(p);
    else if (cursor_sees(p, "for")) s = parse_for(p);
    else if (cursor_sees(p, "while")) s = parse_while(p);
    else if (cursor_sees(p, "do")) s = parse_do(p);
    else s = parse_simple(p);
    p->depth--;
    return s;
}

// ---- parts of a template

static void parse_selects(cursor *p, xta_edge *e) {
    decl_list list = {0};
    do {
        xta_decl d = {.kind = XD_VAR};
        d.name = take_name(p, "a name", &d.at);
        cursor_expect(p, ":");
        d.type = parse_type(p);
        vec_push(&list, d);
    } while (cursor_accept(p, ","));
    keep(p, &list, e->selects, e->nselects);
}

static void parse_sync(cursor *p, xta_edge *e) {
    e->channel = parse_postfix(p);
    if (cursor_accept(p, "!")) e->is_send = true;
    else if (!cursor_accept(p, "?")) e->is_csp = true;
}

static void parse_updates(cursor *p, xta_ast ***updates, uint32_t *n) {
    ast_list list = {0};
    parse_exprs(p, &list);
    keep(p, &list, *updates, *n);
}

// A guard or invariant; commas mean `and` (UPPAAL 3).
static xta_ast *parse_condition(cursor *p) {
    xta_ast *a = parse_expr(p);
    while (cursor_accept(p, ",")) a = xta_two(p, X_BINARY, OP_AND, a, parse_expr(p));
    return a;
}

// How long a process stays, on average: a number or a ratio.
static void skip_rate(cursor *p) {
    xta_warn_once(xta_file_of(p), LEFT_RATES, cursor_peek(p)->at);
    parse_expr(p);
    if (cursor_accept(p, ":")) parse_expr(p);
}

static void parse_states(cursor *p, xta_template *t) {
    cursor_expect(p, "state");
    do {
        xta_location l = {0};
        l.name = l.id = take_name(p, "the name of a location", &l.at);
        if (cursor_accept(p, "{")) {
            if (!cursor_sees(p, "}") && !cursor_sees(p, ";")) l.invariant = parse_condition(p);
            if (cursor_accept(p, ";") && !cursor_sees(p, "}")) skip_rate(p);
            cursor_expect(p, "}");
        }
        vec_push(&t->locations, l);
    } while (cursor_accept(p, ","));
    cursor_expect(p, ";");
}

static void index_locations(xta_template *t) {
    t->ids = map_new();
    t->names = map_new();
    for (uint32_t i = 0; i < t->locations.len; i++) {
        const xta_location *l = &t->locations.data[i];
        map_intern(t->ids, l->id, strlen(l->id), i);
        map_intern(t->names, l->name, strlen(l->name), i);
    }
}

uint32_t xta_location_find(xta_template *t, const char *id) {
    if (!t->ids) index_locations(t);
    return map_get_str(t->ids, id, UINT32_MAX);
}

uint32_t xta_location_named(xta_template *t, const char *name) {
    if (!t->ids) index_locations(t);
    return map_get_str(t->names, name, UINT32_MAX);
}

static void parse_marks(cursor *p, xta_template *t, bool committed) {
    do {
        span at = cursor_peek(p)->at;
        const char *name = take_name(p, "the name of a location", &at);
        uint32_t l = xta_location_find(t, name);
        if (l == UINT32_MAX) cursor_fail(p, at, "there is no such location");
        else *(committed ? &t->locations.data[l].is_committed : &t->locations.data[l].is_urgent) = true;
    } while (!p->failed && cursor_accept(p, ","));
    cursor_expect(p, ";");
}

static void parse_probability(cursor *p) {
    xta_warn_once(xta_file_of(p), LEFT_PROBABILITIES, cursor_peek(p)->at);
    parse_expr(p);
}

static void parse_edge_part(cursor *p, xta_edge *e) {
    if (cursor_accept(p, "select")) parse_selects(p, e);
    else if (cursor_accept(p, "guard")) e->guard = parse_condition(p);
    else if (cursor_accept(p, "sync")) parse_sync(p, e);
    else if (cursor_accept(p, "assign")) parse_updates(p, &e->updates, &e->nupdates);
    else if (cursor_accept(p, "probability")) parse_probability(p);
    else cursor_wrong(p, "'select', 'guard', 'sync', 'assign' or '}'");
    cursor_expect(p, ";");
}

static void parse_trans(cursor *p, xta_template *t) {
    xta_edge before = {0};
    if (cursor_sees(p, ";")) return;
    do {
        xta_edge e = {.at = cursor_peek(p)->at, .from = before.from, .from_at = before.from_at};
        if (!cursor_sees(p, "->")) e.from = take_name(p, "the name of a location", &e.from_at);
        if (!cursor_accept(p, "-u->")) cursor_expect(p, "->");
        e.to = take_name(p, "the name of a location", &e.to_at);
        e.at = span_join(e.at, e.to_at);
        cursor_expect(p, "{");
        while (!at_end(p) && !cursor_sees(p, "}")) parse_edge_part(p, &e);
        cursor_expect(p, "}");
        if (!e.from) cursor_fail(p, e.at, "the first edge has no location to start from");
        vec_push(&t->edges, e);
        before = e;
    } while (!p->failed && cursor_accept(p, ","));
}

static void parse_automaton(cursor *p, xta_template *t) {
    parse_states(p, t);
    if (cursor_accept(p, "branchpoint")) {
        do vec_push(&t->branchpoints, take_name(p, "the name of a branch point", NULL));
        while (cursor_accept(p, ","));
        cursor_expect(p, ";");
    }
    for (;;) {
        if (cursor_accept(p, "commit")) parse_marks(p, t, true);
        else if (cursor_accept(p, "urgent")) parse_marks(p, t, false);
        else break;
    }
    cursor_expect(p, "init");
    t->init = take_name(p, "the name of a location", &t->init_at);
    cursor_expect(p, ";");
    if (cursor_accept(p, "trans")) {
        parse_trans(p, t);
        cursor_expect(p, ";");
    }
}

static void parse_process(cursor *p) {
    xta_template t = {0};
    decl_list decls = {0};
    cursor_expect(p, "process");
    t.name = take_name(p, "the name of a process", &t.at);
    if (cursor_accept(p, "(")) parse_params(p, &t.params, &t.nparams, ")");
    cursor_expect(p, "{");
    while (!at_end(p) && !cursor_sees(p, "state") && !cursor_sees(p, "}")) parse_declaration(p, &decls);
    keep(p, &decls, t.decls, t.ndecls);
    if (!p->failed && !cursor_sees(p, "}")) parse_automaton(p, &t);
    cursor_expect(p, "}");
    if (!p->failed && !xta_join_branches(xta_file_of(p), &t)) p->failed = true;
    vec_push(&xta_file_of(p)->templates, t);
}

// ---- the system

static void parse_instance(cursor *p) {
    xta_instance x = {0};
    x.name = take_name(p, "a declaration", &x.at);
    if (cursor_accept(p, "(")) parse_params(p, &x.params, &x.nparams, ")");
    if (!cursor_accept(p, "=")) cursor_expect(p, ":=");
    x.of = take_name(p, "the name of a template", NULL);
    cursor_expect(p, "(");
    xta_ast args = {0};
    xta_parse_args(p, &args, ")");
    x.args = args.args;
    x.nargs = args.nargs;
    cursor_expect(p, ";");
    vec_push(&xta_file_of(p)->instances, x);
}

static void parse_system_line(cursor *p) {
    uint32_t level = 0;
    cursor_expect(p, "system");
    while (!p->failed) {
        xta_name n = {.level = level};
        n.name = take_name(p, "the name of a process", &n.at);
        vec_push(&xta_file_of(p)->processes, n);
        if (cursor_accept(p, "<")) level++;
        else if (!cursor_accept(p, ",")) break;
    }
    cursor_expect(p, ";");
    if (cursor_sees(p, "progress") || cursor_sees(p, "gantt")) p->next = p->tokens.len - 1;
}

static void parse_io(cursor *p) {
    xta_io io = {0};
    xta_ast list = {0};
    cursor_expect(p, "IO");
    io.process = parse_postfix(p);
    cursor_expect(p, "{");
    if (cursor_sees(p, "}")) cursor_wrong(p, "a channel");
    xta_parse_args(p, &list, "}");
    io.channels = list.args;
    io.nchannels = list.nargs;
    vec_push(&xta_file_of(p)->ios, io);
}

static void parse_global(cursor *p) {
    decl_list decls = {0};
    if (cursor_sees(p, "process")) parse_process(p);
    else if (cursor_sees(p, "IO") && xta_file_of(p)->processes.len) parse_io(p);
    else if (cursor_sees(p, "system")) parse_system_line(p);
    else if (cursor_sees_name(p) && !xta_sees_type(p)) parse_instance(p);
    else parse_declaration(p, &decls);
    for (uint32_t i = 0; i < decls.len; i++) vec_push(&xta_file_of(p)->decls, decls.data[i]);
    vec_free(&decls);
}

// ---- queries

static query_kind xta_query_of(cursor *p) {
    static const struct {
        const char *path, *state;
        query_kind kind;
    } kinds[] = {{"A", "[]", QUERY_ALWAYS},
                 {"E", "<>", QUERY_POSSIBLY},
                 {"E", "[]", QUERY_KEEPS},
                 {"A", "<>", QUERY_EVENTUALLY}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (token_is(cursor_peek(p), kinds[i].path) && token_is(cursor_ahead(p, 1), kinds[i].state)) {
            p->next += 2;
            return kinds[i].kind;
        }
    return QUERY_LEADS_TO;
}

// E<>[<=10] p, p -->[<=10] q. A bound on steps, or on a clock of the model, is one of runs that are simulated.
static void parse_deadline(cursor *p, xta_query *q) {
    if (!cursor_accept(p, "[")) return;
    q->is_before = cursor_sees(p, "<");
    if (!cursor_accept(p, "<")) cursor_expect(p, "<=");
    q->deadline = parse_expr(p);
    cursor_expect(p, "]");
}

static void parse_extremum(cursor *p, xta_query *q) {
    q->kind = token_is(cursor_peek(p), "sup") ? QUERY_SUP : QUERY_INF;
    q->is_both = token_is(cursor_peek(p), "bounds");
    p->next++;
    if (cursor_accept(p, "{")) {
        q->cond = parse_expr(p);
        cursor_expect(p, "}");
    }
    cursor_expect(p, ":");
    parse_updates(p, &q->measured, &q->nmeasured);
}

// Queries that are not about what is possible, but about what is likely or can be brought about: by their first word.
static const char *foreign_query(const cursor *p) {
    static const struct {
        const char *word, *next, *what;
    } kinds[] = {{"Pr", "[", "a statistical query"},
                 {"Pr", "(", "a statistical query"},
                 {"E", "[", "a statistical query"},
                 {"simulate", NULL, "a statistical query"},
                 {"strategy", NULL, "a query about strategies"},
                 {"control", ":", "a query about strategies"},
                 {"control", "[", "a query about strategies"},
                 {"control", "[]", "a query about strategies"},
                 {"control_t", NULL, "a query about strategies"},
                 {"saveStrategy", "(", "a query about strategies"},
                 {"loadStrategy", NULL, "a query about strategies"},
                 {"minE", "(", "a query about strategies"},
                 {"maxE", "(", "a query about strategies"},
                 {"minPr", NULL, "a query about strategies"},
                 {"maxPr", NULL, "a query about strategies"},
                 {"{", NULL, "a query about strategies"},
                 {"sat", ":", "a query about a live sequence chart"},
                 {"scenario", ":", "a query about a live sequence chart"},
                 {"refinement", ":", "a query about refinement"},
                 {"consistency", ":", "a query about refinement"},
                 {"specification", ":", "a query about refinement"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (token_is(cursor_peek(p), kinds[i].word) &&
            (kinds[i].next ? token_is(cursor_ahead(p, 1), kinds[i].next) : !token_is(cursor_ahead(p, 1), ".")))
            return kinds[i].what;
    // E<> control: A<> p, with help of the environment
    if (token_is(cursor_ahead(p, 2), "control") && token_is(cursor_ahead(p, 3), ":")) return "a query about strategies";
    // ... under STRATEGY; elsewhere `under` may be a variable
    uint32_t end = p->tokens.len;
    bool has_two = end >= p->next + 3 && p->tokens.data[end - 2].kind == TOKEN_WORD;
    return has_two && token_is(&p->tokens.data[end - 3], "under") ? "a query about strategies" : NULL;
}

static bool is_extremum(const cursor *p, const char *word) {
    return token_is(cursor_peek(p), word) && (token_is(cursor_ahead(p, 1), "{") || token_is(cursor_ahead(p, 1), ":"));
}

static void parse_query(cursor *p, xta_query *q) {
    const char *foreign = foreign_query(p);
    if (foreign) {
        q->refused = arena_printf(p->memory, "%s: not decided", foreign);
        p->next = p->tokens.len - 1;
        return;
    }
    if (is_extremum(p, "sup") || is_extremum(p, "inf") || is_extremum(p, "bounds")) {
        parse_extremum(p, q);
    } else {
        q->kind = xta_query_of(p);
        if (q->kind != QUERY_LEADS_TO) parse_deadline(p, q);
        q->cond = parse_expr(p);
        if (q->kind == QUERY_LEADS_TO) {
            cursor_expect(p, "-->");
            parse_deadline(p, q);
            q->then = parse_expr(p);
        }
    }
    if (!at_end(p)) cursor_wrong(p, "the end of the query");
}

// ---- pieces of text

static cursor begin_at(xta_file *f, xta_piece x, size_t from) {
    cursor p = {.language = &xta_language, .messages = f->messages, .memory = f->memory, .owner = f};
    p.file = x.file;
    p.text = x.text;
    p.size = x.size;
    p.failed = !cursor_read(&p, from);
    return p;
}

static bool xta_finish(cursor *p) {
    if (!at_end(p)) cursor_wrong(p, "the end of the text");
    cursor_free(p);
    return !p->failed;
}

bool xta_parse_file(xta_file *f, xta_piece x) {
    cursor p = begin_at(f, x, 0);
    while (!at_end(&p)) parse_global(&p);
    return xta_finish(&p);
}

bool xta_parse_decls(xta_file *f, xta_piece x, xta_decl **decls, uint32_t *n) {
    cursor p = begin_at(f, x, 0);
    decl_list list = {0};
    while (!at_end(&p)) parse_declaration(&p, &list);
    keep(&p, &list, *decls, *n);
    return xta_finish(&p);
}

bool xta_parse_params(xta_file *f, xta_piece x, xta_template *t) {
    cursor p = begin_at(f, x, 0);
    parse_params(&p, &t->params, &t->nparams, "");
    return xta_finish(&p);
}

bool xta_parse_label(xta_file *f, xta_piece x, xta_label which, xta_edge *e) {
    cursor p = begin_at(f, x, 0);
    if (!at_end(&p)) switch (which) {
        case LABEL_SELECT: parse_selects(&p, e); break;
        case LABEL_CONDITION: e->guard = parse_condition(&p); break;
        case LABEL_SYNC: parse_sync(&p, e); break;
        case LABEL_ASSIGN: parse_updates(&p, &e->updates, &e->nupdates); break;
        }
    cursor_accept(&p, ";");
    return xta_finish(&p);
}

// Blanks, line breaks and the backslashes before them become one blank.
static void squeeze(char *text) {
    char *to = text;
    for (char *c = text; *c; c++) {
        bool blank = strchr(" \n\\\t\r", *c) != NULL;
        if (!blank) *to++ = *c;
        else if (to > text && to[-1] != ' ') *to++ = ' ';
    }
    *to = '\0';
}

// The words of a query on one line; "": there are none.
static const char *query_words(xta_file *f, xta_piece x, size_t from, const cursor *p) {
    size_t begin = from, end = x.size;
    if (p->tokens.len > 1) {
        begin = p->tokens.data[0].at.begin;
        end = p->tokens.data[p->tokens.len - 2].at.end;
    }
    char *words = arena_strn(f->memory, x.text + begin, end > begin ? end - begin : 0);
    squeeze(words);
    return words;
}

// A query of a file that cannot be read gets an answer that says why; the others are decided.
static bool parse_one_query(xta_file *f, xta_piece x, size_t from) {
    diag_mark before = diag_now(f->messages);
    cursor p = begin_at(f, x, from);
    xta_query q = {.text = query_words(f, x, from, &p), .at = {x.file, (uint32_t)from, (uint32_t)x.size}};
    bool is_empty = !p.failed && cursor_peek(&p)->kind == TOKEN_END;
    if (!p.failed) q.at = cursor_peek(&p)->at;
    q.is_given = f->gives_queries;
    if (!p.failed && !is_empty) parse_query(&p, &q);
    bool ok = xta_finish(&p);
    q.is_wrong = !ok;
    if (!ok && !q.is_given) q.refused = xta_refusal(f, before);
    if (!is_empty) vec_push(&f->queries, q);
    return ok || !q.is_given;
}

const char *xta_refusal(xta_file *f, diag_mark before) {
    const char *why = diag_demote(f->messages, before);
    return arena_printf(f->memory, "the query cannot be read: %s", why ? why : "there are too many mistakes");
}

// One query a line; a line that ends in a backslash goes on in the next. Comments may span lines.
bool xta_parse_queries(xta_file *f, xta_piece x) {
    bool ok = true;
    const char *text = x.text;
    size_t size = x.size;
    for (size_t from = 0, i = 0; i <= size; i++) {
        if (i + 1 < size && text[i] == '/' && text[i + 1] == '*') {
            const char *end = strstr(text + i + 2, "*/");
            i = end ? (size_t)(end - text) + 1 : size - 1;
            continue;
        }
        if (i < size && text[i] == '\\' && i + 1 < size && (text[i + 1] == '\n' || text[i + 1] == '\r')) {
            i += text[i + 1] == '\r' ? 2 : 1;
            continue;
        }
        if (i < size && text[i] != '\n') continue;
        ok &= parse_one_query(f, (xta_piece){x.file, text, i}, from);
        from = i + 1;
    }
    return ok;
}

void xta_file_free(xta_file *f) {
    for (uint32_t i = 0; i < f->templates.len; i++) {
        vec_free(&f->templates.data[i].locations);
        vec_free(&f->templates.data[i].branchpoints);
        map_free(f->templates.data[i].ids);
        map_free(f->templates.data[i].names);
        map_free(f->templates.data[i].written);
        vec_free(&f->templates.data[i].edges);
    }
    vec_free(&f->templates);
    vec_free(&f->decls);
    vec_free(&f->instances);
    vec_free(&f->processes);
    vec_free(&f->ios);
    vec_free(&f->priorities);
    vec_free(&f->queries);
}
