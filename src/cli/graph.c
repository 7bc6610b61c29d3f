// SPDX-License-Identifier: Apache-2.0
// State graphs: see show.h. States are numbered in the order in which they are found, initial ones first, so
// the text is the same on every run.
#include "cli/show.h"

#include "report/dot.h"
#include "report/lanes.h"
#include "result/cell.h"

#include "base/map.h"
#include "model/eval.h"

#include <string.h>

// Steps that lead from one state to another are one edge, with the labels of all of them.
typedef struct {
    uint32_t to;
    bool is_visible;
    uint32_t steps;
    str label;
} drawn_edge;

enum { MOST_LABELS = 8 };  // of an edge; more are counted

typedef struct {
    const instance *in;
    eval *ev;
    map *numbers;  // states, as bytes, to numbers; keys in order of number
    uint32_t limit, initial;
    bool *is_cut;              // by number: has successors that are not drawn
    VEC(drawn_edge) outgoing;  // of the state whose steps are being added
    str edges;
    plot *drawn;  // NULL: nobody wants it
    graph_size *size;
} graph;

static size_t state_bytes(const graph *g) { return g->in->ncells * sizeof(value); }

// UINT32_MAX for a new state when there is no room for one.
static uint32_t graph_number_of(graph *g, const value *state) {
    bool is_full = map_count(g->numbers) == g->limit;
    if (is_full) return map_get(g->numbers, state, state_bytes(g), UINT32_MAX);
    return map_intern(g->numbers, state, state_bytes(g), map_count(g->numbers));
}

static bool add_initial(const value *state, void *context) {
    graph *g = context;
    if (graph_number_of(g, state) == UINT32_MAX) g->size->is_cut = true;
    return !g->size->is_cut;
}

static void add_outgoing(graph *g, uint32_t to, const char *label, bool is_visible) {
    for (uint32_t i = 0; i < g->outgoing.len; i++) {
        drawn_edge *e = &g->outgoing.data[i];
        if (e->to != to || e->is_visible != is_visible) continue;
        if (e->steps++ < MOST_LABELS) str_printf(&e->label, "\n%s", label);
        return;
    }
    vec_push(&g->outgoing, (drawn_edge){.to = to, .is_visible = is_visible, .steps = 1});
    str_add(&vec_last(&g->outgoing).label, label);
}

static void put_outgoing(graph *g, uint32_t from) {
    for (uint32_t i = 0; i < g->outgoing.len; i++) {
        drawn_edge *e = &g->outgoing.data[i];
        if (e->steps > MOST_LABELS) str_printf(&e->label, "\n%u more", e->steps - MOST_LABELS);
        dot_edge(from, e->to, str_get(&e->label), e->is_visible, &g->edges);
        str_free(&e->label);
    }
    vec_clear(&g->outgoing);
}

static void graph_add_step(graph *g, uint32_t from, const value *state, rule r, const value *args) {
    value next[g->in->ncells + 1];
    const rule_info *info = rule_of(g->in->m, r);
    prop refused;
    eval_end end = eval_step(g->ev, state, r, args, next, &refused);
    if (end == EVAL_NONE) return;
    bool leads = end == EVAL_FIRES;
    uint32_t to = leads ? graph_number_of(g, next) : UINT32_MAX;
    if (leads && to == UINT32_MAX) {
        g->is_cut[from] = g->size->is_cut = true;
        return;
    }
    str label = {0};
    if (cell_is_spelled(g->in)) cell_label(g->in, r, args, &label);
    else trace_label_text(g->in, r, args, &label);
    if (leads) add_outgoing(g, to, str_get(&label), info->is_visible);
    else dot_refused(from, str_get(&label), &g->edges);
    if (g->drawn) plot_add_edge(g->drawn, from, leads ? to : UINT32_MAX, str_get(&label), info->is_visible);
    g->size->transitions++;
    str_free(&label);
}

static void graph_add_steps(graph *g, uint32_t from, const value *state) {
    const sys_info *s = sys_of(g->in->m, g->in->system);
    for (uint32_t i = 0; i < s->rules.len; i++) {
        rule r = s->rules.data[i];
        value args[rule_of(g->in->m, r)->nparams + 1];
        for (bool first = true; eval_next_binding(g->in, r, args, &first);) graph_add_step(g, from, state, r, args);
    }
    put_outgoing(g, from);
}

static const value *graph_state_of(const graph *g, uint32_t number, value *room) {
    size_t bytes;
    const void *key = map_key(g->numbers, number, &bytes);
    memcpy(room, key, bytes);
    return room;
}

static bool graph_is_over(graph *g, const limits *l) {
    g->size->is_stopped = g->size->is_stopped || limits_met(l) != LIMIT_NONE;
    return g->size->is_stopped;
}

static void put_states(graph *g, const limits *l, str *out) {
    style plain = {.utf8 = true, .width = 40};
    value room[g->in->ncells + 1];
    for (uint32_t i = 0; i < map_count(g->numbers) && !graph_is_over(g, l); i++) {
        str label = {0};
        str_printf(&label, "%u\n", i);
        lanes_state(g->in, graph_state_of(g, i, room), false, &plain, 0, &label);
        if (label.len && label.text[label.len - 1] == '\n') label.text[--label.len] = '\0';
        dot_state(i, str_get(&label), i < g->initial, g->is_cut[i], out);
        if (g->drawn) plot_add_node(g->drawn, str_get(&label), i < g->initial, g->is_cut[i]);
        str_free(&label);
    }
}

static bool graph_begin(graph *g, const instance *in, const limits *l) {
    bool ok = eval_initial_within(in, l, add_initial, g, NULL);
    g->initial = map_count(g->numbers);
    if (graph_is_over(g, l)) return ok;
    if (g->initial == 0 && !diag_failed(in->m->messages))
        diag_error(in->m->messages, sys_of(in->m, in->system)->at, "'%s' has no initial state at these sizes",
                   sys_of(in->m, in->system)->name);
    return ok && g->initial > 0;
}

static void put_graph(graph *g, const limits *l, str *out) {
    dot_begin(sys_of(g->in->m, g->in->system)->name, out);
    put_states(g, l, out);
    str_add(out, str_get(&g->edges));
    dot_end(out);
}

bool graph_dot(const instance *in, uint32_t limit, const limits *l, str *out, plot *drawn, graph_size *size) {
    graph g = {.in = in, .ev = eval_new(in), .numbers = map_new(), .limit = limit, .drawn = drawn, .size = size};
    value room[in->ncells + 1];
    g.is_cut = mem_zero(limit + 1, sizeof *g.is_cut);
    *size = (graph_size){0};
    bool ok = graph_begin(&g, in, l);
    for (uint32_t i = 0; ok && i < map_count(g.numbers) && !graph_is_over(&g, l); i++)
        graph_add_steps(&g, i, graph_state_of(&g, i, room));
    size->states = map_count(g.numbers);
    if (!graph_is_over(&g, l)) put_graph(&g, l, out);
    vec_free(&g.outgoing);
    str_free(&g.edges);
    free(g.is_cut);
    map_free(g.numbers);
    eval_free(g.ev);
    return ok;
}
