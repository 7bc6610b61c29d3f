// SPDX-License-Identifier: Apache-2.0
// Elements that were appended twice are told apart: see apart.h. All lists of a key that were read are prefixes of the
// longest, or there is no order in any case. So it is enough to say, for every place of the longest list, which append
// it is from.
#include "history/apart.h"

#include "base/map.h"

#include <string.h>

enum { MOST_SPLIT = 6 };  // pending transactions that are tried both ways

typedef VEC(uint32_t) op_list;

typedef struct {
    uint32_t group;  // of appends of this element to this key
    uint32_t op;     // the append that it is from; UINT32_MAX: nobody's
} list_place;

typedef struct {
    uint32_t list, length;  // the longest that was read
    uint32_t first;         // its places begin here
} list_key;

typedef struct {
    const recorded *h;
    level l;
    map *groups;           // (key, element) to index of appends
    VEC(op_list) appends;  // operations of those that may have committed
    list_key *keys;
    VEC(list_place) places;
    VEC(uint32_t) open;  // places whose element was appended more than once
    uint8_t *is_taken;   // by operation
    uint32_t *tx_of;     // by operation
    apart_take take;
    void *context;
    uint64_t junk;  // elements that are nobody's
} telling;

static bool may_count(const recorded_tx *x) { return x->outcome == TX_COMMITTED || x->outcome == TX_PENDING; }

// ---- who appended what

static uint32_t group_of(const telling *t, uint32_t key, uint32_t element) {
    const uint32_t pair[] = {key, element};
    return map_get(t->groups, pair, sizeof pair, UINT32_MAX);
}

static void collect_appends(telling *t) {
    const recorded *h = t->h;
    t->groups = map_new();
    for (uint32_t x = 0; x < h->txs.len; x++)
        for (uint32_t i = h->txs.data[x].first; i < h->txs.data[x].first + h->txs.data[x].count; i++) {
            t->tx_of[i] = x;
            if (recorded_kind(h, i) != OP_APPEND || !may_count(&h->txs.data[x])) continue;
            const uint32_t pair[] = {recorded_key(h, i), h->op_value.data[i]};
            uint32_t g = map_intern(t->groups, pair, sizeof pair, t->appends.len);
            if (g == t->appends.len) vec_push(&t->appends, (op_list){0});
            vec_push(&t->appends.data[g], i);
        }
}

bool apart_is_needed(const recorded *h) {
    map *seen = NULL;
    bool is_needed = false;
    for (uint32_t x = 0; x < h->txs.len && !is_needed; x++)
        for (uint32_t i = h->txs.data[x].first; i < h->txs.data[x].first + h->txs.data[x].count; i++) {
            if (recorded_kind(h, i) != OP_APPEND || !may_count(&h->txs.data[x])) continue;
            const uint32_t pair[] = {recorded_key(h, i), h->op_value.data[i]};
            if (!seen) seen = map_new();
            is_needed |= !map_put(seen, pair, sizeof pair, 1);
        }
    if (seen) map_free(seen);
    return is_needed;
}

// ---- what was read

static uint32_t list_length(const recorded *h, uint32_t list) {
    uint32_t n = 0;
    for (; list; list = h->links.data[list].before) n++;
    return n;
}

// The list without what its transaction had appended itself, if it ends with that.
static uint32_t without_own(const telling *t, uint32_t op, uint32_t *own) {
    const recorded *h = t->h;
    uint32_t list = h->op_value.data[op], key = recorded_key(h, op);
    *own = 0;
    for (uint32_t i = op; i-- > h->txs.data[t->tx_of[op]].first;) {
        if (recorded_kind(h, i) != OP_APPEND || recorded_key(h, i) != key) continue;
        if (!list || h->links.data[list].element != h->op_value.data[i]) return *own = 0, h->op_value.data[op];
        list = h->links.data[list].before;
        ++*own;
    }
    return list;
}

static bool is_prefix(const recorded *h, uint32_t list, const list_key *k) {
    uint32_t n = list_length(h, list), longest = k->list;
    for (uint32_t i = k->length; i > n; i--) longest = h->links.data[longest].before;
    return n <= k->length && list == longest;
}

// A pending transaction may have read more than all others, and then it is not known whether that counts: it is
// returned. UINT32_MAX: there is none.
static uint32_t find_longest_lists(telling *t) {
    const recorded *h = t->h;
    uint32_t own, doubtful = UINT32_MAX;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < h->op_key.len; i++) {
            const recorded_tx *x = &h->txs.data[t->tx_of[i]];
            if (recorded_kind(h, i) != OP_READ_LIST) continue;
            list_key *k = &t->keys[recorded_key(h, i)];
            bool counts = t->l == LEVEL_OPAQUE || x->outcome == TX_COMMITTED;
            uint32_t list = without_own(t, i, &own), n = list_length(h, list);
            if (pass == 0 && counts && n > k->length) k->list = list, k->length = n;
            if (pass == 1 && !counts && x->outcome == TX_PENDING && !is_prefix(h, list, k)) doubtful = t->tx_of[i];
        }
    return doubtful;
}

// Places of all longest lists, and how many ways there are: at most APART_MOST + 1.
static uint64_t find_places(telling *t) {
    const recorded *h = t->h;
    uint32_t *left = mem_zero((size_t)t->appends.len + 1, sizeof *left);
    uint64_t ways = 1;
    for (uint32_t g = 0; g < t->appends.len; g++) left[g] = t->appends.data[g].len;
    for (uint32_t k = 0; k < names_count(&h->keys); k++) {
        uint32_t *elements, n;
        recorded_list_elements(h, t->keys[k].list, &elements, &n);
        t->keys[k].first = t->places.len;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t g = group_of(t, k, elements[i]);
            bool is_open = g != UINT32_MAX && t->appends.data[g].len > 1;
            uint32_t only = g != UINT32_MAX && !is_open ? t->appends.data[g].data[0] : UINT32_MAX;
            if (is_open) vec_push(&t->open, t->places.len);
            if (is_open && left[g]) ways *= left[g]--;
            if (ways > APART_MOST) ways = APART_MOST + 1;
            vec_push(&t->places, (list_place){g, only});
        }
        free(elements);
    }
    free(left);
    return ways;
}

// ---- one way

static uint32_t own_name(const telling *t, uint32_t op) { return names_count(&t->h->values) + op; }

static uint32_t junk_name(telling *t) {
    return names_count(&t->h->values) + t->h->op_key.len + (uint32_t)t->junk++ % (1u << 30);
}

static uint32_t longer(recorded *to, map *lists, uint32_t list, uint32_t element) {
    const uint32_t pair[] = {list, element};
    uint32_t n = to->links.len, found = map_intern(lists, pair, sizeof pair, n);
    if (found == n) vec_push(&to->links, (recorded_link){list, element});
    return found;
}

static uint32_t rename_own(const telling *t, recorded *to, map *lists, uint32_t op, uint32_t list) {
    const recorded *h = t->h;
    for (uint32_t i = h->txs.data[t->tx_of[op]].first; i < op; i++)
        if (recorded_kind(h, i) == OP_APPEND && recorded_key(h, i) == recorded_key(h, op))
            list = longer(to, lists, list, own_name(t, i));
    return list;
}

static uint32_t rename_list(telling *t, recorded *to, map *lists, uint32_t op) {
    const list_key *k = &t->keys[recorded_key(t->h, op)];
    uint32_t own, rest = without_own(t, op, &own), list = 0, n = list_length(t->h, rest);
    bool is_known = is_prefix(t->h, rest, k);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t by = is_known ? t->places.data[k->first + i].op : UINT32_MAX;
        list = longer(to, lists, list, by == UINT32_MAX ? junk_name(t) : own_name(t, by));
    }
    return own ? rename_own(t, to, lists, op, list) : list;
}

static bool take_way(telling *t) {
    const recorded *h = t->h;
    recorded to = *h;
    map *lists = map_new();
    to.op_value.data = mem_alloc(((size_t)h->op_value.len + 1) * sizeof *to.op_value.data);
    to.links.data = NULL;
    to.links.len = to.links.cap = 0;
    vec_push(&to.links, (recorded_link){0, 0});
    for (uint32_t i = 0; i < h->op_key.len; i++) {
        op_kind kind = recorded_kind(h, i);
        to.op_value.data[i] = kind == OP_APPEND      ? own_name(t, i)
                              : kind == OP_READ_LIST ? rename_list(t, &to, lists, i)
                                                     : h->op_value.data[i];
    }
    bool is_enough = t->take(t->context, &to);
    free(to.op_value.data);
    vec_free(&to.links);
    map_free(lists);
    return is_enough;
}

// Places from `at` on are open. A place for which no append is left is nobody's.
static bool take_ways(telling *t, uint32_t at) {
    if (at == t->open.len) return take_way(t);
    list_place *p = &t->places.data[t->open.data[at]];
    const op_list *g = &t->appends.data[p->group];
    bool is_enough = false, has_one = false;
    for (uint32_t i = 0; i < g->len && !is_enough; i++) {
        if (t->is_taken[g->data[i]]) continue;
        has_one = true;
        p->op = g->data[i];
        t->is_taken[p->op] = 1;
        is_enough = take_ways(t, at + 1);
        t->is_taken[g->data[i]] = 0;
    }
    p->op = UINT32_MAX;
    return has_one ? is_enough : take_ways(t, at + 1);
}

// ---- all of it

static apart_answer apart_below(const recorded *h, level l, apart_take take, void *context, uint32_t depth);

// Both ways for a pending transaction: it has committed, or it has not.
static apart_answer split_pending(const telling *t, uint32_t tx, uint32_t depth) {
    static const tx_outcome ways[] = {TX_LIVE, TX_COMMITTED};
    apart_answer answer = APART_ALL;
    recorded h = *t->h;
    if (depth == MOST_SPLIT) return APART_TOO_MANY;
    h.txs.data = mem_alloc(((size_t)h.txs.len + 1) * sizeof *h.txs.data);
    memcpy(h.txs.data, t->h->txs.data, h.txs.len * sizeof *h.txs.data);
    for (uint32_t i = 0; i < 2 && answer != APART_ENOUGH; i++) {
        h.txs.data[tx].outcome = ways[i];
        apart_answer one = apart_below(&h, t->l, t->take, t->context, depth + 1);
        if (one != APART_ALL) answer = one;
    }
    free(h.txs.data);
    return answer;
}

static apart_answer apart_below(const recorded *h, level l, apart_take take, void *context, uint32_t depth) {
    telling t = {.h = h, .l = l, .take = take, .context = context};
    t.tx_of = mem_zero((size_t)h->op_key.len + 1, sizeof *t.tx_of);
    t.is_taken = mem_zero((size_t)h->op_key.len + 1, 1);
    t.keys = mem_zero((size_t)names_count(&h->keys) + 1, sizeof *t.keys);
    collect_appends(&t);
    uint32_t doubtful = find_longest_lists(&t);
    apart_answer answer = APART_TOO_MANY;
    if (doubtful != UINT32_MAX) answer = split_pending(&t, doubtful, depth);
    else if (find_places(&t) <= APART_MOST) answer = take_ways(&t, 0) ? APART_ENOUGH : APART_ALL;
    for (uint32_t g = 0; g < t.appends.len; g++) vec_free(&t.appends.data[g]);
    vec_free(&t.appends);
    vec_free(&t.places);
    vec_free(&t.open);
    map_free(t.groups);
    free(t.tx_of);
    free(t.is_taken);
    free(t.keys);
    return answer;
}

apart_answer apart_each(const recorded *h, level l, apart_take take, void *context) {
    return apart_below(h, l, take, context, 0);
}
