// SPDX-License-Identifier: Apache-2.0
// Automata as lists of edges, and edges by their origin. See automaton.h.
#include "language/automaton.h"

#include "base/order.h"

automaton *automaton_new(uint32_t nstates, uint32_t nletters) {
    automaton *a = mem_zero(1, sizeof *a);
    a->nstates = nstates;
    a->nletters = nletters;
    return a;
}

void automaton_free(automaton *a) {
    if (!a) return;
    letter_table_free(a->letters);
    vec_free(&a->initial);
    vec_free(&a->edges);
    free(a);
}

const char *automaton_letter_text(const automaton *a, uint32_t letter) { return a->letters->all.data[letter].text; }

void automaton_add(automaton *a, uint32_t from, uint32_t letter, uint32_t to) {
    vec_push(&a->edges, (automaton_edge){from, letter, to});
}

// ---- index

int automaton_order(const void *x, const void *y) {
    const automaton_edge *a = x, *b = y;
    if (a->letter != b->letter) return a->letter < b->letter ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static bool is_sorted(const automaton_edge *e, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (automaton_order(&e[i - 1], &e[i]) > 0) return false;
    return true;
}

automaton_index automaton_index_new(const automaton *a) {
    order_groups g = order_group_by(&a->edges, from, a->nstates);
    automaton_index i = {g.first, mem_alloc((a->edges.len + 1) * sizeof *i.edges)};
    for (uint32_t e = 0; e < a->edges.len; e++) i.edges[e] = a->edges.data[g.at[e]];
    free(g.at);
    for (uint32_t s = 0; s < a->nstates; s++) {
        automaton_edge *mine = i.edges + i.first[s];
        uint32_t n = i.first[s + 1] - i.first[s];
        if (!is_sorted(mine, n)) qsort(mine, n, sizeof *mine, automaton_order);
    }
    return i;
}

void automaton_index_free(automaton_index *i) {
    free(i->first);
    free(i->edges);
    *i = (automaton_index){0};
}

// Silent edges are the last ones of a state.
void automaton_close(const automaton_index *i, uint32_t *seen, uint32_t stamp, automaton_states *states) {
    for (uint32_t k = 0; k < states->len; k++) {
        uint32_t q = states->data[k];
        for (uint32_t e = i->first[q + 1]; e-- > i->first[q] && i->edges[e].letter == AUTOMATON_SILENT;) {
            uint32_t to = i->edges[e].to;
            if (seen[to] == stamp) continue;
            seen[to] = stamp;
            vec_push(states, to);
        }
    }
}

bool automaton_is_deterministic(const automaton *a) {
    bool ok = a->initial.len <= 1;
    for (uint32_t e = 0; ok && e < a->edges.len; e++) ok = a->edges.data[e].letter != AUTOMATON_SILENT;
    if (!ok) return false;
    automaton_index i = automaton_index_new(a);
    for (uint32_t e = 1; ok && e < a->edges.len; e++)
        ok = i.edges[e].from != i.edges[e - 1].from || i.edges[e].letter != i.edges[e - 1].letter;
    automaton_index_free(&i);
    return ok;
}
