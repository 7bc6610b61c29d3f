// SPDX-License-Identifier: Apache-2.0
// The swaps of two neighbours of a block, which generate all permutations, and what they do to cells: see orbit.h.
#include "zone/orbit_int.h"

uint32_t orbit_swaps(const orbit *o) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->blocks.len; i++) count += o->blocks.data[i].count - 1u;
    return count;
}

void orbit_swap(const orbit *o, uint32_t number, uint8_t *p) {
    orbit_identity(o, p);
    for (uint32_t i = 0; i < o->blocks.len; i++) {
        const orbit_block *b = &o->blocks.data[i];
        if (number < b->count - 1u) {
            p[b->first + number] = (uint8_t)(b->first + number + 1);
            p[b->first + number + 1] = (uint8_t)(b->first + number);
            return;
        }
        number -= b->count - 1u;
    }
}

void orbit_swap_cells(const orbit *o, const uint8_t *p, uint32_t *cell_to, value *a, value *b) {
    for (uint32_t i = 0; i < o->cells.len; i++) {
        const orbit_place *at = &o->cells.data[i];
        cell_to[at->number] = orbit_target(o, at, p);
        if (at->result == ORBIT_NONE) continue;
        const orbit_class *c = &o->classes.data[at->result];
        for (int32_t v = c->lo; v <= c->hi; v++) {
            uint8_t e = c->elements[v - c->lo];
            if (e == ORBIT_NONE || p[e] == e) continue;
            a[at->number] = v;
            b[at->number] = o->value_of[p[e]];
        }
    }
}
