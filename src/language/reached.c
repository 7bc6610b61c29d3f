// SPDX-License-Identifier: Apache-2.0
// The automaton of what an exploration reached: its states are the explored ones, its edges are computed
// once more.
#include "language/automaton.h"

#include "model/actor.h"

typedef struct {
    const explored *x;
    const space *s;
    automaton *a;
    space_run *run;
    type threads;
    uint32_t *letter;  // by label number
    uint64_t *state, *next;
    uint32_t *labels;
} building;

static uint32_t reached_letter_of(building *b, uint32_t label) {
    const instance *in = space_instance(b->s);
    value args[model_most_params(in->m)];
    rule r = space_label(b->s, label, args);
    if (!rule_of(in->m, r)->is_visible) return AUTOMATON_SILENT;
    return letter_intern_step(b->a->letters, in, b->threads, r, args);
}

static void reached_begin(building *b, const explored *x) {
    b->x = x;
    b->s = explored_space(x);
    b->a = automaton_new((uint32_t)explored_count(x), 0);
    b->run = space_run_new(b->s);
    b->a->letters = letter_table_new();
    b->threads = actor_sort(space_instance(b->s)->m, space_instance(b->s)->system);
    uint32_t n = space_labels(b->s), words = space_words(b->s);
    b->letter = mem_zero(n + 1, sizeof *b->letter);
    b->labels = mem_zero(n + 1, sizeof *b->labels);
    b->state = mem_zero(words + 1, sizeof *b->state);
    b->next = mem_zero((size_t)n * words + 1, sizeof *b->next);
    for (uint32_t i = 0; i < n; i++) b->letter[i] = reached_letter_of(b, i);
    b->a->nletters = b->a->letters->all.len;
    for (uint64_t i = 0; i < explored_initial_count(x); i++) vec_push(&b->a->initial, (uint32_t)i);
}

static void reached_end(building *b) {
    space_run_free(b->run);
    free(b->letter);
    free(b->labels);
    free(b->state);
    free(b->next);
}

static void add_successors(building *b, uint32_t number) {
    explored_state(b->x, number, b->state);
    uint32_t n = space_next(b->run, b->state, b->next, b->labels);
    for (uint32_t i = 0; i < n; i++) {
        if (b->labels[i] & SPACE_TROUBLE) continue;
        uint64_t to = explored_find(b->x, b->next + (size_t)i * space_words(b->s));
        automaton_add(b->a, number, b->letter[b->labels[i]], (uint32_t)to);
    }
}

automaton *automaton_of(const explored *x, const limits *l) {
    building b = {0};
    reached_begin(&b, x);
    bool stopped = false;
    uint32_t looked = 0;
    for (uint32_t i = 0; i < b.a->nstates && !stopped; i++) {
        add_successors(&b, i);
        stopped = limits_met_lately(l, &looked);
    }
    reached_end(&b);
    if (!stopped) return b.a;
    automaton_free(b.a);
    return NULL;
}
