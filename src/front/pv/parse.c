// SPDX-License-Identifier: Apache-2.0
// Tokens to declarations and statements. After a mistake the parser goes on at the next statement or
// declaration, so that one run reports several. Expressions and types are in pv/term.c.
#include "front/pv/internal.h"

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

// What people write who come from other languages, and how it is written here.
static const struct {
    const char *word, *note;
} hints[] = {
    {"mod", "a remainder is written with '%'"},
    {"div", "a quotient is written with '/'"},
    {"choose", "what is chosen stands before the guard: action name(x: Sort) choose y: Sort when ..."},
    {"skip", "an action that changes nothing has no body"},
    {"then", "a statement is written without 'then': if condition { ... }"},
};

static void give_hint(const pv_parser *p) {
    const pv_token *t = p->tok;
    bool is_arrow = t->kind == TOK_GT && p->taken && t[-1].kind == TOK_EQ && t[-1].at.end == t->at.begin;
    if (is_arrow) diag_note(p->f->messages, (span){0}, "implication is written '->', and 'at least' is '>='");
    for (int back = 0; back < 3 && t - back >= p->first; back++)
        for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
            if (t[-back].kind == TOK_NAME && str_same(t[-back].text, hints[i].word))
                diag_note(p->f->messages, (span){0}, "%s", hints[i].note);
}

bool pv_parse_wrong(pv_parser *p, const char *wanted) {
    diag_error(p->f->messages, pv_place(p), "expected %s, found %s", wanted, pv_found(p));
    give_hint(p);
    return false;
}

bool pv_parse_need(pv_parser *p, pv_tok kind, const char *where) {
    if (pv_parse_have(p, kind)) return true;
    diag_error(p->f->messages, pv_place(p), "expected %s %s, found %s", pv_tok_text(kind), where, pv_found(p));
    give_hint(p);
    return false;
}

bool pv_parse_enter(pv_parser *p) {
    if (++p->depth <= FRONT_DEEPEST) return true;
    p->depth--;
    return diag_error(p->f->messages, p->tok->at, FRONT_TOO_DEEP, FRONT_DEEPEST);
}

span pv_parse_since(const pv_parser *p, span from) { return (span){from.file, from.begin, p->tok[-1].at.end}; }

static bool pv_is_word(const pv_parser *p, const char *word) {
    return p->tok->kind == TOK_NAME && str_same(p->tok->text, word);
}

bool pv_parse_word(pv_parser *p, const char *word) {
    if (!pv_is_word(p, word)) return false;
    pv_parse_take(p);
    return true;
}

bool pv_parse_item(pv_parser *p, const char *what, pv_item *out) {
    if (p->tok->kind != TOK_NAME) {
        pv_parse_wrong(p, what);
        if (p->tok->text && p->tok->kind != TOK_STRING)
            diag_note(p->f->messages, (span){0}, "a name that is a keyword is written `%s`", p->tok->text);
        return false;
    }
    const pv_token *name = pv_parse_take(p);
    *out = (pv_item){name->text, name->at, NULL};
    return true;
}

static bool parse_named(pv_parser *p, pv_decl *d, const char *what) {
    pv_item name = {0};
    if (!pv_parse_item(p, what, &name)) return false;
    d->name = name.name;
    d->at = name.at;
    return true;
}

static bool add_item(pv_parser *p, const char *what, item_list *items) {
    pv_item item = {0};
    bool good = pv_parse_item(p, what, &item);
    if (good) vec_push(items, item);
    return good;
}

// ---- recovery

// Goes on until a token before which a part can begin, past the braces that were opened.
static void skip_until(pv_parser *p, bool (*stops)(const pv_token *t, bool is_first, bool is_open)) {
    uint32_t braces = 0;
    for (bool first = true; p->tok->kind != TOK_END && !stops(p->tok, first, braces > 0); first = false) {
        braces += p->tok->kind == TOK_LBRACE;
        braces -= p->tok->kind == TOK_RBRACE;
        pv_parse_take(p);
    }
}

// The next declaration, or the '}' of the system.
static bool ends_decl(const pv_token *t, bool is_first, bool is_open) {
    if (pv_begins_decl(t->kind) && !is_first && (t->starts_line || !is_open)) return true;
    return t->kind == TOK_RBRACE && !is_open;
}

// The next statement of this block: a ';', a line that can begin one, or the block's end.
static bool ends_stmt(const pv_token *t, bool is_first, bool is_open) {
    bool can_begin = t->kind == TOK_NAME || t->kind == TOK_IF || t->kind == TOK_FORALL || t->kind == TOK_CLEAR;
    if (pv_begins_decl(t->kind) && t->starts_line) return true;
    if (is_open) return false;
    return t->kind == TOK_SEMICOLON || t->kind == TOK_RBRACE || (!is_first && can_begin && t->starts_line);
}

// ---- statements

static const pv_stmt *pv_parse_stmt(pv_parser *p);

static const pv_stmt *make_stmt(pv_parser *p, pv_stmt s, span from) {
    s.at = pv_parse_since(p, from);
    return arena_copy(p->f->memory, &s, sizeof s);
}

static const pv_stmt *parse_clear(pv_parser *p) {
    span from = pv_parse_take(p)->at;
    if (p->tok->kind != TOK_NAME) return pv_parse_wrong(p, "what to clear, as in 'clear rs(t, _)'"), NULL;
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
    if (p->tok->kind == TOK_THEN)
        return diag_error(p->f->messages, p->tok->at, "a statement is written without 'then': if condition { ... }"),
               NULL;
    if (!pv_parse_block(p, &s.body) || !parse_else(p, &s.orelse)) return NULL;
    return make_stmt(p, s, from);
}

static const pv_stmt *parse_forall(pv_parser *p) {
    span from = pv_parse_take(p)->at;
    pv_stmt s = {.kind = PS_FORALL};
    if (!pv_parse_binders(p, &s.binders)) return NULL;
    if (pv_parse_have(p, TOK_WHERE) && !(s.cond = pv_parse_expr(p))) return NULL;
    if (p->tok->kind == TOK_DOT)
        return diag_error(p->f->messages, p->tok->at,
                          "a 'forall' statement has its body in braces: forall ... { ... }"),
               NULL;
    return pv_parse_block(p, &s.body) ? make_stmt(p, s, from) : NULL;
}

static const pv_stmt *parse_assign(pv_parser *p) {
    span from = p->tok->at;
    const pv_expr *target = pv_parse_call(p);
    if (!target) return NULL;
    if (p->tok->kind == TOK_EQ)
        return diag_error(p->f->messages, p->tok->at, "assignment is written ':=' ('=' compares)"), NULL;
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
    default: return pv_parse_wrong(p, "a statement or '}'"), NULL;
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
    VEC(const pv_stmt *) list = {0};
    uint32_t begun = 0;  // those before this line, or before the last ';'
    while (p->tok->kind != TOK_RBRACE && p->tok->kind != TOK_END && !pv_begins_decl(p->tok->kind)) {
        if (pv_parse_have(p, TOK_SEMICOLON)) continue;
        if (p->tok[-1].kind == TOK_SEMICOLON || p->tok->starts_line) begun = list.len;
        const pv_stmt *s = pv_parse_stmt(p);
        if (s) {
            vec_push(&list, s);
        } else {
            skip_until(p, ends_stmt);
            list.len = begun;  // what seemed to be statements is the beginning of this
        }
    }
    vec_keep(p->f->memory, &list, &out->data, &out->len);
    if (pv_parse_have(p, TOK_RBRACE)) return true;
    pv_parse_need(p, TOK_RBRACE, "to close the block");
    diag_note(p->f->messages, open, "the block begins here");
    return false;
}

// ---- declarations: each reader begins after the word and, where the table at the end says so, after the name

static bool add_decl(pv_parser *p, pv_decl d) {
    vec_push(p->out, arena_copy(p->f->memory, &d, sizeof d));
    return true;
}

static pv_tok word_before(const pv_parser *p) { return p->tok[-1].kind; }

// sort Thread, Slot = 3
static bool parse_sorts(pv_parser *p, pv_decl *d) {
    d->is_ordered = word_before(p) == TOK_ORDERED;
    if (d->is_ordered && !pv_parse_need(p, TOK_SORT, "after 'ordered'")) return false;
    do {
        d->expr = NULL;
        if (!parse_named(p, d, "the name of a sort")) return false;
        if (pv_parse_have(p, TOK_EQ) && !(d->expr = pv_parse_sum(p))) return false;
        add_decl(p, *d);
    } while (pv_parse_have(p, TOK_COMMA));
    return true;
}

// Thread = 2, Loc = 2
static bool pv_parse_sizes(pv_parser *p, pv_decl *d) {
    item_list items = {0};
    bool good;
    do {
        good = add_item(p, "the name of a sort", &items) &&
               pv_parse_need(p, TOK_EQ, "and a number after the name of the sort") &&
               (vec_last(&items).value = pv_parse_sum(p));
    } while (good && pv_parse_have(p, TOK_COMMA));
    vec_keep(p->f->memory, &items, &d->items, &d->nitems);
    return good;
}

static bool parse_enum(pv_parser *p, pv_decl *d) {
    if (!pv_parse_need(p, TOK_LBRACE, "before the values of the enum")) return false;
    item_list items = {0};
    bool good = true;
    while (good && p->tok->kind != TOK_RBRACE) {
        good = add_item(p, "a value of the enum", &items);
        if (!pv_parse_have(p, TOK_COMMA)) break;
    }
    vec_keep(p->f->memory, &items, &d->items, &d->nitems);
    return good && pv_parse_need(p, TOK_RBRACE, "after the values of the enum");
}

// (Thread, 0..3)
static bool parse_arg_types(pv_parser *p, pv_decl *d) {
    VEC(const pv_type *) types = {0};
    bool good;
    do {
        const pv_type *ty = pv_parse_type(p);
        good = ty != NULL;
        if (good) vec_push(&types, ty);
        if (good && p->tok->kind == TOK_COLON)
            good = diag_error(p->f->messages, p->tok->at, "only types stand here, as in 'var phase(Thread): Phase'");
    } while (good && pv_parse_have(p, TOK_COMMA));
    vec_keep(p->f->memory, &types, &d->args, &d->nargs);
    return good && pv_parse_need(p, TOK_RPAREN, "after the argument types");
}

static bool parse_initial(pv_parser *p, pv_decl *d) {
    if (p->tok->kind == TOK_ASSIGN)
        return diag_error(p->f->messages, p->tok->at, "an initial value is written with '='");
    if (!pv_parse_have(p, TOK_EQ)) return true;
    d->is_any = pv_parse_word(p, "any");
    return d->is_any || (d->expr = pv_parse_expr(p));
}

// What follows the heads: a type and an initial value. `rel` has no type, `const` no value.
static bool parse_func_tail(pv_parser *p, pv_decl *tail, pv_tok word) {
    bool is_rel = word == TOK_REL;
    if (is_rel && p->tok->kind == TOK_COLON)
        return diag_error(p->f->messages, p->tok->at, "a relation has no type; other functions are 'var'");
    const char *missing = word == TOK_VAR ? "and the type of the variable" : "and a type, or '=' and a value";
    if (!is_rel && (!pv_parse_need(p, TOK_COLON, missing) || !(tail->ty = pv_parse_type(p)))) return false;
    return word == TOK_CONST || parse_initial(p, tail);
}

// a, b(Thread): T = value: heads that share what follows.
static bool parse_func_group(pv_parser *p, pv_tok word) {
    VEC(pv_decl) heads = {0};
    pv_decl tail = {0};
    bool good;
    do {
        pv_decl d = {.kind = PD_FUNC, .is_rigid = word == TOK_CONST, .is_any = word == TOK_CONST};
        good =
            parse_named(p, &d, "the name of a variable") && (!pv_parse_have(p, TOK_LPAREN) || parse_arg_types(p, &d));
        if (good) vec_push(&heads, d);
    } while (good && word != TOK_REL && pv_parse_have(p, TOK_COMMA));
    good = good && parse_func_tail(p, &tail, word);
    for (uint32_t i = 0; good && i < heads.len; i++) {
        heads.data[i].ty = tail.ty;
        heads.data[i].is_any |= tail.is_any;
        heads.data[i].expr = tail.expr;
        add_decl(p, heads.data[i]);
    }
    vec_free(&heads);
    return good;
}

static bool parse_funcs(pv_parser *p, pv_decl *d) {
    pv_tok word = word_before(p);
    (void)d;
    do
        if (!parse_func_group(p, word)) return false;
    while (pv_parse_have(p, TOK_COMMA));
    return true;
}

// const N = 3   or, in a system,   const coordinator: Thread
static bool parse_const(pv_parser *p, pv_decl *d) {
    if (p->tok[0].kind != TOK_NAME || p->tok[1].kind != TOK_EQ) return parse_funcs(p, d);
    do {
        if (!parse_named(p, d, "the name of the constant")) return false;
        if (!pv_parse_need(p, TOK_EQ, "and the value of the constant")) return false;
        if (!(d->expr = pv_parse_expr(p))) return false;
        add_decl(p, *d);
    } while (pv_parse_have(p, TOK_COMMA));
    return true;
}

bool pv_parse_params(pv_parser *p, pv_decl *d) {
    if (!pv_parse_have(p, TOK_LPAREN) || pv_parse_have(p, TOK_RPAREN)) return true;
    return pv_parse_binders(p, &d->params) && pv_parse_need(p, TOK_RPAREN, "after the parameters");
}

// With hidden ones behind a semicolon, which an internal action has no use for: nothing of it is seen.
static bool parse_action_params(pv_parser *p, pv_decl *d) {
    if (!pv_parse_have(p, TOK_LPAREN) || pv_parse_have(p, TOK_RPAREN)) return true;
    if (!pv_parse_action_binders(p, &d->params)) return false;
    for (uint32_t i = 0; d->is_internal && i < d->params.len; i++)
        if (d->params.data[i].is_hidden)
            return diag_error(p->f->messages, d->params.data[i].at,
                              "nothing of an internal action is seen: write ',' instead of ';'");
    return pv_parse_need(p, TOK_RPAREN, "after the parameters");
}

static bool parse_def(pv_parser *p, pv_decl *d) {
    if (!pv_parse_params(p, d)) return false;
    if (pv_parse_have(p, TOK_COLON) && !(d->ty = pv_parse_type(p))) return false;
    return pv_parse_need(p, TOK_EQ, "before the body of the definition") && (d->expr = pv_parse_expr(p));
}

static bool parse_proc(pv_parser *p, pv_decl *d) { return pv_parse_params(p, d) && pv_parse_block(p, &d->body); }

static bool parse_guard(pv_parser *p, pv_decl *d) {
    if (p->tok->kind == TOK_WHERE || p->tok->kind == TOK_IF)
        return diag_error(p->f->messages, p->tok->at, "a guard begins with 'when'");
    return pv_order_guard(p, d);
}

static bool parse_init(pv_parser *p, pv_decl *d) {
    return pv_parse_params(p, d) && parse_guard(p, d) && pv_parse_block(p, &d->body);
}

// `also action read(…)`: another way to do an action that was declared before.
static bool parse_action(pv_parser *p, pv_decl *d) {
    pv_tok word = word_before(p);
    d->is_clause = word == TOK_NAME;
    d->is_internal = word == TOK_INTERNAL || (d->is_clause && pv_parse_have(p, TOK_INTERNAL));
    const char *after = d->is_internal ? "after 'internal'" : "after 'also'";
    if (word != TOK_ACTION && !pv_parse_need(p, TOK_ACTION, after)) return false;
    if (!parse_named(p, d, "the name of the action")) return false;
    if (!parse_action_params(p, d) || !pv_order_choices(p, d) || !parse_guard(p, d)) return false;
    return p->tok->kind != TOK_LBRACE || pv_parse_block(p, &d->body);
}

// assume, axiom, invariant, schema, lemma NAME: expr
static bool parse_fact(pv_parser *p, pv_decl *d) {
    return pv_parse_need(p, TOK_COLON, "after the name") && (d->expr = pv_parse_expr(p));
}

// by { same: expr  justice closes: expr }: an abstraction relation, conjunct by conjunct
static bool parse_relation(pv_parser *p, pv_decl *d) {
    pv_decl_list inside = {0};
    bool good = pv_parse_need(p, TOK_LBRACE, "after 'by'");
    while (good && p->tok->kind != TOK_RBRACE) {
        pv_decl c = {.kind = PD_INVARIANT};
        c.is_justice = p->tok[1].kind == TOK_NAME && pv_parse_word(p, "justice");
        good = parse_named(p, &c, "the name of a conjunct, or '}'") && parse_fact(p, &c);
        if (good) vec_push(&inside, arena_copy(p->f->memory, &c, sizeof c));
        if (good) pv_parse_have(p, TOK_SEMICOLON);
    }
    vec_keep(p->f->memory, &inside, &d->decls, &d->ndecls);
    return good && pv_parse_need(p, TOK_RBRACE, "after the relation");
}

static bool parse_property_kind(pv_parser *p, pv_decl *d, item_list *items) {
    static const prop_kind kinds[] = {PROP_OBSTRUCTION_FREE, PROP_LIVELOCK_FREE, PROP_WAIT_FREE};
    static const char *const words[] = {"obstruction_free", "livelock_free", "wait_free"};
    for (uint32_t i = 0; i < 3; i++)
        if (pv_parse_word(p, words[i])) return d->property = kinds[i], true;
    if (pv_parse_have(p, TOK_DEADLOCK_FREE)) return d->property = PROP_DEADLOCK_FREE, true;
    d->property = PROP_INVARIANT;
    if (pv_parse_have(p, TOK_INVARIANT)) return (d->expr = pv_parse_expr(p));
    d->property = PROP_REFINES;
    if (!pv_parse_have(p, TOK_REFINES))
        return pv_parse_wrong(p, "'refines', 'invariant', 'deadlock_free' or 'obstruction_free'");
    return add_item(p, "the name of the specification", items) && pv_witness_parse(p, d) &&
           (!pv_parse_word(p, "by") || parse_relation(p, d));
}

static bool parse_property(pv_parser *p, pv_decl *d) {
    item_list items = {0};
    bool good = pv_parse_need(p, TOK_COLON, "after the name of the property") &&
                add_item(p, "the name of a system", &items) && parse_property_kind(p, d, &items);
    vec_keep(p->f->memory, &items, &d->items, &d->nitems);
    return good;
}

static bool parse_compose(pv_parser *p, pv_decl *d) {
    item_list items = {0};
    bool good = pv_parse_need(p, TOK_EQ, "after the name of the composition");
    if (good) do
            good = add_item(p, "the name of a system", &items);
        while (good && pv_parse_have(p, TOK_PARALLEL));
    vec_keep(p->f->memory, &items, &d->items, &d->nitems);
    return good;
}

static bool parse_use(pv_parser *p, pv_decl *d) {
    if (p->tok->kind != TOK_STRING) return pv_parse_wrong(p, "a path in quotes after 'use'");
    d->at = p->tok->at;
    d->name = pv_parse_take(p)->text;
    return true;
}

// `64 states` or `length 4`
static bool parse_fact_of_run(pv_parser *p, pv_decl *d) {
    if (p->tok->kind == TOK_NUMBER) {
        d->states = pv_parse_take(p)->number;
        return pv_parse_word(p, "states") || pv_parse_word(p, "state") ||
               pv_parse_wrong(p, "'states' after the number");
    }
    if (!pv_parse_word(p, "length")) return pv_parse_wrong(p, "a number of states or 'length'");
    if (p->tok->kind != TOK_NUMBER) return pv_parse_wrong(p, "a number after 'length'");
    if (p->tok->number > UINT32_MAX) return pv_parse_wrong(p, "a smaller number");
    d->length = pv_parse_take(p)->number;
    return true;
}

static bool parse_expect(pv_parser *p, pv_decl *d) {
    if (pv_parse_have(p, TOK_AT) && !pv_parse_sizes(p, d)) return false;
    if (!pv_parse_need(p, TOK_COLON, "before the verdict")) return false;
    if (!pv_is_word(p, "holds") && !pv_is_word(p, "violated")) return pv_parse_wrong(p, "'holds' or 'violated'");
    d->verdict = pv_parse_take(p)->text;
    while (pv_parse_have(p, TOK_COMMA))
        if (!parse_fact_of_run(p, d)) return false;
    return true;
}

static bool parse_decls(pv_parser *p, pv_decl_list *out, pv_decl_kind inside);

bool pv_parse_members(pv_parser *p, pv_decl *d) {
    if (!pv_parse_need(p, TOK_LBRACE, "after the name of the system")) return false;
    pv_decl_list members = {0};
    bool good = parse_decls(p, &members, d->kind);
    vec_keep(p->f->memory, &members, &d->decls, &d->ndecls);
    if (good && p->tok->kind == TOK_END) {
        pv_parse_need(p, TOK_RBRACE, "to close the system");
        diag_note(p->f->messages, d->at, "the system begins here");
        return false;
    }
    pv_parse_have(p, TOK_RBRACE);
    return true;
}

// ---- what declarations there are

enum {
    OUTSIDE = 1,
    INSIDE = 2,  // a system, algorithm or manager
    ALGORITHM = 4,
    MANAGER = 8,
    SEVERAL = 16  // what the reader finds it adds itself
};

// NAME as the word: a name that reads so, and is followed by such a token, in places where it means this.
typedef struct {
    pv_tok word;
    unsigned where;
    pv_decl_kind kind;
    bool (*read)(pv_parser *p, pv_decl *d);
    const char *name;  // what its name is called in messages; NULL: its name is the word
    const char *spelling;
    pv_tok then;  // TOK_END: anything
} decl_row;

static const decl_row rows[] = {
    {TOK_USE, OUTSIDE, PD_USE, parse_use, NULL, NULL, 0},
    {TOK_SORT, OUTSIDE | SEVERAL, PD_SORT, parse_sorts, NULL, NULL, 0},
    {TOK_ORDERED, OUTSIDE | SEVERAL, PD_SORT, parse_sorts, NULL, NULL, 0},
    {TOK_SIZE, OUTSIDE, PD_SIZE, pv_parse_sizes, NULL, NULL, 0},
    {TOK_ENUM, OUTSIDE | INSIDE, PD_ENUM, parse_enum, "the name of the enum", NULL, 0},
    {TOK_CONST, OUTSIDE | INSIDE | SEVERAL, PD_CONST, parse_const, NULL, NULL, 0},
    {TOK_DEF, OUTSIDE | INSIDE, PD_DEF, parse_def, "the name of the definition", NULL, 0},
    {TOK_SYSTEM, OUTSIDE, PD_SYSTEM, pv_parse_members, "the name of the system", NULL, 0},
    {TOK_NAME, OUTSIDE, PD_ALGORITHM, pv_algorithm_rest, "a name", "algorithm", TOK_NAME},
    {TOK_NAME, OUTSIDE, PD_MANAGER, pv_parse_members, "a name", "manager", TOK_NAME},
    {TOK_COMPOSE, OUTSIDE, PD_COMPOSE, parse_compose, "the name of the composition", NULL, 0},
    {TOK_PROPERTY, OUTSIDE, PD_PROPERTY, parse_property, "the name of the property", NULL, 0},
    {TOK_EXPECT, OUTSIDE, PD_EXPECT, parse_expect, "the name of a property", NULL, 0},
    {TOK_VAR, INSIDE | SEVERAL, PD_FUNC, parse_funcs, NULL, NULL, 0},
    {TOK_REL, INSIDE | SEVERAL, PD_FUNC, parse_funcs, NULL, NULL, 0},
    {TOK_PROC, INSIDE, PD_PROC, parse_proc, "the name of the proc", NULL, 0},
    {TOK_INIT, INSIDE, PD_INIT, parse_init, NULL, NULL, 0},
    {TOK_ACTION, INSIDE, PD_ACTION, parse_action, NULL, NULL, 0},
    {TOK_INTERNAL, INSIDE, PD_ACTION, parse_action, NULL, NULL, 0},
    {TOK_NAME, INSIDE, PD_ACTION, parse_action, NULL, "also", 0},
    {TOK_ASSUME, INSIDE, PD_ASSUME, parse_fact, "a name after 'assume'", NULL, 0},
    {TOK_AXIOM, INSIDE, PD_AXIOM, parse_fact, "a name after 'axiom'", NULL, 0},
    {TOK_INVARIANT, INSIDE, PD_INVARIANT, parse_fact, "a name after 'invariant'", NULL, 0},
    {TOK_NAME, INSIDE, PD_SCHEMA, parse_fact, "a name after 'schema'", "schema", 0},
    {TOK_NAME, INSIDE, PD_LEMMA, parse_fact, "a name after 'lemma'", "lemma", 0},
    {TOK_NAME, ALGORITHM, PD_COMMAND, pv_algorithm_command, "the name of the command", "command", TOK_NAME},
    {TOK_NAME, ALGORITHM, PD_ABORT, parse_proc, NULL, "abort", TOK_LPAREN},
    {TOK_NAME, MANAGER, PD_PROC, pv_algorithm_reaction, "what the manager reacts to", "on", TOK_NAME},
};

enum { ROWS = sizeof rows / sizeof *rows };

bool pv_begins_decl(pv_tok t) {
    for (uint32_t i = 0; t != TOK_NAME && i < ROWS; i++)
        if (rows[i].word == t) return true;
    return false;
}

static bool is_row_here(const pv_parser *p, const decl_row *r, unsigned where) {
    if (r->word != p->tok->kind || !(r->where & where)) return false;
    return !r->spelling || (pv_is_word(p, r->spelling) && (!r->then || p->tok[1].kind == r->then));
}

static const decl_row *row_here(const pv_parser *p, unsigned where) {
    for (uint32_t i = 0; i < ROWS; i++)
        if (is_row_here(p, &rows[i], where)) return &rows[i];
    return NULL;
}

static bool misplaced(pv_parser *p, bool in_system) {
    const char *word = pv_tok_text(p->tok->kind);
    if (!pv_begins_decl(p->tok->kind)) return pv_parse_wrong(p, in_system ? "a declaration or '}'" : "a declaration");
    if (in_system) return diag_error(p->f->messages, p->tok->at, "%s belongs outside a system", word);
    return diag_error(p->f->messages, p->tok->at, "%s belongs inside a system: system Name { ... }", word);
}

static bool parse_decl(pv_parser *p, unsigned where) {
    const decl_row *r = row_here(p, where);
    bool is_function = p->tok->kind == TOK_CONST && p->tok[1].kind == TOK_NAME && p->tok[2].kind != TOK_EQ;
    if (!r || (is_function && where == OUTSIDE)) return misplaced(p, where != OUTSIDE);
    const pv_token *word = pv_parse_take(p);
    pv_decl d = {.kind = r->kind, .name = word->text, .at = word->at};
    if (r->name && !parse_named(p, &d, r->name)) return false;
    return r->read(p, &d) && (r->where & SEVERAL || add_decl(p, d));
}

// What a declaration with a mistake would have declared is not unknown.
static void hush_names(pv_parser *p, const pv_token *from) {
    for (const pv_token *t = from; t < p->tok; t++)
        if (t->kind == TOK_NAME) diag_hush(p->f->messages, t->text);
}

// `inside`: what they are members of; PD_SORT, which has none: nothing.
static bool parse_decls(pv_parser *p, pv_decl_list *out, pv_decl_kind inside) {
    bool good = true;
    pv_decl_list *outer = p->out;
    unsigned where = inside == PD_SORT ? OUTSIDE : INSIDE;
    if (inside == PD_ALGORITHM) where |= ALGORITHM;
    if (inside == PD_MANAGER) where |= MANAGER;
    p->out = out;
    while (p->tok->kind != TOK_END) {
        if (where != OUTSIDE && p->tok->kind == TOK_RBRACE) break;
        if (pv_parse_have(p, TOK_SEMICOLON)) continue;
        const pv_token *begin = p->tok;
        if (parse_decl(p, where)) continue;
        good = false;
        if (where == OUTSIDE && p->tok->kind == TOK_RBRACE) pv_parse_take(p);
        else if (p->tok == begin || !pv_begins_decl(p->tok->kind) || !p->tok->starts_line) skip_until(p, ends_decl);
        hush_names(p, begin);
    }
    p->out = outer;
    return good;
}

static bool parse_whole(pv_front *f, pv_file *file, pv_decl_kind inside) {
    pv_tokens tokens = {0};
    uint32_t before = diag_errors(f->messages), count;
    pv_parser p = {.f = f};
    pv_decl_list decls = {0};
    pv_lex(f, file->number, &tokens);
    vec_keep(f->memory, &tokens, &p.tok, &count);
    p.first = p.tok;
    parse_decls(&p, &decls, inside);
    if (p.tok->kind != TOK_END) pv_parse_wrong(&p, "a declaration");
    vec_keep(f->memory, &decls, &file->decls, &file->ndecls);
    vec_free(&p.bullets);
    return diag_errors(f->messages) == before;
}

bool pv_parse_file(pv_front *f, pv_file *file) { return parse_whole(f, file, PD_SORT); }
bool pv_parse_members_of(pv_front *f, pv_file *file) { return parse_whole(f, file, PD_SYSTEM); }
