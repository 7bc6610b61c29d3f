// SPDX-License-Identifier: Apache-2.0
// Labels run by the reference evaluator; see slow.h.
#include "space/slow.h"

struct slow {
    const layout *l;
    eval *ev;
    value *cells, *after;
};

slow *slow_new(const layout *l) {
    slow *x = mem_zero(1, sizeof *x);
    x->l = l;
    x->ev = eval_new(l->in);
    x->cells = mem_zero(l->in->ncells + 1, sizeof *x->cells);
    x->after = mem_zero(l->in->ncells + 1, sizeof *x->after);
    return x;
}

void slow_free(slow *x) {
    if (!x) return;
    eval_free(x->ev);
    free(x->cells);
    free(x->after);
    free(x);
}

void slow_state(slow *x, const uint64_t *state) { layout_unpack(x->l, state, x->cells); }

void slow_check(slow *x, const uint64_t *state, const expr *checks, uint32_t nchecks, uint64_t *failed) {
    slow_state(x, state);
    for (uint32_t i = 0; i < nchecks; i++)
        if (!eval_expr(x->ev, x->cells, checks[i])) failed[i / 64] |= UINT64_C(1) << (i % 64);
}

slow_result slow_fire(slow *x, rule r, const value *args, uint64_t *next) {
    prop refused;
    eval_end end = eval_step(x->ev, x->cells, r, args, x->after, &refused);
    if (end != EVAL_FIRES) return end == EVAL_NONE ? SLOW_DISABLED : SLOW_TROUBLE;
    layout_pack(x->l, x->after, next);
    return SLOW_FIRES;
}
