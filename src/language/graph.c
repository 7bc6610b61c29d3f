// SPDX-License-Identifier: Apache-2.0
// Steps of an explored graph. The store keeps only states, so the steps are computed again.
#include "language/graph.h"

#include "model/actor.h"

#include <assert.h>

struct graph {
    arena *memory;
    const explored *x;
    const space *s;
    space_run *run;
    uint64_t *state, *next;
    uint32_t *labels;
    graph_step *steps;
};

graph *graph_new(const explored *x) {
    arena *memory = arena_new();
    graph *g = arena_alloc(memory, sizeof *g);
    *g = (graph){.memory = memory, .x = x, .s = explored_space(x)};
    g->run = space_run_new(g->s);
    size_t n = space_labels(g->s), words = space_words(g->s);
    g->state = arena_alloc(memory, words * sizeof *g->state);
    g->next = arena_alloc(memory, n * words * sizeof *g->next);
    g->labels = arena_alloc(memory, n * sizeof *g->labels);
    g->steps = arena_alloc(memory, n * sizeof *g->steps);
    return g;
}

void graph_free(graph *g) {
    if (!g) return;
    space_run_free(g->run);
    arena_free(g->memory);
}

const graph_step *graph_next(graph *g, uint32_t state, uint32_t *count) {
    explored_state(g->x, state, g->state);
    uint32_t n = space_next(g->run, g->state, g->next, g->labels), words = space_words(g->s);
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (g->labels[i] & SPACE_TROUBLE) continue;
        uint64_t to = explored_find(g->x, g->next + (size_t)i * words);
        assert(to != UINT64_MAX);
        g->steps[(*count)++] = (graph_step){g->labels[i], (uint32_t)to};
    }
    return g->steps;
}

static const value *unpacked(graph *g, uint32_t state, value *cells) {
    explored_state(g->x, state, g->state);
    space_unpack(g->s, g->state, cells);
    return cells;
}

trace *graph_trace(graph *g, uint32_t start, const graph_step *steps, uint32_t count, uint32_t loop, str *why) {
    const instance *in = space_instance(g->s);
    value *cells = mem_zero(in->ncells + 1, sizeof *cells), args[model_most_params(in->m)];
    trace *t = trace_new(in, unpacked(g, start, cells));
    for (uint32_t i = 0; i < count; i++) {
        rule r = space_label(g->s, steps[i].label, args);
        trace_add(t, r, args, unpacked(g, steps[i].to, cells));
    }
    t->loop = loop;
    free(cells);
    if (trace_replay(t, why)) return t;
    trace_free(t);
    return NULL;
}

// ---- a run of the automaton as a trace

uint32_t graph_letter(const graph *g, letter_table *letters, uint32_t label) {
    const instance *in = space_instance(g->s);
    value args[model_most_params(in->m)];
    rule r = space_label(g->s, label, args);
    if (!rule_of(in->m, r)->is_visible) return AUTOMATON_SILENT;
    return letter_intern_step(letters, in, actor_sort(in->m, in->system), r, args);
}

// Which step of the system is this edge of its automaton?
static bool find_step(graph *g, const automaton *a, automaton_edge e, graph_step *out) {
    uint32_t n;
    const graph_step *steps = graph_next(g, e.from, &n);
    for (uint32_t i = 0; i < n; i++) {
        *out = steps[i];
        if (out->to == e.to && graph_letter(g, a->letters, out->label) == e.letter) return true;
    }
    return false;
}

trace *graph_run_trace(const explored *x, const automaton *a, const automaton_edge *run, uint32_t n, str *why) {
    graph *g = graph_new(x);
    VEC(graph_step) steps = {0};
    graph_step step = {0};
    bool good = true;
    for (uint32_t i = 0; i < n && good; i++) {
        good = find_step(g, a, run[i], &step);
        vec_push(&steps, step);
    }
    trace *t = good ? graph_trace(g, n ? run[0].from : a->initial.data[0], steps.data, n, UINT32_MAX, why) : NULL;
    if (!good) str_add(why, "a step of the run was not found again");
    vec_free(&steps);
    graph_free(g);
    return t;
}
