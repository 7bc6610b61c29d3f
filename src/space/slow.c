// SPDX-License-Identifier: Apache-2.0
// Labels run by the reference evaluator; see slow.h.
#include "space/slow.h"

struct slow {
    arena *memory;
    const layout *l;
    eval *ev;
    value *cells, *after;
};

slow *slow_new(const layout *l) {
    arena *memory = arena_new();
    slow *x = arena_alloc(memory, sizeof *x);
    *x = (slow){.memory = memory, .l = l, .ev = eval_new(l->in)};
    x->cells = arena_alloc(memory, l->in->ncells * sizeof *x->cells);
    x->after = arena_alloc(memory, l->in->ncells * sizeof *x->after);
    return x;
}

void slow_free(slow *x) {
    if (!x) return;
    eval_free(x->ev);
    arena_free(x->memory);
}

void slow_state(slow *x, const uint64_t *state) { layout_unpack(x->l, state, x->cells); }

void slow_check(slow *x, const uint64_t *state, const expr *checks, uint32_t nchecks, uint64_t *failed) {
    slow_state(x, state);
    for (uint32_t i = 0; i < nchecks; i++)
        if (!eval_expr(x->ev, x->cells, checks[i])) failed[i / 64] |= UINT64_C(1) << (i % 64);
}

eval_end slow_fire(slow *x, rule r, const value *args, uint64_t *next) {
    prop refused;
    eval_end end = eval_step(x->ev, x->cells, r, args, x->after, &refused);
    if (end == EVAL_FIRES) layout_pack(x->l, x->after, next);
    return end;
}
