// SPDX-License-Identifier: Apache-2.0
// Minimisation by partition refinement (J. Hopcroft 1971): O(m log n) for m edges and n states. Blocks are
// used as splitters once each, in order of their numbers; when a block is split, the smaller part gets a new
// number and the larger keeps the old one, so whether or not the old one was used before, using the new one
// is enough. Automata are partial: all states accept, and a missing edge leads to the rejecting sink, which
// is not a state. The first partition is therefore by the letters that are possible; relative to it every
// block but one must be used. Invariant: states of a block have, letter by letter, edges into the same used
// block, or into none of them.
#include "language/minimize.h"

#include "base/order.h"

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
    size_t room = (size_t)n + 1;
    uint32_t *memory = mem_zero(7 * room, sizeof *memory);
    *p = (partition){n > 0,
                     memory,
                     memory + room,
                     memory + 2 * room,
                     memory + 3 * room,
                     memory + 4 * room,
                     memory + 5 * room,
                     memory + 6 * room,
                     0};
    for (uint32_t i = 0; i < n; i++) p->element[i] = p->position[i] = i;
    p->past[0] = n;
}

static void minimize_mark(partition *p, uint32_t x) {
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

typedef VEC(uint32_t) number_list;

typedef struct {
    const automaton *a;
    partition blocks;
    order_groups incoming;  // edges by their target
    number_list *origins;   // by letter: where edges into the splitter come from
    number_list letters;    // those with such edges
} refinement;

static void split_by_letters(refinement *r) {
    const automaton *a = r->a;
    order_groups by = order_group_by(&a->edges, letter, a->nletters);
    for (uint32_t l = 0; l < a->nletters; l++) {
        for (uint32_t i = by.first[l]; i < by.first[l + 1]; i++)
            minimize_mark(&r->blocks, a->edges.data[by.at[i]].from);
        split_touched(&r->blocks);
    }
    order_groups_free(&by);
}

// First all edges into the block, then the splitting, which may change the block itself.
static void minimize_gather(refinement *r, uint32_t block) {
    for (uint32_t i = r->blocks.first[block]; i < r->blocks.past[block]; i++) {
        uint32_t s = r->blocks.element[i];
        for (uint32_t k = r->incoming.first[s]; k < r->incoming.first[s + 1]; k++) {
            const automaton_edge *e = &r->a->edges.data[r->incoming.at[k]];
            number_list *list = &r->origins[e->letter];
            if (!list->len) vec_push(&r->letters, e->letter);
            vec_push(list, e->from);
        }
    }
}

static void split_by(refinement *r, uint32_t block) {
    vec_clear(&r->letters);
    minimize_gather(r, block);
    for (uint32_t i = 0; i < r->letters.len; i++) {
        number_list *list = &r->origins[r->letters.data[i]];
        for (uint32_t k = 0; k < list->len; k++) minimize_mark(&r->blocks, list->data[k]);
        split_touched(&r->blocks);
        vec_clear(list);
    }
}

// False when a limit was met.
static bool minimize_refine(refinement *r, const limits *l) {
    uint32_t asked = 0;
    bool is_stopped = false;
    r->origins = mem_zero(r->a->nletters + 1, sizeof *r->origins);
    r->incoming = order_group_by(&r->a->edges, to, r->a->nstates);
    split_by_letters(r);
    for (uint32_t block = 1; block < r->blocks.nsets && !is_stopped; block++) {
        split_by(r, block);
        is_stopped = limits_met_lately(l, &asked);
    }
    for (uint32_t i = 0; i < r->a->nletters; i++) vec_free(&r->origins[i]);
    vec_free(&r->letters);
    free(r->origins);
    order_groups_free(&r->incoming);
    return !is_stopped;
}

// ---- the quotient, numbered breadth first

typedef struct {
    const refinement *r;
    automaton_index index;
    uint32_t *number;     // by block
    VEC(uint32_t) order;  // one state of each block, in order of number
    automaton *out;
} quotient;

static uint32_t minimize_number_of(quotient *q, uint32_t state) {
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
    if (a->initial.len) vec_push(&q.out->initial, minimize_number_of(&q, a->initial.data[0]));
    for (uint32_t i = 0; i < q.order.len; i++) {
        uint32_t s = q.order.data[i];
        for (uint32_t e = q.index.first[s]; e < q.index.first[s + 1]; e++)
            automaton_add(q.out, i, q.index.edges[e].letter, minimize_number_of(&q, q.index.edges[e].to));
    }
    q.out->nstates = q.order.len;
    if (a->letters) q.out->letters = letter_table_copy(a->letters);
    automaton_index_free(&q.index);
    free(q.number);
    vec_free(&q.order);
    return q.out;
}

automaton *minimize_dfa(const automaton *dfa, const limits *l) {
    refinement r = {.a = dfa};
    partition_begin(&r.blocks, dfa->nstates);
    automaton *out = minimize_refine(&r, l) ? build_quotient(&r) : NULL;
    free(r.blocks.element);
    return out;
}
