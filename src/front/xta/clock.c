// SPDX-License-Identifier: Apache-2.0
// Clock conditions: a comparison is brought to the form x - y < e, where either clock may be missing. A guard
// or invariant is a conjunction of these and of integer conditions; `b imply c` and `forall` over them are
// unrolled into bounds that apply where b holds. A clock chosen by an index that is not constant becomes one
// bound a candidate. In guards there may be disjunctions, `!=` and negations too: each alternative becomes an edge.
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
        const xtype *ty = xtype_of(w, a->type);
        xscope_bind(w, s, a->name, a->at, (xplace){.kind = P_VALUE, .ty = ty, .value = xint(w, ty->lo)});
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
        when = expr_and(w->m, xbinary(w, OP_EQ, p->index[i], xint(w, at), (span){0}), when);
    }
    return when;
}

// The candidate's number, and when it is meant; 0: never.
uint32_t xclock_number(xlower *w, const xplace *p, uint32_t candidate, expr *when) {
    *when = xelement_is(w, p, candidate);
    return expr_is_false(w->m, *when) ? 0 : p->store->base + candidate;
}

// ---- linear forms

// plus - minus + rest; clocks of kind P_NONE and a rest of id 0 are missing.
typedef struct {
    xplace plus, minus;
    expr rest;
} linear;

static void add_rest(xlower *w, linear *l, expr e, bool negative) {
    if (w->failed) return;
    if (!l->rest.id && !negative) l->rest = e;
    else l->rest = xbinary(w, negative ? OP_SUB : OP_ADD, l->rest.id ? l->rest : xint(w, 0), e, (span){0});
}

static bool set_clock(xlower *w, xplace *clock, const xplace *p, span at) {
    if (clock->kind) return xfail(w, at, "a clock condition is about one clock or the difference of two");
    *clock = *p;
    return true;
}

static void add_clock(xlower *w, linear *l, const xta_ast *a, bool negative) {
    xplace p = xplace_of(w, a);
    if (w->failed) return;
    if (p.ty->kind != Y_CLOCK) xfail(w, a->at, "a clock is expected here");
    else set_clock(w, negative ? &l->minus : &l->plus, &p, a->at);
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

// Where bounds go, and what a comparison says without clocks.
typedef struct {
    bound_list *bounds;
    expr *rest;
    expr when;
    span at;
} emitter;

// left - right <= bound, where `when` holds. The difference of a clock and itself is 0.
static void emit_bound(xlower *w, const emitter *k, uint32_t left, uint32_t right, bool strict, expr bound, expr when) {
    when = expr_and(w->m, k->when.id ? k->when : w->m->true_expr, when);
    if (expr_is_false(w->m, when)) return;
    if (left == right) {
        expr holds = xbinary(w, strict ? OP_LT : OP_LE, xint(w, 0), bound, k->at);
        *k->rest = expr_and(w->m, *k->rest, expr_implies(w->m, when, holds));
        return;
    }
    clock_bound b = {left, right, strict, bound, when, w->process ? w->process->index : UINT32_MAX, k->at};
    if (expr_is_true(w->m, when)) b.when = (expr){0};
    vec_push(k->bounds, b);
}

// a - b <= bound, for all candidates.
static void emit_all(xlower *w, const emitter *k, const xplace *a, const xplace *b, bool strict, expr bound) {
    uint32_t na = a->kind ? xclock_candidates(a) : 1, nb = b->kind ? xclock_candidates(b) : 1;
    for (uint32_t i = 0; i < na && !w->failed; i++)
        for (uint32_t j = 0; j < nb; j++) {
            expr wa = w->m->true_expr, wb = w->m->true_expr;
            uint32_t x = a->kind ? xclock_number(w, a, i, &wa) : 0, y = b->kind ? xclock_number(w, b, j, &wb) : 0;
            if ((a->kind && !x) || (b->kind && !y)) continue;
            emit_bound(w, k, x, y, strict, bound, expr_and(w->m, wa, wb));
        }
}

// The comparison as plus - minus against a bound.
static bool linear_of(xlower *w, const xta_ast *a, linear *l, expr *bound) {
    linear right = {0};
    *l = (linear){0};
    add_terms(w, l, a->args[0], false);
    add_terms(w, &right, a->args[1], false);
    if (w->failed) return false;
    if (right.plus.kind && !set_clock(w, &l->minus, &right.plus, a->at)) return false;
    if (right.minus.kind && !set_clock(w, &l->plus, &right.minus, a->at)) return false;
    *bound = right.rest.id ? right.rest : xint(w, 0);
    if (l->rest.id) *bound = xbinary(w, OP_SUB, *bound, l->rest, a->at);
    return !w->failed;
}

static void emit_comparison(xlower *w, const xta_ast *a, xta_op op, const emitter *k) {
    linear l;
    expr bound;
    if (!linear_of(w, a, &l, &bound)) return;
    if (op == OP_LT || op == OP_LE || op == OP_EQ) emit_all(w, k, &l.plus, &l.minus, op == OP_LT, bound);
    if (op == OP_GT || op == OP_GE || op == OP_EQ)
        emit_all(w, k, &l.minus, &l.plus, op == OP_GT, xbinary(w, OP_SUB, xint(w, 0), bound, a->at));
}

// ---- guards and invariants

typedef struct {
    const xta_ast *a;
    expr when;
    bound_list *bounds;
    expr *rest;
} splitting;

static void split_each(xlower *w, void *context) {
    const splitting *s = context;
    xclock_split(w, s->a->args[0], s->when, s->bounds, s->rest);
}

static void split_under(xlower *w, const xta_ast *a, expr when, bound_list *bounds, expr *rest, bool holds) {
    if (xhas_clock(w, a->args[0])) {
        xfail(w, a->at, "a disjunction of clock conditions is not supported");
        return;
    }
    expr c = xbool(w, a->args[0]);
    if (w->failed) return;
    if (!holds) c = expr_not(w->m, c);
    xclock_split(w, a->args[1], when.id ? expr_and(w->m, when, c) : c, bounds, rest);
}

static bool has_rate(const xta_ast *a) {
    if (a->kind == X_RATE) return true;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (has_rate(a->args[i])) return true;
    return false;
}

// The rate of a clock, for all candidates.
static void emit_rate(xlower *w, const xta_ast *clock, const xta_ast *rate, expr when, span at) {
    xplace p = xplace_of(w, clock);
    expr number = w->failed ? (expr){0} : xnumber(w, rate);
    if (!w->failed && p.ty->kind != Y_CLOCK) xfail(w, at, "only clocks have rates");
    for (uint32_t i = 0; !w->failed && i < xclock_candidates(&p); i++) {
        expr is;
        uint32_t x = xclock_number(w, &p, i, &is);
        if (!x) continue;
        is = when.id ? expr_and(w->m, when, is) : is;
        clock_bound b = {.left = x, .bound = number, .when = is, .at = at};
        b.owner = w->process ? w->process->index : UINT32_MAX;
        vec_push(&w->timed->rates, b);
    }
}

// x' == e: how fast a clock runs. That of a hybrid clock is not followed.
static void split_rate(xlower *w, const xta_ast *a, expr when) {
    bool is_left = a->args[0]->kind == X_RATE;
    const xta_ast *rate = a->args[is_left ? 0 : 1];
    if (a->op != OP_EQ || rate->kind != X_RATE || has_rate(a->args[is_left ? 1 : 0])) {
        xfail(w, a->at, "the rate of a clock is given as x' == e");
        return;
    }
    const xtype *ty = xtype_of_value(w, rate->args[0]);
    if (ty && ty->kind == Y_DOUBLE) xta_warn_once(w->file, ty->is_cost ? LEFT_COSTS : LEFT_DOUBLES, a->at);
    else emit_rate(w, rate->args[0], a->args[is_left ? 1 : 0], when, a->at);
}

void xclock_split(xlower *w, const xta_ast *a, expr when, bound_list *bounds, expr *rest) {
    if (w->failed) return;
    bool is_comparison = a->kind == X_BINARY && a->op >= OP_EQ && a->op <= OP_GE;
    if (is_comparison && has_rate(a)) {
        split_rate(w, a, when);
    } else if (!xhas_clock(w, a) && !has_rate(a)) {
        expr e = xbool(w, a);
        if (!w->failed) *rest = expr_and(w->m, *rest, when.id ? expr_implies(w->m, when, e) : e);
    } else if (a->kind == X_BINARY && a->op == OP_AND) {
        xclock_split(w, a->args[0], when, bounds, rest);
        xclock_split(w, a->args[1], when, bounds, rest);
    } else if (a->kind == X_BINARY && (a->op == OP_IMPLY || a->op == OP_OR)) {
        split_under(w, a, when, bounds, rest, a->op == OP_IMPLY);
    } else if (a->kind == X_FORALL) {
        splitting s = {a, when, bounds, rest};
        xfor_values(w, a->name, xtype_of(w, a->type), a->at, split_each, &s);
    } else if (is_comparison && a->op != OP_NE) {
        emit_comparison(w, a, a->op, &(emitter){bounds, rest, when, a->at});
    } else {
        xfail(w, a->at, "this use of a clock is not supported");
    }
}

// ---- guards with alternatives

enum { MOST_ALTERNATIVES = 64 };

void xguards_free(xguard_list *list) {
    for (uint32_t i = 0; i < list->len; i++) vec_free(&list->data[i].bounds);
    vec_free(list);
}

static void copy_guards(const xguard_list *from, xguard_list *to) {
    for (uint32_t i = 0; i < from->len; i++) {
        xguard g = {.rest = from->data[i].rest};
        for (uint32_t k = 0; k < from->data[i].bounds.len; k++) vec_push(&g.bounds, from->data[i].bounds.data[k]);
        vec_push(to, g);
    }
}

static void narrow(xlower *w, const xta_ast *a, bool wanted, expr when, xguard_list *list);

// The alternatives where one of two conditions holds: those of the first, then those of the second.
static void narrow_either(xlower *w, const xta_ast *a, bool wanted_a, const xta_ast *b, bool wanted_b, expr when,
                          xguard_list *list) {
    xguard_list other = {0};
    copy_guards(list, &other);
    narrow(w, a, wanted_a, when, list);
    narrow(w, b, wanted_b, when, &other);
    for (uint32_t i = 0; i < other.len; i++) vec_push(list, other.data[i]);
    vec_free(&other);
    if (list->len > MOST_ALTERNATIVES)
        xfail(w, a->at, "the guard has more than %d alternatives of clock conditions", MOST_ALTERNATIVES);
}

static void narrow_comparison(xlower *w, const xta_ast *a, xta_op op, expr when, xguard_list *list) {
    if (op == OP_NE) {
        xguard_list other = {0};
        copy_guards(list, &other);
        narrow_comparison(w, a, OP_LT, when, list);
        narrow_comparison(w, a, OP_GT, when, &other);
        for (uint32_t i = 0; i < other.len; i++) vec_push(list, other.data[i]);
        vec_free(&other);
        if (list->len > MOST_ALTERNATIVES) xfail(w, a->at, "the guard has too many alternatives of clock conditions");
        return;
    }
    for (uint32_t i = 0; i < list->len && !w->failed; i++)
        emit_comparison(w, a, op, &(emitter){&list->data[i].bounds, &list->data[i].rest, when, a->at});
}

typedef struct {
    const xta_ast *a;
    bool wanted, is_any;
    expr when;
    xguard_list *list;
    xguard_list before, all;  // of `any`: what the alternatives of each value start from, and those so far
} narrowing;

static void narrow_each(xlower *w, void *context) {
    narrowing *n = context;
    if (!n->is_any) {
        narrow(w, n->a->args[0], n->wanted, n->when, n->list);
        return;
    }
    xguard_list now = {0};
    copy_guards(&n->before, &now);
    narrow(w, n->a->args[0], n->wanted, n->when, &now);
    for (uint32_t i = 0; i < now.len; i++) vec_push(&n->all, now.data[i]);
    vec_free(&now);
    if (n->all.len > MOST_ALTERNATIVES) xfail(w, n->a->at, "the guard has too many alternatives of clock conditions");
}

static void narrow_quantifier(xlower *w, const xta_ast *a, bool wanted, expr when, xguard_list *list) {
    narrowing n = {.a = a, .wanted = wanted, .is_any = (a->kind == X_EXISTS) == wanted, .when = when, .list = list};
    if (n.is_any) copy_guards(list, &n.before);
    xfor_values(w, a->name, xtype_of(w, a->type), a->at, narrow_each, &n);
    if (!n.is_any) return;
    xguards_free(&n.before);
    xguards_free(list);
    *list = n.all;
}

static void narrow_plain(xlower *w, const xta_ast *a, bool wanted, expr when, xguard_list *list) {
    expr e = xbool(w, a);
    if (w->failed) return;
    if (!wanted) e = expr_not(w->m, e);
    if (when.id) e = expr_implies(w->m, when, e);
    for (uint32_t i = 0; i < list->len; i++) list->data[i].rest = expr_and(w->m, list->data[i].rest, e);
}

// `b or c`, where c has the clocks: c where b does not hold, which makes no alternatives.
static void narrow_under(xlower *w, const xta_ast *b, bool unless, const xta_ast *c, bool wanted, expr when,
                         xguard_list *list) {
    expr e = xbool(w, b);
    if (w->failed) return;
    if (unless) e = expr_not(w->m, e);
    narrow(w, c, wanted, when.id ? expr_and(w->m, when, e) : e, list);
}

static void narrow_junction(xlower *w, const xta_ast *a, bool wanted, expr when, xguard_list *list) {
    const xta_ast *x = a->args[0], *y = a->args[1];
    bool first = a->op == OP_IMPLY ? !wanted : wanted;  // what is wanted of x; of y it is `wanted`
    if ((a->op == OP_AND) == wanted) {
        narrow(w, x, first, when, list);
        narrow(w, y, wanted, when, list);
    } else if (!xhas_clock(w, x)) {
        narrow_under(w, x, first, y, wanted, when, list);
    } else if (!xhas_clock(w, y)) {
        narrow_under(w, y, wanted, x, first, when, list);
    } else {
        narrow_either(w, x, first, y, wanted, when, list);
    }
}

static xta_op complement_of_op(xta_op op) {
    static const xta_op of[] = {
        [OP_EQ] = OP_NE, [OP_NE] = OP_EQ, [OP_LT] = OP_GE, [OP_LE] = OP_GT, [OP_GT] = OP_LE, [OP_GE] = OP_LT};
    return of[op];
}

// The alternatives in which the condition (wanted: or its negation) holds too, wherever `when` does.
static void narrow(xlower *w, const xta_ast *a, bool wanted, expr when, xguard_list *list) {
    if (w->failed) return;
    bool is_binary = a->kind == X_BINARY;
    if (!xhas_clock(w, a)) narrow_plain(w, a, wanted, when, list);
    else if (is_binary && has_rate(a) && a->op >= OP_EQ && a->op <= OP_GE)
        xfail(w, a->at, "the rate of a clock is set in an invariant only");
    else if (is_binary && (a->op == OP_AND || a->op == OP_OR || a->op == OP_IMPLY))
        narrow_junction(w, a, wanted, when, list);
    else if (a->kind == X_UNARY && a->op == OP_NOT) narrow(w, a->args[0], !wanted, when, list);
    else if (a->kind == X_FORALL || a->kind == X_EXISTS) narrow_quantifier(w, a, wanted, when, list);
    else if (is_binary && a->op >= OP_EQ && a->op <= OP_GE)
        narrow_comparison(w, a, wanted ? a->op : complement_of_op(a->op), when, list);
    else xfail(w, a->at, "this use of a clock is not supported");
}

void xclock_guard(xlower *w, const xta_ast *a, xguard_list *out) {
    vec_push(out, ((xguard){.rest = w->m->true_expr}));
    narrow(w, a, true, (expr){0}, out);
}

// ---- queries

static expr atom_of(xlower *w, clock_bound b) {
    uint32_t key[] = {b.left, b.right, b.is_strict, b.bound.id};
    uint32_t known = map_get(w->atoms, key, sizeof key, 0);
    if (known) return expr_var(w->m, w->timed->atoms.data[known - 1].stands);
    var v = model_add_var(w->m, arena_printf(w->file->memory, "clock condition %u", w->timed->atoms.len),
                          w->m->bool_type, b.at);
    b.when = (expr){0};
    vec_push(&w->timed->atoms, (clock_atom){.stands = v, .is = b});
    map_put(w->atoms, key, sizeof key, w->timed->atoms.len);
    return expr_var(w->m, v);
}

// All bounds of one side of the comparison: each where it applies.
static expr side(xlower *w, const xta_ast *a, xta_op op) {
    bound_list bounds = {0};
    expr all = w->m->true_expr;
    emit_comparison(w, a, op, &(emitter){&bounds, &all, (expr){0}, a->at});
    for (uint32_t i = 0; i < bounds.len && !w->failed; i++) {
        expr when = bounds.data[i].when, atom = atom_of(w, bounds.data[i]);
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

// Added when they are needed: a clock more makes zones larger.
static uint32_t added_clock(xlower *w, uint32_t *which, const char *name) {
    if (*which) return *which;
    *which = w->timed->clocks.len;
    vec_push(&w->timed->clocks, ((timed_clock){.name = name, .member = name}));
    return *which;
}

uint32_t xtime_clock(xlower *w) { return added_clock(w, &w->timed->time_clock, "(time)"); }

uint32_t xsince_clock(xlower *w) { return added_clock(w, &w->timed->since_clock, "(since)"); }

expr xtime_atom(xlower *w, uint32_t clock, int32_t most, bool is_strict, span at) {
    clock_bound b = {.left = clock, .bound = xint(w, most), .is_strict = is_strict, .at = at};
    return atom_of(w, b);
}

expr xdeadlock(xlower *w) {
    for (uint32_t i = 0; i < w->timed->atoms.len; i++)
        if (w->timed->atoms.data[i].is_deadlock) return expr_var(w->m, w->timed->atoms.data[i].stands);
    var v = model_add_var(w->m, "deadlock", w->m->bool_type, (span){0});
    vec_push(&w->timed->atoms, (clock_atom){.stands = v, .is_deadlock = true});
    return expr_var(w->m, v);
}
