// SPDX-License-Identifier: Apache-2.0
// Orders of a search: see order.h.
#include "zone/order.h"

#include <stdlib.h>

// Nodes of a block, and where clocks are many, fewer: about as many bytes as the matrices they lead to may take before
// they are compared, if each leads to as many as there are clocks.
enum { BLOCK = 512, BLOCK_BYTES = 1 << 28 };

static uint32_t block_of(const zone_search *s) {
    size_t each = 2 * s->x->n * dbm_bytes(s->x->n), n = BLOCK_BYTES / each;
    return n < 1 ? 1 : n < BLOCK ? (uint32_t)n : BLOCK;
}

// ---- breadth first, level by level. Large zones come first: they include many of those that others lead to, which
// then need not be expanded (FDDI 10: 5,749 steps instead of 14,053).

static int by_size(const void *a, const void *b, void *context) {
    const passed_node *nodes = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (nodes[x].size != nodes[y].size) return nodes[x].size > nodes[y].size ? -1 : 1;
    return (x > y) - (x < y);
}

static void order_next_level(zone_search *s, zone_order *o) {
    s->depth += o->end > 0;
    o->at = 0;
    vec_clear(&o->nodes);
    for (; o->end < s->p->nodes.len; o->end++) vec_push(&o->nodes, o->end);
    qsort_r(o->nodes.data, o->nodes.len, sizeof *o->nodes.data, by_size, s->p->nodes.data);
}

static bool next_of_level(zone_search *s, zone_order *o, node_list *out) {
    const uint32_t most = block_of(s);
    if (o->at == o->nodes.len) {
        s->is_whole = o->end == s->p->nodes.len;
        if (s->is_whole) return false;
        order_next_level(s, o);
    }
    for (; o->at < o->nodes.len && out->len < most; o->at++)
        if (!passed_is_covered(s->p, o->nodes.data[o->at])) vec_push(out, o->nodes.data[o->at]);
    return true;
}

// ---- depth first

// What is new goes on top, the first on the very top; at random: any.
static void push_new(zone_search *s, zone_order *o) {
    uint32_t first = o->nodes.len, count = s->p->nodes.len - o->end;
    for (uint32_t i = s->p->nodes.len; i-- > o->end;) vec_push(&o->nodes, i);
    for (uint32_t i = count; s->order == SEARCH_RANDOM && i > 1; i--) {
        uint32_t *a = &o->nodes.data[first + i - 1], *b = &o->nodes.data[first + rng_below(&o->r, i)], kept = *a;
        *a = *b;
        *b = kept;
    }
    o->end = s->p->nodes.len;
}

static bool next_of_stack(zone_search *s, zone_order *o, node_list *out) {
    push_new(s, o);
    while (o->nodes.len && !out->len) {
        uint32_t node = vec_pop(&o->nodes);
        if (!passed_is_covered(s->p, node)) vec_push(out, node);
    }
    s->is_whole = !out->len;
    return out->len;
}

// ---- heaps: the best known comes first

static bool is_earlier(const zone_order *o, uint32_t a, uint32_t b) {
    return o->time.data[a] != o->time.data[b] ? o->time.data[a] < o->time.data[b] : a < b;
}

static bool ranks_higher(const zone_search *s, const zone_order *o, uint32_t a, uint32_t b) {
    const passed_node *x = &s->p->nodes.data[a], *y = &s->p->nodes.data[b];
    if (x->rank != y->rank) return x->rank > y->rank;
    if (o->levels.data[a] != o->levels.data[b]) return o->levels.data[a] < o->levels.data[b];
    return x->size != y->size ? x->size > y->size : a < b;
}

static bool comes_first(const zone_search *s, const zone_order *o, uint32_t a, uint32_t b) {
    return s->order == SEARCH_FASTEST ? is_earlier(o, a, b) : ranks_higher(s, o, a, b);
}

static void heap_swap(zone_order *o, uint32_t i, uint32_t k) {
    uint32_t kept = o->nodes.data[i];
    o->nodes.data[i] = o->nodes.data[k];
    o->nodes.data[k] = kept;
}

static void heap_push(const zone_search *s, zone_order *o, uint32_t node) {
    vec_push(&o->nodes, node);
    for (uint32_t i = o->nodes.len - 1; i && comes_first(s, o, node, o->nodes.data[(i - 1) / 2]); i = (i - 1) / 2)
        heap_swap(o, i, (i - 1) / 2);
}

static uint32_t heap_pop(const zone_search *s, zone_order *o) {
    uint32_t top = o->nodes.data[0], last = vec_pop(&o->nodes);
    if (o->nodes.len) o->nodes.data[0] = last;
    for (uint32_t i = 0, first = 0;; i = first) {
        for (uint32_t k = 2 * i + 1; k <= 2 * i + 2 && k < o->nodes.len; k++)
            if (comes_first(s, o, o->nodes.data[k], o->nodes.data[first])) first = k;
        if (first == i) return top;
        heap_swap(o, i, first);
    }
}

// ---- breadth first, by rank. A node that covers others which were expanded long ago leads to nodes that cover all
// that those led to. It and its like are expanded first, until they have caught up: what they cover need not be
// expanded (Herbreteau, Tran: Improving search order for reachability testing in timed automata. FDDI 11: 911 nodes
// are expanded instead of 7,881).

static void push_ranks(zone_search *s, zone_order *o) {
    for (; o->end < s->p->nodes.len; o->end++) {
        uint32_t parent = s->p->nodes.data[o->end].parent;
        vec_push(&o->levels, parent == UINT32_MAX ? 0 : o->levels.data[parent] + 1);
        heap_push(s, o, o->end);
    }
}

// Those of one rank and level are a block: more of them would be some that the first ones' successors cover.
static bool belongs_to(const zone_search *s, const zone_order *o, const node_list *block, uint32_t node) {
    if (!block->len) return true;
    uint32_t first = block->data[0];
    return s->p->nodes.data[node].rank == s->p->nodes.data[first].rank && o->levels.data[node] == o->levels.data[first];
}

static bool next_of_ranks(zone_search *s, zone_order *o, node_list *out) {
    const uint32_t most = block_of(s);
    push_ranks(s, o);
    while (o->nodes.len && out->len < most) {
        bool is_covered = passed_is_covered(s->p, o->nodes.data[0]);
        if (!is_covered && !belongs_to(s, o, out, o->nodes.data[0])) break;
        uint32_t node = heap_pop(s, o);
        if (!is_covered) vec_push(out, node);
    }
    s->is_whole = !out->len;
    return out->len;
}

// ---- the earliest first

static void push_times(zone_search *s, zone_order *o) {
    matrix d;
    for (; o->end < s->p->nodes.len; o->end++) {
        passed_zone(s->p, o->end, d.d);
        bound b = d.d[s->x->t->time_clock];
        vec_push(&o->time, -2 * bound_value(b) + bound_is_strict(b));
        heap_push(s, o, o->end);
    }
}

// Could what comes from a node at this time be earlier than what was found for some query?
static bool is_early_enough(const zone_search *s, int64_t time) {
    for (uint32_t i = 0; i < s->asks.len; i++) {
        const zone_ask *a = &s->asks.data[i];
        if (!a->is_decided && (!a->has_extreme || time < 2 * a->extreme + a->extreme_strict)) return true;
    }
    return false;
}

static bool next_of_heap(zone_search *s, zone_order *o, node_list *out) {
    push_times(s, o);
    while (o->nodes.len && !out->len) {
        uint32_t node = heap_pop(s, o);
        if (!is_early_enough(s, o->time.data[node])) return false;
        if (!passed_is_covered(s->p, node)) vec_push(out, node);
    }
    return out->len;
}

// ---- all

bool zone_order_next(zone_search *s, zone_order *o, node_list *out) {
    vec_clear(out);
    if (s->order == SEARCH_BREADTH) return s->o->stores_all ? next_of_level(s, o, out) : next_of_ranks(s, o, out);
    return s->order == SEARCH_FASTEST ? next_of_heap(s, o, out) : next_of_stack(s, o, out);
}

void zone_order_free(zone_order *o) {
    vec_free(&o->nodes);
    vec_free(&o->time);
    vec_free(&o->levels);
}

uint32_t zone_order_depth(const zone_search *s) {
    uint32_t n = s->p->nodes.len, longest = 0, *depth = mem_zero(n + 1, sizeof *depth);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = s->p->nodes.data[i].parent;
        depth[i] = parent == UINT32_MAX ? 0 : depth[parent] + 1;
        if (depth[i] > longest) longest = depth[i];
    }
    free(depth);
    return longest;
}
