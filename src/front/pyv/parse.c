// SPDX-License-Identifier: Apache-2.0
// Tokens and syntax tree of `.pyv`: recursive descent, one function a level of precedence. Loosest first: quantifier
// body, else, in, <->, -> (to the right), |, &, comparisons, + -, *, ! ~, postfix '. A leading & or | is ignored.
// After an error the parser goes on at the next word that begins a declaration.
#include "front/depth.h"
#include "front/pyv/internal.h"

#include <ctype.h>
#include <string.h>

typedef enum { T_END, T_WORD, T_NUMBER, T_SYMBOL } token_kind;

typedef struct {
    token_kind kind;
    span at;
    char text[4];      // symbols
    const char *word;  // words and numbers
} token;


typedef struct {
    pyv_file *file;
    const char *text;
    size_t size;
    VEC(token) tokens;
    uint32_t next;
    uint32_t file_number;
    uint32_t depth;
    bool failed;  // in the declaration being read
} parser;

// ---- tokens

static span place(const parser *p, size_t begin, size_t end) {
    return (span){p->file_number, (uint32_t)begin, (uint32_t)end};
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t skip_blank(const parser *p, size_t i) {
    while (i < p->size) {
        if (p->text[i] == '#') {
            while (i < p->size && p->text[i] != '\n') i++;
        } else if (isspace((unsigned char)p->text[i])) {
            i++;
        } else {
            break;
        }
    }
    return i;
}

static const char *const long_symbols[] = {"<->", "->", "!=", "~=", "<=", ">="};

static size_t symbol_length(const parser *p, size_t i) {
    for (size_t k = 0; k < sizeof long_symbols / sizeof *long_symbols; k++) {
        size_t n = strlen(long_symbols[k]);
        if (i + n <= p->size && memcmp(p->text + i, long_symbols[k], n) == 0) return n;
    }
    return strchr("()[]{},.:=<>|&!~+-*'@/", p->text[i]) && p->text[i] ? 1 : 0;
}

static size_t read_token(parser *p, size_t i) {
    size_t begin = i;
    if (is_word(p->text[i])) {
        while (i < p->size && is_word(p->text[i])) i++;
        bool number = isdigit((unsigned char)p->text[begin]);
        char *word = arena_strn(p->file->memory, p->text + begin, i - begin);
        vec_push(&p->tokens, (token){number ? T_NUMBER : T_WORD, place(p, begin, i), "", word});
        return i;
    }
    size_t n = symbol_length(p, i);
    if (!n) {
        diag_error(p->file->messages, place(p, i, i + 1), "a character that has no meaning here");
        return i + 1;
    }
    token t = {T_SYMBOL, place(p, i, i + n), "", NULL};
    memcpy(t.text, p->text + i, n);
    vec_push(&p->tokens, t);
    return i + n;
}

static void read_tokens(parser *p) {
    size_t i = 0;
    while ((i = skip_blank(p, i)) < p->size) i = read_token(p, i);
    vec_push(&p->tokens, (token){T_END, place(p, p->size, p->size), "", NULL});
}

// ---- looking and taking

static const token *peek(const parser *p) { return &p->tokens.data[p->next]; }

static const token *take(parser *p) {
    const token *t = peek(p);
    if (t->kind != T_END) p->next++;
    return t;
}

static bool sees(const parser *p, const char *text) {
    const token *t = peek(p);
    return (t->kind == T_SYMBOL && strcmp(t->text, text) == 0) ||
           (t->kind == T_WORD && strcmp(t->word, text) == 0);
}

static bool accept(parser *p, const char *text) {
    if (!sees(p, text)) return false;
    p->next++;
    return true;
}

static void deep(parser *p, span at, int most) {
    if (!p->failed) diag_error(p->file->messages, at, FRONT_TOO_DEEP, most);
    p->failed = true;
}

static void wrong(parser *p, const char *wanted) {
    if (!p->failed) {
        const token *t = peek(p);
        if (t->kind == T_END) diag_error(p->file->messages, t->at, "%s expected, but the file ends", wanted);
        else diag_error(p->file->messages, t->at, "%s expected", wanted);
    }
    p->failed = true;
}

static bool expect(parser *p, const char *text) {
    if (accept(p, text)) return true;
    char wanted[16] = "'";
    strncat(wanted, text, 12);
    strcat(wanted, "'");
    wrong(p, wanted);
    return false;
}

static const char *const reserved[] = {
    "modifies", "sort",       "mutable",    "immutable", "derived",   "relation", "constant",
    "function", "init",       "transition", "invariant", "axiom",     "new",      "old",
    "forall",   "exists",     "true",       "false",     "zerostate", "onestate", "twostate",
    "theorem",  "definition", "assert",     "safety",    "trace",     "if",       "then",
    "else",     "let",        "in",         "sat",       "unsat",     "distinct"};

static bool is_reserved(const char *word) {
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], word) == 0) return true;
    return false;
}

static pyv_name name(parser *p, const char *what) {
    const token *t = peek(p);
    if (t->kind != T_WORD || is_reserved(t->word)) {
        wrong(p, what);
        return (pyv_name){"", t->at};
    }
    p->next++;
    return (pyv_name){t->word, t->at};
}

// ---- expressions

static pyv_ast *expression(parser *p);

static span join(span a, span b) { return (span){a.file, a.begin, b.end > a.end ? b.end : a.end}; }

static pyv_ast *node(parser *p, pyv_kind kind, span at) {
    pyv_ast *a = arena_alloc(p->file->memory, sizeof *a);
    a->kind = kind;
    a->at = at;
    return a;
}

static void set_args(parser *p, pyv_ast *a, pyv_ast *const *args, uint32_t n) {
    a->args = arena_copy(p->file->memory, args, n * sizeof *args);
    a->nargs = n;
    for (uint32_t i = 0; i < n; i++) {
        a->at = join(a->at, args[i]->at);
        if (args[i]->depth >= a->depth) a->depth = args[i]->depth + 1;
    }
    if (a->depth > FRONT_LONGEST_CHAIN) deep(p, a->at, FRONT_LONGEST_CHAIN);
}

static pyv_ast *node_of(parser *p, pyv_kind kind, span at, pyv_ast *const *args, uint32_t n) {
    pyv_ast *a = node(p, kind, at);
    set_args(p, a, args, n);
    return a;
}

typedef VEC(pyv_ast *) ast_list;
typedef VEC(pyv_binder *) binder_list;

static pyv_binder *binder(parser *p) {
    pyv_name n = name(p, "a variable");
    pyv_binder *b = arena_alloc(p->file->memory, sizeof *b);
    *b = (pyv_binder){.name = n.name, .at = n.at};
    if (accept(p, ":")) {
        pyv_name s = name(p, "a sort");
        b->sort_name = s.name;
        b->sort_at = s.at;
    }
    return b;
}

// A list x, y: s, z. In `forall X, Y: node.` the sort belongs to Y only, as mypyvy reads it.
static void binders(parser *p, pyv_binder ***out, uint32_t *n) {
    binder_list l = {0};
    do vec_push(&l, binder(p));
    while (!p->failed && accept(p, ","));
    *out = arena_copy(p->file->memory, l.data, l.len * sizeof *l.data);
    *n = l.len;
    vec_free(&l);
}

static pyv_ast *quantifier(parser *p, pyv_kind kind) {
    pyv_ast *a = node(p, kind, take(p)->at);
    binders(p, &a->binders, &a->nbinders);
    expect(p, ".");
    pyv_ast *body = expression(p);
    set_args(p, a, &body, 1);
    return a;
}

static pyv_ast *choice(parser *p) {
    span at = take(p)->at;
    pyv_ast *c = expression(p);
    expect(p, "then");
    pyv_ast *a = expression(p);
    expect(p, "else");
    pyv_ast *b = expression(p);
    return node_of(p, P_ITE, at, (pyv_ast *[]){c, a, b}, 3);
}

static pyv_ast *let(parser *p) {
    pyv_ast *a = node(p, P_LET, take(p)->at);
    pyv_binder *b = binder(p);
    a->binders = arena_copy(p->file->memory, &b, sizeof b);
    a->nbinders = 1;
    expect(p, "=");
    pyv_ast *is = expression(p);
    expect(p, "in");
    pyv_ast *body = expression(p);
    set_args(p, a, (pyv_ast *[]){is, body}, 2);
    return a;
}

static void arguments(parser *p, pyv_ast *a) {
    ast_list l = {0};
    if (!sees(p, ")")) do
            vec_push(&l, expression(p));
        while (!p->failed && accept(p, ","));
    span end = peek(p)->at;
    expect(p, ")");
    set_args(p, a, l.data, l.len);
    a->at = join(a->at, end);
    vec_free(&l);
}

static pyv_ast *one_state(parser *p, pyv_kind kind) {
    pyv_ast *a = node(p, kind, take(p)->at);
    p->file->uses_old |= kind == P_OLD;
    expect(p, "(");
    arguments(p, a);
    if (a->nargs != 1 && kind != P_DISTINCT) wrong(p, "one argument");
    return a;
}

static pyv_ast *named(parser *p) {
    pyv_name n = name(p, "an expression");
    pyv_ast *a = node(p, P_NAME, n.at);
    a->name = n.name;
    while (accept(p, "'")) a->primes++;
    if (accept(p, "(")) arguments(p, a);
    return a;
}

static pyv_ast *primary(parser *p) {
    const token *t = peek(p);
    if (sees(p, "forall")) return quantifier(p, P_FORALL);
    if (sees(p, "exists")) return quantifier(p, P_EXISTS);
    if (sees(p, "if")) return choice(p);
    if (sees(p, "let")) return let(p);
    if (sees(p, "new")) return one_state(p, P_NEW);
    if (sees(p, "old")) return one_state(p, P_OLD);
    if (sees(p, "distinct")) return one_state(p, P_DISTINCT);
    if (accept(p, "true")) return node(p, P_TRUE, t->at);
    if (accept(p, "false")) return node(p, P_FALSE, t->at);
    if (accept(p, "(")) {
        pyv_ast *a = expression(p);
        expect(p, ")");
        return a;
    }
    if (t->kind == T_NUMBER) return node(p, P_NUMBER, take(p)->at);
    return named(p);
}

static pyv_ast *unary(parser *p) {
    const token *t = peek(p);
    if (!sees(p, "!") && !sees(p, "~")) return primary(p);
    p->next++;
    if (++p->depth > FRONT_DEEPEST) deep(p, peek(p)->at, FRONT_DEEPEST);
    pyv_ast *arg = p->failed ? node(p, P_TRUE, t->at) : unary(p);
    p->depth--;
    return node_of(p, P_NOT, t->at, &arg, 1);
}

static pyv_ast *arithmetic(parser *p) {
    pyv_ast *a = unary(p);
    while (!p->failed && (sees(p, "+") || sees(p, "-") || sees(p, "*"))) {
        p->next++;
        pyv_ast *b = unary(p);
        a = node_of(p, P_ARITH, a->at, (pyv_ast *[]){a, b}, 2);
    }
    return a;
}

static pyv_ast *comparison(parser *p) {
    pyv_ast *a = arithmetic(p);
    pyv_kind kind = P_EQ;
    if (accept(p, "=")) kind = P_EQ;
    else if (accept(p, "!=") || accept(p, "~=")) kind = P_NEQ;
    else if (accept(p, "<=") || accept(p, ">=") || accept(p, "<") || accept(p, ">")) kind = P_COMPARE;
    else return a;
    pyv_ast *b = arithmetic(p);
    return node_of(p, kind, a->at, (pyv_ast *[]){a, b}, 2);
}

static pyv_ast *series(parser *p, const char *symbol, pyv_kind kind, pyv_ast *(*part)(parser *)) {
    ast_list l = {0};
    do vec_push(&l, part(p));
    while (!p->failed && accept(p, symbol));
    pyv_ast *a = l.len == 1 ? l.data[0] : node_of(p, kind, l.data[0]->at, l.data, l.len);
    vec_free(&l);
    return a;
}

// Files begin lists of conjuncts with &, also after one that ends a line.
static pyv_ast *conjunct(parser *p) {
    while (accept(p, "&")) {}
    return comparison(p);
}

static pyv_ast *conjunction(parser *p) { return series(p, "&", P_AND, conjunct); }

static pyv_ast *disjunction(parser *p) {
    accept(p, "|");
    return series(p, "|", P_OR, conjunction);
}

static pyv_ast *implication(parser *p) {
    pyv_ast *a = disjunction(p);
    if (p->failed || !accept(p, "->")) return a;
    if (++p->depth > FRONT_DEEPEST) deep(p, peek(p)->at, FRONT_DEEPEST);
    pyv_ast *b = p->failed ? a : implication(p);
    p->depth--;
    return node_of(p, P_IMPLIES, a->at, (pyv_ast *[]){a, b}, 2);
}

static pyv_ast *expression(parser *p) {
    if (++p->depth > FRONT_DEEPEST) deep(p, peek(p)->at, FRONT_DEEPEST);
    pyv_ast *a = p->failed ? node(p, P_TRUE, peek(p)->at) : implication(p);
    while (!p->failed && accept(p, "<->")) {
        pyv_ast *b = implication(p);
        a = node_of(p, P_IFF, a->at, (pyv_ast *[]){a, b}, 2);
    }
    p->depth--;
    return a;
}

// ---- declarations

static void names(parser *p, const char *what, pyv_name **out, uint32_t *n) {
    VEC(pyv_name) l = {0};
    do vec_push(&l, name(p, what));
    while (!p->failed && accept(p, ","));
    *out = arena_copy(p->file->memory, l.data, l.len * sizeof *l.data);
    *n = l.len;
    vec_free(&l);
}

static void skip_balanced(parser *p, const char *open, const char *close) {
    uint32_t depth = 0;
    do {
        if (sees(p, open)) depth++;
        if (sees(p, close)) depth--;
        if (peek(p)->kind == T_END) {
            wrong(p, "the end of this block");
            return;
        }
        p->next++;
    } while (depth);
}

// @name or @name(arguments): hints for mypyvy's own engines and printers.
static void annotations(parser *p) {
    while (accept(p, "@")) {
        take(p);
        if (sees(p, "(")) skip_balanced(p, "(", ")");
    }
}

static void arity(parser *p, pyv_decl *d) {
    if (!accept(p, "(")) return;
    if (!sees(p, ")")) names(p, "a sort", &d->sorts, &d->nsorts);
    expect(p, ")");
}

static void symbol(parser *p, pyv_decl *d) {
    if (accept(p, "relation")) d->kind = D_RELATION;
    else if (accept(p, "constant")) d->kind = D_CONSTANT;
    else if (accept(p, "function")) d->kind = D_FUNCTION;
    else wrong(p, "relation, constant or function");
    d->name = name(p, "a name");
    arity(p, d);
    if (d->kind != D_RELATION) {
        expect(p, ":");
        d->result = name(p, "a sort");
    }
    annotations(p);
    if (!d->is_derived) return;
    expect(p, ":");
    d->body = expression(p);
}

static void optional_name(parser *p, pyv_decl *d) {
    if (!accept(p, "[")) return;
    d->name = name(p, "a name");
    expect(p, "]");
}

static void action(parser *p, pyv_decl *d) {
    d->name = name(p, "a name");
    expect(p, "(");
    if (!sees(p, ")")) binders(p, &d->params, &d->nparams);
    expect(p, ")");
    annotations(p);
    if (accept(p, "modifies")) names(p, "a relation, constant or function", &d->modifies, &d->nmodifies);
    else d->is_relational = expect(p, "=");
    d->body = expression(p);
}

static void formula(parser *p, pyv_decl *d, pyv_decl_kind kind) {
    d->kind = kind;
    optional_name(p, d);
    d->body = expression(p);
}

static void theorem_or_definition(parser *p, pyv_decl *d) {
    d->states = 1;
    if (accept(p, "zerostate")) d->states = 0;
    else if (accept(p, "onestate")) d->states = 1;
    else if (accept(p, "twostate")) d->states = 2;
    if (accept(p, "theorem")) {
        formula(p, d, D_THEOREM);
    } else if (accept(p, "definition")) {
        d->kind = D_DEFINITION;
        action(p, d);
        if (d->nmodifies) d->states = 2;
    } else {
        wrong(p, "theorem or definition");
    }
}

// What the declaration is; false for a trace, which is read over.
static bool declaration(parser *p, pyv_decl *d) {
    if (accept(p, "sort")) {
        d->kind = D_SORT;
        d->name = name(p, "a name");
        annotations(p);
    } else if (accept(p, "mutable")) {
        d->is_mutable = true;
        symbol(p, d);
    } else if (accept(p, "immutable")) {
        symbol(p, d);
    } else if (accept(p, "derived")) {
        d->is_mutable = d->is_derived = true;
        symbol(p, d);
    } else if (accept(p, "axiom")) {
        formula(p, d, D_AXIOM);
    } else if (accept(p, "init")) {
        formula(p, d, D_INIT);
    } else if (accept(p, "safety")) {
        formula(p, d, D_SAFETY);
    } else if (accept(p, "invariant")) {
        formula(p, d, D_INVARIANT);
    } else if (accept(p, "transition")) {
        d->kind = D_TRANSITION;
        action(p, d);
    } else if (sees(p, "sat") || sees(p, "unsat")) {
        p->next++;
        if (expect(p, "trace") && sees(p, "{")) skip_balanced(p, "{", "}");
        else wrong(p, "'{'");
        return false;
    } else {
        theorem_or_definition(p, d);
    }
    return true;
}

static const char *const starts[] = {"sort",       "mutable",   "immutable",  "derived", "axiom", "init",
                                     "safety",     "invariant", "transition", "sat",     "unsat", "theorem",
                                     "definition", "zerostate", "onestate",   "twostate"};

static bool at_start(const parser *p) {
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (sees(p, starts[i])) return true;
    return peek(p)->kind == T_END;
}

static void recover(parser *p, uint32_t begin) {
    if (p->next == begin && peek(p)->kind != T_END) p->next++;
    while (!at_start(p)) p->next++;
}

bool pyv_parse(model *m, uint32_t file, const char *text, size_t size, pyv_file *out) {
    parser p = {.file = out, .text = text, .size = size, .file_number = file};
    *out = (pyv_file){.memory = m->memory, .messages = m->messages};
    read_tokens(&p);
    while (peek(&p)->kind != T_END) {
        uint32_t begin = p.next;
        pyv_decl d = {.at = peek(&p)->at, .name = {"", peek(&p)->at}};
        p.failed = false;
        p.depth = 0;
        bool keep = declaration(&p, &d);
        if (!p.failed && !at_start(&p)) wrong(&p, "a declaration");
        if (p.failed) recover(&p, begin);
        else if (keep) vec_push(&out->decls, d);
    }
    vec_free(&p.tokens);
    return !diag_failed(m->messages);
}
