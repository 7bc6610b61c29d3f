// SPDX-License-Identifier: Apache-2.0
// Tokens to declarations and statements. After a mistake the parser goes on at the next statement or
// declaration, so that one run reports several. Expressions and types are in pv/term.c.
#include "front/pv/internal.h"

#include <string.h>

typedef pv_decl_list decl_list;
typedef VEC(const pv_stmt *) stmt_list;
typedef VEC(pv_item) item_list;

// ---- tokens

const pv_token *pv_parse_take(pv_parser *p) {
    const pv_token *t = p->tok;
    if (t->kind != TOK_END) {
        p->tok++;
        p->taken = true;
    }
    return t;
}

bool pv_parse_have(pv_parser *p, pv_tok kind) {
    if (p->tok->kind != kind) return false;
    pv_parse_take(p);
    return true;
}

// The next token as the user wrote it: 'size' (a keyword), 'x', the end of the file.
static const char *pv_found(const pv_parser *p) {
    const pv_token *t = p->tok;
    if (t->kind == TOK_END) return pv_tok_text(TOK_END);
    str s = {0};
    diag_source_text(p->f->messages, t->at, &s);
    bool is_word = t->text && t->kind != TOK_NAME && t->kind != TOK_STRING && t->kind != TOK_HOLE;
    const char *text = arena_printf(p->f->memory, is_word ? "the keyword '%s'" : "'%s'", str_get(&s));
    str_free(&s);
    return text;
}

// Where to point: the end of the file is behind its last token, not on a line of its own.
static span pv_place(const pv_parser *p) {
    if (p->tok->kind != TOK_END || !p->taken) return p->tok->at;
    return (span){p->tok->at.file, p->tok[-1].at.end, p->tok[-1].at.end};
}

bool pv_parse_wrong(pv_parser *p, const char *wanted) {
    diag_error(p->f->messages, pv_place(p), "expected %s, found %s", wanted, pv_found(p));
    return false;
}

bool pv_parse_need(pv_parser *p, pv_tok kind, const char *where) {
    if (pv_parse_have(p, kind)) return true;
    diag_error(p->f->messages, pv_place(p), "expected %s %s, found %s", pv_tok_text(kind), where, pv_found(p));
    return false;
}

bool pv_parse_enter(pv_parser *p) {
    if (++p->depth <= FRONT_DEEPEST) return true;
    diag_error(p->f->messages, p->tok->at, FRONT_TOO_DEEP, FRONT_DEEPEST);
    p->depth--;
    return false;
}

span pv_parse_since(const pv_parser *p, span from) { return (span){from.file, from.begin, p->tok[-1].at.end}; }

bool pv_parse_word(pv_parser *p, const char *word) {
    if (p->tok->kind != TOK_NAME || !str_same(p->tok->text, word)) return false;
    pv_parse_take(p);
    return true;
}

static const pv_token *need_name(pv_parser *p, const char *what) {
    if (p->tok->kind == TOK_NAME) return pv_parse_take(p);
    pv_parse_wrong(p, what);
    return NULL;
}

// ---- recovery

static bool begins_decl(pv_tok t) {
    switch (t) {
    case TOK_SORT:
    case TOK_ORDERED:
    case TOK_SIZE:
    case TOK_ENUM:
    case TOK_SYSTEM:
    case TOK_VAR:
    case TOK_REL:
    case TOK_CONST:
    case TOK_DEF:
    case TOK_PROC:
    case TOK_INIT:
    case TOK_ACTION:
    case TOK_INTERNAL:
    case TOK_ASSUME:
    case TOK_AXIOM:
    case TOK_INVARIANT:
    case TOK_PROPERTY:
    case TOK_COMPOSE:
    case TOK_USE:
    case TOK_EXPECT: return true;
    default: return false;
    }
}

// Goes to the next declaration, past the braces that were opened, or to the '}' of the system.
static void skip_decl(pv_parser *p) {
    uint32_t braces = 0;
    for (bool first = true; p->tok->kind != TOK_END; first = false) {
        pv_tok t = p->tok->kind;
        if (begins_decl(t) && !first && (p->tok->starts_line || braces == 0)) return;
        if (t == TOK_RBRACE && braces == 0) return;
        braces += t == TOK_LBRACE;
        braces -= t == TOK_RBRACE;
        pv_parse_take(p);
    }
}

// Goes to the next statement of this block: a ';', a line that can begin one, or the block's end.
static void skip_stmt(pv_parser *p) {
    uint32_t braces = 0;
    for (bool first = true; p->tok->kind != TOK_END; first = false) {
        pv_tok t = p->tok->kind;
        bool can_begin = t == TOK_NAME || t == TOK_IF || t == TOK_FORALL || t == TOK_CLEAR;
        if (begins_decl(t) && p->tok->starts_line) return;
        if (braces == 0 && (t == TOK_SEMICOLON || t == TOK_RBRACE)) return;
        if (braces == 0 && !first && can_begin && p->tok->starts_line) return;
        braces += t == TOK_LBRACE;
        braces -= t == TOK_RBRACE;
        pv_parse_take(p);
    }
}

// ---- statements

static const pv_stmt *pv_parse_stmt(pv_parser *p);

static const pv_stmt *make_stmt(pv_parser *p, pv_stmt s, span from) {
    s.at = pv_parse_since(p, from);
    return arena_copy(p->f->memory, &s, sizeof s);
}

static const pv_stmt *parse_clear(pv_parser *p) {
    span from = pv_parse_take(p)->at;
    if (p->tok->kind != TOK_NAME) {
        pv_parse_wrong(p, "what to clear, as in 'clear rs(t, _)'");
        return NULL;
    }
    const pv_expr *target = pv_parse_call(p);
    return target ? make_stmt(p, (pv_stmt){.kind = PS_CLEAR, .target = target}, from) : NULL;
}

static bool parse_else(pv_parser *p, pv_stmts *out) {
    if (!pv_parse_have(p, TOK_ELSE)) return true;
    if (p->tok->kind != TOK_IF) return pv_parse_block(p, out);
    const pv_stmt *s = pv_parse_stmt(p);
    if (!s) return false;
    out->data = arena_copy(p->f->memory, &s, sizeof s);
    out->len = 1;
    return true;
}

static const pv_stmt *pv_parse_if(pv_parser *p) {
    span from = pv_parse_take(p)->at;
    pv_stmt s = {.kind = PS_IF, .cond = pv_parse_expr(p)};
    if (!s.cond) return NULL;
    if (p->tok->kind == TOK_THEN) {
        diag_error(p->f->messages, p->tok->at, "a statement is written without 'then': if %s { ... }", "condition");
        return NULL;
    }
    if (!pv_parse_block(p, &s.body) || !parse_else(p, &s.orelse)) return NULL;
    return make_stmt(p, s, from);
}

static const pv_stmt *parse_forall(pv_parser *p) {
    span from = pv_parse_take(p)->at;
    pv_stmt s = {.kind = PS_FORALL};
    if (!pv_parse_binders(p, &s.binders)) return NULL;
    if (pv_parse_have(p, TOK_WHERE) && !(s.cond = pv_parse_expr(p))) return NULL;
    if (p->tok->kind == TOK_DOT) {
        diag_error(p->f->messages, p->tok->at, "a 'forall' statement has its body in braces: forall ... { ... }");
        return NULL;
    }
    return pv_parse_block(p, &s.body) ? make_stmt(p, s, from) : NULL;
}

static const pv_stmt *parse_assign(pv_parser *p) {
    span from = p->tok->at;
    const pv_expr *target = pv_parse_call(p);
    if (!target) return NULL;
    if (p->tok->kind == TOK_EQ) {
        diag_error(p->f->messages, p->tok->at, "assignment is written ':=' ('=' compares)");
        return NULL;
    }
    if (!pv_parse_have(p, TOK_ASSIGN)) return make_stmt(p, (pv_stmt){.kind = PS_CALL, .target = target}, from);
    const pv_expr *written = pv_parse_expr(p);
    return written ? make_stmt(p, (pv_stmt){.kind = PS_ASSIGN, .target = target, .value = written}, from) : NULL;
}

static const pv_stmt *parse_stmt_inside(pv_parser *p) {
    switch (p->tok->kind) {
    case TOK_CLEAR: return parse_clear(p);
    case TOK_IF: return pv_parse_if(p);
    case TOK_FORALL: return parse_forall(p);
    case TOK_NAME: return parse_assign(p);
    default: pv_parse_wrong(p, "a statement or '}'"); return NULL;
    }
}

static const pv_stmt *pv_parse_stmt(pv_parser *p) {
    if (!pv_parse_enter(p)) return NULL;
    const pv_stmt *s = parse_stmt_inside(p);
    p->depth--;
    return s;
}

bool pv_parse_block(pv_parser *p, pv_stmts *out) {
    span open = p->tok->at;
    if (!pv_parse_need(p, TOK_LBRACE, "before the statements")) return false;
    stmt_list list = {0};
    while (p->tok->kind != TOK_RBRACE && p->tok->kind != TOK_END && !begins_decl(p->tok->kind)) {
        if (pv_parse_have(p, TOK_SEMICOLON)) continue;
        const pv_stmt *s = pv_parse_stmt(p);
        if (s) vec_push(&list, s);
        else skip_stmt(p);
    }
    out->data = arena_copy(p->f->memory, list.data, list.len * sizeof *list.data);
    out->len = list.len;
    vec_free(&list);
    if (pv_parse_have(p, TOK_RBRACE)) return true;
    pv_parse_need(p, TOK_RBRACE, "to close the block");
    diag_note(p->f->messages, open, "the block begins here");
    return false;
}

// ---- declarations

static bool add_decl(pv_parser *p, decl_list *out, pv_decl d) {
    vec_push(out, arena_copy(p->f->memory, &d, sizeof d));
    return true;
}

static void keep_items(pv_parser *p, pv_decl *d, item_list *items) {
    d->items = arena_copy(p->f->memory, items->data, items->len * sizeof *items->data);
    d->nitems = items->len;
    vec_free(items);
}

// sort Thread, Slot = 3
static bool parse_sorts(pv_parser *p, decl_list *out) {
    bool is_ordered = pv_parse_have(p, TOK_ORDERED);
    if (!pv_parse_need(p, TOK_SORT, "after 'ordered'")) return false;
    do {
        const pv_token *name = need_name(p, "the name of a sort");
        if (!name) return false;
        pv_decl d = {.kind = PD_SORT, .name = name->text, .at = name->at, .is_ordered = is_ordered};
        if (pv_parse_have(p, TOK_EQ) && !(d.expr = pv_parse_sum(p))) return false;
        add_decl(p, out, d);
    } while (pv_parse_have(p, TOK_COMMA));
    return true;
}

// Thread = 2, Loc = 2
static bool pv_parse_sizes(pv_parser *p, item_list *items) {
    do {
        const pv_token *name = need_name(p, "the name of a sort");
        if (!name || !pv_parse_need(p, TOK_EQ, "and a number after the name of the sort")) return false;
        const pv_expr *size = pv_parse_sum(p);
        if (!size) return false;
        vec_push(items, (pv_item){name->text, name->at, size});
    } while (pv_parse_have(p, TOK_COMMA));
    return true;
}

static bool pv_parse_size(pv_parser *p, decl_list *out) {
    pv_decl d = {.kind = PD_SIZE, .name = "size", .at = pv_parse_take(p)->at};
    item_list items = {0};
    bool good = pv_parse_sizes(p, &items);
    keep_items(p, &d, &items);
    return good && add_decl(p, out, d);
}

static bool parse_enum(pv_parser *p, decl_list *out) {
    pv_parse_take(p);
    const pv_token *name = need_name(p, "the name of the enum");
    if (!name || !pv_parse_need(p, TOK_LBRACE, "before the values of the enum")) return false;
    pv_decl d = {.kind = PD_ENUM, .name = name->text, .at = name->at};
    item_list items = {0};
    bool good = true;
    while (good && p->tok->kind != TOK_RBRACE) {
        const pv_token *literal = need_name(p, "a value of the enum");
        good = literal != NULL;
        if (good) vec_push(&items, (pv_item){literal->text, literal->at, NULL});
        if (!pv_parse_have(p, TOK_COMMA)) break;
    }
    keep_items(p, &d, &items);
    return good && pv_parse_need(p, TOK_RBRACE, "after the values of the enum") && add_decl(p, out, d);
}

// (Thread, 0..3)
static bool parse_arg_types(pv_parser *p, pv_decl *d) {
    VEC(const pv_type *) types = {0};
    bool good;
    do {
        const pv_type *ty = pv_parse_type(p);
        good = ty != NULL;
        if (good) vec_push(&types, ty);
        if (good && p->tok->kind == TOK_COLON) {
            diag_error(p->f->messages, p->tok->at, "only types stand here, as in 'var phase(Thread): Phase'");
            good = false;
        }
    } while (good && pv_parse_have(p, TOK_COMMA));
    d->args = arena_copy(p->f->memory, types.data, types.len * sizeof *types.data);
    d->nargs = types.len;
    vec_free(&types);
    return good && pv_parse_need(p, TOK_RPAREN, "after the argument types");
}

static bool parse_func_head(pv_parser *p, pv_decl *d) {
    const pv_token *name = need_name(p, "the name of a variable");
    if (!name) return false;
    d->name = name->text;
    d->at = name->at;
    return !pv_parse_have(p, TOK_LPAREN) || parse_arg_types(p, d);
}

static bool hint(pv_parser *p, const char *text) {
    diag_error(p->f->messages, p->tok->at, "%s", text);
    return false;
}

static bool parse_initial(pv_parser *p, pv_decl *d) {
    if (p->tok->kind == TOK_ASSIGN) return hint(p, "an initial value is written with '='");
    if (!pv_parse_have(p, TOK_EQ)) return true;
    d->is_any = p->tok->kind == TOK_NAME && str_same(p->tok->text, "any");
    if (d->is_any) pv_parse_take(p);
    else d->expr = pv_parse_expr(p);
    return d->is_any || d->expr;
}

// What follows the heads: a type and an initial value. `rel` has no type, `const` no value.
static bool parse_func_tail(pv_parser *p, pv_decl *tail, pv_tok word) {
    bool is_rel = word == TOK_REL;
    if (is_rel && p->tok->kind == TOK_COLON) return hint(p, "a relation has no type; other functions are 'var'");
    const char *missing = word == TOK_VAR ? "and the type of the variable" : "and a type, or '=' and a value";
    if (!is_rel && (!pv_parse_need(p, TOK_COLON, missing) || !(tail->ty = pv_parse_type(p)))) return false;
    return word == TOK_CONST || parse_initial(p, tail);
}

// a, b(Thread): T = value: heads that share what follows.
static bool parse_func_group(pv_parser *p, decl_list *out, pv_tok word) {
    VEC(pv_decl) heads = {0};
    pv_decl tail = {0};
    bool good;
    do {
        pv_decl d = {.kind = PD_FUNC, .is_rigid = word == TOK_CONST, .is_any = word == TOK_CONST};
        good = parse_func_head(p, &d);
        if (good) vec_push(&heads, d);
    } while (good && word != TOK_REL && pv_parse_have(p, TOK_COMMA));
    good = good && parse_func_tail(p, &tail, word);
    for (uint32_t i = 0; good && i < heads.len; i++) {
        heads.data[i].ty = tail.ty;
        heads.data[i].is_any |= tail.is_any;
        heads.data[i].expr = tail.expr;
        add_decl(p, out, heads.data[i]);
    }
    vec_free(&heads);
    return good;
}

static bool parse_funcs(pv_parser *p, decl_list *out) {
    pv_tok word = pv_parse_take(p)->kind;
    do
        if (!parse_func_group(p, out, word)) return false;
    while (pv_parse_have(p, TOK_COMMA));
    return true;
}

// const N = 3   or, in a system,   const coordinator: Thread
static bool parse_const(pv_parser *p, decl_list *out) {
    if (p->tok[1].kind != TOK_NAME || p->tok[2].kind != TOK_EQ) return parse_funcs(p, out);
    pv_parse_take(p);
    do {
        const pv_token *name = need_name(p, "the name of the constant");
        if (!name || !pv_parse_need(p, TOK_EQ, "and the value of the constant")) return false;
        const pv_expr *e = pv_parse_expr(p);
        if (!e) return false;
        add_decl(p, out, (pv_decl){.kind = PD_CONST, .name = name->text, .at = name->at, .expr = e});
    } while (pv_parse_have(p, TOK_COMMA));
    return true;
}

bool pv_parse_params(pv_parser *p, pv_decl *d) {
    if (p->tok->kind != TOK_LPAREN) return true;
    pv_parse_take(p);
    if (pv_parse_have(p, TOK_RPAREN)) return true;
    return pv_parse_binders(p, &d->params) && pv_parse_need(p, TOK_RPAREN, "after the parameters");
}

bool pv_parse_named(pv_parser *p, pv_decl *d, const char *what) {
    const pv_token *name = need_name(p, what);
    if (!name) return false;
    d->name = name->text;
    d->at = name->at;
    return true;
}

static bool parse_def(pv_parser *p, decl_list *out) {
    pv_decl d = {.kind = PD_DEF};
    pv_parse_take(p);
    if (!pv_parse_named(p, &d, "the name of the definition") || !pv_parse_params(p, &d)) return false;
    if (pv_parse_have(p, TOK_COLON) && !(d.ty = pv_parse_type(p))) return false;
    if (!pv_parse_need(p, TOK_EQ, "before the body of the definition")) return false;
    d.expr = pv_parse_expr(p);
    return d.expr && add_decl(p, out, d);
}

static bool parse_proc(pv_parser *p, decl_list *out) {
    pv_decl d = {.kind = PD_PROC};
    pv_parse_take(p);
    if (!pv_parse_named(p, &d, "the name of the proc") || !pv_parse_params(p, &d)) return false;
    return pv_parse_block(p, &d.body) && add_decl(p, out, d);
}

static bool parse_guard(pv_parser *p, pv_decl *d) {
    if (p->tok->kind == TOK_WHERE || p->tok->kind == TOK_IF) return hint(p, "a guard begins with 'when'");
    return !pv_parse_have(p, TOK_WHEN) || (d->expr = pv_parse_expr(p));
}

static bool parse_init(pv_parser *p, decl_list *out) {
    pv_decl d = {.kind = PD_INIT, .name = "init", .at = pv_parse_take(p)->at};
    if (!pv_parse_params(p, &d) || !parse_guard(p, &d)) return false;
    return pv_parse_block(p, &d.body) && add_decl(p, out, d);
}

// `also action read(…)`: another way to do an action that was declared before.
static bool parse_action(pv_parser *p, decl_list *out) {
    pv_decl d = {.kind = PD_ACTION, .is_clause = pv_parse_word(p, "also")};
    d.is_internal = pv_parse_have(p, TOK_INTERNAL);
    if (!pv_parse_need(p, TOK_ACTION, d.is_internal ? "after 'internal'" : "after 'also'")) return false;
    if (!pv_parse_named(p, &d, "the name of the action")) return false;
    p->may_say_by = true;
    bool good = pv_parse_params(p, &d);
    p->may_say_by = false;
    if (!good || !parse_guard(p, &d)) return false;
    if (p->tok->kind == TOK_LBRACE && !pv_parse_block(p, &d.body)) return false;
    return add_decl(p, out, d);
}

// assume, axiom, invariant, schema NAME: expr
static bool parse_fact(pv_parser *p, decl_list *out, pv_decl_kind kind) {
    pv_decl d = {.kind = kind};
    const char *word = pv_parse_take(p)->text;
    if (!pv_parse_named(p, &d, arena_printf(p->f->memory, "a name after '%s'", word))) return false;
    if (!pv_parse_need(p, TOK_COLON, "after the name")) return false;
    d.expr = pv_parse_expr(p);
    return d.expr && add_decl(p, out, d);
}

// obstruction_free, livelock_free, wait_free
static bool parse_promise(pv_parser *p, pv_decl *d) {
    static const prop_kind kinds[] = {PROP_OBSTRUCTION_FREE, PROP_LIVELOCK_FREE, PROP_WAIT_FREE};
    static const char *const words[] = {"obstruction_free", "livelock_free", "wait_free"};
    for (uint32_t i = 0; i < 3; i++)
        if (pv_parse_word(p, words[i])) {
            d->property = kinds[i];
            return true;
        }
    return false;
}

// by { same: expr  justice closes: expr }: an abstraction relation, conjunct by conjunct
static bool parse_relation(pv_parser *p, pv_decl *d) {
    decl_list inside = {0};
    bool good = pv_parse_need(p, TOK_LBRACE, "after 'by'");
    while (good && p->tok->kind != TOK_RBRACE) {
        pv_decl c = {.kind = PD_INVARIANT};
        c.is_justice = p->tok[1].kind == TOK_NAME && pv_parse_word(p, "justice");
        good = pv_parse_named(p, &c, "the name of a conjunct, or '}'") && pv_parse_need(p, TOK_COLON, "after the name");
        if (good) c.expr = pv_parse_expr(p);
        good = good && c.expr && add_decl(p, &inside, c);
        if (good) pv_parse_have(p, TOK_SEMICOLON);
    }
    d->decls = arena_copy(p->f->memory, inside.data, inside.len * sizeof *inside.data);
    d->ndecls = inside.len;
    vec_free(&inside);
    return good && pv_parse_need(p, TOK_RBRACE, "after the relation");
}

static bool parse_property_kind(pv_parser *p, pv_decl *d, item_list *items) {
    if (pv_parse_have(p, TOK_DEADLOCK_FREE)) {
        d->property = PROP_DEADLOCK_FREE;
        return true;
    }
    if (pv_parse_have(p, TOK_INVARIANT)) {
        d->property = PROP_INVARIANT;
        d->expr = pv_parse_expr(p);
        return d->expr != NULL;
    }
    if (parse_promise(p, d)) return true;
    if (!pv_parse_have(p, TOK_REFINES))
        return pv_parse_wrong(p, "'refines', 'invariant', 'deadlock_free' or 'obstruction_free'");
    d->property = PROP_REFINES;
    const pv_token *spec = need_name(p, "the name of the specification");
    if (spec) vec_push(items, (pv_item){spec->text, spec->at, NULL});
    return spec && (!pv_parse_word(p, "by") || parse_relation(p, d));
}

static bool parse_property(pv_parser *p, decl_list *out) {
    pv_decl d = {.kind = PD_PROPERTY};
    pv_parse_take(p);
    if (!pv_parse_named(p, &d, "the name of the property")) return false;
    if (!pv_parse_need(p, TOK_COLON, "after the name of the property")) return false;
    const pv_token *system = need_name(p, "the name of a system");
    if (!system) return false;
    item_list items = {0};
    vec_push(&items, (pv_item){system->text, system->at, NULL});
    bool good = parse_property_kind(p, &d, &items);
    keep_items(p, &d, &items);
    return good && add_decl(p, out, d);
}

static bool parse_compose(pv_parser *p, decl_list *out) {
    pv_decl d = {.kind = PD_COMPOSE};
    pv_parse_take(p);
    if (!pv_parse_named(p, &d, "the name of the composition")) return false;
    if (!pv_parse_need(p, TOK_EQ, "after the name of the composition")) return false;
    item_list items = {0};
    const pv_token *part;
    do {
        part = need_name(p, "the name of a system");
        if (part) vec_push(&items, (pv_item){part->text, part->at, NULL});
    } while (part && pv_parse_have(p, TOK_PARALLEL));
    keep_items(p, &d, &items);
    return part && add_decl(p, out, d);
}

static bool parse_use(pv_parser *p, decl_list *out) {
    pv_parse_take(p);
    if (p->tok->kind != TOK_STRING) return pv_parse_wrong(p, "a path in quotes after 'use'");
    const pv_token *path = pv_parse_take(p);
    return add_decl(p, out, (pv_decl){.kind = PD_USE, .name = path->text, .at = path->at});
}

static bool pv_is_word(const pv_parser *p, const char *word) {
    return p->tok->kind == TOK_NAME && str_same(p->tok->text, word);
}

// `64 states` or `length 4`
static bool parse_fact_of_run(pv_parser *p, pv_decl *d) {
    if (p->tok->kind == TOK_NUMBER) {
        d->states = pv_parse_take(p)->number;
        if (!pv_is_word(p, "states") && !pv_is_word(p, "state")) return pv_parse_wrong(p, "'states' after the number");
        pv_parse_take(p);
        return true;
    }
    if (!pv_is_word(p, "length")) return pv_parse_wrong(p, "a number of states or 'length'");
    pv_parse_take(p);
    if (p->tok->kind != TOK_NUMBER) return pv_parse_wrong(p, "a number after 'length'");
    if (p->tok->number > UINT32_MAX) return pv_parse_wrong(p, "a smaller number");
    d->length = pv_parse_take(p)->number;
    return true;
}

static bool parse_verdict(pv_parser *p, pv_decl *d) {
    if (!pv_parse_need(p, TOK_COLON, "before the verdict")) return false;
    if (!pv_is_word(p, "holds") && !pv_is_word(p, "violated")) return pv_parse_wrong(p, "'holds' or 'violated'");
    d->verdict = pv_parse_take(p)->text;
    while (pv_parse_have(p, TOK_COMMA))
        if (!parse_fact_of_run(p, d)) return false;
    return true;
}

static bool parse_expect(pv_parser *p, decl_list *out) {
    pv_decl d = {.kind = PD_EXPECT};
    pv_parse_take(p);
    if (!pv_parse_named(p, &d, "the name of a property")) return false;
    item_list items = {0};
    bool good = !pv_parse_have(p, TOK_AT) || pv_parse_sizes(p, &items);
    keep_items(p, &d, &items);
    return good && parse_verdict(p, &d) && add_decl(p, out, d);
}

// What may stand at top level, what in a system.
static bool misplaced(pv_parser *p, bool in_system) {
    const char *word = pv_tok_text(p->tok->kind);
    if (in_system) diag_error(p->f->messages, p->tok->at, "%s belongs outside a system", word);
    else diag_error(p->f->messages, p->tok->at, "%s belongs inside a system: system Name { ... }", word);
    return false;
}

static bool parse_decls(pv_parser *p, decl_list *out, bool in_system);

bool pv_parse_members(pv_parser *p, pv_decl *d) {
    if (!pv_parse_need(p, TOK_LBRACE, "after the name of the system")) return false;
    decl_list inside = {0};
    bool good = parse_decls(p, &inside, true);
    d->decls = arena_copy(p->f->memory, inside.data, inside.len * sizeof *inside.data);
    d->ndecls = inside.len;
    vec_free(&inside);
    if (good && p->tok->kind == TOK_END) {
        pv_parse_need(p, TOK_RBRACE, "to close the system");
        diag_note(p->f->messages, d->at, "the system begins here");
        return false;
    }
    pv_parse_have(p, TOK_RBRACE);
    return true;
}

static bool parse_system(pv_parser *p, decl_list *out) {
    pv_decl d = {.kind = PD_SYSTEM};
    pv_parse_take(p);
    return pv_parse_named(p, &d, "the name of the system") && pv_parse_members(p, &d) && add_decl(p, out, d);
}

static bool parse_inside(pv_parser *p, decl_list *out) {
    if (pv_algorithm_has_member(p)) return pv_algorithm_member(p, out);
    if (p->tok->kind == TOK_NAME && str_same(p->tok->text, "also")) return parse_action(p, out);
    if (p->tok->kind == TOK_NAME && str_same(p->tok->text, "schema")) return parse_fact(p, out, PD_SCHEMA);
    switch (p->tok->kind) {
    case TOK_ENUM: return parse_enum(p, out);
    case TOK_VAR:
    case TOK_REL: return parse_funcs(p, out);
    case TOK_CONST: return parse_const(p, out);
    case TOK_DEF: return parse_def(p, out);
    case TOK_PROC: return parse_proc(p, out);
    case TOK_INIT: return parse_init(p, out);
    case TOK_ACTION:
    case TOK_INTERNAL: return parse_action(p, out);
    case TOK_ASSUME: return parse_fact(p, out, PD_ASSUME);
    case TOK_AXIOM: return parse_fact(p, out, PD_AXIOM);
    case TOK_INVARIANT: return parse_fact(p, out, PD_INVARIANT);
    default: return begins_decl(p->tok->kind) ? misplaced(p, true) : pv_parse_wrong(p, "a declaration or '}'");
    }
}

static bool is_constant_value(const pv_parser *p) { return p->tok[1].kind != TOK_NAME || p->tok[2].kind == TOK_EQ; }

static bool parse_outside(pv_parser *p, decl_list *out) {
    if (pv_algorithm_opens(p)) return pv_algorithm_parse(p, out);
    switch (p->tok->kind) {
    case TOK_USE: return parse_use(p, out);
    case TOK_SORT:
    case TOK_ORDERED: return parse_sorts(p, out);
    case TOK_SIZE: return pv_parse_size(p, out);
    case TOK_ENUM: return parse_enum(p, out);
    case TOK_CONST: return is_constant_value(p) ? parse_const(p, out) : misplaced(p, false);
    case TOK_DEF: return parse_def(p, out);
    case TOK_SYSTEM: return parse_system(p, out);
    case TOK_COMPOSE: return parse_compose(p, out);
    case TOK_PROPERTY: return parse_property(p, out);
    case TOK_EXPECT: return parse_expect(p, out);
    default: return begins_decl(p->tok->kind) ? misplaced(p, false) : pv_parse_wrong(p, "a declaration");
    }
}

static bool parse_decls(pv_parser *p, decl_list *out, bool in_system) {
    bool good = true;
    while (p->tok->kind != TOK_END) {
        if (in_system && p->tok->kind == TOK_RBRACE) break;
        if (pv_parse_have(p, TOK_SEMICOLON)) continue;
        const pv_token *begin = p->tok;
        if (in_system ? parse_inside(p, out) : parse_outside(p, out)) continue;
        good = false;
        if (!in_system && p->tok->kind == TOK_RBRACE) pv_parse_take(p);
        else if (p->tok == begin || !begins_decl(p->tok->kind) || !p->tok->starts_line) skip_decl(p);
    }
    return good;
}

bool pv_parse_file(pv_front *f, pv_file *file) {
    pv_tokens tokens = {0};
    uint32_t before = diag_errors(f->messages);
    pv_lex(f, file->number, &tokens);
    if (diag_errors(f->messages) != before) {  // what is missing now would only cause further messages
        vec_free(&tokens);
        return false;
    }
    const pv_token *all = arena_copy(f->memory, tokens.data, tokens.len * sizeof *tokens.data);
    vec_free(&tokens);
    pv_parser p = {.f = f, .tok = all};
    decl_list decls = {0};
    parse_decls(&p, &decls, false);
    file->decls = arena_copy(f->memory, decls.data, decls.len * sizeof *decls.data);
    file->ndecls = decls.len;
    vec_free(&decls);
    vec_free(&p.bullets);
    return diag_errors(f->messages) == before;
}
