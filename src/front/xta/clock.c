// SPDX-License-Identifier: Apache-2.0
// Clock conditions: a comparison is brought to the form x - y < e, where either clock may be missing. A guard
// or invariant is a conjunction of these and of integer conditions; `b imply c` and `forall` over them are
// unrolled into bounds that apply where b holds. A clock chosen by an index that is not constant becomes one
// bound a candidate.
#include "front/xta/internal.h"

// ---- is there a clock?

static bool place_is_clock(xlower *w, const xta_ast *a) {
    if (a->kind == X_NAME) {
        const xsym *s = xscope_find(w, w->scope, a->name);
        const xtype *ty = s && s->kind == SYM_PLACE ? s->place.ty : NULL;
        while (ty && ty->kind == Y_ARRAY) ty = ty->element;
        return ty && ty->kind == Y_CLOCK;
    }
    if (a->kind == X_INDEX) return place_is_clock(w, a->args[0]);
    if (a->kind != X_FIELD) return false;
    bool failed = w->failed;
    xplace p = xplace_of(w, a);
    bool is_clock = !w->failed && p.ty && p.ty->kind == Y_CLOCK;
    w->failed |= failed;
    return is_clock;
}

bool xhas_clock(xlower *w, const xta_ast *a) {
    if (w->failed) return false;
    if (xis_place(a)) return place_is_clock(w, a);
    if (a->kind == X_FORALL || a->kind == X_EXISTS || a->kind == X_SUM) {
        // The bound variable matters only inside indices, where there are no clocks.
        const xscope *outer = w->scope;
        xscope *s = xscope_new(w, outer);
        xsym *sym = xscope_add(w, s, a->name, a->at);
        const xtype *ty = xtype_of(w, a->type);
        sym->kind = SYM_PLACE;
        sym->place = (xplace){
            .kind = P_VALUE, .ty = ty, .value = expr_const(w->m, model_range(w->m, ty->lo, ty->lo, a->at), ty->lo)};
        w->scope = s;
        bool found = xhas_clock(w, a->args[0]);
        w->scope = outer;
        return found;
    }
    if (a->kind == X_CALL) return false;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (xhas_clock(w, a->args[i])) return true;
    return false;
}

// ---- which clock

uint32_t xclock_candidates(const xplace *p) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < p->nindex; i++) n *= (uint32_t)(p->store->dims[i]->hi - p->store->dims[i]->lo + 1);
    return n;
}

expr xelement_is(xlower *w, const xplace *p, uint32_t candidate) {
    uint32_t rest = candidate;
    expr when = w->m->true_expr;
    for (uint32_t i = p->nindex; i-- > 0;) {
        const xtype *dim = p->store->dims[i];
        uint32_t size = (uint32_t)(dim->hi - dim->lo + 1);
        value at = dim->lo + (value)(rest % size);
        rest /= size;
        expr is = xbinary(w, OP_EQ, p->index[i], expr_const(w->m, model_range(w->m, at, at, (span){0}), at), (span){0});
        when = expr_and(w->m, is, when);
    }
    return when;
}

// The candidate's number, and when it is meant; 0: never.
uint32_t xclock_number(xlower *w, const xplace *p, uint32_t candidate, expr *when) {
    *when = xelement_is(w, p, candidate);
    return expr_is_false(w->m, *when) ? 0 : p->store->base + candidate;
}

// ---- linear forms

typedef struct {
    xplace plus, minus;
    bool has_plus, has_minus;
    expr rest;
    bool has_rest;
} linear;

static void add_rest(xlower *w, linear *l, expr e, bool negative) {
    if (w->failed) return;
    if (!l->has_rest && !negative) l->rest = e;
    else {
        expr zero = expr_const(w->m, model_range(w->m, 0, 0, (span){0}), 0);
        l->rest = xbinary(w, negative ? OP_SUB : OP_ADD, l->has_rest ? l->rest : zero, e, (span){0});
    }
    l->has_rest = true;
}

static void add_clock(xlower *w, linear *l, const xta_ast *a, bool negative) {
    xplace p = xplace_of(w, a);
    if (w->failed) return;
    if (p.ty->kind != Y_CLOCK) xfail(w, a->at, "a clock is expected here");
    else if (negative ? l->has_minus : l->has_plus)
        xfail(w, a->at, "a clock condition is about one clock or the difference of two");
    else if (negative) l->minus = p, l->has_minus = true;
    else l->plus = p, l->has_plus = true;
}

static void add_terms(xlower *w, linear *l, const xta_ast *a, bool negative) {
    if (w->failed) return;
    if (!xhas_clock(w, a)) add_rest(w, l, xnumber(w, a), negative);
    else if (xis_place(a)) add_clock(w, l, a, negative);
    else if (a->kind == X_BINARY && (a->op == OP_ADD || a->op == OP_SUB)) {
        add_terms(w, l, a->args[0], negative);
        add_terms(w, l, a->args[1], negative != (a->op == OP_SUB));
    } else xfail(w, a->at, "clocks can only be compared, and subtracted from each other");
}

// ---- bounds

typedef struct {
    bound_list *out;
    expr when;
    span at;
} emitter;

static void xta_clock_emit(xlower *w, const emitter *k, uint32_t left, uint32_t right, bool strict, expr bound,
                           expr when) {
    when = expr_and(w->m, k->when.id ? k->when : w->m->true_expr, when);
    if (expr_is_false(w->m, when)) return;
    clock_bound b = {left, right, strict, bound, when, w->process ? w->process->index : UINT32_MAX, k->at};
    if (expr_is_true(w->m, when)) b.when = (expr){0};
    vec_push(k->out, b);
}

// plus - minus <= bound, for all candidates.
static void emit_all(xlower *w, const emitter *k, const linear *l, bool flip, bool strict, expr bound) {
    const xplace *a = flip ? &l->minus : &l->plus, *b = flip ? &l->plus : &l->minus;
    bool has_a = flip ? l->has_minus : l->has_plus, has_b = flip ? l->has_plus : l->has_minus;
    uint32_t na = has_a ? xclock_candidates(a) : 1, nb = has_b ? xclock_candidates(b) : 1;
    for (uint32_t i = 0; i < na && !w->failed; i++)
        for (uint32_t j = 0; j < nb; j++) {
            expr wa = w->m->true_expr, wb = w->m->true_expr;
            uint32_t x = has_a ? xclock_number(w, a, i, &wa) : 0, y = has_b ? xclock_number(w, b, j, &wb) : 0;
            if ((has_a && !x) || (has_b && !y)) continue;
            if (x != y) xta_clock_emit(w, k, x, y, strict, bound, expr_and(w->m, wa, wb));
        }
}

// The comparison as l <= bound and / or -l <= -bound.
static bool linear_of(xlower *w, const xta_ast *a, linear *l, expr *bound) {
    expr zero = expr_const(w->m, model_range(w->m, 0, 0, (span){0}), 0);
    *l = (linear){0};
    add_terms(w, l, a->args[0], false);
    linear right = {0};
    add_terms(w, &right, a->args[1], false);
    if (w->failed) return false;
    if ((right.has_plus && l->has_minus) || (right.has_minus && l->has_plus))
        return xfail(w, a->at, "a clock condition is about one clock or the difference of two");
    if (right.has_plus) l->minus = right.plus, l->has_minus = true;
    if (right.has_minus) l->plus = right.minus, l->has_plus = true;
    *bound = right.has_rest ? right.rest : zero;
    if (l->has_rest) *bound = xbinary(w, OP_SUB, *bound, l->rest, a->at);
    return !w->failed;
}

static expr xta_clock_negated(xlower *w, expr e, span at) {
    expr zero = expr_const(w->m, model_range(w->m, 0, 0, (span){0}), 0);
    return xbinary(w, OP_SUB, zero, e, at);
}

static void emit_comparison(xlower *w, const xta_ast *a, xta_op op, const emitter *k) {
    linear l;
    expr bound;
    if (!linear_of(w, a, &l, &bound)) return;
    if (op == OP_LT || op == OP_LE || op == OP_EQ) emit_all(w, k, &l, false, op == OP_LT, bound);
    if (op == OP_GT || op == OP_GE || op == OP_EQ)
        emit_all(w, k, &l, true, op == OP_GT, xta_clock_negated(w, bound, a->at));
}

// ---- guards and invariants

typedef struct {
    const xta_ast *a;
    expr when;
    bound_list *bounds;
    expr *rest;
} splitting;

static void xta_clock_split(xlower *w, const xta_ast *a, expr when, bound_list *bounds, expr *rest);

static void split_each(xlower *w, void *context) {
    const splitting *s = context;
    xta_clock_split(w, s->a->args[0], s->when, s->bounds, s->rest);
}

static void split_under(xlower *w, const xta_ast *a, expr when, bound_list *bounds, expr *rest, bool holds) {
    if (xhas_clock(w, a->args[0])) {
        xfail(w, a->at, "a disjunction of clock conditions is not supported");
        return;
    }
    expr c = xbool(w, a->args[0]);
    if (w->failed) return;
    if (!holds) c = expr_not(w->m, c);
    xta_clock_split(w, a->args[1], when.id ? expr_and(w->m, when, c) : c, bounds, rest);
}

static void xta_clock_split(xlower *w, const xta_ast *a, expr when, bound_list *bounds, expr *rest) {
    if (w->failed) return;
    if (!xhas_clock(w, a)) {
        expr e = xbool(w, a);
        if (!w->failed) *rest = expr_and(w->m, *rest, when.id ? expr_implies(w->m, when, e) : e);
    } else if (a->kind == X_BINARY && a->op == OP_AND) {
        xta_clock_split(w, a->args[0], when, bounds, rest);
        xta_clock_split(w, a->args[1], when, bounds, rest);
    } else if (a->kind == X_BINARY && a->op == OP_IMPLY) {
        split_under(w, a, when, bounds, rest, true);
    } else if (a->kind == X_BINARY && a->op == OP_OR) {
        split_under(w, a, when, bounds, rest, false);
    } else if (a->kind == X_FORALL) {
        splitting s = {a, when, bounds, rest};
        xfor_values(w, a->name, xtype_of(w, a->type), a->at, split_each, &s);
    } else if (a->kind == X_BINARY && a->op >= OP_EQ && a->op <= OP_GE && a->op != OP_NE) {
        emit_comparison(w, a, a->op, &(emitter){bounds, when, a->at});
    } else {
        xfail(w, a->at, "this use of a clock is not supported");
    }
}

void xclock_split(xlower *w, const xta_ast *a, expr when, bound_list *bounds, expr *rest) {
    xta_clock_split(w, a, when, bounds, rest);
}

// ---- queries

static expr atom_of(xlower *w, clock_bound b) {
    for (uint32_t i = 0; i < w->timed->atoms.len; i++) {
        const clock_atom *x = &w->timed->atoms.data[i];
        if (!x->is_deadlock && x->is.left == b.left && x->is.right == b.right && x->is.is_strict == b.is_strict &&
            expr_same(x->is.bound, b.bound))
            return expr_var(w->m, x->stands);
    }
    var v = model_add_var(w->m, arena_printf(w->file->memory, "clock condition %u", w->timed->atoms.len),
                          w->m->bool_type, b.at);
    vec_push(&w->timed->atoms, (clock_atom){.stands = v, .is = b});
    return expr_var(w->m, v);
}

// All bounds of one side of the comparison: each where it applies.
static expr side(xlower *w, const xta_ast *a, xta_op op) {
    bound_list bounds = {0};
    expr all = w->m->true_expr;
    emit_comparison(w, a, op, &(emitter){&bounds, (expr){0}, a->at});
    for (uint32_t i = 0; i < bounds.len && !w->failed; i++) {
        clock_bound b = bounds.data[i];
        expr when = b.when;
        b.when = (expr){0};
        expr atom = atom_of(w, b);
        all = expr_and(w->m, all, when.id ? expr_implies(w->m, when, atom) : atom);
    }
    vec_free(&bounds);
    return all;
}

expr xclock_atom(xlower *w, const xta_ast *a) {
    if (a->op == OP_EQ) return expr_and(w->m, side(w, a, OP_LE), side(w, a, OP_GE));
    if (a->op == OP_NE) return expr_not(w->m, expr_and(w->m, side(w, a, OP_LE), side(w, a, OP_GE)));
    return side(w, a, a->op);
}

expr xdeadlock(xlower *w) {
    for (uint32_t i = 0; i < w->timed->atoms.len; i++)
        if (w->timed->atoms.data[i].is_deadlock) return expr_var(w->m, w->timed->atoms.data[i].stands);
    var v = model_add_var(w->m, "deadlock", w->m->bool_type, (span){0});
    vec_push(&w->timed->atoms, (clock_atom){.stands = v, .is_deadlock = true});
    return expr_var(w->m, v);
}
