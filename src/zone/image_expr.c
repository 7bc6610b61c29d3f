// SPDX-License-Identifier: Apache-2.0
// Images of expressions: see image.h.
//
// A constant takes the meaning of the slot that it is used with, so what the image of an expression is depends
// on one more thing than the swap: whether constants in it move. Only constants and conditional expressions over
// nothing but constants take that from outside. With it, the image of each expression is computed once.
#include "zone/image_int.h"

#include "base/order.h"
#include "model/expr.h"

#include <assert.h>

enum { MOST_TERMS = 4096 };  // beyond: no image, which costs a symmetry and no answer

expr image_fail(image *g, span at) {
    if (!g->failed) g->why = at;
    g->failed = true;
    return g->m->true_expr;
}

var image_canonical(image *g, type ty, uint32_t number) {
    for (uint32_t i = 0; i < g->pool.len; i++)
        if (g->pool.data[i].number == number && type_same(g->pool.data[i].ty, ty)) return g->pool.data[i].v;
    var v = model_add_var(g->m, "any", ty, (span){0});
    vec_push(&g->pool, (canonical_var){ty, number, v});
    return v;
}

static expr constant_image(image *g, const swap *p, const expr_info *i, uint32_t slot) {
    value v = (value)i->ref;
    if (type_of(g->m, i->ty)->kind == TYPE_ENUM) return expr_const(g->m, (type){p->types[i->ty.id]}, v);
    if (!type_is_number(g->m, i->ty)) return expr_const(g->m, i->ty, v);
    if (image_moves_slot(p, slot)) v = image_moved(p, v);
    return expr_const(g->m, model_range(g->m, v, v, (span){0}), v);
}

static expr var_image(image *g, const swap *p, const expr_info *i) {
    assert(i->ref < g->nvars);
    uint32_t atom = g->atom_of[i->ref];
    if (atom) {
        uint32_t to = p->atoms[atom - 1];
        return to == UINT32_MAX ? image_fail(g, i->at) : expr_var(g->m, g->t->atoms.data[to].stands);
    }
    return g->var_to[i->ref] ? expr_var(g->m, (var){g->var_to[i->ref]}) : image_fail(g, i->at);
}

static bool compares_as(expr_kind kind, bool constant_first, value k, value x) {
    if (kind == E_LT) return constant_first ? k < x : x < k;
    return constant_first ? k <= x : x <= k;
}

// A comparison with a constant by order must not tell the two values apart.
static expr order_image(image *g, swap *p, const expr_info *i) {
    bool left = expr_kind_of(g->m, i->args[0]) == E_CONST;
    expr c = i->args[left ? 0 : 1], e = i->args[left ? 1 : 0];
    uint32_t slot = slots_of(g->s, e);
    value k;
    if (expr_is_const(g->m, c, &k) && image_moves_slot(p, slot) &&
        compares_as(i->kind, left, k, p->v) != compares_as(i->kind, left, k, p->w))
        return image_fail(g, i->at);
    expr a = image_of(g, p, i->args[0], left ? SLOT_NONE : slot);
    expr b = image_of(g, p, i->args[1], left ? slot : SLOT_NONE);
    return expr_arith(g->m, i->kind, a, b);
}

// Sorted, unless the order can decide whether something faults.
static void sort_args(image *g, expr_list *list) {
    for (uint32_t i = 0; i < list->len; i++)
        if (expr_can_fault(g->m, list->data[i])) return;
    qsort(list->data, list->len, sizeof *list->data, order_u32);
}

static expr junction_image(image *g, swap *p, const expr_info *i) {
    expr_list list = {0};
    for (uint32_t k = 0; k < i->nargs && !g->failed; k++) vec_push(&list, image_of(g, p, i->args[k], SLOT_NONE));
    sort_args(g, &list);
    expr e = i->kind == E_AND ? expr_and_all(g->m, list.data, list.len) : expr_or_all(g->m, list.data, list.len);
    vec_free(&list);
    return e;
}

// The terms of a sum, from left to right. A sum that is part of itself many times over has too many.
static void terms_of(image *g, swap *p, expr e, expr_list *out) {
    expr_list open = {0};
    vec_push(&open, e);
    while (open.len && !g->failed) {
        expr x = vec_pop(&open);
        const expr_info i = *expr_of(g->m, x);
        if (open.len + out->len > MOST_TERMS) image_fail(g, i.at);
        else if (i.kind != E_ADD) vec_push(out, image_of(g, p, x, SLOT_NUMBER));
        else {
            vec_push(&open, i.args[1]);
            vec_push(&open, i.args[0]);
        }
    }
    vec_free(&open);
}

static expr sum_image(image *g, swap *p, expr e) {
    expr_list list = {0};
    terms_of(g, p, e, &list);
    sort_args(g, &list);
    expr sum = list.len ? list.data[0] : g->m->true_expr;
    for (uint32_t i = 1; i < list.len && !g->failed; i++) {
        if (expr_arith_fits(g->m, E_ADD, sum, list.data[i])) sum = expr_arith(g->m, E_ADD, sum, list.data[i]);
        else image_fail(g, expr_of(g->m, e)->at);
    }
    vec_free(&list);
    return sum;
}

static expr equation_image(image *g, swap *p, const expr_info *i) {
    uint32_t a = slots_of(g->s, i->args[0]), b = slots_of(g->s, i->args[1]), slot = a == SLOT_NONE ? b : a;
    expr x = image_of(g, p, i->args[0], slot), y = image_of(g, p, i->args[1], slot);
    if (g->failed) return g->m->true_expr;
    bool may_turn = !expr_can_fault(g->m, x) && !expr_can_fault(g->m, y);
    return x.id < y.id || !may_turn ? expr_eq(g->m, x, y) : expr_eq(g->m, y, x);
}

static expr app_image(image *g, swap *p, const expr_info *i) {
    expr args[MEMBER_MOST_ARGS];
    if (i->nargs > MEMBER_MOST_ARGS) return image_fail(g, i->at);
    for (uint32_t k = 0; k < i->nargs; k++) args[k] = image_of(g, p, i->args[k], slots_argument(g->s, i->ref, k));
    return g->failed ? g->m->true_expr : expr_app(g->m, (func){p->funcs[i->ref]}, args);
}

static expr ite_image(image *g, swap *p, expr e, const expr_info *i, uint32_t slot) {
    uint32_t own = slots_of(g->s, e);
    if (own == SLOT_NONE) own = slot;
    expr c = image_of(g, p, i->args[0], SLOT_NONE);
    expr a = image_of(g, p, i->args[1], own), b = image_of(g, p, i->args[2], own);
    return g->failed ? g->m->true_expr : expr_ite(g->m, c, a, b);
}

// Of operators whose arguments are all used in one way.
static expr plain_image(image *g, swap *p, const expr_info *i, uint32_t slot) {
    expr a = image_of(g, p, i->args[0], slot), b = i->nargs > 1 ? image_of(g, p, i->args[1], slot) : a;
    if (g->failed) return g->m->true_expr;
    if (i->kind == E_NOT) return expr_not(g->m, a);
    return i->kind == E_IMPLIES ? expr_implies(g->m, a, b) : expr_arith(g->m, i->kind, a, b);
}

static expr built_image(image *g, swap *p, expr e, const expr_info *i, uint32_t slot) {
    switch (i->kind) {
    case E_CONST: return constant_image(g, p, i, slot);
    case E_VAR: return var_image(g, p, i);
    case E_APP: return app_image(g, p, i);
    case E_NOT:
    case E_IMPLIES: return plain_image(g, p, i, SLOT_NONE);
    case E_AND:
    case E_OR: return junction_image(g, p, i);
    case E_EQ: return equation_image(g, p, i);
    case E_LT:
    case E_LE: return order_image(g, p, i);
    case E_ADD: return sum_image(g, p, e);
    case E_ITE: return ite_image(g, p, e, i, slot);
    case E_SUB:
    case E_MUL:
    case E_DIV:
    case E_MOD:
    case E_NEG:
    case E_BITAND:
    case E_BITOR:
    case E_BITXOR:
    case E_BITNOT:
    case E_SHL:
    case E_SHR: return plain_image(g, p, i, SLOT_NUMBER);
    default: return image_fail(g, i->at);  // quantifiers, unions, definitions: no timed model has them
    }
}

expr image_of(image *g, swap *p, expr e, uint32_t slot) {
    const expr_info i = *expr_of(g->m, e);
    if (g->failed || !image_step(g)) return g->m->true_expr;
    if (i.kind == E_CONST) return constant_image(g, p, &i, slot);
    uint32_t own = i.kind == E_ITE ? slots_of(g->s, e) : SLOT_NUMBER;
    bool moves = image_moves_slot(p, own == SLOT_NONE ? slot : own);
    uint32_t stamp = i.free_mask ? p->open : p->closed;
    assert(e.id < g->nexprs);
    image_memo *known = &p->memo[moves][e.id];
    if (known->stamp == stamp) return known->out;
    if (g->depth == IMAGE_MOST_DEPTH) return image_fail(g, i.at);
    g->depth++;
    expr out = built_image(g, p, e, &i, slot);
    g->depth--;
    if (!g->failed) *known = (image_memo){stamp, out};
    return out;
}
