// SPDX-License-Identifier: Apache-2.0
// Names of slots: what `choose i : m`, multisetcount and multisetremovepred bind.
//
// In which slot of a multiset an element lies means nothing, so a slot's name may only be used with the multiset
// that it was bound for: as an index of it, and compared with other slots of it. Another variable is a mistake of
// the model's; another element of an array is found at run time, where the index then has no value.
#include "front/murphi/lower.h"

void murphi_slot_bind(lowering *l, var v, const place *set) { vec_push(&l->slots, (slot_name){v, *set}); }

static const slot_name *murphi_slot_find(const lowering *l, expr e) {
    const expr_info *x = expr_of(l->m, e);
    for (uint32_t i = l->slots.len; x->kind == E_VAR && i-- > 0;)
        if (l->slots.data[i].v.id == x->ref) return &l->slots.data[i];
    return NULL;
}

// Are both places the same multiset? Id 0: never.
static expr is_same_set(lowering *l, const place *a, const place *b) {
    expr all = l->m->true_expr;
    if (a->funcs[0].id != b->funcs[0].id) return (expr){0};
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!expr_same(a->args[i], b->args[i])) all = expr_and(l->m, all, expr_eq(l->m, a->args[i], b->args[i]));
    return all;
}

expr murphi_slot_index(lowering *l, const place *set, expr slot, span at) {
    const slot_name *s = murphi_slot_find(l, slot);
    expr same = s ? is_same_set(l, &s->set, set) : (expr){0};
    if (!same.id) {
        murphi_error(l, at, s ? "this is a slot of another multiset" : "the name of a slot expected");
        return (expr){0};
    }
    if (expr_is_true(l->m, same)) return slot;
    place never = murphi_never(l, set->ty->index, NEVER_FAILS, at);
    return expr_ite(l->m, same, slot, murphi_read_place(l, &never));
}

bool murphi_is_multiset(lowering *l, const place *p, span at) {
    if (p->ty->shape != SHAPE_MULTISET) murphi_error(l, at, "a multiset expected");
    return p->ty->shape == SHAPE_MULTISET;
}

bool murphi_is_slot(const lowering *l, expr e) { return type_of(l->m, expr_type(l->m, e))->is_slot; }

expr murphi_same_slot(lowering *l, expr a, expr b, span at) {
    const slot_name *x = murphi_slot_find(l, a), *y = murphi_slot_find(l, b);
    expr same = x && y ? is_same_set(l, &x->set, &y->set) : (expr){0};
    if (same.id) return expr_and(l->m, same, expr_eq(l->m, a, b));
    murphi_error(l, at, "slots of different multisets cannot be compared");
    return (expr){0};
}

bool murphi_slots_read_state(const lowering *l, const place *set) {
    for (uint32_t i = 0; i < set->nargs; i++)
        if (murphi_reads_state(l, set->args[i])) return true;
    return false;
}

void murphi_slots_freeze(lowering *l) {
    for (uint32_t i = 0, n = l->slots.len; i < n; i++) {
        slot_name s = l->slots.data[i];
        if (!murphi_slots_read_state(l, &s.set)) continue;
        murphi_freeze(l, &s.set);
        vec_push(&l->slots, s);
    }
}
