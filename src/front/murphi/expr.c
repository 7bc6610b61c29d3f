// SPDX-License-Identifier: Apache-2.0
// Expressions of Murphi.
//
// `&`, `|`, `->` and `?:` evaluate from left to right and stop early. Where a later operand calls a
// function that cannot be made an expression (murphi/pure.c), the statements of the call are put under the
// condition that it is evaluated at all: `a & f()` becomes t := a; if t { …; t := result }, and the
// expression is t. Other operands are evaluated from left to right: where a call writes what an operand to
// the left of it reads, that one is copied first.
#include "front/murphi/lower.h"
#include "model/real.h"
#include "model/stmt.h"
#include "model/walk.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_ASKED = 256,  // whether statements change a longer operand is not asked: it is copied
    LONG_OPERAND = 200,   // see is_better_before()
    LONG_TEXT = 1 << 16   // there the counts are no longer exact
};

expr murphi_int(lowering *l, int64_t x) {
    return expr_const(l->m, model_range(l->m, (int32_t)x, (int32_t)x, (span){0}), (value)x);
}

void murphi_emit(lowering *l, const stmt *s) { vec_push(l->out, s); }

void murphi_emit_all(lowering *l, stmt_list *list) {
    for (uint32_t i = 0; i < list->len; i++) murphi_emit(l, list->data[i]);
    vec_free(list);
}

stmt_list *murphi_into(lowering *l, stmt_list *list) {
    stmt_list *outer = l->out;
    l->out = list;
    return outer;
}

bool murphi_reads_state(const lowering *l, expr e) {
    walk w = walk_expr(l->m, e, 0);
    while (walk_next(&w))
        if (w.x->kind == E_APP || w.x->kind == E_DEFINED) return walk_found(&w);
    return false;
}

bool murphi_is_union(const lowering *l, type t) { return type_of(l->m, t)->kind == TYPE_UNION; }

// ---- types of values

static expr mismatch(lowering *l, type wanted, type found, span at) {
    str text = {0};
    murphi_type_text(l, murphi_simple(l, wanted), &text);
    murphi_wrong_type(l, at, str_get(&text), murphi_simple(l, found));
    str_free(&text);
    return (expr){0};
}

static bool murphi_has_member(const lowering *l, type u, type t) {
    const type_info *info = type_of(l->m, u);
    for (uint32_t i = 0; info->kind == TYPE_UNION && i < info->nmembers; i++)
        if (type_same(info->members[i], t)) return true;
    return false;
}

// A union's value as another union's: through the members that they share, else (the last one) a fault.
static expr union_to_union(lowering *l, expr e, type to) {
    const type_info info = *type_of(l->m, expr_type(l->m, e));
    expr result = {0};
    for (uint32_t i = info.nmembers; i-- > 0;) {
        type t = info.members[i];
        if (!murphi_has_member(l, to, t)) continue;
        expr here = expr_widen(l->m, to, expr_narrow(l->m, t, e));
        result = result.id ? expr_ite(l->m, expr_is(l->m, t, e), here, result) : here;
    }
    return result;
}

expr murphi_convert(lowering *l, expr e, type to, span at) {
    type from = expr_type(l->m, e);
    if (type_same(from, to) || (type_is_number(l->m, from) && type_is_number(l->m, to))) return e;
    if (type_is_real(l->m, to)) return murphi_as_real(l, e, to, at);
    if (murphi_has_member(l, to, from)) return expr_at(l->m, expr_widen(l->m, to, e), at);
    if (murphi_has_member(l, from, to)) return expr_at(l->m, expr_narrow(l->m, to, e), at);
    expr both = murphi_is_union(l, from) && murphi_is_union(l, to) ? union_to_union(l, e, to) : (expr){0};
    return both.id ? expr_at(l->m, both, at) : mismatch(l, to, from, at);
}

static bool wants(lowering *l, expr e, const char *what, bool fits, span at) {
    if (!e.id || fits) return e.id != 0;
    return murphi_wrong_type(l, at, what, murphi_simple(l, expr_type(l->m, e)));
}

expr murphi_bool(lowering *l, const murphi_node *n) {
    expr e = murphi_value(l, n);
    bool fits = e.id && type_same(expr_type(l->m, e), l->m->bool_type);
    return wants(l, e, "a condition", fits, n->at) ? e : l->m->false_expr;
}

expr murphi_number(lowering *l, const murphi_node *n) {
    expr e = murphi_value(l, n);
    bool fits = e.id && type_is_number(l->m, expr_type(l->m, e));
    return wants(l, e, "a number", fits, n->at) ? e : murphi_int(l, 0);
}

// A whole number or a real one.
static expr murphi_quantity(lowering *l, const murphi_node *n) {
    expr e = murphi_value(l, n);
    bool fits = e.id && (murphi_is_real(l, e) || type_is_number(l->m, expr_type(l->m, e)));
    return wants(l, e, "a number", fits, n->at) ? e : murphi_int(l, 0);
}

bool murphi_constant(lowering *l, const murphi_node *n, int64_t *out) {
    murphi_wide x;
    if (murphi_fold(l, n, &x)) {
        *out = x > INT64_MAX ? INT64_MAX : x < -INT64_MAX ? -INT64_MAX : (int64_t)x;
        return true;
    }
    uint32_t errors = diag_errors(l->m->messages);
    stmt_list before = {0}, *outer = murphi_into(l, &before);
    expr e = murphi_number(l, n);
    l->out = outer;
    if (before.len) e = murphi_pure(l, &before, MURPHI_PURE_STEPS, e);
    vec_free(&before);
    value v = 0;
    bool is_constant = e.id && expr_is_const(l->m, e, &v);
    if (!is_constant) murphi_error(l, n->at, "a constant number expected");
    *out = v;
    return is_constant && diag_errors(l->m->messages) == errors;
}

// ---- names and places

static expr name_value(lowering *l, const murphi_node *n) {
    if (str_same(n->name, "true")) return l->m->true_expr;
    if (str_same(n->name, "false")) return l->m->false_expr;
    symbol *s = murphi_find(l, n->name);
    if (s && s->is_large) return murphi_large_constant(l, n);
    if (s && s->kind == SYMBOL_VALUE) return s->e;
    if (!s) murphi_unknown(l, "name", n->name, n->at);
    else murphi_error(l, n->at, "'%s' has no value", n->name);
    return (expr){0};
}

static expr place_value(lowering *l, const murphi_node *n) {
    place p;
    if (!murphi_place(l, n, &p)) return (expr){0};
    if (p.ty->shape == SHAPE_SIMPLE) return murphi_read_place(l, &p);
    murphi_wrong_type(l, n->at, "a simple value", p.ty);
    return (expr){0};
}

// ---- operands that may not be evaluated

typedef struct {
    expr e;
    stmt_list before;
} late;

// Do the statements write a local that can be named here? Then their effect is wanted, not only their result.
static bool can_be_named(const lowering *l, func f) {
    for (uint32_t i = l->nglobals; i < l->names.len; i++) {
        const symbol *s = &l->names.data[i];
        for (uint32_t k = 0; s->kind == SYMBOL_PLACE && k < s->p.ty->nleaves; k++)
            if (s->p.funcs[k].id == f.id) return true;
    }
    return false;
}

static bool write_visible(const lowering *l, const stmt_list *list) {
    walk w = walk_stmt(l->m, NULL, WALK_STMTS);
    for (uint32_t i = 0; i < list->len; i++) walk_add_stmt(&w, list->data[i]);
    while (walk_next(&w))
        if (w.s->kind == S_ASSIGN && can_be_named(l, w.s->target)) return walk_found(&w);
    return false;
}

static bool is_about_scalarset(const model *m, expr e) {
    walk w = walk_expr(m, e, WALK_CALLS);
    while (walk_next(&w))
        if (w.x->kind == E_VAR && type_of(m, w.x->ty)->kind == TYPE_SORT) return walk_found(&w);
    return false;
}

// An expression that is longer than its text with the calls written out, by its loops: it is computed before, so that
// bodies stay linear in the text. Of elements of scalarsets it stays a formula: computed in a loop over them, it would
// be something that proofs for any number of elements, and the look for symmetries, do not understand.
static bool is_better_before(lowering *l, const murphi_node *n, expr e) {
    uint32_t tree = expr_of(l->m, e)->tree, text = murphi_weigh(l, n);
    bool is_long = !l->is_property && tree > LONG_OPERAND && tree / 2 > text && text < LONG_TEXT;
    return is_long && !is_about_scalarset(l->m, e);
}

static late lower_late(lowering *l, const murphi_node *n, bool is_condition) {
    late r = {0};
    stmt_list *outer = murphi_into(l, &r.before);
    r.e = is_condition ? murphi_bool(l, n) : murphi_value(l, n);
    l->out = outer;
    bool stays = l->options->writes_out && !l->is_property && !l->is_guard;
    if (!r.e.id || !r.before.len || stays || write_visible(l, &r.before)) return r;
    expr pure = murphi_pure(l, &r.before, MURPHI_SMALL_STEPS, r.e);
    if (!pure.id || is_better_before(l, n, pure)) return r;
    vec_free(&r.before);
    return (late){.e = pure};
}

// if cond { the statements of x; t := x } appended.
static void evaluate_if(lowering *l, expr cond, late *x, const place *t, span at) {
    stmt_list *outer = murphi_into(l, &x->before);
    murphi_write(l, t, x->e, at);
    l->out = outer;
    murphi_emit(l, model_if(l->m, cond, x->before.data, x->before.len, NULL, 0, at));
    vec_free(&x->before);
}

// a & b or a | b, where b is evaluated only if a does not decide.
static expr join_late(lowering *l, expr a, late *b, bool is_and, span at) {
    model *m = l->m;
    if (!b->before.len) return is_and ? expr_and(m, a, b->e) : expr_or(m, a, b->e);
    if (is_and ? expr_is_true(m, a) : expr_is_false(m, a)) {
        murphi_emit_all(l, &b->before);
        return b->e;
    }
    place t = murphi_temp(l, murphi_simple(l, m->bool_type), at);
    murphi_write(l, &t, a, at);
    expr so_far = murphi_read_place(l, &t);
    evaluate_if(l, is_and ? so_far : expr_not(m, so_far), b, &t, at);
    return so_far;
}

expr murphi_or_late(lowering *l, expr a, expr b, stmt_list *before, span at) {
    late x = {b, *before};
    return join_late(l, a, &x, false, at);
}

static expr murphi_junction(lowering *l, const murphi_node *n, expr a) {
    late b = lower_late(l, n->kids[1], true);
    bool is_and = n->kind == MX_AND || n->kind == MX_BITAND;
    if (n->kind == MX_IMPLIES && !b.before.len) return expr_implies(l->m, a, b.e);
    return join_late(l, n->kind == MX_IMPLIES ? expr_not(l->m, a) : a, &b, is_and, n->at);
}

static type common_type(lowering *l, expr a, expr b) {
    type x = expr_type(l->m, a), y = expr_type(l->m, b), real = murphi_real_common(l, a, b);
    if (real.id) return real;
    if (!type_is_number(l->m, x) || !type_is_number(l->m, y)) return murphi_is_union(l, y) ? y : x;
    const type_info *s = type_of(l->m, x), *t = type_of(l->m, y);
    return model_range(l->m, s->lo < t->lo ? s->lo : t->lo, s->hi > t->hi ? s->hi : t->hi, (span){0});
}

static expr murphi_choice(lowering *l, const murphi_node *n) {
    expr c = murphi_bool(l, n->kids[0]);
    if (expr_is_true(l->m, c)) return murphi_value(l, n->kids[1]);
    if (expr_is_false(l->m, c)) return murphi_value(l, n->kids[2]);
    late a = lower_late(l, n->kids[1], false), b = lower_late(l, n->kids[2], false);
    type t = a.e.id && b.e.id ? common_type(l, a.e, b.e) : (type){0};
    if (t.id) a.e = murphi_convert(l, a.e, t, n->kids[1]->at);
    if (t.id) b.e = murphi_convert(l, b.e, t, n->kids[2]->at);
    expr result = {0};
    if (a.e.id && b.e.id && (a.before.len || b.before.len)) {
        place p = murphi_temp(l, murphi_simple(l, t), n->at), q;
        q = murphi_temp(l, murphi_simple(l, l->m->bool_type), n->at);
        murphi_write(l, &q, c, n->at);
        c = murphi_read_place(l, &q);
        evaluate_if(l, c, &a, &p, n->at);
        evaluate_if(l, expr_not(l->m, c), &b, &p, n->at);
        result = murphi_read_place(l, &p);
    } else if (a.e.id && b.e.id) {
        result = expr_ite(l->m, c, a.e, b.e);
    }
    vec_free(&a.before);
    vec_free(&b.before);
    return result;
}

// ---- quantifiers

expr murphi_once(lowering *l, expr e, span at) {
    if (!murphi_reads_state(l, e)) return e;
    place t = murphi_temp(l, murphi_simple(l, expr_type(l->m, e)), at);
    murphi_write(l, &t, e, at);
    return murphi_read_place(l, &t);
}

// Is e, a variable or a value, defined?
static expr has_value(lowering *l, expr e) {
    const expr_info x = *expr_of(l->m, e);
    return x.kind == E_APP ? expr_defined(l->m, (func){x.ref}, x.args) : l->m->true_expr;
}

// Statements so far.
static uint32_t murphi_emitted(const lowering *l) { return l->out ? l->out->len : 0; }

static bool murphi_is_changed(const lowering *l, expr e, uint32_t from) {
    bool is_long = expr_of(l->m, e)->weight > LONGEST_ASKED;
    for (uint32_t i = from; i < murphi_emitted(l); i++)
        if (is_long || stmt_changes(l->m, l->out->data[i], e)) return true;
    return false;
}

// e as it was before the statements from number `from` on, which an operand behind it needs: operands are evaluated
// from left to right.
static expr murphi_before(lowering *l, expr e, uint32_t from, span at) {
    if (!e.id || from == murphi_emitted(l) || !murphi_reads_state(l, e) || !murphi_is_changed(l, e, from)) return e;
    model *m = l->m;
    place t = murphi_temp(l, murphi_simple(l, expr_type(m, e)), at);
    const stmt *copy = model_assign(m, t.funcs[0], NULL, 0, e, at), *none;
    none = model_assign(m, t.funcs[0], NULL, 0, (expr){0}, at);
    if (expr_kind_of(m, e) == E_APP) copy = model_if(m, has_value(l, e), &copy, 1, &none, 1, at);
    vec_push(l->out, copy);
    for (uint32_t i = murphi_emitted(l) - 1; i > from; i--) l->out->data[i] = l->out->data[i - 1];
    l->out->data[from] = copy;
    return murphi_read_place(l, &t);
}

murphi_bounds murphi_read_bounds(lowering *l, const murphi_node *q) {
    murphi_bounds b = {.from = murphi_number(l, q->kids[0])};
    uint32_t emitted = murphi_emitted(l);
    b.to = murphi_number(l, q->kids[1]);
    b.from = murphi_before(l, b.from, emitted, q->at);
    emitted = murphi_emitted(l);
    uint32_t errors = diag_errors(l->m->messages);
    b.by = q->kids[2] ? murphi_number(l, q->kids[2]) : murphi_int(l, 1);
    if (diag_errors(l->m->messages) != errors) b.by = murphi_int(l, 1);
    b.from = murphi_before(l, b.from, emitted, q->at), b.to = murphi_before(l, b.to, emitted, q->at);
    return b;
}

static binder bind_count(lowering *l, const murphi_node *q, int64_t from, int64_t to, int64_t by) {
    int64_t n = by > 0 ? (to - from) / by + 1 : (from - to) / -by + 1;
    bool is_empty = by > 0 ? from > to : from < to;
    bool is_mistake = is_empty && q->kids[2];  // for Rumur; CMurphi does nothing
    if (is_mistake && l->options->copies_undefined)
        diag_warning(l->m->messages, q->kids[2]->at, "this step leads away from the end: nothing is done");
    else if (is_mistake) murphi_error(l, q->kids[2]->at, "this step leads away from the end");
    if (is_empty) return (binder){.ok = !is_mistake || l->options->copies_undefined, .is_empty = true};
    bool plain = by == 1;
    int64_t low = plain ? from : 0, high = plain ? to : n - 1;
    var v = model_add_var(l->m, q->name, model_range(l->m, (int32_t)low, (int32_t)high, q->at), q->at);
    expr x = expr_var(l->m, v);
    if (!plain) x = expr_arith(l->m, E_MUL, x, murphi_int(l, by));
    if (!plain) x = expr_arith(l->m, E_ADD, x, murphi_int(l, from));
    return (binder){.ok = true, .v = v, .value = x};
}

// Bounds that are known only in a state: all values they may have, and a condition.
static binder bind_between(lowering *l, const murphi_node *q, expr from, expr to, int64_t by, bool is_loop) {
    model *m = l->m;
    if (is_loop) from = murphi_once(l, from, q->at), to = murphi_once(l, to, q->at);
    int64_t a, b, unused;
    expr_bounds(m, by > 0 ? from : to, &a, &unused);
    expr_bounds(m, by > 0 ? to : from, &unused, &b);
    if (a > b) return (binder){.ok = true, .is_empty = true};
    if (b - a >= MURPHI_LONGEST_LOOP) {
        murphi_error(l, q->at, "the bounds of this loop are too far apart");
        return (binder){0};
    }
    var v = model_add_var(m, q->name, model_range(m, (int32_t)a, (int32_t)b, q->at), q->at);
    expr x = expr_var(m, v), least = by > 0 ? from : to, most = by > 0 ? to : from;
    if (by < 0) x = expr_arith(m, E_SUB, murphi_int(l, b), expr_arith(m, E_SUB, x, murphi_int(l, a)));  // downwards
    expr cond = expr_and(m, expr_arith(m, E_LE, least, x), expr_arith(m, E_LE, x, most));
    expr off = expr_arith(m, E_MOD, expr_arith(m, E_SUB, x, from), murphi_int(l, by));
    if (by != 1 && by != -1) cond = expr_and(m, cond, expr_eq(m, off, murphi_int(l, 0)));
    return (binder){.ok = true, .v = v, .value = x, .cond = cond};
}

static binder bind_bounds(lowering *l, const murphi_node *q, const murphi_bounds *b, bool is_loop) {
    value a, z, by;
    if (!expr_is_const(l->m, b->by, &by)) murphi_error(l, q->kids[2]->at, "a constant number expected");
    else if (by == 0) murphi_error(l, q->kids[2]->at, "a step of 0 does not lead anywhere");
    else if (!expr_is_const(l->m, b->from, &a) || !expr_is_const(l->m, b->to, &z))
        return bind_between(l, q, b->from, b->to, by, is_loop);
    else return bind_count(l, q, a, z, by);
    return (binder){0};
}

static binder bind_type(lowering *l, const murphi_node *q) {
    const murphi_type *ty = murphi_resolve(l, q->kids[0], "");
    if (ty && ty->shape != SHAPE_SIMPLE) murphi_error(l, q->at, "'%s' needs a simple type", q->name);
    murphi_declare_literals(l, q->kids[0]);
    if (!ty || ty->shape != SHAPE_SIMPLE) return (binder){0};
    var v = model_add_var(l->m, q->name, ty->simple, q->at);
    return (binder){.ok = true, .v = v, .value = expr_var(l->m, v)};
}

binder murphi_bind(lowering *l, const murphi_node *q, const murphi_bounds *of_loop) {
    murphi_bounds bounds = q->kind == MQ_RANGE && !of_loop ? murphi_read_bounds(l, q) : (murphi_bounds){0};
    binder r = q->kind != MQ_RANGE ? bind_type(l, q) : bind_bounds(l, q, of_loop ? of_loop : &bounds, of_loop);
    if (r.ok && !r.is_empty && type_known_size(l->m, var_of(l->m, r.v)->ty) > MURPHI_MOST_ROUNDS) {
        murphi_error(l, q->at, "'%s' has more than %d values", q->name, MURPHI_MOST_ROUNDS);
        r.ok = false;
    }
    if (r.ok) murphi_declare_value(l, q->name, r.is_empty ? murphi_int(l, 0) : r.value, q->at);
    return r;
}

// A body with statements before it: t := true; for each value while t holds { …; t := body }
static expr quantify_by_loop(lowering *l, const murphi_node *n, const binder *b, late *body) {
    model *m = l->m;
    bool is_forall = n->kind == MX_FORALL;
    place t = murphi_temp(l, murphi_simple(l, m->bool_type), n->at);
    murphi_write(l, &t, expr_bool(m, is_forall), n->at);
    expr so_far = murphi_read_place(l, &t), go_on = is_forall ? so_far : expr_not(m, so_far);
    if (b->cond.id) go_on = expr_and(m, go_on, b->cond);
    stmt_list *outer = murphi_into(l, &body->before);
    murphi_write(l, &t, body->e, n->at);
    l->out = outer;
    murphi_emit(l, model_forall(m, &b->v, 1, go_on, body->before.data, body->before.len, n->at));
    return so_far;
}

static expr murphi_expr_quantifier(lowering *l, const murphi_node *n) {
    model *m = l->m;
    bool is_forall = n->kind == MX_FORALL;
    uint32_t scope = l->names.len;
    binder b = murphi_bind(l, n->kids[0], NULL);
    late body = lower_late(l, n->kids[1], true);
    murphi_leave(l, scope);
    expr e = expr_bool(m, is_forall);
    if (b.ok && !b.is_empty && body.before.len) e = quantify_by_loop(l, n, &b, &body);
    else if (b.ok && !b.is_empty) {
        e = body.e;
        if (b.cond.id) e = is_forall ? expr_implies(m, b.cond, e) : expr_and(m, b.cond, e);
        e = expr_quantify(m, is_forall ? E_FORALL : E_EXISTS, b.v, e);
    }
    vec_free(&body.before);
    return e;
}

// ---- comparisons and arithmetic

static expr equal_aggregates(lowering *l, const murphi_node *n, place *a) {
    place b;
    if (n->kids[1]->has_call) murphi_freeze(l, a);
    if (!murphi_place(l, n->kids[1], &b)) return (expr){0};
    if (murphi_same_shape(l, a->ty, b.ty)) return murphi_same(l, a, &b);
    murphi_error(l, n->at, "these two cannot be compared");
    return (expr){0};
}

static expr equal_values(lowering *l, expr a, expr b, const murphi_node *n) {
    if (murphi_is_slot(l, a) || murphi_is_slot(l, b)) return murphi_same_slot(l, a, b, n->at);
    type x = expr_type(l->m, a), y = expr_type(l->m, b);
    if (murphi_real_common(l, a, b).id) return real_compute(l->m, REAL_EQ, a, b);
    if (type_is_number(l->m, x) && type_is_number(l->m, y)) return expr_eq(l->m, a, b);
    if (!murphi_is_union(l, x) && murphi_is_union(l, y)) a = murphi_convert(l, a, y, n->kids[0]->at);
    else b = murphi_convert(l, b, x, n->kids[1]->at);
    return a.id && b.id ? expr_eq(l->m, a, b) : (expr){0};
}

static bool has_elements(const lowering *l, expr e) {
    const type_info *t = type_of(l->m, expr_type(l->m, e));
    return (t->kind == TYPE_SORT && !t->is_range) || t->kind == TYPE_UNION;
}

// For CMurphi `undefined` is one more element of a scalarset or union: reading it is no error in a comparison.
static expr equal_or_undefined(lowering *l, expr a, expr b, const murphi_node *n) {
    model *m = l->m;
    expr x = has_value(l, a), y = has_value(l, b), same = equal_values(l, a, b, n);
    if (!same.id) return same;
    same = expr_and(m, expr_and(m, x, y), same);
    return expr_or(m, same, expr_and(m, expr_not(m, x), expr_not(m, y)));
}

// The left side is lowered once: it may have calls.
static expr equality(lowering *l, const murphi_node *n) {
    place p;
    expr known, a;
    if (n->kind == MX_EQ && murphi_compare_large(l, n, &known)) return known;
    if (n->kids[0]->kind == MX_CALL || murphi_is_place(l, n->kids[0])) {
        if (!murphi_place(l, n->kids[0], &p)) return (expr){0};
        if (p.ty->shape != SHAPE_SIMPLE) return equal_aggregates(l, n, &p);
        a = expr_at(l->m, murphi_read_place(l, &p), n->kids[0]->at);
    } else a = murphi_value(l, n->kids[0]);
    uint32_t emitted = murphi_emitted(l);
    expr b = murphi_value(l, n->kids[1]);
    a = murphi_before(l, a, emitted, n->at);
    if (!a.id || !b.id) return (expr){0};
    bool is_lenient = l->options->copies_undefined && (has_elements(l, a) || has_elements(l, b));
    return is_lenient ? equal_or_undefined(l, a, b, n) : equal_values(l, a, b, n);
}

static expr inequality(lowering *l, const murphi_node *n) {
    expr e;
    if (murphi_compare_large(l, n, &e)) return e;
    e = equality(l, n);
    return e.id ? expr_not(l->m, e) : e;
}

static expr_kind murphi_arith_kind(murphi_kind k) {
#define KIND(name, text, level, associates, kind) [MX_##name] = kind,
    static const expr_kind kinds[] = {[MX_NEG] = E_NEG, [MX_BITNOT] = E_BITNOT, MURPHI_OPERATORS(KIND)};
    return kinds[k];
}

static expr murphi_arithmetic(lowering *l, const murphi_node *n, expr a) {
    expr_kind k = murphi_arith_kind(n->kind);
    bool swap = n->kind == MX_GT || n->kind == MX_GE;
    uint32_t emitted = murphi_emitted(l);
    expr b = n->nkids > 1 ? murphi_quantity(l, n->kids[1]) : a;
    a = murphi_before(l, a, emitted, n->at);
    if (murphi_is_real(l, a) || murphi_is_real(l, b)) return murphi_compute(l, n, a, b);
    return swap ? expr_arith(l->m, k, b, a) : murphi_arith(l, k, a, b, n->at);
}

static bool murphi_is_comparison(const murphi_node *n) { return n->kind >= MX_EQ && n->kind <= MX_GE; }

static expr murphi_binary(lowering *l, const murphi_node *n) {
    expr known;
    if (murphi_is_comparison(n) && murphi_compare_large(l, n, &known)) return known;
    return murphi_arithmetic(l, n, murphi_quantity(l, n->kids[0]));
}

// `&` and `|` between numbers are bit operations.
static expr bits_or_logic(lowering *l, const murphi_node *n) {
    expr a = murphi_value(l, n->kids[0]);
    if (!a.id) return a;
    type t = expr_type(l->m, a);
    if (type_is_number(l->m, t)) return murphi_arithmetic(l, n, a);
    bool fits = type_same(t, l->m->bool_type);
    return wants(l, a, "a condition", fits, n->kids[0]->at) ? murphi_junction(l, n, a) : (expr){0};
}

// ---- questions

static bool murphi_is_argument(lowering *l, const murphi_node *n) {
    symbol *s = n->kind == MX_NAME ? murphi_find(l, n->name) : NULL;
    return s && s->is_argument;
}

static expr is_undefined(lowering *l, const murphi_node *n) {
    place p;
    bool is_place = murphi_is_place(l, n->kids[0]);
    if (murphi_is_argument(l, n->kids[0])) return l->m->false_expr;
    if (is_place && !murphi_place(l, n->kids[0], &p)) return (expr){0};
    if (is_place && p.ty->shape == SHAPE_SIMPLE) return expr_not(l->m, murphi_is_defined(l, &p));
    if (!is_place && n->kids[0]->kind == MX_NAME) {
        expr e = murphi_value(l, n->kids[0]);
        if (!e.id) return e;
        if (expr_kind_of(l->m, e) == E_VAR) return l->m->false_expr;  // of a ruleset or a quantifier
    }
    murphi_error(l, n->kids[0]->at, "isundefined asks about a simple variable");
    return (expr){0};
}

static expr murphi_is_member(lowering *l, const murphi_node *n) {
    expr e = murphi_value(l, n->kids[0]);
    const murphi_type *ty = murphi_resolve(l, n->kids[1], "");
    if (!e.id || !ty || ty->shape != SHAPE_SIMPLE) return (expr){0};
    type from = expr_type(l->m, e);
    if (type_same(from, ty->simple) || murphi_has_member(l, ty->simple, from)) return l->m->true_expr;
    if (murphi_has_member(l, from, ty->simple)) return expr_is(l->m, ty->simple, e);
    const type_info u = *type_of(l->m, ty->simple);
    expr any = l->m->false_expr;
    for (uint32_t i = 0; i < u.nmembers; i++)
        if (murphi_has_member(l, from, u.members[i])) any = expr_or(l->m, any, expr_is(l->m, u.members[i], e));
    return any;
}

// A predicate with statements before it: n := 0; for each taken slot { …; if the predicate holds { n := n + 1 } }
static expr count_by_loop(lowering *l, const murphi_node *n, var v, expr taken, late *wanted) {
    model *m = l->m;
    type t = model_range(m, 0, (int32_t)type_known_size(m, var_of(m, v)->ty), n->at);
    place p = murphi_temp(l, murphi_simple(l, t), n->at);
    murphi_write(l, &p, murphi_int(l, 0), n->at);
    expr so_far = murphi_read_place(l, &p), more = expr_arith(m, E_ADD, so_far, murphi_int(l, 1));
    const stmt *add = model_assign(m, p.funcs[0], NULL, 0, more, n->at);
    vec_push(&wanted->before, model_if(m, wanted->e, &add, 1, NULL, 0, n->at));
    murphi_emit(l, model_forall(m, &v, 1, taken, wanted->before.data, wanted->before.len, n->at));
    return so_far;
}

static late lower_predicate(lowering *l, const murphi_node *n, var v, const place *set) {
    uint32_t scope = l->names.len, nslots = l->slots.len;
    murphi_slot_bind(l, v, set);
    murphi_declare_value(l, n->name, expr_var(l->m, v), n->at);
    late wanted = lower_late(l, n->kids[1], true);
    murphi_leave(l, scope);
    l->slots.len = nslots;
    return wanted;
}

// multisetcount(i: m, e): how many taken slots satisfy e. Statements before e may change which multiset m is.
static expr murphi_count(lowering *l, const murphi_node *n) {
    place p;
    if (!murphi_place(l, n->kids[0], &p) || !murphi_is_multiset(l, &p, n->kids[0]->at)) return (expr){0};
    var v = model_add_var(l->m, n->name, p.ty->index, n->at);
    late wanted = lower_predicate(l, n, v, &p);
    if (wanted.before.len && murphi_slots_read_state(l, &p)) {
        vec_free(&wanted.before);
        murphi_freeze(l, &p);
        wanted = lower_predicate(l, n, v, &p);
    }
    p.args[p.nargs++] = expr_var(l->m, v);
    expr taken = murphi_read_place(l, &p), e;
    if (wanted.before.len) e = count_by_loop(l, n, v, taken, &wanted);
    else e = expr_quantify(l->m, E_COUNT, v, expr_and(l->m, taken, wanted.e));
    vec_free(&wanted.before);
    return e;
}

// ---- dispatch

static expr murphi_lower(lowering *l, const murphi_node *n) {
    switch (n->kind) {
    case MX_NUMBER: return murphi_large_constant(l, n);
    case MX_REAL: return real_literal(l->m, strtod(n->text, NULL));
    case MX_NAME: return murphi_is_place(l, n) ? place_value(l, n) : name_value(l, n);
    case MX_FIELD:
    case MX_INDEX:
    case MX_CALL: return place_value(l, n);
    case MX_NOT: return expr_not(l->m, murphi_bool(l, n->kids[0]));
    case MX_PLUS: return murphi_quantity(l, n->kids[0]);
    case MX_AND:
    case MX_OR:
    case MX_IMPLIES: return murphi_junction(l, n, murphi_bool(l, n->kids[0]));
    case MX_BITAND:
    case MX_BITOR: return bits_or_logic(l, n);
    case MX_EQ: return equality(l, n);
    case MX_NE: return inequality(l, n);
    case MX_CHOICE: return murphi_choice(l, n);
    case MX_FORALL:
    case MX_EXISTS: return murphi_expr_quantifier(l, n);
    case MX_ISUNDEFINED: return is_undefined(l, n);
    case MX_ISMEMBER: return murphi_is_member(l, n);
    case MX_COUNT: return murphi_count(l, n);
    case MX_STRING: murphi_error(l, n->at, "a text has no value"); return (expr){0};
    default: return murphi_binary(l, n);
    }
}

expr murphi_value(lowering *l, const murphi_node *n) {
    expr e = murphi_lower(l, n);
    return e.id ? expr_at(l->m, e, n->at) : e;
}
