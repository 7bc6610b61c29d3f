// SPDX-License-Identifier: Apache-2.0
// reach: see reach.h.
#include "oracle/reach.h"

#include <string.h>

typedef struct {
    reached *r;
    map *seen;
    uint32_t most;
} walker;

static bool visit(const value *state, void *context) {
    walker *w = context;
    size_t size = w->r->in->ncells * sizeof *state;
    if (w->r->states.len >= w->most) {
        w->r->is_complete = false;
        return false;
    }
    if (!map_put(w->seen, state, size, 1)) return true;
    value *copy = mem_alloc(size + 1);
    memcpy(copy, state, size);
    vec_push(&w->r->states, copy);
    return true;
}

static bool is_allowed(eval *ev, const value *state, const rule_info *r, const value *args) {
    for (uint32_t i = 0; i < r->nparams; i++) eval_bind(ev, r->params[i], args[i]);
    for (uint32_t i = 0; i < r->nrequires; i++)
        if (!eval_expr(ev, state, r->requires[i].cond)) return false;
    return true;
}

static void expand(walker *w, eval *ev, const value *state, value *next) {
    const instance *in = w->r->in;
    const sys_info *s = sys_of(in->m, in->system);
    value args[64];
    for (uint32_t i = 0; i < s->rules.len; i++)
        for (bool first = true; eval_next_binding(in, s->rules.data[i], args, &first);) {
            rule r = s->rules.data[i];
            if (!eval_enabled(ev, state, r, args)) continue;
            if (!is_allowed(ev, state, rule_of(in->m, r), args)) w->r->is_violated = true;
            else if (eval_fire(ev, state, r, args, next)) visit(next, w);
        }
}

reached reach_states(const instance *in, uint32_t most) {
    reached r = {.in = in, .is_complete = true};
    walker w = {&r, map_new(), most};
    eval *ev = eval_new(in);
    value *next = mem_zero(in->ncells + 1, sizeof *next);
    eval_initial(in, visit, &w);
    for (uint32_t i = 0; i < r.states.len && r.is_complete; i++) expand(&w, ev, r.states.data[i], next);
    free(next);
    eval_free(ev);
    map_free(w.seen);
    return r;
}

void reach_free(reached *r) {
    for (uint32_t i = 0; i < r->states.len; i++) free(r->states.data[i]);
    vec_free(&r->states);
}
