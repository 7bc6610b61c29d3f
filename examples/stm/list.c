// SPDX-License-Identifier: Apache-2.0
// A set as a sorted list: add, remove, contains. Word 1 is the first node; a node is its next one and its key.
#include "nodes.h"

enum { FIRST = 1, NEXT = 0, KEY = 1 };

static const nodes pool = {.roots = 1, .fields = 2};

static uint32_t list_words(uint32_t size, uint32_t threads) { return nodes_words(&pool, size, threads); }

// The word that leads to the first node whose key is not below `key`, and that node.
static uint32_t find(tl2_thread *t, uint32_t key, uint32_t *node) {
    uint32_t link = FIRST;
    while ((*node = tl2_read(t, link)) != 0 && tl2_read(t, *node + KEY) < key) link = *node + NEXT;
    return link;
}

static void add(tl2_thread *t, const work *w, uint32_t key) {
    uint32_t node, link = find(t, key, &node), new;
    if (node && tl2_read(t, node + KEY) == key) return;
    if (!(new = nodes_take(&pool, t, w))) return;
    tl2_write(t, new + KEY, key);
    tl2_write(t, new + NEXT, node);
    tl2_write(t, link, new);
}

static void drop(tl2_thread *t, const work *w, uint32_t key) {
    uint32_t node, link = find(t, key, &node);
    if (!node || tl2_read(t, node + KEY) != key) return;
    tl2_write(t, link, tl2_read(t, node + NEXT));
    nodes_give(&pool, t, w, node);
}

static void list_set_up(tl2_thread *t, void *context) {
    const work *w = context;
    for (uint32_t key = 0; key < w->size; key += 2) add(t, w, key);
}

static void list_step(tl2_thread *t, void *context) {
    const work *w = context;
    uint32_t node;
    if (w->choice < 40) add(t, w, w->key);
    else if (w->choice < 80) drop(t, w, w->key);
    else find(t, w->key, &node);
}

static void list_look(tl2_thread *t, void *context) {
    const work *w = context;
    uint32_t least = 0;
    for (uint32_t node = tl2_read(t, FIRST); node; node = tl2_read(t, node + NEXT)) {
        uint32_t key = tl2_read(t, node + KEY);
        if (key < least || key >= w->size) snprintf(w->why, 200, "the list is not sorted: %u is not in its place", key);
        least = key + 1;
    }
}

int main(int argc, char **argv) {
    static const program list = {"list", list_words, list_set_up, list_step, list_look};
    return program_main(&list, argc, argv);
}
