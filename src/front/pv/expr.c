// SPDX-License-Identifier: Apache-2.0
// Expressions into the model, checked on the way. The type that the context expects is handed down, for
// the values of enums: two enums may share a value's name. Where no type comes from outside, as in `a =
// b`, the side that knows its own type is lowered first.
#include "front/pv/internal.h"

#include <inttypes.h>

static const expr wrong = {0};

void pv_context_free(pv_context *c) {
    vec_free(&c->locals);
    vec_free(&c->loops);
    vec_free(&c->calls);
}

bool pv_expr_enter(pv_context *c, span at) {
    if (++c->f->chain <= PV_DEEPEST_CHAIN) return true;
    diag_error(c->f->messages, at, "definitions or procs refer to each other too deeply");
    c->f->chain--;
    return false;
}

// ---- variables

static pv_local *pv_expr_find_local(const pv_context *c, const char *name) {
    for (uint32_t i = c->locals.len; i-- > c->visible;)
        if (str_same(c->locals.data[i].name, name)) return &c->locals.data[i];
    return NULL;
}

const pv_local *pv_expr_find_bound(const pv_context *c, const pv_expr *e) {
    return e->member ? NULL : pv_expr_find_local(c, e->name);
}

static bool bind_one(pv_context *c, const pv_binder *b, uint32_t group, var *out) {
    const pv_local *old = pv_expr_find_local(c, b->name);
    if (old) {
        bool same_list = old >= c->locals.data + group;
        diag_error(c->f->messages, b->at,
                   same_list ? "'%s' is declared twice" : "'%s' is bound already; use another name", b->name);
        diag_note(c->f->messages, old->at, "the first one is here");
    }
    type ty = pv_type_lower(c, b->ty);
    *out = ty.id ? model_add_var(c->f->m, b->name, ty, b->at) : (var){0};
    vec_push(&c->locals, (pv_local){b->name, b->at, ty, ty.id ? expr_var(c->f->m, *out) : wrong});
    return ty.id && !old;
}

bool pv_expr_bind(pv_context *c, pv_binders b, var *out) {
    uint32_t group = c->locals.len, room = MODEL_MOST_PARAMS - (group - c->visible);
    bool good = b.len <= room;
    if (!good) diag_error(c->f->messages, b.data[room].at, "more than %d names are bound here", MODEL_MOST_PARAMS);
    for (uint32_t i = 0; i < b.len; i++) {
        if (i < room) good &= bind_one(c, &b.data[i], group, &out[i]);
        else vec_push(&c->locals, (pv_local){b.data[i].name, b.data[i].at, (type){0}, wrong});
    }
    return good;
}

void pv_expr_unbind(pv_context *c, uint32_t n) { c->locals.len -= n; }

static bool pv_expr_is_taken(pv_context *c, const char *name) {
    bool is_taken = pv_expr_find_local(c, name);
    for (const pv_scope *s = c->scope; s && !is_taken; s = s->outer) is_taken = pv_names_find(c->f, s, PV_VALUES, name);
    return is_taken;
}

// A name for the variable behind a `_`: l for Loc, l1 if l is taken.
var pv_expr_fresh(pv_context *c, type ty, span at) {
    const type_info *info = type_of(c->f->m, ty);
    char letter = info->kind == TYPE_RANGE ? 'i' : info->name[0];
    if (letter >= 'A' && letter <= 'Z') letter = (char)(letter - 'A' + 'a');
    if (letter == '_') letter = 'x';
    const char *name = arena_printf(c->f->memory, "%c", letter);
    for (unsigned i = 1; pv_expr_is_taken(c, name); i++) name = arena_printf(c->f->memory, "%c%u", letter, i);
    return model_add_var(c->f->m, name, ty, at);
}

const pv_expr *pv_expr_fill(pv_context *c, const pv_expr *call, uint32_t hole, type ty, var *out) {
    span at = call->args[hole]->at;
    if (!out->id) *out = pv_expr_fresh(c, ty, at);
    pv_expr v = {.kind = PE_VARIABLE, .at = at, .number = out->id, .depth = 1}, filled = *call;
    const pv_expr **args = arena_copy(c->f->memory, call->args, call->nargs * sizeof *args);
    args[hole] = arena_copy(c->f->memory, &v, sizeof v);
    filled.args = args;
    return arena_copy(c->f->memory, &filled, sizeof filled);
}

// ---- names and calls

static bool pv_expr_count_args(pv_context *c, const pv_expr *e, uint32_t n) {
    if (e->nargs == n) return true;
    diag *d = c->f->messages;
    if (n == 0) diag_error(d, e->at, "'%s' takes no arguments", e->name);
    else if (e->nargs == 0) diag_error(d, e->at, "'%s' needs %u argument%s", e->name, n, n == 1 ? "" : "s");
    else diag_error(d, e->at, "'%s' takes %u argument%s, not %u", e->name, n, n == 1 ? "" : "s", e->nargs);
    return false;
}

bool pv_expr_args(pv_context *c, const pv_expr *call, const type *types, uint32_t n, expr *out) {
    if (!pv_expr_count_args(c, call, n)) return false;
    bool good = true;
    for (uint32_t i = 0; i < n; i++) {
        const char *what = arena_printf(c->f->memory, "argument %u of '%s'", i + 1, call->name);
        out[i] = pv_expr_lower(c, call->args[i], types[i]);
        good &= pv_type_check(c, out[i], types[i], call->args[i]->at, what);
    }
    return good;
}

static expr lower_app(pv_context *c, const pv_expr *e, const pv_symbol *s) {
    if (s->state != PV_DONE) return wrong;
    const func_info *info = func_of(c->f->m, s->f);
    expr *args = arena_alloc(c->f->memory, (info->nargs + 1) * sizeof *args);
    if (!pv_expr_args(c, e, info->args, info->nargs, args)) return wrong;
    return expr_app(c->f->m, s->f, args);
}

// A definition is inlined by some engines, so the range of a parameter must hold whatever is passed.
bool pv_expr_args_inside(pv_context *c, const pv_expr *e, const type *types, const expr *args) {
    bool good = true;
    for (uint32_t i = 0; i < e->nargs; i++) {
        const type_info *t = type_of(c->f->m, types[i]);
        if (t->kind != TYPE_RANGE) continue;
        int64_t lo, hi;
        expr_bounds(c->f->m, args[i], &lo, &hi);
        if (lo >= t->lo && hi <= t->hi) continue;
        diag_error(c->f->messages, e->args[i]->at,
                   "argument %u of '%s' is in %" PRId64 "..%" PRId64 ": declare the parameter wide enough for that",
                   i + 1, e->name, lo, hi);
        good = false;
    }
    return good;
}

static expr pv_expr_lower_call(pv_context *c, const pv_expr *e, pv_symbol *s) {
    def d = pv_expr_def(c->f, s, e->name_at);
    if (!d.id) return wrong;
    uint32_t n = def_of(c->f->m, d)->nparams;
    type *types = arena_alloc(c->f->memory, (n + 1) * sizeof *types);
    for (uint32_t i = 0; i < n; i++) types[i] = var_of(c->f->m, def_of(c->f->m, d)->params[i])->ty;
    expr *args = arena_alloc(c->f->memory, (n + 1) * sizeof *args);
    if (!pv_expr_args(c, e, types, n, args) || !pv_expr_args_inside(c, e, types, args)) return wrong;
    return expr_call(c->f->m, d, args);
}

static expr lower_local(pv_context *c, const pv_expr *e, const pv_local *l) {
    if (!e->has_parens) return l->value;
    if (l->value.id)
        diag_error(c->f->messages, e->at, "'%s' is a variable of type %s and takes no arguments", e->name,
                   pv_type_name(c->f, l->ty));
    return wrong;
}

// The value of that name of the expected enum.
static expr expected_literal(pv_context *c, const pv_expr *e, type expected) {
    if (!expected.id || e->has_parens || e->member || pv_names_prefixed(c, c->scope, e->name)) return wrong;
    value v;
    return pv_type_literal(c->f, expected, e->name, &v) ? expr_const(c->f->m, expected, v) : wrong;
}

static expr lower_literal(pv_context *c, const pv_expr *e, const pv_symbol *s) {
    if (!pv_expr_count_args(c, e, 0)) return wrong;
    if (!s->next) return s->value;
    const pv_symbol *other = &c->f->symbols.data[s->next];
    diag_error(c->f->messages, e->at, "'%s' is a value of %s and of %s, and nothing here says which", e->name,
               s->decl->name, other->decl->name);
    return wrong;
}

static expr lower_symbol(pv_context *c, const pv_expr *e, pv_symbol *s) {
    switch (s->kind) {
    case SYM_FUNC: return lower_app(c, e, s);
    case SYM_DEF: return pv_expr_lower_call(c, e, s);
    case SYM_CONST: return pv_expr_count_args(c, e, 0) ? pv_type_constant(c->f, s, e->at) : wrong;
    case SYM_LITERAL: return lower_literal(c, e, s);
    default:
        return diag_error(c->f->messages, e->name_at, "'%s' is a proc: it is called as a statement", e->name), wrong;
    }
}

static expr lower_name(pv_context *c, const pv_expr *e, type expected) {
    const pv_local *l = pv_expr_find_bound(c, e);
    if (l) return lower_local(c, e, l);
    expr literal = expected_literal(c, e, expected);
    if (literal.id) return literal;
    pv_symbol *s = pv_names_called(c, e);
    if (s) return s->state == PV_WRONG ? wrong : lower_symbol(c, e, s);
    if (pv_order_is_word(e)) return pv_order_lower(c, e);
    pv_names_unknown(c, e, expected);
    return wrong;
}

// The body may not leave the range that the definition promises: its users rely on it.
static bool result_inside(pv_context *c, const pv_decl *d, expr body, type result) {
    if (!type_is_number(c->f->m, result)) return true;
    int64_t lo, hi;
    expr_bounds(c->f->m, body, &lo, &hi);
    if (lo >= type_of(c->f->m, result)->lo && hi <= type_of(c->f->m, result)->hi) return true;
    return diag_error(c->f->messages, d->expr->at,
                      "the body of '%s' is in %" PRId64 "..%" PRId64 ": declare a result wide enough for that", d->name,
                      lo, hi);
}

static def lower_def(pv_front *f, const pv_symbol *s) {
    const pv_decl *d = s->decl;
    pv_context c = {.f = f, .scope = s->home, .prefix = d->prefix};
    var *params = arena_alloc(f->memory, (d->params.len + 1) * sizeof *params);
    bool good = pv_expr_bind(&c, d->params, params) && pv_check_count(f, d->params.len, d->at);
    type result = d->ty ? pv_type_lower(&c, d->ty) : f->m->bool_type;
    expr body = pv_expr_lower(&c, d->expr, result);
    const char *what = arena_printf(f->memory, "the body of '%s'", d->name);
    good &= pv_type_check(&c, body, result, d->expr->at, what) && result_inside(&c, d, body, result);
    pv_context_free(&c);
    if (!good) return (def){0};
    return model_add_def(f->m, (def_info){d->name, d->at, params, d->params.len, body, s->home->system});
}

def pv_expr_def(pv_front *f, pv_symbol *s, span use) {
    if (s->state == PV_BUSY) {
        diag_error(f->messages, use, "definition '%s' refers to itself: definitions cannot be recursive", s->name);
        return (def){0};
    }
    if (s->state != PV_NEW) return s->d;
    s->state = PV_BUSY;
    s->d = lower_def(f, s);
    s->state = s->d.id ? PV_DONE : PV_WRONG;
    return s->d;
}

// ---- numbers

static expr lower_number(pv_context *c, const pv_expr *e) {
    if (e->number > PV_LARGEST_NUMBER) {
        diag_error(c->f->messages, e->at, "this number is too large: the largest is %d", PV_LARGEST_NUMBER);
        return wrong;
    }
    value v = (value)e->number;
    return expr_const(c->f->m, model_range(c->f->m, v, v, e->at), v);
}

static expr_kind pv_expr_arith_kind(const pv_expr *e) {
    switch (e->op) {
    case TOK_PLUS: return E_ADD;
    case TOK_MINUS: return e->nargs == 1 ? E_NEG : E_SUB;
    case TOK_STAR: return E_MUL;
    case TOK_SLASH: return E_DIV;
    default: return E_MOD;
    }
}

static int64_t magnitude(const model *m, expr e) {
    int64_t lo, hi;
    expr_bounds(m, e, &lo, &hi);
    return hi > -lo ? hi : -lo;
}

// Numbers of the model have 32 bits; a result that might not fit is refused here.
static bool in_bounds(pv_context *c, const pv_expr *e, expr_kind kind, expr a, expr b) {
    int64_t x = magnitude(c->f->m, a), y = b.id ? magnitude(c->f->m, b) : 0;
    int64_t most = kind == E_MUL ? x * y : kind == E_ADD || kind == E_SUB ? x + y : x;
    value zero;
    if ((kind == E_DIV || kind == E_MOD) && expr_is_const(c->f->m, b, &zero) && zero == 0)
        return diag_error(c->f->messages, e->args[1]->at, "division by zero");
    if (most <= PV_LARGEST_NUMBER) return true;
    return diag_error(c->f->messages, e->at, "this may reach %" PRId64 ": numbers go up to %d", most,
                      PV_LARGEST_NUMBER);
}

static expr lower_operand(pv_context *c, const pv_expr *e) {
    expr a = pv_expr_lower(c, e, (type){0});
    if (!a.id || type_is_number(c->f->m, expr_type(c->f->m, a))) return a;
    diag_error(c->f->messages, e->at, "arithmetic needs numbers, this is %s",
               pv_type_name(c->f, expr_type(c->f->m, a)));
    return wrong;
}

static expr lower_arith(pv_context *c, const pv_expr *e) {
    expr_kind kind = pv_expr_arith_kind(e);
    expr a = lower_operand(c, e->args[0]), b = {0};
    if (e->nargs == 2 && !(b = lower_operand(c, e->args[1])).id) return wrong;
    if (!a.id || !in_bounds(c, e, kind, a, b)) return wrong;
    return expr_arith(c->f->m, kind, a, b);
}

// ---- two things of one type

// Would lowering e without an expected type fail where one with it may not? So is it with enum values.
static bool needs_hint(pv_context *c, const pv_expr *e) {
    if (e->kind == PE_IF) return needs_hint(c, e->args[1]) && needs_hint(c, e->args[2]);
    if (e->kind != PE_NAME || e->has_parens || pv_expr_find_bound(c, e)) return false;
    for (const pv_scope *s = c->scope; s; s = s->outer) {
        if (s->parts.len) return true;
        if (pv_names_prefixed(c, s, e->name)) return false;
        uint32_t own = pv_names_find(c->f, s, PV_VALUES, e->name);
        if (own) return c->f->symbols.data[own].kind == SYM_LITERAL;
    }
    return true;
}

// Is every name in e that waits for a type a value of t?
static bool all_literals(const pv_front *f, type t, const pv_expr *e) {
    if (e->kind == PE_IF) return all_literals(f, t, e->args[1]) && all_literals(f, t, e->args[2]);
    return pv_type_literal(f, t, e->name, NULL);
}

static bool pv_expr_sees_type(const pv_scope *s, sys owner) {
    if (!owner.id || s->system.id == owner.id) return true;
    for (uint32_t i = 0; i < s->parts.len; i++)
        if (pv_expr_sees_type(s->parts.data[i], owner)) return true;
    return false;
}

// The one enum that has all values of both sides; id 0: none or several.
static type common_enum(const pv_context *c, const pv_expr *a, const pv_expr *b) {
    type found = {0};
    for (uint32_t i = 1; i < c->f->m->types.len; i++) {
        const type_info *t = &c->f->m->types.data[i];
        if (t->kind != TYPE_ENUM || !pv_expr_sees_type(c->scope, t->owner)) continue;
        if (!all_literals(c->f, (type){i}, a) || !all_literals(c->f, (type){i}, b)) continue;
        if (found.id) return (type){0};
        found = (type){i};
    }
    return found;
}

static type type_or_none(pv_context *c, expr e) { return e.id ? expr_type(c->f->m, e) : (type){0}; }

// Lowers a and b, which must have one type; false after a message.
static bool lower_pair(pv_context *c, const pv_expr *a, const pv_expr *b, type expected, expr *x, expr *y) {
    bool swap = !expected.id && needs_hint(c, a) && !needs_hint(c, b);
    if (!expected.id && needs_hint(c, a) && needs_hint(c, b)) expected = common_enum(c, a, b);
    const pv_expr *first = swap ? b : a, *second = swap ? a : b;
    expr one = pv_expr_lower(c, first, expected), two = wrong;
    if (!expected.id) expected = type_or_none(c, one);
    if (one.id || !needs_hint(c, second)) two = pv_expr_lower(c, second, expected);
    *x = swap ? two : one;
    *y = swap ? one : two;
    return x->id && y->id;
}

static bool same_types(pv_context *c, const pv_expr *e, const char *what, expr a, expr b) {
    type x = expr_type(c->f->m, a), y = expr_type(c->f->m, b);
    if (pv_type_fits(c->f->m, x, y)) return true;
    return diag_error(c->f->messages, e->at, "%s have different types: %s and %s", what, pv_type_name(c->f, x),
                      pv_type_name(c->f, y));
}

static bool is_ordered(const model *m, type t) {
    const type_info *info = type_of(m, t);
    return info->kind == TYPE_RANGE || (info->kind == TYPE_SORT && info->is_ordered);
}

static expr lower_order(pv_context *c, const pv_expr *e, expr a, expr b) {
    model *m = c->f->m;
    type t = expr_type(m, a);
    if (!is_ordered(m, t)) {
        diag_error(c->f->messages, e->at, "values of %s have no order", pv_type_name(c->f, t));
        if (type_of(m, t)->kind == TYPE_SORT)
            diag_note(c->f->messages, type_of(m, t)->at, "declare it as 'ordered sort %s' to compare its elements",
                      type_of(m, t)->name);
        return wrong;
    }
    switch (e->op) {
    case TOK_LT: return expr_arith(m, E_LT, a, b);
    case TOK_LE: return expr_arith(m, E_LE, a, b);
    case TOK_GT: return expr_arith(m, E_LT, b, a);
    default: return expr_arith(m, E_LE, b, a);
    }
}

expr pv_expr_order(pv_context *c, const pv_expr *e, expr *a, expr *b) {
    if (!lower_pair(c, e->args[0], e->args[1], (type){0}, a, b)) return wrong;
    if (!same_types(c, e, "the two sides", *a, *b)) return wrong;
    return lower_order(c, e, *a, *b);
}

static expr lower_meets(pv_context *c, const pv_expr *e);

static expr lower_compare(pv_context *c, const pv_expr *e) {
    if (e->op == TOK_MEETS) return lower_meets(c, e);
    expr a, b;
    if (!lower_pair(c, e->args[0], e->args[1], (type){0}, &a, &b)) return wrong;
    if (!same_types(c, e, "the two sides", a, b)) return wrong;
    if (e->op == TOK_EQ) return expr_eq(c->f->m, a, b);
    if (e->op == TOK_NE) return expr_not(c->f->m, expr_at(c->f->m, expr_eq(c->f->m, a, b), e->at));
    return lower_order(c, e, a, b);
}

static expr pv_expr_lower_if(pv_context *c, const pv_expr *e, type expected) {
    expr cond = pv_expr_condition(c, e->args[0]), a, b;
    if (!lower_pair(c, e->args[1], e->args[2], expected, &a, &b) || !cond.id) return wrong;
    if (!same_types(c, e, "the two values of 'if'", a, b)) return wrong;
    return expr_ite(c->f->m, cond, a, b);
}

// ---- a meets b

// The index of the one `_` among the arguments.
static bool find_hole(pv_context *c, const pv_expr *e, uint32_t *index) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (e->args[i]->kind == PE_HOLE && found++ == 0) *index = i;
    if (e->kind == PE_NAME && found == 1) return true;
    return diag_error(c->f->messages, e->at,
                      "each side of 'meets' is a relation with one '_', as in rs(t, _) meets ws(u, _)");
}

// The type of that parameter of a relation or definition; id 0 when it has none.
static type pv_expr_param_type(pv_context *c, const pv_expr *e, uint32_t index) {
    pv_symbol *s = pv_expr_find_bound(c, e) ? NULL : pv_names_called(c, e);
    if (s && s->kind == SYM_FUNC && s->state == PV_DONE) {
        const func_info *info = func_of(c->f->m, s->f);
        if (index < info->nargs) return info->args[index];
    } else if (s && s->kind == SYM_DEF) {
        def d = pv_expr_def(c->f, s, e->name_at);
        if (d.id && index < def_of(c->f->m, d)->nparams) return var_of(c->f->m, def_of(c->f->m, d)->params[index])->ty;
    }
    return (type){0};
}

static expr lower_meets(pv_context *c, const pv_expr *e) {
    const pv_expr *a = e->args[0], *b = e->args[1];
    uint32_t i, k;
    if (!find_hole(c, a, &i) || !find_hole(c, b, &k)) return wrong;
    type x = pv_expr_param_type(c, a, i), y = pv_expr_param_type(c, b, k);
    if (x.id && y.id && !type_same(x, y)) {
        diag_error(c->f->messages, e->at, "the two '_' have different types: %s and %s", pv_type_name(c->f, x),
                   pv_type_name(c->f, y));
        return wrong;
    }
    if (!x.id) x = y.id ? y : c->f->m->bool_type;  // some message follows below
    var v = {0};
    expr p = pv_expr_condition(c, pv_expr_fill(c, a, i, x, &v));
    expr q = pv_expr_condition(c, pv_expr_fill(c, b, k, x, &v));
    return p.id && q.id ? expr_exists(c->f->m, &v, 1, expr_and(c->f->m, p, q)) : wrong;
}

// ---- the rest

static expr lower_chain(pv_context *c, const pv_expr *e) {
    expr *args = arena_alloc(c->f->memory, (e->nargs + 1) * sizeof *args);
    bool good = true;
    for (uint32_t i = 0; i < e->nargs; i++) good &= (args[i] = pv_expr_condition(c, e->args[i])).id != 0;
    if (!good) return wrong;
    return e->kind == PE_AND ? expr_and_all(c->f->m, args, e->nargs) : expr_or_all(c->f->m, args, e->nargs);
}

static expr lower_connective(pv_context *c, const pv_expr *e) {
    expr a = pv_expr_condition(c, e->args[0]), b = pv_expr_condition(c, e->args[1]);
    if (!a.id || !b.id) return wrong;
    return e->kind == PE_IMPLIES ? expr_implies(c->f->m, a, b) : expr_eq(c->f->m, a, b);
}

static expr pv_expr_lower_quantifier(pv_context *c, const pv_expr *e) {
    model *m = c->f->m;
    var *vars = arena_alloc(c->f->memory, (e->binders.len + 1) * sizeof *vars);
    bool good = pv_expr_bind(c, e->binders, vars), is_forall = e->op == TOK_FORALL;
    expr where = e->nargs > 1 ? pv_expr_condition(c, e->args[1]) : m->true_expr;
    expr body = pv_expr_condition(c, e->args[0]);
    pv_expr_unbind(c, e->binders.len);
    if (!good || !where.id || !body.id) return wrong;
    if (is_forall) return expr_forall(m, vars, e->binders.len, expr_implies(m, where, body));
    return expr_exists(m, vars, e->binders.len, expr_and(m, where, body));
}

static expr lower_hole(pv_context *c, const pv_expr *e) {
    diag_error(c->f->messages, e->at,
               "'_' stands only in the target of an assignment, in 'clear', on the sides of 'meets' and for a "
               "literal of a 'schema'");
    return wrong;
}

static expr lower_not(pv_context *c, const pv_expr *e) {
    expr a = pv_expr_condition(c, e->args[0]);
    return a.id ? expr_not(c->f->m, a) : wrong;
}

static expr lower_inside(pv_context *c, const pv_expr *e, type expected) {
    switch (e->kind) {
    case PE_NUMBER: return lower_number(c, e);
    case PE_BOOL: return expr_bool(c->f->m, e->number);
    case PE_HOLE: return lower_hole(c, e);
    case PE_VARIABLE: return expr_var(c->f->m, (var){(uint32_t)e->number});
    case PE_NAME: return lower_name(c, e, expected);
    case PE_NOT: return lower_not(c, e);
    case PE_AND:
    case PE_OR: return lower_chain(c, e);
    case PE_IMPLIES:
    case PE_IFF: return lower_connective(c, e);
    case PE_COMPARE: return lower_compare(c, e);
    case PE_ARITH: return lower_arith(c, e);
    case PE_IF: return pv_expr_lower_if(c, e, expected);
    case PE_QUANTIFIER: return pv_expr_lower_quantifier(c, e);
    }
    return wrong;
}

expr pv_expr_lower(pv_context *c, const pv_expr *e, type expected) {
    if (!pv_expr_enter(c, e->at)) return wrong;
    expr made = lower_inside(c, e, expected);
    c->f->chain--;
    return made.id ? expr_at(c->f->m, made, e->at) : wrong;
}

expr pv_expr_condition(pv_context *c, const pv_expr *e) {
    expr a = pv_expr_lower(c, e, c->f->m->bool_type);
    return pv_type_check(c, a, c->f->m->bool_type, e->at, "this") ? a : wrong;
}

expr pv_expr_fact(pv_front *f, pv_scope *s, const pv_decl *d) {
    pv_context c = {.f = f, .scope = s, .prefix = d->prefix};
    expr a = pv_expr_condition(&c, d->expr);
    pv_context_free(&c);
    return a;
}
