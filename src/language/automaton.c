// SPDX-License-Identifier: Apache-2.0
// Automata as lists of edges, and edges by their origin. See automaton.h.
#include "language/automaton.h"

#include <string.h>

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

static int compare_edges(const void *x, const void *y) {
    const automaton_edge *a = x, *b = y;
    if (a->letter != b->letter) return a->letter < b->letter ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static bool is_sorted(const automaton_edge *e, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (compare_edges(&e[i - 1], &e[i]) > 0) return false;
    return true;
}

automaton_index automaton_index_new(const automaton *a) {
    automaton_index i = {mem_zero(a->nstates + 2, sizeof *i.first), NULL};
    i.edges = mem_alloc((a->edges.len + 1) * sizeof *i.edges);
    for (uint32_t e = 0; e < a->edges.len; e++) i.first[a->edges.data[e].from + 2]++;
    for (uint32_t s = 0; s < a->nstates; s++) i.first[s + 2] += i.first[s + 1];
    // first[s+1] is where the next edge of s goes; at the end it is where those of s+1 begin.
    for (uint32_t e = 0; e < a->edges.len; e++) i.edges[i.first[a->edges.data[e].from + 1]++] = a->edges.data[e];
    for (uint32_t s = 0; s < a->nstates; s++) {
        automaton_edge *mine = i.edges + i.first[s];
        uint32_t n = i.first[s + 1] - i.first[s];
        if (!is_sorted(mine, n)) qsort(mine, n, sizeof *mine, compare_edges);
    }
    return i;
}

void automaton_index_free(automaton_index *i) {
    free(i->first);
    free(i->edges);
    *i = (automaton_index){0};
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
