// SPDX-License-Identifier: Apache-2.0
// Replays a witness of causal, read atomic or read committed: see replay.h. Who happens before a transaction is a
// beginning of each session, so it is kept as one number per session; the last writer of a key among those is found in
// the session's writers of the key. The order keeps sessions, so of a session's writers only the last matters.
#include "history/replay.h"

#include "base/map.h"

#include <string.h>

typedef struct {
    uint32_t key, session, tx;
} writer;

typedef struct {
    const recorded *h;
    level l;
    const witness *w;
    uint32_t *place;  // by transaction: in the order, plus 1
    uint32_t nsessions;
    uint32_t *past;       // by transaction and session: the last that happens before it, plus 1
    VEC(writer) writers;  // sorted
    map *versions;        // (transaction, key): index + 1 of the operation that it left, lists: the list
    map *links;           // (list, element) to the longer list
    uint32_t *lists;      // by key: so far in the order
    str *why;
} weak_replay;

static bool weak_fails(weak_replay *r, uint32_t tx, const char *what) {
    replay_name(r->h, tx, r->why);
    str_printf(r->why, " %s", what);
    return false;
}

static int compare_writers(const void *a, const void *b) {
    const writer *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->session != y->session) return x->session < y->session ? -1 : 1;
    return (x->tx > y->tx) - (x->tx < y->tx);
}

// The last writer of a key in a session among transactions below `end`; UINT32_MAX if there is none.
static uint32_t last_writer(const weak_replay *r, uint32_t key, uint32_t session, uint32_t end) {
    uint32_t low = 0, high = r->writers.len;
    const writer wanted = {key, session, end};
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_writers(&r->writers.data[middle], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    if (!low) return UINT32_MAX;
    const writer *w = &r->writers.data[low - 1];
    return w->key == key && w->session == session ? w->tx : UINT32_MAX;
}

// What a transaction leaves at a key, plus 1; 0 if it does not write it.
static uint32_t left_at(const weak_replay *r, uint32_t tx, uint32_t key) {
    const uint32_t pair[] = {tx, key};
    return map_get(r->versions, pair, sizeof pair, 0);
}

static void weakly_replay_note_write(weak_replay *r, uint32_t tx, uint32_t op) {
    const recorded *h = r->h;
    uint32_t key = recorded_key(h, op), value = h->op_value.data[op];
    if (recorded_kind(h, op) == OP_APPEND) {
        const uint32_t pair[] = {r->lists[key], value};
        value = r->lists[key] == UINT32_MAX ? UINT32_MAX : map_get(r->links, pair, sizeof pair, UINT32_MAX);
        r->lists[key] = value;
    }
    const uint32_t name[] = {tx, key};
    // A list that nobody read is not UINT32_MAX + 1.
    map_put(r->versions, name, sizeof name, value == UINT32_MAX ? UINT32_MAX : value + 1);
}

// ---- one read

// t2 writes the key too and is seen: it must be before t1.
static bool seen_is_before(weak_replay *r, uint32_t tx, uint32_t key, uint32_t t1, uint32_t t2) {
    if (t2 == UINT32_MAX || t2 + 1 == t1 || t2 == tx || !left_at(r, t2, key)) return true;
    if (t1 && r->place[t2] < r->place[t1 - 1]) return true;
    return weak_fails(r, tx, "reads what it knows to be overwritten");
}

static bool check_causal(weak_replay *r, uint32_t tx, uint32_t key, uint32_t t1) {
    const uint32_t *past = r->past + (size_t)tx * r->nsessions;
    for (uint32_t s = 0; s < r->nsessions; s++)
        if (past[s] && !seen_is_before(r, tx, key, t1, last_writer(r, key, s, past[s]))) return false;
    return true;
}

static bool check_seen(weak_replay *r, uint32_t tx, uint32_t op, uint32_t t1) {
    const recorded_tx *x = &r->h->txs.data[tx];
    uint32_t key = recorded_key(r->h, op), end = r->l == LEVEL_READ_ATOMIC ? x->first + x->count : op;
    if (r->l == LEVEL_CAUSAL) return check_causal(r, tx, key, t1);
    if (r->l == LEVEL_READ_ATOMIC && !seen_is_before(r, tx, key, t1, last_writer(r, key, x->session, tx))) return false;
    for (uint32_t i = x->first; i < end; i++)
        if (r->w->writers[i] && !seen_is_before(r, tx, key, t1, r->w->writers[i] - 1)) return false;
    return true;
}

// The value of a read without what the transaction itself wrote. False: it is its own alone, *legal says whether right.
static bool foreign_value(const weak_replay *r, uint32_t tx, uint32_t op, uint32_t *value, bool *legal) {
    const recorded *h = r->h;
    uint32_t key = recorded_key(h, op);
    *legal = true;
    *value = h->op_value.data[op];
    for (uint32_t i = op; i-- > h->txs.data[tx].first;) {
        if (!recorded_is_write(h, i) || recorded_key(h, i) != key) continue;
        if (recorded_kind(h, i) == OP_WRITE) return *legal = h->op_value.data[i] == *value, false;
        *legal = *legal && *value && h->links.data[*value].element == h->op_value.data[i];
        if (!*legal) return false;
        *value = h->links.data[*value].before;
    }
    return true;
}

static bool check_read(weak_replay *r, uint32_t tx, uint32_t op) {
    uint32_t value, t1 = r->w->writers[op], key = recorded_key(r->h, op);
    bool legal, is_foreign = foreign_value(r, tx, op, &value, &legal);
    if (!legal) return weak_fails(r, tx, "does not read what it wrote itself");
    if (!is_foreign) return t1 == 0 || weak_fails(r, tx, "reads its own write from another");
    bool is_list = recorded_kind(r->h, op) == OP_READ_LIST;
    if (t1 == 0 && value != (is_list ? 0 : recorded_initial(r->h, key)))
        return weak_fails(r, tx, "reads a value that is not the initial one");
    if (t1 && (t1 > r->h->txs.len || t1 == tx + 1 || !r->place[t1 - 1] || r->place[t1 - 1] > r->place[tx]))
        return weak_fails(r, tx, "reads from one that is not before it");
    if (t1 && left_at(r, t1 - 1, key) != value + 1) return weak_fails(r, tx, "reads what the writer did not leave");
    return check_seen(r, tx, op, t1);
}

// ---- the order

static bool place_all(weak_replay *r) {
    uint32_t *last = mem_zero((size_t)r->nsessions + 1, sizeof *last), expected = 0;
    bool good = true;
    for (uint32_t i = 0; good && i < r->w->norder; i++) {
        uint32_t tx = r->w->order[i];
        good = tx < r->h->txs.len && !r->place[tx] && r->w->committed[tx];
        if (!good) break;
        uint32_t *l = &last[r->h->txs.data[tx].session];
        good = *l <= tx;
        *l = tx + 1;
        r->place[tx] = i + 1;
    }
    for (uint32_t t = 0; t < r->h->txs.len; t++) expected += r->w->committed[t];
    free(last);
    if (!good) str_add(r->why, "the order has a transaction that does not count, or twice, or against its session");
    else if (expected != r->w->norder) str_add(r->why, "the order is incomplete");
    return good && expected == r->w->norder;
}

static void join_past(weak_replay *r, uint32_t tx, uint32_t other) {
    uint32_t *mine = r->past + (size_t)tx * r->nsessions, *its = r->past + (size_t)other * r->nsessions;
    for (uint32_t s = 0; s < r->nsessions; s++) mine[s] = its[s] > mine[s] ? its[s] : mine[s];
    uint32_t *m = &mine[r->h->txs.data[other].session];
    if (*m < other + 1) *m = other + 1;
}

static void weakly_replay_note_all(weak_replay *r) {
    uint32_t *last = mem_zero((size_t)r->nsessions + 1, sizeof *last);
    for (uint32_t i = 0; i < r->w->norder; i++) {
        uint32_t tx = r->w->order[i];
        const recorded_tx *x = &r->h->txs.data[tx];
        if (last[x->session] && r->past) join_past(r, tx, last[x->session] - 1);
        last[x->session] = tx + 1;
        for (uint32_t k = x->first; k < x->first + x->count; k++) {
            uint32_t w = r->w->writers[k];
            if (recorded_is_write(r->h, k)) {
                if (!left_at(r, tx, recorded_key(r->h, k)))
                    vec_push(&r->writers, (writer){recorded_key(r->h, k), x->session, tx});
                weakly_replay_note_write(r, tx, k);
            } else if (w && w <= r->h->txs.len && r->past) {
                join_past(r, tx, w - 1);
            }
        }
    }
    if (r->writers.len) qsort(r->writers.data, r->writers.len, sizeof *r->writers.data, compare_writers);
    free(last);
}

static void weak_begin(weak_replay *r) {
    const recorded *h = r->h;
    r->place = mem_zero((size_t)h->txs.len + 1, sizeof *r->place);
    r->nsessions = names_count(&h->sessions);
    if (r->l == LEVEL_CAUSAL) r->past = mem_zero((size_t)h->txs.len * r->nsessions + 1, sizeof *r->past);
    r->versions = map_new();
    r->links = map_new();
    r->lists = mem_zero((size_t)names_count(&h->keys) + 1, sizeof *r->lists);
    for (uint32_t i = 1; i < h->links.len; i++) {
        const uint32_t pair[] = {h->links.data[i].before, h->links.data[i].element};
        map_put(r->links, pair, sizeof pair, i);
    }
}

bool replay_weak(const recorded *h, level l, const witness *w, str *why) {
    weak_replay r = {.h = h, .l = l, .w = w, .why = why};
    weak_begin(&r);
    bool good = place_all(&r);
    if (good) weakly_replay_note_all(&r);
    for (uint32_t t = 0; good && t < h->txs.len; t++)
        for (uint32_t i = h->txs.data[t].first;
             good && w->committed[t] && i < h->txs.data[t].first + h->txs.data[t].count; i++)
            good = recorded_is_write(h, i) || check_read(&r, t, i);
    free(r.place);
    free(r.past);
    free(r.lists);
    vec_free(&r.writers);
    map_free(r.versions);
    map_free(r.links);
    return good;
}
