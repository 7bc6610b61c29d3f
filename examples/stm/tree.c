// SPDX-License-Identifier: Apache-2.0
// A set as a red-black tree (Cormen, Leiserson, Rivest, Stein): add, remove, contains. Word 1 is the root; a node is its
// children, its parent, its key and its colour. No node has two red ones in a row, and every way from the root down
// meets the same number of black ones.
#include "nodes.h"

enum { ROOT = 1 };
enum { LEFT = 0, RIGHT = 1, PARENT = 2, KEY = 3, COLOUR = 4 };
enum { BLACK = 0, RED = 1 };

static const nodes pool = {.roots = 1, .fields = 5};

static uint32_t tree_words(uint32_t size, uint32_t threads) { return nodes_words(&pool, size, threads); }

// ---- nodes

static uint32_t get(tl2_thread *t, uint32_t node, uint32_t field) { return tl2_read(t, node + field); }
static void set(tl2_thread *t, uint32_t node, uint32_t field, uint32_t value) { tl2_write(t, node + field, value); }
static bool is_red(tl2_thread *t, uint32_t node) { return node && get(t, node, COLOUR) == RED; }

static uint32_t side_of(tl2_thread *t, uint32_t parent, uint32_t node) {
    return get(t, parent, LEFT) == node ? LEFT : RIGHT;
}

// `parent`, or the root if that is 0, gets `node` for `old`.
static void put_below(tl2_thread *t, uint32_t parent, uint32_t old, uint32_t node) {
    if (!parent) tl2_write(t, ROOT, node);
    else set(t, parent, side_of(t, parent, old), node);
    if (node) set(t, node, PARENT, parent);
}

// `node` goes down to this side, its child of the other side comes up.
static void rotate(tl2_thread *t, uint32_t node, uint32_t side) {
    uint32_t up = get(t, node, !side), between = get(t, up, side);
    put_below(t, get(t, node, PARENT), node, up);
    set(t, node, !side, between);
    if (between) set(t, between, PARENT, node);
    set(t, up, side, node);
    set(t, node, PARENT, up);
}

// ---- adding

// The node with this key, else 0; *parent is the last one on the way.
static uint32_t find(tl2_thread *t, uint32_t key, uint32_t *parent) {
    uint32_t node = tl2_read(t, ROOT);
    *parent = 0;
    while (node) {
        uint32_t here = get(t, node, KEY);
        if (here == key) return node;
        *parent = node;
        node = get(t, node, key < here ? LEFT : RIGHT);
    }
    return 0;
}

// `node` is red and its parent may be: passes that up.
static void mend_red(tl2_thread *t, uint32_t node) {
    uint32_t parent;
    while (is_red(t, parent = get(t, node, PARENT))) {
        uint32_t above = get(t, parent, PARENT), side = side_of(t, above, parent), uncle = get(t, above, !side);
        if (is_red(t, uncle)) {
            set(t, parent, COLOUR, BLACK);
            set(t, uncle, COLOUR, BLACK);
            set(t, above, COLOUR, RED);
            node = above;
            continue;
        }
        if (side_of(t, parent, node) != side) {
            rotate(t, node = parent, side);
            parent = get(t, node, PARENT);
        }
        set(t, parent, COLOUR, BLACK);
        set(t, above, COLOUR, RED);
        rotate(t, above, !side);
    }
    uint32_t root = tl2_read(t, ROOT);
    if (is_red(t, root)) set(t, root, COLOUR, BLACK);
}

static void add(tl2_thread *t, const work *w, uint32_t key) {
    uint32_t parent, node = find(t, key, &parent);
    if (node || !(node = nodes_take(&pool, t, w))) return;
    set(t, node, LEFT, 0);
    set(t, node, RIGHT, 0);
    set(t, node, KEY, key);
    set(t, node, COLOUR, RED);
    set(t, node, PARENT, parent);
    if (!parent) tl2_write(t, ROOT, node);
    else set(t, parent, key < get(t, parent, KEY) ? LEFT : RIGHT, node);
    mend_red(t, node);
}

// ---- removing

// The sibling has a red child: turns it so that the way through `node` gets one more black node.
static void borrow(tl2_thread *t, uint32_t parent, uint32_t sibling, uint32_t side) {
    if (!is_red(t, get(t, sibling, !side))) {
        set(t, get(t, sibling, side), COLOUR, BLACK);
        set(t, sibling, COLOUR, RED);
        rotate(t, sibling, !side);
        sibling = get(t, parent, !side);
    }
    set(t, sibling, COLOUR, get(t, parent, COLOUR));
    set(t, parent, COLOUR, BLACK);
    set(t, get(t, sibling, !side), COLOUR, BLACK);
    rotate(t, parent, side);
}

// Ways through `node`, below `parent`, have one black node too few.
static void mend_black(tl2_thread *t, uint32_t node, uint32_t parent) {
    while (parent && !is_red(t, node)) {
        uint32_t side = side_of(t, parent, node), sibling = get(t, parent, !side);
        if (is_red(t, sibling)) {
            set(t, sibling, COLOUR, BLACK);
            set(t, parent, COLOUR, RED);
            rotate(t, parent, side);
            sibling = get(t, parent, !side);
        }
        if (is_red(t, get(t, sibling, LEFT)) || is_red(t, get(t, sibling, RIGHT))) {
            borrow(t, parent, sibling, side);
            return;
        }
        set(t, sibling, COLOUR, RED);
        node = parent;
        parent = get(t, node, PARENT);
    }
    if (node) set(t, node, COLOUR, BLACK);
}

static uint32_t least_below(tl2_thread *t, uint32_t node) {
    for (uint32_t next; (next = get(t, node, LEFT)) != 0;) node = next;
    return node;
}

static void drop(tl2_thread *t, const work *w, uint32_t key) {
    uint32_t parent, node = find(t, key, &parent);
    if (!node) return;
    uint32_t out = get(t, node, LEFT) && get(t, node, RIGHT) ? least_below(t, get(t, node, RIGHT)) : node;
    if (out != node) set(t, node, KEY, get(t, out, KEY));
    uint32_t below = get(t, out, LEFT);
    if (!below) below = get(t, out, RIGHT);
    parent = get(t, out, PARENT);
    put_below(t, parent, out, below);
    if (!is_red(t, out)) mend_black(t, below, parent);
    nodes_give(&pool, t, w, out);
}

// ---- the program

static void tree_set_up(tl2_thread *t, void *context) {
    const work *w = context;
    for (uint32_t key = 0; key < w->size; key += 2) add(t, w, key);
}

static void tree_step(tl2_thread *t, void *context) {
    const work *w = context;
    uint32_t parent;
    if (w->choice < 40) add(t, w, w->key);
    else if (w->choice < 80) drop(t, w, w->key);
    else find(t, w->key, &parent);
}

// The black nodes on the way down; says what is wrong below this node.
static uint32_t look_below(tl2_thread *t, uint32_t node, uint32_t least, uint32_t end, char *why) {
    if (!node) return 1;
    uint32_t key = get(t, node, KEY), left = get(t, node, LEFT), right = get(t, node, RIGHT);
    if (key < least || key >= end) snprintf(why, 200, "%u is not in its place", key);
    if (is_red(t, node) && (is_red(t, left) || is_red(t, right)))
        snprintf(why, 200, "two red nodes in a row at %u", key);
    if (*why) return 0;
    uint32_t blacks = look_below(t, left, least, key, why);
    if (look_below(t, right, key + 1, end, why) != blacks && !*why) snprintf(why, 200, "not balanced at %u", key);
    return blacks + !is_red(t, node);
}

static void tree_look(tl2_thread *t, void *context) {
    const work *w = context;
    look_below(t, tl2_read(t, ROOT), 0, w->size, w->why);
}

int main(int argc, char **argv) {
    static const program tree = {"tree", tree_words, tree_set_up, tree_step, tree_look};
    return program_main(&tree, argc, argv);
}
