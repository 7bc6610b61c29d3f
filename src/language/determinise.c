// SPDX-License-Identifier: Apache-2.0
// The subset construction over silent closure (Rabin and Scott 1959). A subset is a sorted run of state
// numbers, closed under silent steps, and is found again by its bytes. Only reachable subsets are built; the
// empty one is the rejecting sink and is not.
#include "language/automaton.h"

#include "base/map.h"

#include <string.h>

typedef VEC(uint32_t) subset;

typedef struct {
    const automaton *a;
    automaton_index index;
    map *subsets;           // bytes to number; keys in order of number
    uint32_t *seen, stamp;  // seen[s] == stamp: s is in the subset being built
    subset current;
    automaton *out;
} construction;

static int compare_numbers(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static void begin_subset(construction *c) {
    vec_clear(&c->current);
    c->stamp++;
}

static void include(construction *c, uint32_t state) {
    if (c->seen[state] == c->stamp) return;
    c->seen[state] = c->stamp;
    vec_push(&c->current, state);
}

// Closes the subset under silent steps and finds or makes its number. Silent edges are the last of a state.
static uint32_t intern_subset(construction *c) {
    for (uint32_t i = 0; i < c->current.len; i++) {
        uint32_t s = c->current.data[i];
        for (uint32_t e = c->index.first[s + 1]; e-- > c->index.first[s];) {
            if (c->index.edges[e].letter != AUTOMATON_SILENT) break;
            include(c, c->index.edges[e].to);
        }
    }
    qsort(c->current.data, c->current.len, sizeof *c->current.data, compare_numbers);
    return map_intern(c->subsets, c->current.data, c->current.len * sizeof *c->current.data,
                      map_count(c->subsets));
}

static int compare_letters(const void *x, const void *y) {
    const automaton_edge *a = x, *b = y;
    return (a->letter > b->letter) - (a->letter < b->letter);
}

typedef VEC(automaton_edge) edge_list;

static void gather(construction *c, uint32_t number, edge_list *edges) {
    size_t bytes;
    const uint32_t *states = map_key(c->subsets, number, &bytes);
    vec_clear(edges);
    for (size_t i = 0; i < bytes / sizeof *states; i++)
        for (uint32_t e = c->index.first[states[i]]; e < c->index.first[states[i] + 1]; e++)
            if (c->index.edges[e].letter != AUTOMATON_SILENT) vec_push(edges, c->index.edges[e]);
    if (edges->len) qsort(edges->data, edges->len, sizeof *edges->data, compare_letters);
}

static void expand(construction *c, uint32_t number, edge_list *edges) {
    gather(c, number, edges);
    for (uint32_t i = 0; i < edges->len;) {
        uint32_t letter = edges->data[i].letter;
        begin_subset(c);
        for (; i < edges->len && edges->data[i].letter == letter; i++) include(c, edges->data[i].to);
        automaton_add(c->out, number, letter, intern_subset(c));
    }
}

static void begin(construction *c, const automaton *a) {
    c->a = a;
    c->index = automaton_index_new(a);
    c->subsets = map_new();
    c->seen = mem_zero(a->nstates + 1, sizeof *c->seen);
    c->out = automaton_new(0, a->nletters);
    if (a->letters) c->out->letters = letter_table_copy(a->letters);
    if (!a->initial.len) return;
    begin_subset(c);
    for (uint32_t i = 0; i < a->initial.len; i++) include(c, a->initial.data[i]);
    vec_push(&c->out->initial, intern_subset(c));
}

automaton *automaton_determinise(const automaton *a, uint64_t limit, const limits *l) {
    construction c = {0};
    edge_list edges = {0};
    begin(&c, a);
    bool stopped = false;
    for (uint32_t i = 0; i < map_count(c.subsets) && !stopped; i++) {
        expand(&c, i, &edges);
        stopped = (limit && map_count(c.subsets) > limit) || limits_met(l);
    }
    c.out->nstates = map_count(c.subsets);
    vec_free(&edges);
    vec_free(&c.current);
    automaton_index_free(&c.index);
    map_free(c.subsets);
    free(c.seen);
    if (!stopped) return c.out;
    automaton_free(c.out);
    return NULL;
}
