// SPDX-License-Identifier: Apache-2.0
// The normal form of multisets, as the reference evaluator computes it: see bag.h.
//
// Cells of a function are in row-major order of its arguments, so its part of a slot is one block of cells.
#include "model/bag.h"

bool bag_orders(const model *m, sys s, type sort) { return type_of(m, sort)->is_slot && sys_of(m, s)->bags.len > 0; }

typedef struct {
    const instance *in;
    const bag_info *b;
    uint32_t nslots;
    uint32_t which;  // of an array of multisets
    value *cells;
} bag;

static uint32_t block_size(const bag *x, func f) {
    const func_info *info = func_of(x->in->m, f);
    uint32_t size = 1;
    for (uint32_t i = x->b->position + 1; i < info->nargs; i++) size *= instance_type_size(x->in, info->args[i]);
    return size;
}

static value *bag_block(const bag *x, func f, uint32_t slot) {
    return x->cells + x->in->first_cell[f.id] + (x->which * x->nslots + slot) * block_size(x, f);
}

static bool bag_is_taken(const bag *x, uint32_t slot) { return *bag_block(x, x->b->funcs[0], slot) == 1; }

static void clean(const bag *x, uint32_t slot) {
    for (uint32_t i = 0; i < x->b->nfuncs; i++) {
        value *to = bag_block(x, x->b->funcs[i], slot), initial = func_of(x->in->m, x->b->funcs[i])->initial;
        for (uint32_t k = 0; k < block_size(x, x->b->funcs[i]); k++) to[k] = initial;
    }
}

static bool is_before(const bag *x, uint32_t a, uint32_t b) {
    if (bag_is_taken(x, a) != bag_is_taken(x, b)) return bag_is_taken(x, a);
    for (uint32_t i = 0; i < x->b->nfuncs; i++) {
        const value *p = bag_block(x, x->b->funcs[i], a), *q = bag_block(x, x->b->funcs[i], b);
        for (uint32_t k = 0; k < block_size(x, x->b->funcs[i]); k++)
            if (p[k] != q[k]) return p[k] < q[k];
    }
    return false;
}

static void bag_swap(const bag *x, uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < x->b->nfuncs; i++) {
        value *p = bag_block(x, x->b->funcs[i], a), *q = bag_block(x, x->b->funcs[i], b);
        for (uint32_t k = 0; k < block_size(x, x->b->funcs[i]); k++) {
            value kept = p[k];
            p[k] = q[k], q[k] = kept;
        }
    }
}

static void order_one(const bag *x) {
    for (uint32_t i = 0; i < x->nslots; i++) {
        if (!bag_is_taken(x, i)) clean(x, i);
        for (uint32_t k = i; k > 0 && is_before(x, k, k - 1); k--) bag_swap(x, k, k - 1);
    }
}

void bag_order(const instance *in, value *cells) {
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < s->bags.len; i++) {
        const bag_info *b = &s->bags.data[i];
        type slots = func_of(in->m, b->funcs[0])->args[b->position];
        bag x = {.in = in, .b = b, .nslots = instance_type_size(in, slots), .cells = cells};
        uint32_t n = instance_func_cells(in, b->funcs[0]) / x.nslots;
        for (; x.which < n; x.which++) order_one(&x);
    }
}
