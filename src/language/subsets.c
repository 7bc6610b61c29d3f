// SPDX-License-Identifier: Apache-2.0
// Sets of states by number (Rabin and Scott's construction, lazily). A set is a sorted run of state numbers
// in one pool, closed under silent steps, and found again by its bytes. The successors of a set under all
// letters are computed together when the first of them is asked for: the letters share the walk over its
// edges. Invariant: what a set has of them is right; its signature has the bit (member % 64) of every member, so
// that most failing inclusions cost one operation.
#include "language/subsets.h"

#include "base/order.h"
#include "base/map.h"

#include <string.h>

typedef struct {
    uint32_t first, size;  // in the pool
    uint64_t signature;
    uint32_t *next;  // by letter; NULL: not yet expanded
} subset;

struct subsets {
    const automaton *a;
    automaton_index index;
    map *numbers;
    VEC(subset) sets;
    VEC(uint32_t) pool;
    automaton_states current;
    uint32_t *seen, stamp;      // seen[q] == stamp: q is in `current`
    VEC(automaton_edge) edges;  // scratch of subsets_steps()
};

static void subsets_begin(subsets *s) {
    vec_clear(&s->current);
    s->stamp++;
}

static void include(subsets *s, uint32_t state) {
    if (s->seen[state] == s->stamp) return;
    s->seen[state] = s->stamp;
    vec_push(&s->current, state);
}

static void add_set(subsets *s) {
    subset x = {s->pool.len, s->current.len, 0, NULL};
    for (uint32_t i = 0; i < x.size; i++) {
        x.signature |= UINT64_C(1) << (s->current.data[i] % 64);
        vec_push(&s->pool, s->current.data[i]);
    }
    vec_push(&s->sets, x);
}

// The number of the set being built; it is closed and sorted first.
static uint32_t subsets_intern(subsets *s) {
    automaton_close(&s->index, s->seen, s->stamp, &s->current);
    if (s->current.len > 1) qsort(s->current.data, s->current.len, sizeof(uint32_t), order_u32);
    uint32_t n = map_intern(s->numbers, s->current.data, s->current.len * sizeof(uint32_t), s->sets.len);
    if (n == s->sets.len) add_set(s);
    return n;
}

subsets *subsets_new(const automaton *a) {
    subsets *s = mem_zero(1, sizeof *s);
    s->a = a;
    s->index = automaton_index_new(a);
    s->numbers = map_new();
    s->seen = mem_zero(a->nstates + 1, sizeof *s->seen);
    return s;
}

void subsets_free(subsets *s) {
    if (!s) return;
    for (uint32_t i = 0; i < s->sets.len; i++) free(s->sets.data[i].next);
    automaton_index_free(&s->index);
    map_free(s->numbers);
    vec_free(&s->sets);
    vec_free(&s->pool);
    vec_free(&s->current);
    vec_free(&s->edges);
    free(s->seen);
    free(s);
}

uint32_t subsets_initial(subsets *s) {
    if (!s->a->initial.len) return SUBSETS_EMPTY;
    subsets_begin(s);
    for (uint32_t i = 0; i < s->a->initial.len; i++) include(s, s->a->initial.data[i]);
    return subsets_intern(s);
}

static void subsets_gather(subsets *s, uint32_t set) {
    vec_clear(&s->edges);
    subset x = s->sets.data[set];
    for (uint32_t i = 0; i < x.size; i++) {
        uint32_t q = s->pool.data[x.first + i];
        for (uint32_t e = s->index.first[q]; e < s->index.first[q + 1]; e++)
            if (s->index.edges[e].letter != AUTOMATON_SILENT) vec_push(&s->edges, s->index.edges[e]);
    }
    if (s->edges.len) qsort(s->edges.data, s->edges.len, sizeof *s->edges.data, automaton_order);
}

// All steps of a set, by letter; valid until the next set is looked at.
static const automaton_edge *subsets_steps(subsets *s, uint32_t set, uint32_t *n) {
    subsets_gather(s, set);
    *n = 0;
    for (uint32_t i = 0; i < s->edges.len;) {
        uint32_t letter = s->edges.data[i].letter;
        subsets_begin(s);
        for (; i < s->edges.len && s->edges.data[i].letter == letter; i++) include(s, s->edges.data[i].to);
        s->edges.data[(*n)++] = (automaton_edge){set, letter, subsets_intern(s)};
    }
    return s->edges.data;
}

static void subsets_expand(subsets *s, uint32_t set) {
    uint32_t letters = s->a->nletters, n, *next = mem_alloc((letters + 1) * sizeof *next);
    for (uint32_t i = 0; i < letters; i++) next[i] = SUBSETS_EMPTY;
    const automaton_edge *steps = subsets_steps(s, set, &n);
    for (uint32_t i = 0; i < n; i++) next[steps[i].letter] = steps[i].to;
    s->sets.data[set].next = next;
}

uint32_t subsets_next(subsets *s, uint32_t set, uint32_t letter) {
    if (letter >= s->a->nletters) return SUBSETS_EMPTY;
    if (!s->sets.data[set].next) subsets_expand(s, set);
    return s->sets.data[set].next[letter];
}

bool subsets_within(const subsets *s, uint32_t x, uint32_t y) {
    subset a = s->sets.data[x], b = s->sets.data[y];
    if (x == y) return true;
    if (a.size >= b.size || (a.signature & ~b.signature)) return false;
    const uint32_t *p = s->pool.data + a.first, *q = s->pool.data + b.first;
    for (uint32_t i = 0, j = 0; i < a.size; i++, j++) {
        while (j < b.size && q[j] < p[i]) j++;
        if (j == b.size || q[j] != p[i]) return false;
    }
    return true;
}

uint32_t subsets_count(const subsets *s) { return s->sets.len; }

const uint32_t *subsets_members(const subsets *s, uint32_t set, uint32_t *n) {
    *n = s->sets.data[set].size;
    return s->pool.data + s->sets.data[set].first;
}

// The empty set is the rejecting sink, which is not a state.
automaton *automaton_determinise(const automaton *a, uint64_t limit, const limits *l) {
    subsets *s = subsets_new(a);
    automaton *out = automaton_new(0, a->nletters);
    if (a->letters) out->letters = letter_table_copy(a->letters);
    if (subsets_initial(s) != SUBSETS_EMPTY) vec_push(&out->initial, 0);
    bool stopped = false;
    for (uint32_t i = 0, n; i < subsets_count(s) && !stopped; i++) {
        const automaton_edge *steps = subsets_steps(s, i, &n);
        for (uint32_t k = 0; k < n; k++) vec_push(&out->edges, steps[k]);
        stopped = (limit && subsets_count(s) > limit) || limits_met(l);
    }
    out->nstates = subsets_count(s);
    subsets_free(s);
    if (!stopped) return out;
    automaton_free(out);
    return NULL;
}
