// SPDX-License-Identifier: Apache-2.0
// Tokens to expressions and types: recursive descent, one function a level of binding strength.
//
// Layout counts in one place. An `&` or `|` that starts a line is a bullet: while its operand is read, an
// equal operator that starts a later line in the same column ends whatever is open inside that operand. So
//     & forall v: Loc. rs(t, v) -> ms(t, v)
//     & phase(t) = finished
// is a conjunction of two, although the body of `forall` otherwise reaches as far right as it can. A list
// that begins with its operator takes whole expressions as items. An operator that begins a line further left
// than the list, or under its operator, is refused.
#include "front/pv/internal.h"

#include <string.h>

static const pv_expr *parse_implies(pv_parser *p);
static const pv_expr *parse_factor(pv_parser *p);

typedef VEC(const pv_expr *) pv_expr_list;

static const pv_expr *pv_term_node(pv_parser *p, pv_expr e, const pv_expr *const *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!args[i]) return NULL;
        if (args[i]->depth >= e.depth) e.depth = args[i]->depth + 1;
    }
    if (e.depth > FRONT_LONGEST_CHAIN) {
        diag_error(p->f->messages, e.at, "this expression is nested too deeply; name parts of it with 'def'");
        return NULL;
    }
    e.args = arena_copy(p->f->memory, args, n * sizeof *args);
    e.nargs = n;
    return arena_copy(p->f->memory, &e, sizeof e);
}

static const pv_expr *list_node(pv_parser *p, pv_expr e, pv_expr_list *args) {
    const pv_expr *made = pv_term_node(p, e, args->data, args->len);
    vec_free(args);
    return made;
}

static const pv_expr *pv_term_binary(pv_parser *p, pv_expr_kind kind, pv_tok op, const pv_expr *a, const pv_expr *b) {
    if (!a || !b) return NULL;
    return pv_term_node(p, (pv_expr){.kind = kind, .op = op, .at = pv_parse_since(p, a->at)}, (const pv_expr *[]){a, b},
                        2);
}

// ---- lists and bullets

// Does the next token continue a list further out, so that what is open in here ends?
static bool closes(const pv_parser *p) {
    if (!p->tok->starts_line) return false;
    for (uint32_t i = p->bullets.len; i-- > 0;) {
        const pv_bullet *b = &p->bullets.data[i];
        if (b->parens != p->parens) return false;
        if (b->op == p->tok->kind && b->column == p->tok->column) return true;
    }
    return false;
}

// An operator that begins a line at a bullet or left of it, and does not continue a list: nobody can tell
// whether it belongs to the last item or to the whole list.
static bool dedents(pv_parser *p) {
    if (!p->tok->starts_line || !p->bullets.len) return false;
    const pv_bullet *b = &vec_last(&p->bullets);
    if (b->parens != p->parens || p->tok->column > b->column) return false;
    diag_error(p->f->messages, p->tok->at, "does this continue the last item of the list above, or the list?");
    diag_note(p->f->messages, (span){0}, "add parentheses, or move it to the right of the list's %s",
              pv_tok_text(b->op));
    return true;
}

static bool is_infix(pv_parser *p, pv_tok op) { return p->tok->kind == op && !closes(p) && !dedents(p); }

static bool begins_list(const pv_parser *p) {
    return (p->tok->kind == TOK_AND || p->tok->kind == TOK_OR) && !closes(p);
}

// Takes an operator and its operand, with the operator as bullet if it stands in front of one.
static const pv_expr *parse_operand(pv_parser *p, bool is_bullet, const pv_expr *(*parse)(pv_parser *)) {
    const pv_token *op = pv_parse_take(p);
    if (is_bullet) vec_push(&p->bullets, (pv_bullet){op->kind, op->column, p->parens});
    const pv_expr *e = parse(p);
    if (is_bullet) p->bullets.len--;
    return e;
}

static const pv_expr *parse_list(pv_parser *p) {
    const pv_token *first = p->tok;
    pv_expr_list items = {0};
    do {
        const pv_expr *item = parse_operand(p, true, pv_parse_expr);
        vec_push(&items, item);
        if (!item) break;
    } while (p->tok->kind == first->kind && p->tok->column == first->column && is_infix(p, first->kind));
    pv_expr_kind kind = first->kind == TOK_AND ? PE_AND : PE_OR;
    return list_node(p, (pv_expr){.kind = kind, .at = pv_parse_since(p, first->at)}, &items);
}

// ---- atoms

static const pv_expr *pv_term_parse_args(pv_parser *p, pv_expr e) {
    pv_expr_list args = {0};
    bool good = true;
    p->parens++;
    do {
        const pv_expr *arg = pv_parse_expr(p);
        vec_push(&args, arg);
        good = arg != NULL;
    } while (good && pv_parse_have(p, TOK_COMMA));
    p->parens--;
    if (good) good = pv_parse_need(p, TOK_RPAREN, "after the arguments");
    e.at = pv_parse_since(p, e.at);
    if (good) return list_node(p, e, &args);
    vec_free(&args);
    return NULL;
}

// Spec.mem, with nothing between: a name of another system, where a relation speaks of two.
static bool is_qualified(const pv_parser *p) {
    const pv_token *t = p->tok;
    return t[1].kind == TOK_DOT && t[0].at.end == t[1].at.begin && t[2].kind == TOK_NAME &&
           t[1].at.end == t[2].at.begin;
}

const pv_expr *pv_parse_call(pv_parser *p) {
    bool qualified = is_qualified(p);
    const pv_token *name = pv_parse_take(p);
    pv_expr e = {.kind = PE_NAME, .at = name->at, .name = name->text, .name_at = name->at};
    if (qualified) {
        pv_parse_take(p);
        e.name = arena_printf(p->f->memory, "%s.%s", name->text, pv_parse_take(p)->text);
        e.member = e.name + strlen(name->text) + 1;
        e.at = e.name_at = pv_parse_since(p, name->at);
    }
    if (p->tok->kind != TOK_LPAREN) return pv_term_node(p, e, NULL, 0);
    const pv_token *open = pv_parse_take(p);
    e.has_parens = true;
    if (p->tok->kind != TOK_RPAREN) return pv_term_parse_args(p, e);
    pv_parse_take(p);
    diag_error(p->f->messages, pv_parse_since(p, open->at), "an empty argument list: write '%s' alone", e.name);
    return NULL;
}

static const pv_expr *parse_parens(pv_parser *p) {
    const pv_token *open = pv_parse_take(p);
    p->parens++;
    const pv_expr *e = pv_parse_expr(p);
    p->parens--;
    if (!e || pv_parse_have(p, TOK_RPAREN)) return e;
    pv_parse_need(p, TOK_RPAREN, "to close the '('");
    diag_note(p->f->messages, open->at, "the '(' is here");
    return NULL;
}

static const pv_expr *pv_term_parse_if(pv_parser *p) {
    const pv_token *begin = pv_parse_take(p);
    const pv_expr *args[3] = {pv_parse_expr(p)};
    if (!args[0] || !pv_parse_need(p, TOK_THEN, "after the condition of 'if'")) return NULL;
    args[1] = pv_parse_expr(p);
    if (!args[1] || !pv_parse_need(p, TOK_ELSE, "since an 'if' in an expression has two values")) return NULL;
    args[2] = pv_parse_expr(p);
    return pv_term_node(p, (pv_expr){.kind = PE_IF, .at = pv_parse_since(p, begin->at)}, args, 3);
}

static const pv_expr *pv_term_parse_quantifier(pv_parser *p) {
    const pv_token *begin = pv_parse_take(p);
    pv_expr e = {.kind = PE_QUANTIFIER, .op = begin->kind};
    if (!pv_parse_binders(p, &e.binders)) return NULL;
    const pv_expr *args[2] = {NULL, NULL};
    bool has_where = pv_parse_have(p, TOK_WHERE);
    if (has_where && !(args[1] = pv_parse_expr(p))) return NULL;
    if (!pv_parse_need(p, TOK_DOT, "before the body of the quantifier")) return NULL;
    args[0] = pv_parse_expr(p);
    e.at = pv_parse_since(p, begin->at);
    return pv_term_node(p, e, args, has_where ? 2 : 1);
}

static const pv_expr *parse_leaf(pv_parser *p, pv_expr_kind kind, uint64_t number) {
    const pv_token *t = pv_parse_take(p);
    return pv_term_node(p, (pv_expr){.kind = kind, .at = t->at, .number = number}, NULL, 0);
}

static const pv_expr *parse_prefix(pv_parser *p, pv_expr_kind kind, const pv_expr *(*parse)(pv_parser *)) {
    const pv_token *op = pv_parse_take(p);
    if (!pv_parse_enter(p)) return NULL;
    const pv_expr *a = parse(p);
    p->depth--;
    return pv_term_node(p, (pv_expr){.kind = kind, .op = op->kind, .at = pv_parse_since(p, op->at)}, &a, 1);
}

// An operator of another language, which reads here as two of ours.
static const char *foreign(pv_tok first, pv_tok second) {
    if (first == TOK_AND && second == TOK_AND) return "'and' is written with a single '&'";
    if (first == TOK_EQ && second == TOK_EQ) return "equality is written with a single '='";
    if (first == TOK_EQ && second == TOK_GT) return "implication is written '->'";
    return NULL;
}

static const pv_expr *no_expression(pv_parser *p) {
    const pv_token *last = &p->tok[-1];
    const char *hint = last->at.end == p->tok->at.begin ? foreign(last->kind, p->tok->kind) : NULL;
    if (hint) diag_error(p->f->messages, (span){last->at.file, last->at.begin, p->tok->at.end}, "%s", hint);
    else pv_parse_wrong(p, "an expression");
    return NULL;
}

static const pv_expr *parse_atom(pv_parser *p) {
    switch (p->tok->kind) {
    case TOK_TRUE: return parse_leaf(p, PE_BOOL, 1);
    case TOK_FALSE: return parse_leaf(p, PE_BOOL, 0);
    case TOK_NUMBER: return parse_leaf(p, PE_NUMBER, p->tok->number);
    case TOK_HOLE: return parse_leaf(p, PE_HOLE, 0);
    case TOK_NAME: return pv_parse_call(p);
    case TOK_LPAREN: return parse_parens(p);
    case TOK_IF: return pv_term_parse_if(p);
    case TOK_FORALL:
    case TOK_EXISTS: return pv_term_parse_quantifier(p);
    case TOK_NOT: return parse_prefix(p, PE_NOT, parse_factor);  // as in x = !y
    default: return no_expression(p);
    }
}

// ---- operators, tightest first

static const pv_expr *parse_factor(pv_parser *p) {
    return p->tok->kind == TOK_MINUS ? parse_prefix(p, PE_ARITH, parse_factor) : parse_atom(p);
}

static bool is_product(pv_tok t) { return t == TOK_STAR || t == TOK_SLASH || t == TOK_PERCENT; }
static bool is_sum(pv_tok t) { return t == TOK_PLUS || t == TOK_MINUS; }

// a op b op c, to the left.
static const pv_expr *parse_arith(pv_parser *p, bool (*is_op)(pv_tok), const pv_expr *(*parse)(pv_parser *)) {
    const pv_expr *a = parse(p);
    while (a && is_op(p->tok->kind)) {
        pv_tok op = pv_parse_take(p)->kind;
        a = pv_term_binary(p, PE_ARITH, op, a, parse(p));
    }
    return a;
}

static const pv_expr *parse_product(pv_parser *p) { return parse_arith(p, is_product, parse_factor); }
const pv_expr *pv_parse_sum(pv_parser *p) { return parse_arith(p, is_sum, parse_product); }

static bool pv_term_is_comparison(pv_tok t) {
    return t == TOK_EQ || t == TOK_NE || t == TOK_LT || t == TOK_LE || t == TOK_GT || t == TOK_GE || t == TOK_MEETS;
}

// The source text of a span, in the arena; "..." when it is long.
static const char *text_at(pv_parser *p, span at) {
    enum { LONG = 40 };
    str s = {0};
    diag_source_text(p->f->messages, at, &s);
    const char *text = s.len > LONG || strchr(str_get(&s), '\n') ? "..." : arena_str(p->f->memory, str_get(&s));
    str_free(&s);
    return text;
}

// After a, which is a comparison, comes another operator.
static void chained(pv_parser *p, const pv_expr *a) {
    const pv_token *op = pv_parse_take(p);
    const pv_expr *c = pv_parse_sum(p);
    if (!c) return;  // which was said
    diag_error(p->f->messages, op->at, "comparisons cannot be chained");
    diag_note(p->f->messages, (span){0}, "write %s & %s %s %s, or add parentheses", text_at(p, a->at),
              text_at(p, a->args[1]->at), text_at(p, op->at), text_at(p, c->at));
}

static const pv_expr *parse_comparison(pv_parser *p) {
    const pv_expr *a = pv_parse_sum(p);
    if (!a || !pv_term_is_comparison(p->tok->kind)) return a;
    pv_tok op = pv_parse_take(p)->kind;
    a = pv_term_binary(p, PE_COMPARE, op, a, pv_parse_sum(p));
    if (!a || !pv_term_is_comparison(p->tok->kind)) return a;
    chained(p, a);
    return NULL;
}

static const pv_expr *parse_not(pv_parser *p) {
    return p->tok->kind == TOK_NOT ? parse_prefix(p, PE_NOT, parse_not) : parse_comparison(p);
}

// a op b op c … as one node.
static const pv_expr *parse_chain(pv_parser *p, pv_tok op, pv_expr_kind kind, const pv_expr *(*parse)(pv_parser *)) {
    const pv_expr *a = parse(p);
    if (!a || !is_infix(p, op)) return a;
    pv_expr_list args = {0};
    vec_push(&args, a);
    while (vec_last(&args) && is_infix(p, op)) {
        const pv_expr *b = parse_operand(p, p->tok->starts_line, parse);
        vec_push(&args, b);
    }
    return list_node(p, (pv_expr){.kind = kind, .at = pv_parse_since(p, a->at)}, &args);
}

static const pv_expr *parse_and(pv_parser *p) { return parse_chain(p, TOK_AND, PE_AND, parse_not); }

static const pv_expr *parse_or(pv_parser *p) {
    const pv_expr *e = parse_chain(p, TOK_OR, PE_OR, parse_and);
    if (!e || p->tok->kind != TOK_PARALLEL) return e;
    return diag_error(p->f->messages, p->tok->at, "'or' is written with a single '|'"), NULL;
}

static const pv_expr *parse_implies_or_list(pv_parser *p) { return begins_list(p) ? parse_list(p) : parse_implies(p); }

static const pv_expr *parse_implies(pv_parser *p) {
    const pv_expr *a = parse_or(p);
    if (!a || !is_infix(p, TOK_ARROW)) return a;
    pv_parse_take(p);
    if (!pv_parse_enter(p)) return NULL;
    const pv_expr *b = parse_implies_or_list(p);
    p->depth--;
    return pv_term_binary(p, PE_IMPLIES, TOK_ARROW, a, b);
}

static const pv_expr *parse_iff(pv_parser *p) {
    const pv_expr *a = parse_implies(p);
    while (a && is_infix(p, TOK_IFF)) {
        pv_parse_take(p);
        a = pv_term_binary(p, PE_IFF, TOK_IFF, a, parse_implies_or_list(p));
    }
    return a;
}

const pv_expr *pv_parse_expr(pv_parser *p) {
    if (!pv_parse_enter(p)) return NULL;
    const pv_expr *e = begins_list(p) ? parse_list(p) : parse_iff(p);
    p->depth--;
    return e;
}

// ---- types and binders

static const pv_type *make_type(pv_parser *p, pv_type t) { return arena_copy(p->f->memory, &t, sizeof t); }

static bool begins_range(const pv_parser *p) {
    if (p->tok->kind != TOK_NAME) return p->tok->kind != TOK_BOOL;
    pv_tok next = p->tok[1].kind;
    return next == TOK_DOTS || is_sum(next) || is_product(next);
}

const pv_type *pv_parse_type(pv_parser *p) {
    if (!begins_range(p)) {
        const pv_token *t = pv_parse_take(p);
        return make_type(p, (pv_type){.at = t->at, .name = t->text});
    }
    if (p->tok->kind != TOK_NUMBER && p->tok->kind != TOK_MINUS && p->tok->kind != TOK_NAME &&
        p->tok->kind != TOK_LPAREN) {
        pv_parse_wrong(p, "a type");
        return NULL;
    }
    pv_type t = {.lo = pv_parse_sum(p)};
    if (!t.lo || !pv_parse_need(p, TOK_DOTS, "between the bounds of a range such as 0..3")) return NULL;
    t.hi = pv_parse_sum(p);
    t.at = pv_parse_since(p, t.lo->at);
    return t.hi ? make_type(p, t) : NULL;
}

typedef VEC(pv_binder) binder_list;

// `by t`: the acting thread; one of a list at most.
static bool parse_by(pv_parser *p, const binder_list *list, bool *is_actor) {
    *is_actor = p->may_say_by && p->tok[0].kind == TOK_NAME && p->tok[1].kind == TOK_NAME && pv_parse_word(p, "by");
    for (uint32_t i = 0; *is_actor && i < list->len; i++) {
        if (!list->data[i].is_actor) continue;
        return diag_error(p->f->messages, p->tok->at,
                          "only one thread acts in a step, and '%s' is said to do so already", list->data[i].name);
    }
    return true;
}

// x, y: T
static bool parse_group(pv_parser *p, binder_list *list) {
    uint32_t first = list->len;
    do {
        bool is_actor;
        if (!parse_by(p, list, &is_actor)) return false;
        if (p->tok->kind != TOK_NAME) return pv_parse_wrong(p, "the name of a variable");
        const pv_token *name = pv_parse_take(p);
        vec_push(list, (pv_binder){name->text, name->at, NULL, is_actor, false});
    } while (pv_parse_have(p, TOK_COMMA));
    if (!pv_parse_need(p, TOK_COLON, "and the type of the variable, as in 't: Thread'")) return false;
    const pv_type *ty = pv_parse_type(p);
    for (uint32_t i = first; i < list->len; i++) list->data[i].ty = ty;
    return ty != NULL;
}

static bool parse_groups(pv_parser *p, binder_list *list) {
    bool good;
    do good = parse_group(p, list);
    while (good && pv_parse_have(p, TOK_COMMA));
    return good;
}

bool pv_parse_binders(pv_parser *p, pv_binders *out) {
    binder_list list = {0};
    bool good = parse_groups(p, &list);
    vec_keep(p->f->memory, &list, &out->data, &out->len);
    return good;
}

// p: Thread; n: Time   or   ; n: Time: what comes after the semicolon is hidden.
bool pv_parse_action_binders(pv_parser *p, pv_binders *out) {
    binder_list list = {0};
    p->may_say_by = true;
    bool good = p->tok->kind == TOK_SEMICOLON || parse_groups(p, &list);
    p->may_say_by = false;
    uint32_t nshown = list.len;
    if (good && pv_parse_have(p, TOK_SEMICOLON)) good = parse_groups(p, &list);
    for (uint32_t i = nshown; i < list.len; i++) list.data[i].is_hidden = true;
    vec_keep(p->f->memory, &list, &out->data, &out->len);
    return good;
}
