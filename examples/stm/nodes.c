// SPDX-License-Identifier: Apache-2.0
// Free nodes are linked through their first word. A node that a thread has not used yet is not in its list: the head is
// followed by a count of those already used.
#include "nodes.h"

static uint32_t per_thread(uint32_t size) { return 2 * size + 2; }
static uint32_t head(const nodes *n, const work *w) { return 1 + n->roots + 2 * w->thread; }
static uint32_t used(const nodes *n, const work *w) { return head(n, w) + 1; }

static uint32_t first_node(const nodes *n, uint32_t threads) { return 1 + n->roots + 2 * (threads + 1); }

uint32_t nodes_words(const nodes *n, uint32_t size, uint32_t threads) {
    return first_node(n, threads) + n->fields * per_thread(size) * (threads + 1);
}

static uint32_t take_unused(const nodes *n, tl2_thread *t, const work *w) {
    uint32_t count = tl2_read(t, used(n, w));
    if (count >= per_thread(w->size)) return 0;
    tl2_write(t, used(n, w), count + 1);
    return first_node(n, w->threads) + n->fields * (w->thread * per_thread(w->size) + count);
}

uint32_t nodes_take(const nodes *n, tl2_thread *t, const work *w) {
    uint32_t node = tl2_read(t, head(n, w));
    if (!node) return take_unused(n, t, w);
    tl2_write(t, head(n, w), tl2_read(t, node));
    return node;
}

void nodes_give(const nodes *n, tl2_thread *t, const work *w, uint32_t node) {
    tl2_write(t, node, tl2_read(t, head(n, w)));
    tl2_write(t, head(n, w), node);
}
