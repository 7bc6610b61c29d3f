// SPDX-License-Identifier: Apache-2.0
// Walking through an instance: see walk.h.
#include "cli/simulate/walk.h"

#include <string.h>

enum { MOST_STARTS = 1000 };

static bool keep_start(const value *state, void *context) {
    walk *w = context;
    if (w->starts.len == MOST_STARTS) {
        w->has_more_starts = true;
        return false;
    }
    vec_push(&w->starts, arena_copy(w->memory, state, w->in->ncells * sizeof *state));
    return true;
}

const value *walk_state(const walk *w) { return w->steps.len ? vec_last(&w->steps).after : w->starts.data[w->start]; }

static void add_moves_of(walk *w, rule r) {
    uint32_t n = rule_of(w->in->m, r)->nparams;
    value args[n + 1], next[w->in->ncells + 1];
    for (bool first = true; eval_next_binding(w->in, r, args, &first);) {
        walk_move m = {.r = r};
        m.kind = eval_step(w->ev, walk_state(w), r, args, next, &m.refused_for);
        if (m.kind == EVAL_NONE) continue;
        m.what = eval_fault(w->ev);
        m.args = arena_copy(w->memory, args, n * sizeof *args);
        vec_push(&w->moves, m);
    }
}

static void walk_find_moves(walk *w) {
    const sys_info *s = sys_of(w->in->m, w->in->system);
    vec_clear(&w->moves);
    for (uint32_t i = 0; i < s->rules.len; i++) add_moves_of(w, s->rules.data[i]);
}

bool walk_begin(walk *w, const instance *in) {
    *w = (walk){.in = in, .memory = arena_new(), .ev = eval_new(in)};
    bool ok = eval_initial(in, keep_start, w) || w->has_more_starts;
    const sys_info *s = sys_of(in->m, in->system);
    if (ok && !w->starts.len) {
        diag_error(in->m->messages, s->at, "'%s' has no initial state at these sizes", s->name);
        ok = false;
    } else if (!ok && !diag_failed(in->m->messages)) {
        diag_error(in->m->messages, s->at, "run-time error in an initial state of '%s'", s->name);
    }
    if (ok) walk_find_moves(w);
    return ok;
}

void walk_end(walk *w) {
    eval_free(w->ev);
    arena_free(w->memory);
    vec_free(&w->starts);
    vec_free(&w->steps);
    vec_free(&w->moves);
}

void walk_start(walk *w, uint32_t start) {
    w->start = start;
    vec_clear(&w->steps);
    walk_find_moves(w);
}

bool walk_take(walk *w, uint32_t move) {
    const walk_move *m = &w->moves.data[move];
    if (m->kind != EVAL_FIRES) return false;
    value *next = arena_alloc(w->memory, (w->in->ncells + 1) * sizeof *next);
    if (!eval_fire(w->ev, walk_state(w), m->r, m->args, next)) return false;
    vec_push(&w->steps, (trace_step){.r = m->r, .args = m->args, .after = next});
    walk_find_moves(w);
    return true;
}

void walk_back(walk *w, uint32_t steps) {
    w->steps.len -= steps < w->steps.len ? steps : w->steps.len;
    walk_find_moves(w);
}

static bool walk_same_state(const walk *w, const value *a, const value *b) {
    return memcmp(a, b, w->in->ncells * sizeof *a) == 0;
}

// The trace's initial state may be one that is not kept, or that no list has: it was judged by the replay.
static void walk_start_in(walk *w, const value *state) {
    for (w->start = 0; w->start < w->starts.len; w->start++)
        if (walk_same_state(w, w->starts.data[w->start], state)) return;
    vec_push(&w->starts, arena_copy(w->memory, state, w->in->ncells * sizeof *state));
}

void walk_follow(walk *w, const trace *t) {
    vec_clear(&w->steps);
    walk_start_in(w, t->initial);
    for (uint32_t i = 0; i < t->steps.len && t->steps.data[i].after; i++) {
        const trace_step *s = &t->steps.data[i];
        uint32_t n = rule_of(w->in->m, s->r)->nparams;
        vec_push(&w->steps, (trace_step){.r = s->r,
                                         .args = arena_copy(w->memory, s->args, n * sizeof *s->args),
                                         .after = arena_copy(w->memory, s->after, w->in->ncells * sizeof *s->after)});
    }
    walk_find_moves(w);
}

bool walk_is_after(const walk *w, const trace *t) {
    uint32_t n = t->steps.len && !vec_last(&t->steps).after ? t->steps.len - 1 : t->steps.len;
    if (w->steps.len != n || !walk_same_state(w, w->starts.data[w->start], t->initial)) return false;
    for (uint32_t i = 0; i < n; i++) {
        const trace_step *a = &w->steps.data[i], *b = &t->steps.data[i];
        if (a->r.id != b->r.id || !walk_same_state(w, a->after, b->after)) return false;
    }
    return true;
}

trace *walk_trace(const walk *w) {
    trace *t = trace_new(w->in, w->starts.data[w->start]);
    for (uint32_t i = 0; i < w->steps.len; i++)
        trace_add(t, w->steps.data[i].r, w->steps.data[i].args, w->steps.data[i].after);
    return t;
}
