// SPDX-License-Identifier: Apache-2.0
// Replays an order: see replay.h.
#include "history/replay.h"

#include "base/map.h"

#include <string.h>

typedef struct {
    uint32_t value;   // of a list: the list, UINT32_MAX if nobody read it
    uint32_t commit;  // place in the order of the last commit that wrote it, plus 1
    uint64_t called;  // commit was called by all that it comes from
    uint32_t owner;   // transaction + 1 that wrote own_value
    uint32_t own_value;
} cell;

typedef struct {
    const recorded *h;
    level l;
    const witness *w;
    cell *memory;
    map *lists;          // (list, element) to the longer list
    uint32_t *snapshot;  // by transaction: place in the order, plus 1
    uint32_t *last;      // by session: last transaction that committed, plus 1
    uint64_t latest;     // beginning of those that are in the order so far
    str *why;
} interpreter;

void witness_free(witness *w) {
    free(w->order);
    free(w->committed);
    free(w->writers);
    *w = (witness){0};
}

void replay_name(const recorded *h, uint32_t tx, str *out) {
    uint32_t k = 1;
    for (uint32_t i = 0; i < tx; i++) k += h->txs.data[i].session == h->txs.data[tx].session;
    str_printf(out, "transaction %u of session ", k);
    names_show(&h->sessions, h->txs.data[tx].session, out);
}

static bool replay_fails(interpreter *r, uint32_t tx, const char *what) {
    replay_name(r->h, tx, r->why);
    str_printf(r->why, " %s", what);
    return false;
}

// The committed transactions are those that answered so, and some of the pending ones.
static bool replay_committed(const recorded *h, const witness *w, str *why) {
    for (uint32_t t = 0; t < h->txs.len; t++) {
        tx_outcome o = (tx_outcome)h->txs.data[t].outcome;
        bool good = o == TX_PENDING || w->committed[t] == (o == TX_COMMITTED);
        if (good) continue;
        replay_name(h, t, why);
        str_add(why, " counts otherwise than it ended");
        return false;
    }
    return true;
}

// ---- running a transaction

static uint32_t appended(const interpreter *r, uint32_t list, uint32_t element) {
    const uint32_t pair[] = {list, element};
    return list == UINT32_MAX ? list : map_get(r->lists, pair, sizeof pair, UINT32_MAX);
}

static bool last_written(const recorded *h, uint32_t tx, uint32_t key, uint32_t *value) {
    const recorded_tx *x = &h->txs.data[tx];
    for (uint32_t i = x->first + x->count; i-- > x->first;)
        if (recorded_is_write(h, i) && recorded_key(h, i) == key) return *value = h->op_value.data[i], true;
    return false;
}

// Deferred update: the same value is there without those that had not called commit, at every moment since the read
// returned. A writer is the last one of those called from its call on until one later in the order calls.
static bool replay_is_there(const interpreter *r, uint32_t place, const recorded_op *o) {
    uint64_t until = RECORDED_NEVER;
    if (o->kind != OP_READ) return false;
    for (uint32_t i = place; i-- > 0;) {
        uint32_t tx = r->w->order[i], value;
        uint64_t called = r->h->txs.data[tx].commits;
        if (!r->w->committed[tx] || called >= until || !last_written(r->h, tx, o->key, &value)) continue;
        if (value != o->value || called <= o->answer) return value == o->value;
        until = called;
    }
    return recorded_initial(r->h, o->key) == o->value;
}

static bool replay_ops(interpreter *r, uint32_t tx, uint32_t place) {
    const recorded_tx *x = &r->h->txs.data[tx];
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        recorded_op o = recorded_get(r->h, i);
        cell *c = &r->memory[o.key];
        bool is_own = c->owner == tx + 1;
        uint32_t seen = is_own ? c->own_value : c->value;
        if (o.kind == OP_WRITE || o.kind == OP_APPEND) {
            c->own_value = o.kind == OP_WRITE ? o.value : appended(r, seen, o.value);
            c->owner = tx + 1;
            continue;
        }
        if (seen != o.value) return replay_fails(r, tx, "reads what is not there");
        bool is_foreign = !is_own || o.kind == OP_READ_LIST;
        if (r->l == LEVEL_OPAQUE && is_foreign && c->called > o.answer && !replay_is_there(r, place, &o))
            return replay_fails(r, tx, "reads from one that had not called commit");
    }
    return true;
}

static bool replay_commit(interpreter *r, uint32_t tx, uint32_t place) {
    const recorded_tx *x = &r->h->txs.data[tx];
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        if (!recorded_is_write(r->h, i)) continue;
        recorded_op o = recorded_get(r->h, i);
        cell *c = &r->memory[o.key];
        if (c->commit != place + 1 && c->commit >= r->snapshot[tx] && c->commit)
            return replay_fails(r, tx, "writes what another wrote since its snapshot");
        bool is_list = o.kind == OP_APPEND;
        c->value = is_list ? appended(r, c->value, o.value) : o.value;
        c->called = is_list && c->called > x->commits ? c->called : x->commits;
        c->commit = place + 1;
        c->owner = 0;
    }
    return true;
}

// ---- the order

static bool replay_keeps(interpreter *r, uint32_t tx) {
    const recorded_tx *x = &r->h->txs.data[tx];
    if (level_needs_times(r->l) && x->begins > r->latest) r->latest = x->begins;
    uint32_t *last = &r->last[x->session];
    if (level_has_sessions(r->l) && *last > tx + 1) return replay_fails(r, tx, "is after a later one of its session");
    return true;
}

static bool replay_keeps_time(interpreter *r, uint32_t tx) {
    return !level_needs_times(r->l) || r->h->txs.data[tx].ends >= r->latest ||
           replay_fails(r, tx, "is after one that began after it had ended");
}

// Snapshots must come after the commits of earlier transactions of the session: those that are not in yet are counted.
static bool replay_snapshot(interpreter *r, uint32_t tx, uint32_t place) {
    if (r->snapshot[tx]) return replay_fails(r, tx, "is twice in the order");
    r->snapshot[tx] = place + 1;
    return replay_keeps(r, tx) && replay_ops(r, tx, place);
}

static bool replay_point(interpreter *r, uint32_t place) {
    uint32_t point = r->w->order[place], tx = level_is_snapshot(r->l) ? point / 2 : point;
    bool is_commit = !level_is_snapshot(r->l) || point & 1, is_read = !level_is_snapshot(r->l) || !(point & 1);
    if (tx >= r->h->txs.len) return str_add(r->why, "the order names a transaction that does not exist"), false;
    if (is_read && !replay_snapshot(r, tx, place)) return false;
    if (!is_commit) return true;
    if (!r->snapshot[tx]) return replay_fails(r, tx, "commits before its snapshot");
    if (!replay_keeps_time(r, tx)) return false;
    uint32_t *last = &r->last[r->h->txs.data[tx].session];
    if (level_has_sessions(r->l) && *last > tx + 1) return replay_fails(r, tx, "is after a later one of its session");
    *last = tx + 1;
    return !r->w->committed[tx] || replay_commit(r, tx, place);
}

// Everyone who must be in the order is, once; snapshots of one session do not overlap its commits.
static bool replay_is_whole(interpreter *r) {
    uint32_t expected = 0;
    for (uint32_t t = 0; t < r->h->txs.len; t++) {
        bool asked = r->l == LEVEL_OPAQUE || r->w->committed[t];
        expected += asked;
        if (asked != (r->snapshot[t] != 0)) return replay_fails(r, t, "is missing in the order, or has no place there");
    }
    uint32_t points = level_is_snapshot(r->l) ? 2 * expected : expected;
    return points == r->w->norder || (str_add(r->why, "the order is incomplete"), false);
}

// At snapshot levels that keep sessions: a snapshot comes after the commit before it in the session.
static bool replay_sessions(interpreter *r) {
    if (!level_is_snapshot(r->l) || !level_has_sessions(r->l)) return true;
    uint32_t *open = mem_zero((size_t)names_count(&r->h->sessions) + 1, sizeof *open), bad = UINT32_MAX;
    for (uint32_t i = 0; i < r->w->norder && bad == UINT32_MAX; i++) {
        uint32_t tx = r->w->order[i] / 2, *o = &open[r->h->txs.data[tx].session];
        if (!(r->w->order[i] & 1)) {
            if (*o) bad = tx;
            *o = tx + 1;
        } else {
            *o = 0;
        }
    }
    free(open);
    return bad == UINT32_MAX || replay_fails(r, bad, "takes its snapshot before its session's last commit");
}

static void interpreter_begin(interpreter *r) {
    const recorded *h = r->h;
    uint32_t nkeys = names_count(&h->keys);
    r->memory = mem_zero((size_t)nkeys + 1, sizeof *r->memory);
    for (uint32_t k = 0; k < nkeys; k++) r->memory[k].value = recorded_initial(h, k);
    for (uint32_t i = 0; i < h->op_key.len; i++) {
        op_kind kind = recorded_kind(h, i);
        if (kind == OP_APPEND || kind == OP_READ_LIST) r->memory[recorded_key(h, i)].value = 0;
    }
    r->lists = map_new();
    for (uint32_t i = 1; i < h->links.len; i++) {
        const uint32_t pair[] = {h->links.data[i].before, h->links.data[i].element};
        map_put(r->lists, pair, sizeof pair, i);
    }
    r->snapshot = mem_zero((size_t)h->txs.len + 1, sizeof *r->snapshot);
    r->last = mem_zero((size_t)names_count(&h->sessions) + 1, sizeof *r->last);
}

bool replay_witness(const recorded *h, level l, const witness *w, str *why) {
    if (!replay_committed(h, w, why)) return false;
    if (level_is_weak(l)) return replay_weak(h, l, w, why);
    interpreter r = {.h = h, .l = l, .w = w, .why = why};
    interpreter_begin(&r);
    bool good = true;
    for (uint32_t i = 0; good && i < w->norder; i++) good = replay_point(&r, i);
    good = good && replay_is_whole(&r) && replay_sessions(&r);
    free(r.memory);
    free(r.snapshot);
    free(r.last);
    map_free(r.lists);
    return good;
}
