// SPDX-License-Identifier: Apache-2.0
// Questions about small automata answered from the definitions: sets of states are bit masks, relations are
// tables, edges are looked up by walking the whole list.
#include "oracle/naive_automaton.h"

#include <string.h>

automaton *naive_random(rng *r, uint32_t states, uint32_t letters, uint32_t edges, uint32_t silent) {
    automaton *a = automaton_new(states, letters);
    vec_push(&a->initial, 0);
    if (states > 1 && rng_below(r, 8) == 0) vec_push(&a->initial, 1);
    for (uint32_t i = 0; i < edges; i++)
        automaton_add(a, rng_below(r, states), rng_below(r, letters), rng_below(r, states));
    for (uint32_t i = 0; i < silent; i++)
        automaton_add(a, rng_below(r, states), AUTOMATON_SILENT, rng_below(r, states));
    return a;
}

static uint32_t move(const automaton *a, uint32_t set, uint32_t letter) {
    uint32_t out = 0;
    for (uint32_t i = 0; i < a->edges.len; i++) {
        automaton_edge e = a->edges.data[i];
        if (e.letter == letter && (set >> e.from & 1)) out |= 1u << e.to;
    }
    return out;
}

static uint32_t closure(const automaton *a, uint32_t set) {
    uint32_t before;
    do {
        before = set;
        set |= move(a, set, AUTOMATON_SILENT);
    } while (set != before);
    return set;
}

static uint32_t start(const automaton *a) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < a->initial.len; i++) set |= 1u << a->initial.data[i];
    return closure(a, set);
}

uint32_t naive_after(const automaton *a, const uint32_t *word, uint32_t length) {
    uint32_t set = start(a);
    for (uint32_t i = 0; i < length; i++) set = closure(a, move(a, set, word[i]));
    return set;
}

uint32_t naive_separation(const automaton *a, const automaton *b) {
    uint32_t na = 1u << a->nstates, nb = 1u << b->nstates, head = 0, found = UINT32_MAX;
    uint32_t *distance = mem_alloc((size_t)na * nb * sizeof *distance);
    memset(distance, 0xff, (size_t)na * nb * sizeof *distance);
    VEC(uint32_t) queue = {0};
    vec_push(&queue, start(a) * nb + start(b));
    distance[queue.data[0]] = 0;
    for (; head < queue.len && found == UINT32_MAX; head++) {
        uint32_t x = queue.data[head] / nb, y = queue.data[head] % nb;
        if (x && !y) found = distance[queue.data[head]];
        for (uint32_t c = 0; c < a->nletters; c++) {
            uint32_t to = closure(a, move(a, x, c)) * nb + closure(b, move(b, y, c));
            if (distance[to] != UINT32_MAX) continue;
            distance[to] = distance[queue.data[head]] + 1;
            vec_push(&queue, to);
        }
    }
    vec_free(&queue);
    free(distance);
    return found;
}

// May (p, q) stay: does every step of p have an answer of q that ends in the relation?
static bool may_stay(const automaton *a, const automaton *b, bool related[][NAIVE_MOST_STATES], uint32_t p,
                     uint32_t q) {
    for (uint32_t i = 0; i < a->edges.len; i++) {
        automaton_edge e = a->edges.data[i];
        if (e.from != p) continue;
        uint32_t answers = closure(b, 1u << q);
        if (e.letter != AUTOMATON_SILENT) answers = closure(b, move(b, answers, e.letter));
        bool ok = false;
        for (uint32_t r = 0; r < b->nstates; r++) ok |= (answers >> r & 1) && related[e.to][r];
        if (!ok) return false;
    }
    return true;
}

bool naive_simulates(const automaton *a, const automaton *b) {
    bool related[NAIVE_MOST_STATES][NAIVE_MOST_STATES], changed = true;
    memset(related, true, sizeof related);
    while (changed) {
        changed = false;
        for (uint32_t p = 0; p < a->nstates; p++)
            for (uint32_t q = 0; q < b->nstates; q++)
                if (related[p][q] && !may_stay(a, b, related, p, q)) {
                    related[p][q] = false;
                    changed = true;
                }
    }
    bool all = true;
    for (uint32_t i = 0; i < a->initial.len; i++) {
        bool one = false;
        for (uint32_t k = 0; k < b->initial.len; k++) one |= related[a->initial.data[i]][b->initial.data[k]];
        all &= one;
    }
    return all;
}
