// SPDX-License-Identifier: Apache-2.0
// Formulas over the discrete state and clock conditions (net.h). Most are trees: of and, or, not, implies, if-then-else
// and equality above clock conditions and conditions on the discrete state, each of which is a check. Where some clock
// conditions have truth values and others none yet, such a tree is true, false, or waits for one of them.
//
// Any other formula, and one that can fault, has a check for each choice of truth values, so it has few conditions.
#include "zone/net.h"

#include "model/expr.h"
#include "model/walk.h"

#include <assert.h>

// ---- is it a tree?

static bool formula_is_atom(const timed_info *t, const expr_info *e) {
    for (uint32_t i = 0; e->kind == E_VAR && i < t->atoms.len; i++)
        if (t->atoms.data[i].stands.id == e->ref) return true;
    return false;
}

static bool formula_joins(const model *m, const expr_info *e) {
    switch (e->kind) {
    case E_NOT:
    case E_AND:
    case E_OR:
    case E_IMPLIES: return true;
    case E_ITE: return type_of(m, e->ty)->kind == TYPE_BOOL;
    case E_EQ: return type_of(m, expr_type(m, e->args[0]))->kind == TYPE_BOOL;
    default: return false;
    }
}

typedef struct {
    const timed_info *t;
    uint32_t nodes;
    bool ok;
} tree_asking;

// 1: there is a clock condition in it.
static uint32_t tree_join(const model *m, expr e, const uint32_t *parts, void *context) {
    tree_asking *k = context;
    const expr_info *x = expr_of(m, e);
    uint32_t has = formula_is_atom(k->t, x);
    if (has) return 1;
    for (uint32_t i = 0; i < x->nargs; i++) has |= parts[i];
    k->nodes += has ? 1 + x->nargs : 0;
    k->ok &= !has || (formula_joins(m, x) && k->nodes <= FORMULA_MOST_NODES);
    return has;
}

bool formula_is_tree(const model *m, const timed_info *t, expr e) {
    tree_asking k = {.t = t, .ok = !expr_can_fault(m, e)};
    walk_fold(m, e, tree_join, &k);
    return k.ok;
}

// ---- making

typedef struct {
    net *x;
    net_formula *f;
    VEC(formula_node) nodes;
    VEC(uint32_t) below;
} formula_maker;

static uint32_t formula_push(formula_maker *k, formula_node n) {
    vec_push(&k->nodes, n);
    return k->nodes.len;
}

static uint32_t formula_atom(formula_maker *k, const expr_info *e) {
    for (uint32_t i = 0; i < k->f->natoms; i++)
        if (k->x->t->atoms.data[k->f->atoms[i]].stands.id == e->ref)
            return formula_push(k, (formula_node){.kind = E_VAR, .first = i});
    assert(false);
    return 0;
}

// 1 + the number of its node; 0: it has no clock condition. Those become checks where something above them has one.
static uint32_t formula_join(const model *m, expr e, const uint32_t *parts, void *context) {
    formula_maker *k = context;
    const expr_info x = *expr_of(m, e);
    bool has = false;
    if (formula_is_atom(k->x->t, &x)) return formula_atom(k, &x);
    for (uint32_t i = 0; i < x.nargs; i++) has |= parts[i] > 0;
    if (!has) return 0;
    formula_node n = {.kind = (uint8_t)x.kind, .n = x.nargs};
    VEC(uint32_t) below = {0};
    for (uint32_t i = 0; i < x.nargs; i++) {
        formula_node check = {.kind = E_CONST, .first = parts[i] ? 0 : net_add_check(k->x, x.args[i])};
        vec_push(&below, (parts[i] ? parts[i] : formula_push(k, check)) - 1);
    }
    n.first = k->below.len;
    for (uint32_t i = 0; i < below.len; i++) vec_push(&k->below, below.data[i]);
    vec_free(&below);
    return formula_push(k, n);
}

void formula_make_tree(net *x, net_formula *f) {
    formula_maker k = {.x = x, .f = f};
    uint32_t root = walk_fold(x->m, f->e, formula_join, &k);
    assert(root == k.nodes.len);
    (void)root;
    f->nodes = arena_copy(x->memory, k.nodes.data, k.nodes.len * sizeof *k.nodes.data);
    f->nnodes = k.nodes.len;
    vec_push(&k.below, 0);
    f->below = arena_copy(x->memory, k.below.data, k.below.len * sizeof *k.below.data);
    vec_free(&k.nodes);
    vec_free(&k.below);
}

// ---- its value

// `absorbing` decides: false for a conjunction, true for a disjunction.
static uint32_t formula_any(const uint32_t *values, const uint32_t *below, uint32_t n, uint32_t absorbing) {
    uint32_t is = !absorbing;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = values[below[i]];
        if (v == absorbing) return absorbing;
        if (v >= FORMULA_WAITS && is < FORMULA_WAITS) is = v;
    }
    return is;
}

static uint32_t formula_not(uint32_t v) { return v < FORMULA_WAITS ? !v : v; }

static uint32_t formula_node_value(const net_formula *f, const formula_node *n, const uint32_t *values) {
    const uint32_t *below = f->below + n->first;  // at least one
    uint32_t a = values[below[0]], b = n->n > 1 ? values[below[1]] : 0;
    switch (n->kind) {
    case E_NOT: return formula_not(a);
    case E_AND: return formula_any(values, below, n->n, 0);
    case E_OR: return formula_any(values, below, n->n, 1);
    case E_IMPLIES: return !a || b == 1 ? 1 : a >= FORMULA_WAITS ? a : b;
    case E_EQ: return a >= FORMULA_WAITS ? a : b >= FORMULA_WAITS ? b : a == b;
    default: return a >= FORMULA_WAITS ? a : values[below[a ? 1 : 2]];
    }
}

static uint32_t formula_tree_value(const net_room *w, const net_formula *f, uint64_t known, uint64_t truth) {
    uint32_t values[f->nnodes];
    for (uint32_t i = 0; i < f->nnodes; i++) {
        const formula_node *n = &f->nodes[i];
        if (n->kind == E_CONST) values[i] = net_bit(w, n->first);
        else if (n->kind != E_VAR) values[i] = formula_node_value(f, n, values);
        else values[i] = known >> n->first & 1 ? truth >> n->first & 1 : FORMULA_WAITS + n->first;
    }
    return values[f->nnodes - 1];
}

uint32_t formula_value(const net_room *w, const net_formula *f, uint64_t known, uint64_t truth) {
    if (f->nodes) return formula_tree_value(w, f, known, truth);
    for (uint32_t i = 0; i < f->natoms; i++)
        if (!(known >> i & 1)) return FORMULA_WAITS + i;
    return net_bit(w, f->first_check + (uint32_t)truth);
}
