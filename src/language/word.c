// SPDX-License-Identifier: Apache-2.0
// Runs of a word: breadth first over places, a state with the number of letters read, remembering by which
// edge each place was reached.
#include "language/word.h"

#include "base/tuples.h"

typedef struct {
    uint32_t state, read, edge, from;  // from: number of the place before; UINT32_MAX: it is a start
} place;

typedef struct {
    automaton_index index;
    const uint32_t *word;
    uint32_t n;
    tuples *seen;  // (state, letters read)
    VEC(place) places;
} search;

static void word_reach(search *s, place p) {
    if (tuples_put(s->seen, &(uint64_t){(uint64_t)p.state << 32 | p.read}) == s->places.len) vec_push(&s->places, p);
}

static void word_expand(search *s, uint32_t number) {
    place p = s->places.data[number];
    for (uint32_t e = s->index.first[p.state]; e < s->index.first[p.state + 1]; e++) {
        automaton_edge x = s->index.edges[e];
        bool is_silent = x.letter == AUTOMATON_SILENT;
        if (is_silent || (p.read < s->n && x.letter == s->word[p.read]))
            word_reach(s, (place){x.to, p.read + !is_silent, e, number});
    }
}

static void add_run(const search *s, uint32_t number, word_run *run) {
    uint32_t first = run->len;
    for (; s->places.data[number].from != UINT32_MAX; number = s->places.data[number].from)
        vec_push(run, s->index.edges[s->places.data[number].edge]);
    for (uint32_t i = first, k = run->len; i + 1 < k; i++) {
        automaton_edge swapped = run->data[i];
        run->data[i] = run->data[--k];
        run->data[k] = swapped;
    }
}

bool word_find(const automaton *a, const uint32_t *word, uint32_t n, word_run *run) {
    search s = {.index = automaton_index_new(a), .word = word, .n = n, .seen = tuples_new(1)};
    bool found = false;
    for (uint32_t i = 0; i < a->initial.len; i++)
        word_reach(&s, (place){a->initial.data[i], 0, UINT32_MAX, UINT32_MAX});
    for (uint32_t i = 0; i < s.places.len && !found; i++) {
        found = s.places.data[i].read == n;
        if (found) add_run(&s, i, run);
        else word_expand(&s, i);
    }
    automaton_index_free(&s.index);
    tuples_free(s.seen);
    vec_free(&s.places);
    return found;
}
