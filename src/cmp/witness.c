// SPDX-License-Identifier: Apache-2.0
// See witness.h.
#include "cmp/witness.h"

enum { MOST_TRIED = 100000 };

typedef struct {
    eval *ev;
    const instance *in;
    const draft *d;
    const value *before;
    uint32_t tried;
} search;

// Solutions are over what is solved later: the last one first.
static bool is_right(search *s) {
    for (uint32_t i = s->d->solved.len; i-- > 0;) {
        solution x = s->d->solved.data[i];
        eval_bind(s->ev, x.v, eval_expr(s->ev, s->before, x.given));
    }
    for (uint32_t i = 0; i < s->d->stated.len; i++)
        if (!eval_expr(s->ev, s->before, s->d->stated.data[i])) return false;
    return true;
}

static bool try_from(search *s, uint32_t i) {
    if (i == s->d->quantified.len) return s->tried++ < MOST_TRIED && is_right(s);
    var v = s->d->quantified.data[i];
    type ty = var_of(s->in->m, v)->ty;
    value first = instance_type_first(s->in, ty);
    for (uint32_t k = 0; k < instance_type_size(s->in, ty) && s->tried < MOST_TRIED; k++) {
        eval_bind(s->ev, v, first + (value)k);
        if (try_from(s, i + 1)) return true;
    }
    return false;
}

bool witness_bind(eval *ev, const instance *in, const draft *d, const abstract_case *c, const value *before,
                  const value *args) {
    search s = {.ev = ev, .in = in, .d = d, .before = before};
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->params.len; i++) eval_bind(ev, c->params.data[i], args[n++]);
    for (uint32_t i = 0; i < d->unknowns.len; i++) eval_bind(ev, d->unknowns.data[i], args[n++]);
    return try_from(&s, 0);
}
