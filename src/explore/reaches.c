// SPDX-License-Identifier: Apache-2.0
// Can a state that satisfies a condition be reached from every stored state? (AG EF, Murphi's `liveness`.)
//
// The graph is not stored, so successors are computed again: states that satisfy the condition are marked,
// then, in sweeps from the last state to the first, every state with a marked successor, until a sweep
// marks nothing. Most successors have higher numbers than their state, so few sweeps are needed. The first
// state left without a mark is nearest to an initial one.
#include "explore/search.h"

#include <string.h>

typedef struct {
    search *s;
    worker *w;
    uint64_t *marked;  // one bit per state
    uint32_t check;
} marker;

static bool is_marked(const marker *k, uint64_t i) { return k->marked[i / 64] >> (i % 64) & 1; }
static void reaches_mark(marker *k, uint64_t i) { k->marked[i / 64] |= UINT64_C(1) << (i % 64); }

static void reaches_state_of(const marker *k, uint64_t number) { explored_state(k->s->x, number, k->w->state); }

static bool satisfies(const marker *k, uint64_t number) {
    reaches_state_of(k, number);
    space_check(k->w->run, k->w->state, k->w->failed);
    return !(k->w->failed[k->check / 64] >> (k->check % 64) & 1);
}

static bool leads_to_mark(const marker *k, uint64_t number) {
    worker *w = k->w;
    reaches_state_of(k, number);
    uint32_t n = space_next(w->run, w->state, w->next, w->labels);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *next = w->next + (uint64_t)i * k->s->words;
        if (w->labels[i] & SPACE_TROUBLE) continue;
        if (k->s->is_reduced) space_canonical(w->run, next);
        uint64_t found = explored_find(k->s->x, next);
        if (found == UINT64_MAX) selfcheck_note_trace(k->s, "a successor of a stored state was not stored");
        else if (is_marked(k, found)) return true;
    }
    return false;
}

static bool reaches_sweep(marker *k, uint64_t count) {
    bool has_changed = false;
    for (uint64_t i = count; i-- > 0;) {
        if (is_marked(k, i) || !leads_to_mark(k, i)) continue;
        reaches_mark(k, i);
        has_changed = true;
    }
    return has_changed;
}

static void reaches_decide_one(search *s, ask *a) {
    marker k = {.s = s, .w = s->workers[0], .check = a->check};
    uint64_t count = explored_count(s->x), first = 0;
    k.marked = mem_zero(count / 64 + 1, sizeof *k.marked);
    for (uint64_t i = 0; i < count; i++)
        if (satisfies(&k, i)) reaches_mark(&k, i);
    while (reaches_sweep(&k, count)) {}
    while (first < count && is_marked(&k, first)) first++;
    a->is_found = first < count;
    if (a->is_found) a->state = order_id(&s->x->numbers, first);
    free(k.marked);
}

void reaches_decide(search *s) {
    for (uint32_t i = 0; i < s->asks.len; i++)
        if (s->asks.data[i].kind == ASK_REACHES) reaches_decide_one(s, &s->asks.data[i]);
}
