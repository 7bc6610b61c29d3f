// SPDX-License-Identifier: Apache-2.0
// Minimisation by refining two partitions at once, of states (blocks) and of edges (cords), as in A. Valmari,
// "Fast brief practical DFA minimization", IPL 112 (2012): O(m log m) for m edges, no sink needed for partial
// automata. A cord holds edges with one letter into one block. Invariant: every block that was used as a
// splitter of edges and every cord that was used as a splitter of states stays split that way; when no
// splitter is left, states of a block have, letter by letter, edges into the same blocks or none. All states
// accept, so the first partition is one block.
#include "language/minimize.h"

#include <string.h>

// ---- a partition of 0 … n-1 that can be refined

typedef struct {
    uint32_t nsets;
    uint32_t *element;   // sets stand together
    uint32_t *position;  // of each element in `element`
    uint32_t *set_of;
    uint32_t *first, *past;  // of each set
    uint32_t *marked;        // how many elements of a set are marked: they stand first
    uint32_t *touched;       // sets with marked elements
    uint32_t ntouched;
} partition;

static void partition_begin(partition *p, uint32_t n) {
    *p = (partition){.nsets = n > 0};
    uint32_t **const arrays[] = {&p->element, &p->position, &p->set_of, &p->first,
                                 &p->past,    &p->marked,   &p->touched};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = mem_zero(n + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < n; i++) p->element[i] = p->position[i] = i;
    p->past[0] = n;
}

static void partition_end(partition *p) {
    uint32_t *const arrays[] = {p->element, p->position, p->set_of, p->first, p->past, p->marked, p->touched};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}

static void mark(partition *p, uint32_t x) {
    uint32_t s = p->set_of[x], from = p->position[x], to = p->first[s] + p->marked[s];
    if (from < to) return;  // marked already
    p->element[from] = p->element[to];
    p->position[p->element[from]] = from;
    p->element[to] = x;
    p->position[x] = to;
    if (!p->marked[s]++) p->touched[p->ntouched++] = s;
}

// The smaller part of a touched set gets a new number; the larger keeps the old one.
static void split_set(partition *p, uint32_t s) {
    uint32_t middle = p->first[s] + p->marked[s], z = p->nsets;
    bool front_is_smaller = p->marked[s] <= p->past[s] - middle;
    p->marked[s] = 0;
    if (middle == p->past[s]) return;
    p->first[z] = front_is_smaller ? p->first[s] : middle;
    p->past[z] = front_is_smaller ? middle : p->past[s];
    if (front_is_smaller) p->first[s] = middle;
    else p->past[s] = middle;
    for (uint32_t i = p->first[z]; i < p->past[z]; i++) p->set_of[p->element[i]] = z;
    p->marked[z] = 0;
    p->nsets++;
}

static void split_touched(partition *p) {
    while (p->ntouched) split_set(p, p->touched[--p->ntouched]);
}

// ---- refinement

typedef struct {
    const automaton *a;
    partition blocks, cords;
    uint32_t *incoming, *first_incoming;  // edges by their target
} refinement;

static void index_targets(refinement *r) {
    const automaton *a = r->a;
    r->first_incoming = mem_zero(a->nstates + 2, sizeof *r->first_incoming);
    r->incoming = mem_zero(a->edges.len + 1, sizeof *r->incoming);
    for (uint32_t e = 0; e < a->edges.len; e++) r->first_incoming[a->edges.data[e].to + 2]++;
    for (uint32_t s = 0; s < a->nstates; s++) r->first_incoming[s + 2] += r->first_incoming[s + 1];
    for (uint32_t e = 0; e < a->edges.len; e++) r->incoming[r->first_incoming[a->edges.data[e].to + 1]++] = e;
}

// One cord a letter: mark the letter's edges among those not yet apart, split.
static void split_by_letter(refinement *r) {
    const automaton *a = r->a;
    uint32_t *count = mem_zero(a->nletters + 2, sizeof *count),
             *order = mem_zero(a->edges.len + 1, sizeof *order);
    for (uint32_t e = 0; e < a->edges.len; e++) count[a->edges.data[e].letter + 1]++;
    for (uint32_t l = 0; l < a->nletters; l++) count[l + 1] += count[l];
    for (uint32_t e = 0; e < a->edges.len; e++) order[count[a->edges.data[e].letter]++] = e;
    for (uint32_t i = 0; i < a->edges.len;) {
        uint32_t letter = a->edges.data[order[i]].letter;
        for (; i < a->edges.len && a->edges.data[order[i]].letter == letter; i++) mark(&r->cords, order[i]);
        split_touched(&r->cords);
    }
    free(count);
    free(order);
}

static void split_blocks_by(refinement *r, uint32_t cord) {
    for (uint32_t i = r->cords.first[cord]; i < r->cords.past[cord]; i++)
        mark(&r->blocks, r->a->edges.data[r->cords.element[i]].from);
    split_touched(&r->blocks);
}

static void split_cords_by(refinement *r, uint32_t block) {
    for (uint32_t i = r->blocks.first[block]; i < r->blocks.past[block]; i++) {
        uint32_t s = r->blocks.element[i];
        for (uint32_t k = r->first_incoming[s]; k < r->first_incoming[s + 1]; k++)
            mark(&r->cords, r->incoming[k]);
    }
    split_touched(&r->cords);
}

// The first block needs no use as a splitter: whatever does not lead into a later block leads into it.
static void refine(refinement *r) {
    split_by_letter(r);
    uint32_t block = 1;
    for (uint32_t cord = 0; cord < r->cords.nsets; cord++) {
        split_blocks_by(r, cord);
        for (; block < r->blocks.nsets; block++) split_cords_by(r, block);
    }
}

// ---- the quotient, numbered breadth first

typedef struct {
    const refinement *r;
    automaton_index index;
    uint32_t *number;     // by block
    VEC(uint32_t) order;  // one state of each block, in order of number
    automaton *out;
} quotient;

static uint32_t number_of(quotient *q, uint32_t state) {
    uint32_t block = q->r->blocks.set_of[state];
    if (q->number[block] == UINT32_MAX) {
        q->number[block] = q->order.len;
        vec_push(&q->order, state);
    }
    return q->number[block];
}

static automaton *build_quotient(const refinement *r) {
    const automaton *a = r->a;
    quotient q = {.r = r, .index = automaton_index_new(a), .out = automaton_new(0, a->nletters)};
    q.number = mem_alloc((r->blocks.nsets + 1) * sizeof *q.number);
    memset(q.number, 0xff, (r->blocks.nsets + 1) * sizeof *q.number);
    if (a->initial.len) vec_push(&q.out->initial, number_of(&q, a->initial.data[0]));
    for (uint32_t i = 0; i < q.order.len; i++) {
        uint32_t s = q.order.data[i];
        for (uint32_t e = q.index.first[s]; e < q.index.first[s + 1]; e++)
            automaton_add(q.out, i, q.index.edges[e].letter, number_of(&q, q.index.edges[e].to));
    }
    q.out->nstates = q.order.len;
    for (uint32_t i = 0; i < a->names.len; i++) vec_push(&q.out->names, strdup(a->names.data[i]));
    automaton_index_free(&q.index);
    free(q.number);
    vec_free(&q.order);
    return q.out;
}

automaton *minimize_dfa(const automaton *dfa) {
    refinement r = {.a = dfa};
    partition_begin(&r.blocks, dfa->nstates);
    partition_begin(&r.cords, dfa->edges.len);
    index_targets(&r);
    refine(&r);
    automaton *out = build_quotient(&r);
    partition_end(&r.blocks);
    partition_end(&r.cords);
    free(r.incoming);
    free(r.first_incoming);
    return out;
}
