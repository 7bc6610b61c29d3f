// SPDX-License-Identifier: Apache-2.0
// Statements of Murphi.
//
// A `return` that something follows sets a flag; what follows is put under the condition that the flag is
// not set, and loops go on only while it is not.
#include "front/murphi/lower.h"
#include "model/real.h"

#include <strings.h>

static void murphi_block(lowering *l, const murphi_node *b);

const stmt *murphi_sequence(lowering *l, stmt_list *list, span at) {
    const stmt *s = list->len == 1 ? list->data[0] : model_block(l->m, S_SEQ, list->data, list->len, at);
    vec_free(list);
    return s;
}

// ---- return

// Does something follow a `return`?
static bool needs_flag(const murphi_node *n) {
    bool is_loop = n->kind == MS_FOR || n->kind == MS_WHILE;
    if (is_loop || !n->has_return) return n->has_return;
    for (uint32_t i = 0; i < n->nkids; i++) {
        bool is_followed = n->kind == MS_BLOCK && i + 1 < n->nkids;
        if (n->kids[i] && n->kids[i]->has_return && (is_followed || needs_flag(n->kids[i]))) return true;
    }
    return false;
}

static expr not_returned(lowering *l) { return expr_not(l->m, expr_app(l->m, l->body->returned, NULL)); }

static void set_returned(lowering *l, bool to, span at) {
    if (l->body->returned.id) murphi_emit(l, model_assign(l->m, l->body->returned, NULL, 0, expr_bool(l->m, to), at));
}

static void assign_value(lowering *l, const place *p, const murphi_node *from, span at);

static void lower_return(lowering *l, const murphi_node *n) {
    const murphi_node *result = n->nkids ? n->kids[0] : NULL;
    frame *f = l->body;
    if (result && !f->result_type) murphi_error(l, result->at, "nothing is returned from here");
    else if (!result && f->result_type) murphi_error(l, n->at, "a function returns a value");
    else if (result) assign_value(l, &f->result, result, n->at);
    set_returned(l, true, n->at);
}

// ---- assignments

static bool murphi_same_type(lowering *l, const murphi_type *a, const murphi_type *b, span at) {
    if (murphi_same_shape(l, a, b)) return true;
    str x = {0}, y = {0};
    murphi_type_text(l, a, &x);
    murphi_type_text(l, b, &y);
    murphi_error(l, at, "%s is put where %s belongs", str_get(&y), str_get(&x));
    str_free(&x);
    str_free(&y);
    return false;
}

// In CMurphi's reading an undefined value may be copied.
static bool may_copy(const lowering *l, const place *to, const place *from) {
    return l->options->copies_undefined && murphi_same_shape(l, to->ty, from->ty);
}

static void assign_place(lowering *l, const place *to, const murphi_node *n, span at) {
    place from;
    if (!murphi_place(l, n, &from)) return;
    if (from.ty->shape == SHAPE_SIMPLE && to->ty->shape == SHAPE_SIMPLE && !may_copy(l, to, &from)) {
        expr e = murphi_convert(l, expr_at(l->m, murphi_read_place(l, &from), n->at), to->ty->simple, n->at);
        if (e.id) murphi_write(l, to, e, at);
    } else if (murphi_same_type(l, to->ty, from.ty, n->at)) {
        murphi_copy(l, to, &from, at);
    }
}

static void assign_value(lowering *l, const place *to, const murphi_node *n, span at) {
    if (murphi_is_place(l, n) || n->kind == MX_CALL) {
        assign_place(l, to, n, at);
        return;
    }
    expr e = murphi_value(l, n);
    if (!e.id) return;
    if (to->ty->shape != SHAPE_SIMPLE) {
        murphi_same_type(l, to->ty, murphi_simple(l, expr_type(l->m, e)), n->at);
        return;
    }
    e = murphi_convert(l, e, to->ty->simple, n->at);
    if (e.id) murphi_write(l, to, e, at);
}

static bool writable(lowering *l, const murphi_node *n, place *p) {
    if (!murphi_place(l, n, p)) return false;
    if (p->is_constant) murphi_error(l, n->at, "this may not be changed: the parameter is not declared `var`");
    return !p->is_constant;
}

bool murphi_says_undefined(lowering *l, const murphi_node *n) {
    return n->kind == MX_NAME && strcasecmp(n->name, "undefined") == 0 && !murphi_find(l, n->name);
}

// The value comes first, then the calls that the place needs.
static void assign_late(lowering *l, const place *p, const murphi_node *n, stmt_list *calls) {
    place t = murphi_temp(l, p->ty, n->at);
    assign_value(l, &t, n->kids[1], n->at);
    murphi_emit_all(l, calls);
    murphi_copy(l, p, &t, n->at);
}

static void murphi_lower_assign(lowering *l, const murphi_node *n) {
    place p;
    stmt_list calls = {0}, *outer = murphi_into(l, &calls);
    bool ok = writable(l, n->kids[0], &p), is_none = murphi_says_undefined(l, n->kids[1]);
    l->out = outer;
    if (is_none) murphi_emit_all(l, &calls);
    if (ok && is_none) murphi_undefine(l, &p, n->at);
    else if (ok && calls.len) assign_late(l, &p, n, &calls);
    else if (ok) assign_value(l, &p, n->kids[1], n->at);
    vec_free(&calls);
}

// ---- if, switch

static stmt_list lower_apart(lowering *l, const murphi_node *block) {
    stmt_list list = {0}, *outer = murphi_into(l, &list);
    if (block) murphi_block(l, block);
    l->out = outer;
    return list;
}

static void emit_if(lowering *l, expr cond, stmt_list *then, stmt_list *orelse, span at) {
    if (then->len || orelse->len || expr_can_fault(l->m, cond))
        murphi_emit(l, model_if(l->m, cond, then->data, then->len, orelse->data, orelse->len, at));
    vec_free(then);
    vec_free(orelse);
}

static void murphi_lower_if(lowering *l, const murphi_node *n) {
    expr cond = murphi_bool(l, n->kids[0]);
    stmt_list then = lower_apart(l, n->kids[1]), orelse = lower_apart(l, n->kids[2]);
    emit_if(l, cond, &then, &orelse, n->at);
}

static expr case_equal(lowering *l, expr what, expr e, const murphi_node *v) {
    bool to_union = murphi_is_union(l, expr_type(l->m, what));
    if (murphi_real_common(l, what, e).id) return real_compute(l->m, REAL_EQ, what, e);
    type t = to_union ? expr_type(l->m, what) : expr_type(l->m, e);
    what = murphi_convert(l, what, t, v->at);
    e = what.id ? murphi_convert(l, e, t, v->at) : what;
    return e.id ? expr_eq(l->m, what, e) : e;
}

static expr case_matches(lowering *l, expr what, const murphi_node *v) {
    expr e = murphi_value(l, v);
    if (e.id && (murphi_is_slot(l, what) || murphi_is_slot(l, e))) e = murphi_same_slot(l, what, e, v->at);
    else if (e.id) e = case_equal(l, what, e, v);
    return e.id ? e : l->m->false_expr;
}

// From left to right up to the first that matches: calls in the others are not made.
static expr any_matches(lowering *l, expr what, const murphi_node *c) {
    VEC(expr) matches = {0};
    for (uint32_t k = 1; k < c->nkids; k++) {
        stmt_list before = {0}, *outer = murphi_into(l, &before);
        expr e = case_matches(l, what, c->kids[k]);
        l->out = outer;
        if (before.len) {
            e = murphi_or_late(l, expr_or_all(l->m, matches.data, matches.len), e, &before, c->kids[k]->at);
            vec_clear(&matches);
        }
        vec_push(&matches, e);
    }
    expr any = expr_or_all(l->m, matches.data, matches.len);
    vec_free(&matches);
    return any;
}

static void lower_cases(lowering *l, const murphi_node *n, uint32_t i, expr what) {
    if (i == n->nkids) return;
    const murphi_node *c = n->kids[i];
    if (c->nkids == 1) {
        murphi_block(l, c->kids[0]);
        return;
    }
    expr any = any_matches(l, what, c);
    stmt_list then = lower_apart(l, c->kids[0]), rest = {0}, *outer = l->out;
    l->out = &rest;
    lower_cases(l, n, i + 1, what);
    l->out = outer;
    emit_if(l, any, &then, &rest, c->at);
}

static void lower_switch(lowering *l, const murphi_node *n) {
    expr what = murphi_value(l, n->kids[0]);
    bool has_call = false;
    for (uint32_t i = 1; i < n->nkids; i++)
        for (uint32_t k = 1; k < n->kids[i]->nkids; k++) has_call |= n->kids[i]->kids[k]->has_call;
    if (what.id && has_call) what = murphi_once(l, what, n->at);
    if (what.id) lower_cases(l, n, 1, what);
}

// ---- loops

// Does a loop have a step that is not constant, or bounds in a state that cannot be unrolled?
static bool is_open_loop(const lowering *l, const murphi_bounds *of) {
    value step;
    int64_t a, b, c, d;
    if (!expr_is_const(l->m, of->by, &step)) return true;
    if (expr_is_const(l->m, of->from, NULL) && expr_is_const(l->m, of->to, NULL)) return false;
    expr_bounds(l->m, of->from, &a, &b);
    expr_bounds(l->m, of->to, &c, &d);
    return step < 0 || d - a >= MURPHI_LONGEST_LOOP;
}

static place murphi_kept(lowering *l, expr e, span at) {
    place p = murphi_temp(l, murphi_simple(l, expr_type(l->m, e)), at);
    murphi_write(l, &p, e, at);
    return p;
}

// Room for every value from a to b, and for one step of d beyond.
static type counter_type(lowering *l, expr a, expr b, expr d, span at) {
    int64_t lo[3], hi[3];
    expr_bounds(l->m, a, &lo[0], &hi[0]);
    expr_bounds(l->m, b, &lo[1], &hi[1]);
    expr_bounds(l->m, d, &lo[2], &hi[2]);
    int64_t low = (lo[0] < lo[1] ? lo[0] : lo[1]) + (lo[2] < 0 ? lo[2] : 0);
    int64_t high = (hi[0] > hi[1] ? hi[0] : hi[1]) + (hi[2] > 0 ? hi[2] : 0);
    if (low < INT32_MIN / 2) low = INT32_MIN / 2;
    if (high > INT32_MAX / 2) high = INT32_MAX / 2;
    return model_range(l->m, (int32_t)low, (int32_t)high, at);
}

static void refuse_zero(lowering *l, expr step, span at) {
    const stmt *fail = model_fail(l->m, "a loop with a step of 0", at);
    expr is_zero = expr_eq(l->m, step, murphi_int(l, 0));
    murphi_emit(l, model_if(l->m, is_zero, &fail, 1, NULL, 0, at));
}

// i := from; while i <= to { …; i := i + by }, downwards for a negative step.
static void lower_counting(lowering *l, const murphi_node *n, const murphi_bounds *b) {
    model *m = l->m;
    const murphi_node *q = n->kids[0];
    place end = murphi_kept(l, b->to, q->at), step = murphi_kept(l, b->by, q->at);
    place i = murphi_temp(l, murphi_simple(l, counter_type(l, b->from, b->to, b->by, q->at)), q->at);
    murphi_write(l, &i, b->from, q->at);
    expr x = murphi_read_place(l, &i), last = murphi_read_place(l, &end), d = murphi_read_place(l, &step);
    refuse_zero(l, d, q->at);
    expr up = expr_arith(m, E_LT, murphi_int(l, 0), d);
    expr cond = expr_ite(m, up, expr_arith(m, E_LE, x, last), expr_arith(m, E_LE, last, x));
    uint32_t scope = l->names.len;
    murphi_declare_value(l, q->name, x, q->at);
    stmt_list body = lower_apart(l, n->kids[1]);
    murphi_leave(l, scope);
    vec_push(&body, model_assign(m, i.funcs[0], NULL, 0, expr_arith(m, E_ADD, x, d), q->at));
    if (n->kids[1]->has_return) cond = expr_and(m, not_returned(l), cond);
    murphi_emit(l, model_while(m, cond, body.data, body.len, n->at));
    vec_free(&body);
}

static void lower_for(lowering *l, const murphi_node *n) {
    bool is_range = n->kids[0]->kind == MQ_RANGE;
    murphi_bounds bounds = is_range ? murphi_read_bounds(l, n->kids[0]) : (murphi_bounds){0};
    if (is_range && is_open_loop(l, &bounds)) {
        lower_counting(l, n, &bounds);
        return;
    }
    uint32_t scope = l->names.len;
    binder b = murphi_bind(l, n->kids[0], &bounds);
    stmt_list body = lower_apart(l, n->kids[1]);
    murphi_leave(l, scope);
    expr cond = b.cond;
    if (n->kids[1]->has_return) {
        expr go_on = not_returned(l);
        cond = cond.id ? expr_and(l->m, go_on, cond) : go_on;
    }
    if (b.ok && !b.is_empty && body.len) murphi_emit(l, model_forall(l->m, &b.v, 1, cond, body.data, body.len, n->at));
    vec_free(&body);
}

// A condition with statements before it is computed before the loop and at the end of each round that does not return.
static void lower_while(lowering *l, const murphi_node *n) {
    stmt_list before = {0}, *outer = murphi_into(l, &before);
    expr cond = murphi_bool(l, n->kids[0]);
    l->out = outer;
    stmt_list body = lower_apart(l, n->kids[1]);
    bool returns = n->kids[1]->has_return;
    for (uint32_t i = 0; i < before.len; i++) murphi_emit(l, before.data[i]);
    if (before.len && returns)
        vec_push(&body, model_if(l->m, not_returned(l), before.data, before.len, NULL, 0, n->at));
    for (uint32_t i = 0; i < before.len && !returns; i++) vec_push(&body, before.data[i]);
    if (returns) cond = expr_and(l->m, not_returned(l), cond);
    murphi_emit(l, model_while(l->m, cond, body.data, body.len, n->at));
    vec_free(&before);
    vec_free(&body);
}

// ---- aliases: a place whose indices are fixed now, or a value computed now

static void declare_alias(lowering *l, const murphi_node *a) {
    const murphi_node *n = a->kids[0];
    if (murphi_is_place(l, n) || n->kind == MX_CALL) {
        place p;
        if (!murphi_place(l, n, &p)) return;
        murphi_freeze(l, &p);
        p.is_constant |= n->kind == MX_CALL;
        murphi_declare_place(l, a->name, p, a->at);
        return;
    }
    expr e = murphi_value(l, n);
    if (!e.id) return;
    murphi_declare_value(l, a->name, murphi_once(l, e, n->at), a->at);
}

static void murphi_stmt_lower_alias(lowering *l, const murphi_node *n) {
    uint32_t scope = l->names.len;
    for (uint32_t i = 0; i + 1 < n->nkids; i++) declare_alias(l, n->kids[i]);
    murphi_block(l, n->kids[n->nkids - 1]);
    murphi_leave(l, scope);
}

// ---- multisets

static bool multiset_place(lowering *l, const murphi_node *n, place *p) {
    return writable(l, n, p) && murphi_is_multiset(l, p, n->at);
}

// Into the first free slot. Free slots are all alike, so which one is taken makes no difference up to
// symmetry. A function that is called for the element runs before a slot is looked for: it may add some, too.
static void lower_add(lowering *l, const murphi_node *n) {
    model *m = l->m;
    place set;
    if (!multiset_place(l, n->kids[1], &set)) return;
    murphi_freeze(l, &set);
    place early = {0};
    if (n->kids[0]->has_call) {
        early = murphi_temp(l, set.ty->element, n->at);
        assign_value(l, &early, n->kids[0], n->at);
    }
    var v = model_add_var(m, "slot", set.ty->index, n->at);
    place taken = murphi_taken(l, &set, expr_var(m, v)), element = murphi_element(&set, expr_var(m, v));
    place done = murphi_temp(l, murphi_simple(l, m->bool_type), n->at);
    murphi_write(l, &done, m->false_expr, n->at);
    expr added = murphi_read_place(l, &done);
    stmt_list body = {0}, *outer = murphi_into(l, &body);
    if (early.ty) murphi_copy(l, &element, &early, n->at);
    else assign_value(l, &element, n->kids[0], n->at);
    murphi_write(l, &taken, m->true_expr, n->at);
    murphi_write(l, &done, m->true_expr, n->at);
    l->out = outer;
    expr is_free = expr_and(m, expr_not(m, added), expr_not(m, murphi_read_place(l, &taken)));
    stmt *loop = model_forall(m, &v, 1, is_free, body.data, body.len, n->at);
    loop->any_order = true;
    murphi_emit(l, loop);
    const stmt *full = model_fail(m, "the multiset is full", n->at);
    murphi_emit(l, model_if(m, added, NULL, 0, &full, 1, n->at));
    vec_free(&body);
}

static void remove_slot(lowering *l, const place *set, expr slot, span at) {
    place taken = murphi_taken(l, set, slot), element = murphi_element(set, slot);
    murphi_write(l, &taken, l->m->false_expr, at);
    murphi_undefine(l, &element, at);
}

static void lower_remove(lowering *l, const murphi_node *n) {
    place set;
    expr slot = murphi_value(l, n->kids[0]);
    if (!slot.id || !multiset_place(l, n->kids[1], &set)) return;
    slot = murphi_convert(l, slot, set.ty->index, n->kids[0]->at);
    murphi_freeze(l, &set);  // which one it is may depend on what is in multisets
    if (slot.id) slot = murphi_slot_index(l, &set, slot, n->kids[0]->at);
    if (slot.id) remove_slot(l, &set, murphi_once(l, slot, n->at), n->at);
}

static void lower_remove_where(lowering *l, const murphi_node *n) {
    place set;
    if (!multiset_place(l, n->kids[0], &set)) return;
    murphi_freeze(l, &set);
    uint32_t scope = l->names.len, nslots = l->slots.len;
    var v = model_add_var(l->m, n->name, set.ty->index, n->at);
    murphi_slot_bind(l, v, &set);
    expr slot = expr_var(l->m, v);
    murphi_declare_value(l, n->name, slot, n->at);
    place taken = murphi_taken(l, &set, slot);
    stmt_list body = {0}, removal = {0}, none = {0}, *outer = l->out;
    l->out = &removal;
    remove_slot(l, &set, slot, n->at);
    l->out = &body;
    emit_if(l, murphi_bool(l, n->kids[1]), &removal, &none, n->at);
    l->out = outer;
    murphi_emit(l, model_forall(l->m, &v, 1, murphi_read_place(l, &taken), body.data, body.len, n->at));
    vec_free(&body);
    murphi_leave(l, scope);
    l->slots.len = nslots;
}

// ---- the rest

static void lower_assert(lowering *l, const murphi_node *n) {
    expr cond = murphi_bool(l, n->kids[0]);
    const char *text = n->text ? n->text : "the assertion does not hold";
    const stmt *fail = model_fail(l->m, text, n->at);
    murphi_emit(l, model_if(l->m, cond, NULL, 0, &fail, 1, n->at));
}

// A cover is a property of the steps: a variable remembers that it was met.
static void lower_cover(lowering *l, const murphi_node *n) {
    expr cond = murphi_bool(l, n->kids[0]);
    const char *name = n->text ? n->text : arena_printf(l->m->memory, "cover at byte %u", n->at.begin);
    func met = {0};
    for (uint32_t i = 0; i < l->covers.len; i++)
        if (str_same(func_of(l->m, l->covers.data[i])->name, name)) met = l->covers.data[i];
    if (!met.id) {
        func_info f = {.name = name, .at = n->at, .result = l->m->bool_type, .owner = l->system};
        met = model_add_func(l->m, f);
        vec_push(&l->covers, met);
    }
    const stmt *set = model_assign(l->m, met, NULL, 0, l->m->true_expr, n->at);
    murphi_emit(l, model_if(l->m, cond, &set, 1, NULL, 0, n->at));
}

// Nothing is printed, but what is called is called.
static void lower_put(lowering *l, const murphi_node *n) {
    place p;
    if (n->kids[0]->kind == MX_STRING) return;
    if (murphi_is_place(l, n->kids[0])) murphi_place(l, n->kids[0], &p);
    else murphi_value(l, n->kids[0]);
}

static void murphi_lower_stmt(lowering *l, const murphi_node *n) {
    place p;
    switch (n->kind) {
    case MS_ASSIGN: murphi_lower_assign(l, n); return;
    case MS_IF: murphi_lower_if(l, n); return;
    case MS_SWITCH: lower_switch(l, n); return;
    case MS_FOR: lower_for(l, n); return;
    case MS_WHILE: lower_while(l, n); return;
    case MS_ALIAS: murphi_stmt_lower_alias(l, n); return;
    case MS_CALL: murphi_call(l, n, &p); return;
    case MS_CLEAR:
        if (writable(l, n->kids[0], &p)) murphi_clear(l, &p, n->at);
        return;
    case MS_UNDEFINE:
        if (writable(l, n->kids[0], &p)) murphi_undefine(l, &p, n->at);
        return;
    case MS_ERROR:
        if (n->kids[0]->kind != MX_STRING) murphi_error(l, n->kids[0]->at, "a text expected");
        else murphi_emit(l, model_fail(l->m, n->kids[0]->text, n->at));
        return;
    case MS_ASSERT: lower_assert(l, n); return;
    case MS_ASSUME: murphi_emit(l, model_assume(l->m, murphi_bool(l, n->kids[0]), n->at)); return;
    case MS_COVER: lower_cover(l, n); return;
    case MS_PUT: lower_put(l, n); return;
    case MS_RETURN: lower_return(l, n); return;
    case MS_ADD: lower_add(l, n); return;
    case MS_REMOVE: lower_remove(l, n); return;
    case MS_REMOVEPRED: lower_remove_where(l, n); return;
    case MS_BLOCK: murphi_block(l, n); return;
    default: murphi_error(l, n->at, "a statement expected"); return;
    }
}

static void lower_from(lowering *l, const murphi_node *b, uint32_t i) {
    for (; i < b->nkids; i++) {
        murphi_lower_stmt(l, b->kids[i]);
        if (i + 1 == b->nkids || !b->kids[i]->has_return) continue;
        stmt_list rest = {0}, none = {0}, *outer = murphi_into(l, &rest);
        lower_from(l, b, i + 1);
        l->out = outer;
        emit_if(l, not_returned(l), &rest, &none, b->kids[i]->at);
        return;
    }
}

static void murphi_block(lowering *l, const murphi_node *b) {
    if (b->kind == MS_BLOCK) lower_from(l, b, 0);
    else murphi_lower_stmt(l, b);
}

static bool has_multiset(const murphi_type *ty) {
    bool has = ty->shape == SHAPE_MULTISET || (ty->shape == SHAPE_ARRAY && has_multiset(ty->element));
    for (uint32_t i = 0; ty->shape == SHAPE_RECORD && i < ty->nfields && !has; i++)
        has = has_multiset(ty->fields[i].ty);
    return has;
}

// A local has no value when its function begins, also the second time. In a rule it has none anyway, but multisets
// are empty then.
static void forget_locals(lowering *l, const murphi_node *locals, bool is_function) {
    for (uint32_t i = 0; i < locals->nkids; i++) {
        const murphi_node *d = locals->kids[i];
        const murphi_type *ty = d->kids[0]->memo;
        if (d->kind != MD_VAR || !ty || !d->funcs || (!is_function && !has_multiset(ty))) continue;
        murphi_undefine(l, &(place){.ty = ty, .funcs = d->funcs}, d->at);
    }
}

void murphi_body(lowering *l, const murphi_node *locals, const murphi_node *block, frame *f) {
    frame *outer = l->body;
    l->body = f;
    murphi_declare_locals(l, locals);
    forget_locals(l, locals, f->is_function);
    if (needs_flag(block)) {
        f->returned = murphi_temp(l, murphi_simple(l, l->m->bool_type), block->at).funcs[0];
        set_returned(l, false, block->at);
    }
    murphi_block(l, block);
    l->body = outer;
}
