// SPDX-License-Identifier: Apache-2.0
// Tokens and syntax tree of `.pyv`: recursive descent, one function a level of precedence. Loosest first: quantifier
// body, else, in, <->, -> (to the right), |, &, comparisons, + -, *, ! ~, postfix '. A leading & or | is ignored.
// After an error the parser goes on at the next word that begins a declaration.
#include "base/cursor.h"
#include "front/depth.h"
#include "front/pyv/internal.h"

static const char *const symbols[] = {"<->", "->", "!=", "~=", "<=", ">=", NULL};

static const char *const reserved[] = {
    "modifies",   "sort",      "mutable",  "immutable", "derived",    "relation", "constant", "function", "init",
    "transition", "invariant", "axiom",    "new",       "old",        "forall",   "exists",   "true",     "false",
    "zerostate",  "onestate",  "twostate", "theorem",   "definition", "assert",   "safety",   "trace",    "if",
    "then",       "else",      "let",      "in",        "sat",        "unsat",    "distinct", NULL};

static const cursor_language pyv_language = {.symbols = symbols,
                                             .characters = "()[]{},.:=<>|&!~+-*'@/",
                                             .reserved = reserved,
                                             .comment = "#",
                                             .deepest = FRONT_DEEPEST};

static pyv_file *pyv_file_of(const cursor *p) { return p->owner; }

static pyv_name pyv_take_name(cursor *p, const char *what) {
    bool is_there = cursor_sees_name(p);
    const token *t = cursor_name(p, what);
    return (pyv_name){is_there ? t->text : "", t->at};
}

// ---- expressions

static pyv_ast *pyv_expression(cursor *p);

static pyv_ast *pyv_node(cursor *p, pyv_kind kind, span at) {
    pyv_ast *a = arena_alloc(p->memory, sizeof *a);
    a->kind = kind;
    a->at = at;
    return a;
}

static void set_args(cursor *p, pyv_ast *a, pyv_ast *const *args, uint32_t n) {
    a->args = arena_copy(p->memory, args, n * sizeof *args);
    a->nargs = n;
    for (uint32_t i = 0; i < n; i++) {
        a->at = span_join(a->at, args[i]->at);
        if (args[i]->depth >= a->depth) a->depth = args[i]->depth + 1;
    }
    if (a->depth > FRONT_LONGEST_CHAIN) cursor_fail(p, a->at, FRONT_TOO_DEEP, FRONT_LONGEST_CHAIN);
}

static pyv_ast *node_of(cursor *p, pyv_kind kind, span at, pyv_ast *const *args, uint32_t n) {
    pyv_ast *a = pyv_node(p, kind, at);
    set_args(p, a, args, n);
    return a;
}

typedef VEC(pyv_ast *) ast_list;
typedef VEC(pyv_binder *) binder_list;

static pyv_binder *binder(cursor *p) {
    pyv_name n = pyv_take_name(p, "a variable");
    pyv_binder *b = arena_alloc(p->memory, sizeof *b);
    *b = (pyv_binder){.name = n.name, .at = n.at};
    if (cursor_accept(p, ":")) {
        pyv_name s = pyv_take_name(p, "a sort");
        b->sort_name = s.name;
        b->sort_at = s.at;
    }
    return b;
}

// A list x, y: s, z. In `forall X, Y: node.` the sort belongs to Y only, as mypyvy reads it.
static void binders(cursor *p, pyv_binder ***out, uint32_t *n) {
    binder_list l = {0};
    do vec_push(&l, binder(p));
    while (!p->failed && cursor_accept(p, ","));
    vec_keep(p->memory, &l, out, n);
}

static pyv_ast *pyv_quantifier(cursor *p, pyv_kind kind) {
    pyv_ast *a = pyv_node(p, kind, cursor_take(p)->at);
    binders(p, &a->binders, &a->nbinders);
    cursor_expect(p, ".");
    pyv_ast *body = pyv_expression(p);
    set_args(p, a, &body, 1);
    return a;
}

static pyv_ast *pyv_choice(cursor *p) {
    span at = cursor_take(p)->at;
    pyv_ast *c = pyv_expression(p);
    cursor_expect(p, "then");
    pyv_ast *a = pyv_expression(p);
    cursor_expect(p, "else");
    pyv_ast *b = pyv_expression(p);
    return node_of(p, P_ITE, at, (pyv_ast *[]){c, a, b}, 3);
}

static pyv_ast *let(cursor *p) {
    pyv_ast *a = pyv_node(p, P_LET, cursor_take(p)->at);
    pyv_binder *b = binder(p);
    a->binders = arena_copy(p->memory, &b, sizeof b);
    a->nbinders = 1;
    cursor_expect(p, "=");
    pyv_ast *is = pyv_expression(p);
    cursor_expect(p, "in");
    pyv_ast *body = pyv_expression(p);
    set_args(p, a, (pyv_ast *[]){is, body}, 2);
    return a;
}

static void pyv_arguments(cursor *p, pyv_ast *a) {
    ast_list l = {0};
    if (!cursor_sees(p, ")")) do
            vec_push(&l, pyv_expression(p));
        while (!p->failed && cursor_accept(p, ","));
    span end = cursor_peek(p)->at;
    cursor_expect(p, ")");
    set_args(p, a, l.data, l.len);
    a->at = span_join(a->at, end);
    vec_free(&l);
}

static pyv_ast *one_state(cursor *p, pyv_kind kind) {
    pyv_ast *a = pyv_node(p, kind, cursor_take(p)->at);
    pyv_file_of(p)->uses_old |= kind == P_OLD;
    cursor_expect(p, "(");
    pyv_arguments(p, a);
    if (a->nargs != 1 && kind != P_DISTINCT) cursor_wrong(p, "one argument");
    return a;
}

static pyv_ast *pyv_named(cursor *p) {
    pyv_name n = pyv_take_name(p, "an expression");
    pyv_ast *a = pyv_node(p, P_NAME, n.at);
    a->name = n.name;
    while (cursor_accept(p, "'")) a->primes++;
    if (cursor_accept(p, "(")) pyv_arguments(p, a);
    return a;
}

static pyv_ast *pyv_primary(cursor *p) {
    const token *t = cursor_peek(p);
    if (cursor_sees(p, "forall")) return pyv_quantifier(p, P_FORALL);
    if (cursor_sees(p, "exists")) return pyv_quantifier(p, P_EXISTS);
    if (cursor_sees(p, "if")) return pyv_choice(p);
    if (cursor_sees(p, "let")) return let(p);
    if (cursor_sees(p, "new")) return one_state(p, P_NEW);
    if (cursor_sees(p, "old")) return one_state(p, P_OLD);
    if (cursor_sees(p, "distinct")) return one_state(p, P_DISTINCT);
    if (cursor_accept(p, "true")) return pyv_node(p, P_TRUE, t->at);
    if (cursor_accept(p, "false")) return pyv_node(p, P_FALSE, t->at);
    if (cursor_accept(p, "(")) {
        pyv_ast *a = pyv_expression(p);
        cursor_expect(p, ")");
        return a;
    }
    if (t->kind == TOKEN_NUMBER) return pyv_node(p, P_NUMBER, cursor_take(p)->at);
    return pyv_named(p);
}

static pyv_ast *pyv_unary(cursor *p) {
    const token *t = cursor_peek(p);
    if (!cursor_sees(p, "!") && !cursor_sees(p, "~")) return pyv_primary(p);
    p->next++;
    pyv_ast *arg = cursor_enter(p) ? pyv_unary(p) : pyv_node(p, P_TRUE, t->at);
    p->depth--;
    return node_of(p, P_NOT, t->at, &arg, 1);
}

static pyv_ast *pyv_arithmetic(cursor *p) {
    pyv_ast *a = pyv_unary(p);
    while (!p->failed && (cursor_sees(p, "+") || cursor_sees(p, "-") || cursor_sees(p, "*"))) {
        p->next++;
        pyv_ast *b = pyv_unary(p);
        a = node_of(p, P_ARITH, a->at, (pyv_ast *[]){a, b}, 2);
    }
    return a;
}

static pyv_ast *pyv_comparison(cursor *p) {
    pyv_ast *a = pyv_arithmetic(p);
    pyv_kind kind = P_EQ;
    if (cursor_accept(p, "=")) kind = P_EQ;
    else if (cursor_accept(p, "!=") || cursor_accept(p, "~=")) kind = P_NEQ;
    else if (cursor_accept(p, "<=") || cursor_accept(p, ">=") || cursor_accept(p, "<") || cursor_accept(p, ">"))
        kind = P_COMPARE;
    else return a;
    pyv_ast *b = pyv_arithmetic(p);
    return node_of(p, kind, a->at, (pyv_ast *[]){a, b}, 2);
}

static pyv_ast *series(cursor *p, const char *symbol, pyv_kind kind, pyv_ast *(*part)(cursor *)) {
    ast_list l = {0};
    do vec_push(&l, part(p));
    while (!p->failed && cursor_accept(p, symbol));
    pyv_ast *a = l.len == 1 ? l.data[0] : node_of(p, kind, l.data[0]->at, l.data, l.len);
    vec_free(&l);
    return a;
}

// Files begin lists of conjuncts with &, also after one that ends a line.
static pyv_ast *conjunct(cursor *p) {
    while (cursor_accept(p, "&")) {}
    return pyv_comparison(p);
}

static pyv_ast *pyv_conjunction(cursor *p) { return series(p, "&", P_AND, conjunct); }

static pyv_ast *pyv_disjunction(cursor *p) {
    cursor_accept(p, "|");
    return series(p, "|", P_OR, pyv_conjunction);
}

static pyv_ast *pyv_implication(cursor *p) {
    pyv_ast *a = pyv_disjunction(p);
    if (p->failed || !cursor_accept(p, "->")) return a;
    pyv_ast *b = cursor_enter(p) ? pyv_implication(p) : a;
    p->depth--;
    return node_of(p, P_IMPLIES, a->at, (pyv_ast *[]){a, b}, 2);
}

static pyv_ast *pyv_expression(cursor *p) {
    pyv_ast *a = cursor_enter(p) ? pyv_implication(p) : pyv_node(p, P_TRUE, cursor_peek(p)->at);
    while (!p->failed && cursor_accept(p, "<->")) {
        pyv_ast *b = pyv_implication(p);
        a = node_of(p, P_IFF, a->at, (pyv_ast *[]){a, b}, 2);
    }
    p->depth--;
    return a;
}

// ---- declarations

static void names(cursor *p, const char *what, pyv_name **out, uint32_t *n) {
    VEC(pyv_name) l = {0};
    do vec_push(&l, pyv_take_name(p, what));
    while (!p->failed && cursor_accept(p, ","));
    vec_keep(p->memory, &l, out, n);
}

static void skip_balanced(cursor *p, const char *open, const char *close) {
    uint32_t depth = 0;
    do {
        if (cursor_sees(p, open)) depth++;
        if (cursor_sees(p, close)) depth--;
        if (cursor_peek(p)->kind == TOKEN_END) {
            cursor_wrong(p, "the end of this block");
            return;
        }
        p->next++;
    } while (depth);
}

// @name or @pyv_take_name(arguments): hints for mypyvy's own engines and printers.
static void annotations(cursor *p) {
    while (cursor_accept(p, "@")) {
        cursor_take(p);
        if (cursor_sees(p, "(")) skip_balanced(p, "(", ")");
    }
}

static void arity(cursor *p, pyv_decl *d) {
    if (!cursor_accept(p, "(")) return;
    if (!cursor_sees(p, ")")) names(p, "a sort", &d->sorts, &d->nsorts);
    cursor_expect(p, ")");
}

static void symbol(cursor *p, pyv_decl *d) {
    if (cursor_accept(p, "relation")) d->kind = D_RELATION;
    else if (cursor_accept(p, "constant")) d->kind = D_CONSTANT;
    else if (cursor_accept(p, "function")) d->kind = D_FUNCTION;
    else cursor_wrong(p, "relation, constant or function");
    d->name = pyv_take_name(p, "a name");
    arity(p, d);
    if (d->kind != D_RELATION) {
        cursor_expect(p, ":");
        d->result = pyv_take_name(p, "a sort");
    }
    annotations(p);
}

static void mutable_symbol(cursor *p, pyv_decl *d) {
    d->is_mutable = true;
    symbol(p, d);
}

static void derived(cursor *p, pyv_decl *d) {
    d->is_derived = true;
    mutable_symbol(p, d);
    if (d->kind != D_RELATION) cursor_fail(p, d->name.at, "only relations can be derived");
    cursor_expect(p, ":");
    d->body = pyv_expression(p);
}

static void pyv_sort_name(cursor *p, pyv_decl *d) {
    d->name = pyv_take_name(p, "a name");
    annotations(p);
}

static void optional_name(cursor *p, pyv_decl *d) {
    if (!cursor_accept(p, "[")) return;
    d->name = pyv_take_name(p, "a name");
    cursor_expect(p, "]");
}

static void action(cursor *p, pyv_decl *d) {
    d->name = pyv_take_name(p, "a name");
    cursor_expect(p, "(");
    if (!cursor_sees(p, ")")) binders(p, &d->params, &d->nparams);
    cursor_expect(p, ")");
    annotations(p);
    if (cursor_accept(p, "modifies")) names(p, "a relation, constant or function", &d->modifies, &d->nmodifies);
    else d->is_relational = cursor_expect(p, "=");
    if (d->nmodifies) d->states = 2;
    d->body = pyv_expression(p);
}

static void pyv_formula(cursor *p, pyv_decl *d) {
    optional_name(p, d);
    d->body = pyv_expression(p);
}

static void theorem_or_definition(cursor *p, pyv_decl *d) {
    if (cursor_accept(p, "theorem")) {
        d->kind = D_THEOREM;
        pyv_formula(p, d);
    } else if (cursor_expect(p, "definition")) {
        action(p, d);
    }
}

static void skip_trace(cursor *p, pyv_decl *d) {
    (void)d;
    if (cursor_expect(p, "trace") && cursor_sees(p, "{")) skip_balanced(p, "{", "}");
    else cursor_wrong(p, "'{'");
}

typedef struct {
    const char *word;
    pyv_decl_kind kind;
    void (*read)(cursor *, pyv_decl *);
    uint32_t states;
} start;

static const start starts[] = {{"sort", D_SORT, pyv_sort_name, 0},
                               {"mutable", D_RELATION, mutable_symbol, 0},
                               {"immutable", D_RELATION, symbol, 0},
                               {"derived", D_RELATION, derived, 0},
                               {"axiom", D_AXIOM, pyv_formula, 1},
                               {"init", D_INIT, pyv_formula, 1},
                               {"safety", D_SAFETY, pyv_formula, 1},
                               {"invariant", D_INVARIANT, pyv_formula, 1},
                               {"transition", D_TRANSITION, action, 2},
                               {"sat", D_TRACE, skip_trace, 0},
                               {"unsat", D_TRACE, skip_trace, 0},
                               {"theorem", D_THEOREM, pyv_formula, 1},
                               {"definition", D_DEFINITION, action, 1},
                               {"zerostate", D_DEFINITION, theorem_or_definition, 0},
                               {"onestate", D_DEFINITION, theorem_or_definition, 1},
                               {"twostate", D_DEFINITION, theorem_or_definition, 2}};

static const start *start_here(const cursor *p) {
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (cursor_sees(p, starts[i].word)) return &starts[i];
    return NULL;
}

static bool at_start(const cursor *p) { return start_here(p) || cursor_peek(p)->kind == TOKEN_END; }

static void declaration(cursor *p, pyv_decl *d) {
    const start *s = start_here(p);
    if (s) {
        cursor_take(p);
        d->kind = s->kind;
        d->states = s->states;
        s->read(p, d);
    }
    if (!at_start(p)) cursor_wrong(p, "a declaration");
}

static void recover(cursor *p, uint32_t begin) {
    p->failed = false;
    if (p->next == begin && cursor_peek(p)->kind != TOKEN_END) p->next++;
    while (!at_start(p)) p->next++;
}

bool pyv_parse(model *m, uint32_t file, const char *text, size_t size, pyv_file *out) {
    cursor p = {.language = &pyv_language, .messages = m->messages, .memory = m->memory, .owner = out};
    p.file = file;
    p.text = text;
    p.size = size;
    *out = (pyv_file){0};
    cursor_read(&p, 0);
    while (cursor_peek(&p)->kind != TOKEN_END) {
        uint32_t begin = p.next;
        pyv_decl d = {.at = cursor_peek(&p)->at, .name = {"", cursor_peek(&p)->at}};
        p.failed = false;
        p.depth = 0;
        declaration(&p, &d);
        if (p.failed) recover(&p, begin);
        else vec_push(&out->decls, d);
    }
    cursor_free(&p);
    return !diag_failed(m->messages);
}
