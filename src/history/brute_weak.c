// SPDX-License-Identifier: Apache-2.0
// Causal, read atomic, read committed by enumeration: see brute.h. Every choice of who wrote what was read gives edges
// that the order must contain; there is an order iff they have no cycle. Node 0 is the initial transaction, node t + 1
// is transaction t.
#include "history/brute.h"

#include <string.h>

enum { NODES = BRUTE_MOST + 1 };

typedef struct {
    uint32_t reader;      // node
    uint32_t op;          // its operation
    uint32_t key, value;  // of a list: the list without the reader's own elements
    bool is_list;
    uint32_t writer;  // node: the choice
} link_read;

// A list, as it was after this node: what the node appended is at its end, and the rest is before.
typedef struct {
    uint32_t key, list, rest, node;
} link_part;

typedef struct {
    const recorded *h;
    level l;
    uint32_t committed;
    VEC(link_read) reads;
    VEC(link_part) parts;  // who appended which part of the longest list of each key: a choice
    uint64_t steps, most_steps;
} trial;

static bool weakly_is_in(const trial *t, uint32_t node) { return node == 0 || t->committed >> (node - 1) & 1; }

// The last write of a key by a transaction, before operation `end`; false: there is none.
static bool last_write(const recorded *h, uint32_t tx, uint32_t key, uint32_t end, uint32_t *value) {
    const recorded_tx *x = &h->txs.data[tx];
    bool found = false;
    for (uint32_t i = x->first; i < x->first + x->count && i < end; i++)
        if (recorded_is_write(h, i) && recorded_key(h, i) == key) *value = h->op_value.data[i], found = true;
    return found;
}

static bool node_writes(const trial *t, uint32_t node, uint32_t key) {
    uint32_t value;
    return node == 0 || last_write(t->h, node - 1, key, UINT32_MAX, &value);
}

// Takes what the transaction itself appended before `op` off the end of the list; false: it is not there.
static bool strip_own(const recorded *h, uint32_t tx, uint32_t op, uint32_t *list) {
    for (uint32_t i = op; i-- > h->txs.data[tx].first;) {
        if (recorded_kind(h, i) != OP_APPEND || recorded_key(h, i) != recorded_key(h, op)) continue;
        if (!*list || h->links.data[*list].element != h->op_value.data[i]) return false;
        *list = h->links.data[*list].before;
    }
    return true;
}

// The reads of all that count; false: one contradicts what its own transaction wrote.
static bool collect_reads(trial *t, uint32_t tx) {
    const recorded *h = t->h;
    const recorded_tx *x = &h->txs.data[tx];
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        recorded_op o = recorded_get(h, i);
        uint32_t own;
        link_read r = {tx + 1, i, o.key, o.value, o.kind == OP_READ_LIST, 0};
        if (o.kind == OP_READ && last_write(h, tx, o.key, i, &own)) {
            if (own != o.value) return false;
        } else if (o.kind == OP_READ || o.kind == OP_READ_LIST) {
            if (r.is_list && !strip_own(h, tx, i, &r.value)) return false;
            vec_push(&t->reads, r);
        }
    }
    return true;
}

// Takes all that a transaction appended to the key off the end of the list; false if that is not what is there.
static bool strip_whole(const recorded *h, uint32_t tx, uint32_t key, uint32_t *list) {
    const recorded_tx *x = &h->txs.data[tx];
    bool any = false;
    for (uint32_t i = x->first + x->count; i-- > x->first;) {
        if (recorded_kind(h, i) != OP_APPEND || recorded_key(h, i) != key) continue;
        if (!*list || h->links.data[*list].element != h->op_value.data[i]) return false;
        *list = h->links.data[*list].before;
        any = true;
    }
    return any;
}

// Who appended the end of the list, all of it, as it was chosen; the rest of the list is left. 0: nobody.
static uint32_t last_appender(const trial *t, uint32_t key, uint32_t *list) {
    for (uint32_t i = 0; i < t->parts.len; i++) {
        const link_part *p = &t->parts.data[i];
        if (p->key != key || p->list != *list) continue;
        *list = p->rest;
        return p->node;
    }
    return 0;
}

static bool may_have_written(const trial *t, const link_read *r, uint32_t node) {
    uint32_t value, list = r->value;
    if (node == r->reader || !weakly_is_in(t, node)) return false;
    if (r->is_list) return node == (list ? last_appender(t, r->key, &list) : 0) && (node || !r->value);
    if (node == 0) return recorded_initial(t->h, r->key) == r->value;
    return last_write(t->h, node - 1, r->key, UINT32_MAX, &value) && value == r->value;
}

typedef bool relation[NODES][NODES];

static void close_relation(relation r) {
    for (uint32_t k = 0; k < NODES; k++)
        for (uint32_t i = 0; i < NODES; i++)
            for (uint32_t j = 0; j < NODES; j++) r[i][j] |= r[i][k] && r[k][j];
}

// A read contradicts a list if somebody else appended to it and is not after the list's end.
static bool add_list_edges(const trial *t, const link_read *r, relation co) {
    uint32_t list = r->value, later = 0, n = t->h->txs.len;
    bool in_list[NODES] = {false};
    while (list) {
        uint32_t u = last_appender(t, r->key, &list);
        if (!u || in_list[u]) return false;
        if (later) co[u][later] = true;
        in_list[u] = true;
        later = u;
    }
    for (uint32_t u = 1; u <= n; u++)
        if (weakly_is_in(t, u) && !in_list[u] && u != r->reader && node_writes(t, u, r->key)) co[r->writer][u] = true;
    return true;
}

static bool read_before_from(const trial *t, const link_read *r, uint32_t from) {
    for (uint32_t i = 0; i < t->reads.len; i++) {
        const link_read *b = &t->reads.data[i];
        if (b->reader == r->reader && b->op < r->op && b->writer == from) return true;
    }
    return false;
}

static bool choices_fit(trial *t) {
    relation direct = {{false}}, past, co;
    uint32_t n = t->h->txs.len;
    for (uint32_t a = 0; a <= n; a++)
        for (uint32_t b = 1; b <= n; b++)
            direct[a][b] = a != b && weakly_is_in(t, a) && weakly_is_in(t, b) &&
                           (a == 0 || brute_is_before(t->h, t->l, a - 1, b - 1));
    for (uint32_t i = 0; i < t->reads.len; i++) direct[t->reads.data[i].writer][t->reads.data[i].reader] = true;
    memcpy(past, direct, sizeof past);
    close_relation(past);
    memcpy(co, direct, sizeof co);
    for (uint32_t i = 0; i < t->reads.len; i++) {
        const link_read *r = &t->reads.data[i];
        if (r->is_list && !add_list_edges(t, r, co)) return false;
        for (uint32_t u = 0; u <= n; u++) {
            if (u == r->writer || u == r->reader || !weakly_is_in(t, u) || !node_writes(t, u, r->key)) continue;
            bool sees = t->l == LEVEL_CAUSAL        ? past[u][r->reader]
                        : t->l == LEVEL_READ_ATOMIC ? direct[u][r->reader]
                                                    : read_before_from(t, r, u);
            if (sees) co[u][r->writer] = true;
        }
    }
    close_relation(co);
    for (uint32_t a = 0; a <= n; a++)
        if (co[a][a]) return false;
    return true;
}

static bool weakly_choose_from(trial *t, uint32_t i) {
    if (t->most_steps && ++t->steps > t->most_steps) return false;
    if (i == t->reads.len) return choices_fit(t);
    link_read *r = &t->reads.data[i];
    for (uint32_t u = 0; u <= t->h->txs.len; u++) {
        if (!may_have_written(t, r, u)) continue;
        r->writer = u;
        if (weakly_choose_from(t, i + 1)) return true;
    }
    return false;
}

// ---- who appended which part of a list

static uint32_t length_of(const recorded *h, uint32_t list) {
    uint32_t n = 0;
    for (; list; list = h->links.data[list].before) n++;
    return n;
}

static uint32_t longest_list(const trial *t, uint32_t key) {
    uint32_t longest = 0;
    for (uint32_t i = 0; i < t->reads.len; i++) {
        const link_read *r = &t->reads.data[i];
        if (r->is_list && r->key == key && length_of(t->h, r->value) > length_of(t->h, longest)) longest = r->value;
    }
    return longest;
}

static bool weakly_choose_lists(trial *t, uint32_t key);

// The list without its parts at the end that are chosen already, by the nodes that `used` has.
static bool weakly_choose_parts(trial *t, uint32_t key, uint32_t list, uint32_t used) {
    if (t->most_steps && ++t->steps > t->most_steps) return false;
    if (!list) return weakly_choose_lists(t, key + 1);
    for (uint32_t u = 1; u <= t->h->txs.len; u++) {
        uint32_t rest = list;
        if (used >> u & 1 || !weakly_is_in(t, u) || !strip_whole(t->h, u - 1, key, &rest)) continue;
        vec_push(&t->parts, (link_part){key, list, rest, u});
        if (weakly_choose_parts(t, key, rest, used | 1u << u)) return true;
        t->parts.len--;
    }
    return false;
}

static bool weakly_choose_lists(trial *t, uint32_t key) {
    if (key == names_count(&t->h->keys)) return weakly_choose_from(t, 0);
    return weakly_choose_parts(t, key, longest_list(t, key), 0);
}

static bool weak_try(trial *t) {
    vec_clear(&t->reads);
    vec_clear(&t->parts);
    for (uint32_t i = 0; i < t->h->txs.len; i++)
        if (t->committed >> i & 1 && !collect_reads(t, i)) return false;
    return weakly_choose_lists(t, 0);
}

brute_answer brute_weak(const recorded *h, level l, uint64_t most_steps) {
    trial t = {.h = h, .l = l, .most_steps = most_steps, .committed = brute_least_committed(h)};
    bool holds;
    do holds = weak_try(&t);
    while (!holds && brute_next_committed(h, &t.committed));
    vec_free(&t.reads);
    vec_free(&t.parts);
    return holds ? BRUTE_YES : most_steps && t.steps > most_steps ? BRUTE_TOO_LARGE : BRUTE_NO;
}
