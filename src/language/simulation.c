// SPDX-License-Identifier: Apache-2.0
// The greatest simulation, on demand from the initial pairs: a pair (p, q) is assumed until one of its
// obligations fails. An obligation is a step of A from p; it leans on one candidate, a pair of the step's
// target with a state that B can answer with. Only the candidate leant on is looked at; when it is refuted
// the obligation moves to its next one, and when none is left its own pair is refuted (Liu and Smolka's local
// fixpoint, for the greatest one).
//
// Weak steps: if q can silently become q' and q' simulates p then so does q. So a letter is answered by the
// letter's successors of q's silent closure, without silent steps after it, and a silent step of A by q
// itself. Invariant: the obligations of every assumed pair lean on assumed pairs, once nothing is pending;
// refuted pairs are refuted in an order in which all candidates of the failed obligation came before, so the
// explanation ends.
#include "language/simulation.h"

#include "base/order.h"
#include "base/tuples.h"

#include <string.h>

#define NOBODY UINT32_MAX

typedef struct {
    uint32_t p, q;
    uint32_t leaning;  // first obligation that leans on this pair
    uint32_t failed;   // edge of A of the obligation that refuted it
    bool is_refuted;
} pair;

typedef struct {
    uint32_t pair, edge;  // NOBODY: of the initial state numbered `edge`
    uint32_t candidate;   // which one it leans on
    uint32_t next;        // another that leans on the same pair
} obligation;

typedef struct {
    uint32_t *targets, *first;  // by letter, answers of a state of B; NULL: not yet computed
} answers;

typedef struct {
    const automaton *a, *b;
    const inclusion_options *options;
    automaton_index ia, ib;
    uint32_t *letters;
    answers *answers;  // by state of B
    uint32_t *seen, stamp;
    tuples *numbers;  // (p, q) to pair
    VEC(pair) pairs;
    VEC(obligation) obligations;
    VEC(uint32_t) fresh, fallen;  // pairs to expand; refuted pairs to pass on
    automaton_states closure;
    VEC(automaton_edge) edges;
    bool is_lost;  // an initial state of A has no partner
    uint32_t lost;
    uint32_t asked;  // how often whether to stop
    inclusion *out;
} game;

// ---- what B can answer

// By letter; equal letters stay in the order in which the closure was met, least commitment first.
static void sort_by_letter(game *g, answers *out) {
    order_groups by = order_group_by(&g->edges, letter, g->b->nletters);
    for (uint32_t i = 0; i < g->edges.len; i++) by.at[i] = g->edges.data[by.at[i]].to;
    *out = (answers){by.at, by.first};
}

static answers *answers_of(game *g, uint32_t q) {
    answers *out = &g->answers[q];
    if (out->first) return out;
    vec_clear(&g->edges);
    vec_clear(&g->closure);
    vec_push(&g->closure, q);
    g->seen[q] = ++g->stamp;
    automaton_close(&g->ib, g->seen, g->stamp, &g->closure);
    for (uint32_t i = 0; i < g->closure.len; i++) {
        uint32_t x = g->closure.data[i];
        for (uint32_t e = g->ib.first[x]; e < g->ib.first[x + 1]; e++)
            if (g->ib.edges[e].letter != AUTOMATON_SILENT) vec_push(&g->edges, g->ib.edges[e]);
    }
    sort_by_letter(g, out);
    return out;
}

// The states B may be in after answering an obligation.
static const uint32_t *simulation_candidates(game *g, const obligation *o, uint32_t *n, uint32_t *p) {
    if (o->pair == NOBODY) {
        *p = o->edge;
        *n = g->b->initial.len;
        return g->b->initial.data;
    }
    automaton_edge step = g->ia.edges[o->edge];
    const pair *from = &g->pairs.data[o->pair];
    *p = step.to;
    *n = 1;
    if (step.letter == AUTOMATON_SILENT) return &from->q;
    uint32_t letter = g->letters[step.letter];
    *n = 0;
    if (letter >= g->b->nletters) return NULL;
    const answers *a = answers_of(g, from->q);
    *n = a->first[letter + 1] - a->first[letter];
    return a->targets + a->first[letter];
}

// ---- pairs and obligations

static uint32_t pair_find(game *g, uint32_t p, uint32_t q) {
    return tuples_find(g->numbers, &(uint64_t){(uint64_t)p << 32 | q});
}

static uint32_t pair_add(game *g, uint32_t p, uint32_t q) {
    uint32_t number = tuples_put(g->numbers, &(uint64_t){(uint64_t)p << 32 | q});
    vec_push(&g->fresh, number);
    vec_push(&g->pairs, (pair){p, q, NOBODY, NOBODY, false});
    return number;
}

static void lean(game *g, uint32_t number, uint32_t candidate, uint32_t on) {
    obligation *o = &g->obligations.data[number];
    o->candidate = candidate;
    o->next = g->pairs.data[on].leaning;
    g->pairs.data[on].leaning = number;
}

static void simulation_refute(game *g, uint32_t number, uint32_t edge) {
    pair *x = &g->pairs.data[number];
    if (x->is_refuted) return;
    x->is_refuted = true;
    x->failed = edge;
    vec_push(&g->fallen, number);
}

static void simulation_fail(game *g, const obligation *o) {
    if (o->pair != NOBODY) {
        simulation_refute(g, o->pair, o->edge);
        return;
    }
    g->is_lost = true;
    g->lost = o->edge;
}

// Finds something to lean on: a believed pair among the candidates that is known already, else a new one.
static void simulation_settle(game *g, uint32_t number) {
    obligation o = g->obligations.data[number];
    uint32_t n, p, unknown = NOBODY;
    const uint32_t *q = simulation_candidates(g, &o, &n, &p);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = pair_find(g, p, q[i]);
        if (x != NOBODY && !g->pairs.data[x].is_refuted) {
            lean(g, number, i, x);
            return;
        }
        if (x == NOBODY && unknown == NOBODY) unknown = i;
    }
    if (unknown == NOBODY) {
        simulation_fail(g, &o);
        return;
    }
    uint32_t answer = q[unknown];
    lean(g, number, unknown, pair_add(g, p, answer));
}

static void oblige(game *g, uint32_t pair_number, uint32_t edge) {
    vec_push(&g->obligations, (obligation){pair_number, edge, 0, NOBODY});
    simulation_settle(g, g->obligations.len - 1);
}

static void simulation_expand(game *g, uint32_t number) {
    uint32_t p = g->pairs.data[number].p;
    for (uint32_t e = g->ia.first[p]; e < g->ia.first[p + 1] && !g->pairs.data[number].is_refuted; e++)
        oblige(g, number, e);
}

static void pass_on(game *g, uint32_t number) {
    uint32_t o = g->pairs.data[number].leaning;
    g->pairs.data[number].leaning = NOBODY;
    while (o != NOBODY) {
        uint32_t next = g->obligations.data[o].next, owner = g->obligations.data[o].pair;
        if (owner == NOBODY || !g->pairs.data[owner].is_refuted) simulation_settle(g, o);
        o = next;
    }
}

// Refutations first: they may make pairs that wait for their expansion needless.
static void simulation_play(game *g) {
    for (uint32_t i = 0; i < g->a->initial.len && !g->is_lost; i++) oblige(g, NOBODY, g->a->initial.data[i]);
    while (!g->is_lost && (g->fallen.len || g->fresh.len)) {
        if (inclusion_must_stop(g->options, g->pairs.len, &g->asked)) {
            g->out->answer = INCLUSION_STOPPED;
            return;
        }
        if (g->fallen.len) {
            pass_on(g, vec_pop(&g->fallen));
        } else {
            uint32_t x = vec_pop(&g->fresh);
            if (!g->pairs.data[x].is_refuted) simulation_expand(g, x);
        }
    }
    if (g->is_lost) g->out->answer = INCLUSION_FAILS;
}

// One line of play that B loses: in each refuted pair the step that refuted it, then B's first answer.
static void simulation_explain(game *g) {
    obligation o = {NOBODY, g->lost, 0, NOBODY};
    for (;;) {
        uint32_t n, p;
        const uint32_t *q = simulation_candidates(g, &o, &n, &p);
        if (!n) return;
        uint32_t x = pair_find(g, p, q[0]);
        o = (obligation){x, g->pairs.data[x].failed, 0, NOBODY};
        vec_push(&g->out->run, g->ia.edges[o.edge]);
    }
}

static void game_free(game *g) {
    for (uint32_t i = 0; i < g->b->nstates; i++) {
        free(g->answers[i].targets);
        free(g->answers[i].first);
    }
    free(g->answers);
    automaton_index_free(&g->ia);
    automaton_index_free(&g->ib);
    free(g->letters);
    free(g->seen);
    tuples_free(g->numbers);
    vec_free(&g->pairs);
    vec_free(&g->obligations);
    vec_free(&g->fresh);
    vec_free(&g->fallen);
    vec_free(&g->closure);
    vec_free(&g->edges);
}

inclusion simulation_check(const automaton *a, const automaton *b, const inclusion_options *options) {
    inclusion_options none = {0};
    inclusion out = {.answer = INCLUSION_HOLDS};
    game g = {.a = a, .b = b, .options = options ? options : &none, .out = &out};
    g.ia = automaton_index_new(a);
    g.ib = automaton_index_new(b);
    g.letters = inclusion_letters(a, b);
    g.numbers = tuples_new(1);
    g.answers = mem_zero(b->nstates + 1, sizeof *g.answers);
    g.seen = mem_zero(b->nstates + 1, sizeof *g.seen);
    simulation_play(&g);
    if (g.is_lost) simulation_explain(&g);
    out.pairs = g.pairs.len;
    for (uint32_t i = 0; g.options->keeps && out.answer == INCLUSION_HOLDS && i < g.pairs.len; i++) {
        if (g.pairs.data[i].is_refuted) continue;
        vec_push(&out.kept.pairs, g.pairs.data[i].p);
        vec_push(&out.kept.pairs, g.pairs.data[i].q);
    }
    game_free(&g);
    return out;
}
