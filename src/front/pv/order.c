// SPDX-License-Identifier: Apache-2.0
// Words for ordered sorts, such as the times of a version clock:
//
//   action commit(t: Thread) choose n: Time above clock when … { clock := n }    some later time, hidden
//   action commit(t: Thread) when … { clock := next(clock) }                     the very next one, hidden too
//   max(a, b), min(a, b)                                                         of two values
//
// They are other ways to write what the language has: a chosen time is a hidden parameter with a guard, of an internal
// action a parameter. So they mean the same with any number of elements, finite or not. Invariant: an action that says
// next(x) is possible only where x is not the last element; the name is the language's only where the user has none.
#include "front/pv/internal.h"

static const expr none = {0};

// ---- choose n: Time above low

static const pv_expr *order_both(pv_parser *p, const pv_expr *a, const pv_expr *b) {
    if (!b) return a;
    const pv_expr *both[] = {a, b};
    pv_expr e = {.kind = PE_AND, .at = a->at, .nargs = 2, .depth = (a->depth > b->depth ? a->depth : b->depth) + 1};
    e.args = arena_copy(p->f->memory, both, sizeof both);
    return arena_copy(p->f->memory, &e, sizeof e);
}

// low < n
static const pv_expr *order_above(pv_parser *p, const pv_expr *low, const pv_binder *n) {
    pv_expr name = {.kind = PE_NAME, .at = n->at, .name = n->name, .name_at = n->at, .depth = 1};
    const pv_expr *sides[] = {low, arena_copy(p->f->memory, &name, sizeof name)};
    pv_expr e = {.kind = PE_COMPARE, .op = TOK_LT, .at = pv_parse_since(p, n->at), .nargs = 2, .depth = low->depth + 1};
    e.args = arena_copy(p->f->memory, sides, sizeof sides);
    return arena_copy(p->f->memory, &e, sizeof e);
}

static void order_add_param(pv_parser *p, pv_decl *d, pv_binder n) {
    pv_binder *all = arena_alloc(p->f->memory, (d->params.len + 1) * sizeof *all);
    for (uint32_t i = 0; i < d->params.len; i++) all[i] = d->params.data[i];
    all[d->params.len] = n;
    d->params = (pv_binders){all, d->params.len + 1};
}

bool pv_order_choices(pv_parser *p, pv_decl *d) {
    while (pv_parse_word(p, "choose")) {
        pv_item name;
        if (!pv_parse_item(p, "a name for what is chosen", &name)) return false;
        pv_binder n = {.name = name.name, .at = name.at, .is_hidden = !d->is_internal};
        if (!pv_parse_need(p, TOK_COLON, "and the type of what is chosen, as in 'n: Time above clock'")) return false;
        if (!(n.ty = pv_parse_type(p))) return false;
        order_add_param(p, d, n);
        if (!pv_parse_word(p, "above")) continue;
        const pv_expr *low = pv_parse_sum(p);
        if (!low) return false;
        d->expr = order_both(p, order_above(p, low, &n), d->expr);
    }
    return true;
}

bool pv_order_guard(pv_parser *p, pv_decl *d) {
    const pv_expr *guard;
    if (!pv_parse_have(p, TOK_WHEN)) return true;
    if (!(guard = pv_parse_expr(p))) return false;
    d->expr = d->expr ? order_both(p, d->expr, guard) : guard;
    return true;
}

// ---- next(x)

// Whether x speaks only of what the whole action has: the element after it is chosen once per step.
static bool order_is_fixed(pv_context *c, expr x) {
    var_set free = expr_frees(c->f->m, x);
    for (uint32_t i = 0; i < free.n; i++) {
        bool is_param = false;
        for (uint32_t k = 0; k < c->nexts->nparams; k++) is_param |= c->nexts->params[k].id == free.vars[i].id;
        for (uint32_t k = 0; k < c->nexts->made.len; k++)
            is_param |= c->nexts->made.data[k].after.id == free.vars[i].id;
        if (!is_param) return false;
    }
    return true;
}

static expr order_after(pv_context *c, expr x, span at) {
    model *m = c->f->m;
    for (uint32_t i = 0; i < c->nexts->made.len; i++)
        if (expr_same(c->nexts->made.data[i].below, x)) return expr_var(m, c->nexts->made.data[i].after);
    var after = model_add_var(m, "n", expr_type(m, x), at);  // named at the end: see order_name
    vec_push(&c->nexts->made, ((pv_next){x, after}));
    return expr_var(m, after);
}

static expr order_next(pv_context *c, const pv_expr *e) {
    if (!c->nexts) {
        diag_error(c->f->messages, e->at, "'next' stands only in actions: a step chooses the element that comes next");
        diag_note(c->f->messages, (span){0}, "a proc takes it as an argument: tick(t, next(clock))");
        return none;
    }
    expr x = pv_expr_lower(c, e->args[0], (type){0});
    if (!x.id) return none;
    const type_info *t = type_of(c->f->m, expr_type(c->f->m, x));
    if (t->kind != TYPE_SORT || !t->is_ordered) {
        diag_error(c->f->messages, e->at, "'next' is about elements of an ordered sort, this is %s",
                   pv_type_name(c->f, expr_type(c->f->m, x)));
        return none;
    }
    if (order_is_fixed(c, x)) return order_after(c, x, e->at);
    diag_error(c->f->messages, e->args[0]->at, "'next' of something that is bound inside the action");
    diag_note(c->f->messages, (span){0}, "only parameters of the action may be used here");
    return none;
}

// The element right after another: there is none between.
static expr order_is_next(pv_context *c, pv_next n) {
    model *m = c->f->m;
    var other = pv_expr_fresh(c, expr_type(m, n.below), var_of(m, n.after)->at);
    expr o = expr_var(m, other), a = expr_var(m, n.after);
    expr none_between = expr_implies(m, expr_arith(m, E_LT, n.below, o), expr_arith(m, E_LE, a, o));
    return expr_and(m, expr_arith(m, E_LT, n.below, a), expr_forall(m, &other, 1, none_between));
}

// A name that nothing in the action has: what it binds inside are the variables made since.
static void order_name(pv_context *c, var after) {
    model *m = c->f->m;
    const char *name = "next";
    for (unsigned i = 1;; i++) {
        bool is_taken = pv_names_value(c->f, c->scope, name, (span){0}) != NULL;
        for (uint32_t v = c->nexts->first; v < m->vars.len && !is_taken; v++)
            is_taken = str_same(m->vars.data[v].name, name);
        if (!is_taken) break;
        name = arena_printf(c->f->memory, "next%u", i);
    }
    m->vars.data[after.id].name = model_keep_name(m, name);
}

void pv_order_close(pv_context *c, rule_info *r) {
    uint32_t made = c->nexts ? c->nexts->made.len : 0;
    var *params = arena_alloc(c->f->memory, (r->nparams + made + 1) * sizeof *params);
    for (uint32_t i = 0; i < r->nparams; i++) params[i] = r->params[i];
    for (uint32_t i = 0; i < made; i++) {
        pv_next n = c->nexts->made.data[i];
        order_name(c, n.after);
        expr is_next = order_is_next(c, n);
        r->guard = r->guard.id ? expr_and(c->f->m, r->guard, is_next) : is_next;
        params[r->nparams++] = n.after;
        r->nhidden += r->is_visible;
    }
    r->params = params;
}

// ---- max(a, b), min(a, b)

// Each side is lowered once: in max(max(…), …) twice would be exponential in the depth.
static expr order_pick(pv_context *c, const pv_expr *e, bool larger) {
    pv_expr test = {.kind = PE_COMPARE, .op = TOK_LE, .at = e->at, .args = e->args, .nargs = 2, .depth = e->depth};
    expr a, b, le = pv_expr_order(c, &test, &a, &b);
    if (!le.id) return none;
    return larger ? expr_ite(c->f->m, le, b, a) : expr_ite(c->f->m, le, a, b);
}

bool pv_order_is_word(const pv_expr *e) {
    if (!e->has_parens || e->member) return false;
    if (str_same(e->name, "next")) return e->nargs == 1;
    return e->nargs == 2 && (str_same(e->name, "max") || str_same(e->name, "min"));
}

expr pv_order_lower(pv_context *c, const pv_expr *e) {
    if (str_same(e->name, "next")) return order_next(c, e);
    return order_pick(c, e, str_same(e->name, "max"));
}
