// SPDX-License-Identifier: Apache-2.0
// Levels by enumeration: see brute.h. A memory holds, for each key, a value (or a list), and the latest call of commit
// among the transactions that it comes from; transactions are run on it one after the other.
#include "history/brute.h"

#include <string.h>

enum { NO_LIST = UINT32_MAX };  // a list that nobody read, so any two of them are alike

typedef struct {
    uint32_t value;
    uint64_t called;  // commit was called by all that it comes from; 0: initial
} cell;

typedef struct {
    const recorded *h;
    level l;
    uint32_t committed, asked;  // masks: whose writes count, and who has a place in the order
    uint32_t nkeys;
    uint64_t steps, most_steps;
    cell *memories;           // BRUTE_MOST + 2 of them: after k commits, and one for a running transaction
    uint32_t at[BRUTE_MOST];  // who is k-th; snapshot levels: who commits k-th
    uint32_t depth;           // how many of these a transaction that runs is after
} trial;

static cell *memory_at(const trial *t, uint32_t k) { return t->memories + (size_t)k * t->nkeys; }

bool brute_is_before(const recorded *h, level l, uint32_t t, uint32_t u) {
    const recorded_tx *a = &h->txs.data[t], *b = &h->txs.data[u];
    if (level_has_sessions(l) && a->session == b->session && t < u) return true;
    return level_needs_times(l) && a->ends != RECORDED_NEVER && a->ends < b->begins;
}

uint32_t brute_least_committed(const recorded *h) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < h->txs.len; i++) mask |= (uint32_t)(h->txs.data[i].outcome == TX_COMMITTED) << i;
    return mask;
}

// The next larger set of pending transactions, with the committed ones.
bool brute_next_committed(const recorded *h, uint32_t *mask) {
    for (uint32_t i = 0; i < h->txs.len; i++) {
        if (h->txs.data[i].outcome != TX_PENDING) continue;
        *mask ^= 1u << i;
        if (*mask >> i & 1) return true;
    }
    return false;
}

static uint32_t longer_list(const recorded *h, uint32_t list, uint32_t element) {
    for (uint32_t i = 1; list != NO_LIST && i < h->links.len; i++)
        if (h->links.data[i].before == list && h->links.data[i].element == element) return i;
    return NO_LIST;
}

static bool is_list_key(const recorded *h, uint32_t key) {
    for (uint32_t i = 0; i < h->op_key.len; i++)
        if (recorded_key(h, i) == key) return recorded_kind(h, i) == OP_APPEND || recorded_kind(h, i) == OP_READ_LIST;
    return false;
}

static void start_memory(const trial *t) {
    for (uint32_t k = 0; k < t->nkeys; k++)
        memory_at(t, 0)[k] = (cell){is_list_key(t->h, k) ? 0 : recorded_initial(t->h, k), 0};
}

static bool tx_writes(const recorded *h, uint32_t tx, uint32_t key) {
    const recorded_tx *x = &h->txs.data[tx];
    for (uint32_t i = x->first; i < x->first + x->count; i++)
        if (recorded_is_write(h, i) && recorded_key(h, i) == key) return true;
    return false;
}

// Deferred update: is the same value there without those that had not called commit, at every moment since the read
// returned? (replay.c)
static bool brute_is_there(const trial *t, const recorded_op *o) {
    uint64_t until = RECORDED_NEVER;
    if (o->kind != OP_READ) return false;
    for (uint32_t k = t->depth; k-- > 0;) {
        uint32_t tx = t->at[k];
        uint64_t called = t->h->txs.data[tx].commits;
        if (!(t->committed >> tx & 1) || called >= until || !tx_writes(t->h, tx, o->key)) continue;
        bool is_same = memory_at(t, k + 1)[o->key].value == o->value;
        if (!is_same || called <= o->answer) return is_same;
        until = called;
    }
    return memory_at(t, 0)[o->key].value == o->value;
}

static bool is_called(const trial *t, const cell *c, const recorded_op *o) {
    return t->l != LEVEL_OPAQUE || c->called <= o->answer || brute_is_there(t, o);
}

// Runs a transaction in `own`, a copy of the memory it sees. What it writes itself counts as called already.
static bool run_is_legal(const trial *t, uint32_t tx, cell *own) {
    const recorded_tx *x = &t->h->txs.data[tx];
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        recorded_op o = recorded_get(t->h, i);
        cell *c = &own[o.key];
        if (o.kind == OP_WRITE) *c = (cell){o.value, 0};
        else if (o.kind == OP_APPEND) c->value = longer_list(t->h, c->value, o.value);
        else if (c->value != o.value || !is_called(t, c, &o)) return false;
    }
    return true;
}

// What it wrote goes from its own copy to the memory.
static void leave_writes(const trial *t, uint32_t tx, const cell *own, cell *memory) {
    uint64_t called = t->h->txs.data[tx].commits;
    for (uint32_t k = 0; k < t->nkeys; k++) {
        if (!tx_writes(t->h, tx, k)) continue;
        uint64_t before = is_list_key(t->h, k) ? memory[k].called : 0;
        memory[k] = (cell){own[k].value, called > before ? called : before};
    }
}

static bool brute_is_late(trial *t) { return t->most_steps && ++t->steps > t->most_steps; }

// ---- orders of transactions

static bool may_be_next(const trial *t, uint32_t placed, uint32_t tx) {
    if (!(t->asked >> tx & 1) || placed >> tx & 1) return false;
    for (uint32_t u = 0; u < t->h->txs.len; u++)
        if (t->asked >> u & 1 && !(placed >> u & 1) && u != tx && brute_is_before(t->h, t->l, u, tx)) return false;
    return true;
}

static bool order_exists(trial *t, uint32_t placed, uint32_t depth) {
    if (placed == t->asked) return true;
    cell *own = memory_at(t, BRUTE_MOST + 1);
    size_t size = t->nkeys * sizeof(cell);
    for (uint32_t tx = 0; tx < t->h->txs.len && !brute_is_late(t); tx++) {
        if (!may_be_next(t, placed, tx)) continue;
        memcpy(own, memory_at(t, depth), size);
        t->depth = depth;
        if (!run_is_legal(t, tx, own)) continue;
        memcpy(memory_at(t, depth + 1), memory_at(t, depth), size);
        if (t->committed >> tx & 1) leave_writes(t, tx, own, memory_at(t, depth + 1));
        t->at[depth] = tx;
        if (order_exists(t, placed | 1u << tx, depth + 1)) return true;
    }
    return false;
}

// ---- orders of commits, each with a snapshot at or before it

static bool share_a_key(const recorded *h, uint32_t t, uint32_t u) {
    const recorded_tx *x = &h->txs.data[t];
    for (uint32_t i = x->first; i < x->first + x->count; i++)
        if (recorded_is_write(h, i) && tx_writes(h, u, recorded_key(h, i))) return true;
    return false;
}

// A snapshot after `snapshot` commits, by a transaction that commits after `done` of them.
static bool snapshot_fits(trial *t, uint32_t tx, uint32_t snapshot, uint32_t done) {
    for (uint32_t k = 0; k < done; k++) {
        bool is_after = k >= snapshot;
        if (is_after && (share_a_key(t->h, tx, t->at[k]) || brute_is_before(t->h, t->l, t->at[k], tx))) return false;
    }
    memcpy(memory_at(t, BRUTE_MOST + 1), memory_at(t, snapshot), t->nkeys * sizeof(cell));
    return run_is_legal(t, tx, memory_at(t, BRUTE_MOST + 1));
}

static bool snapshots_exist(trial *t, uint32_t placed, uint32_t depth) {
    if (placed == t->asked) return true;
    for (uint32_t tx = 0; tx < t->h->txs.len && !brute_is_late(t); tx++) {
        if (!may_be_next(t, placed, tx)) continue;
        bool fits = false;
        for (uint32_t s = 0; s <= depth && !fits; s++) fits = snapshot_fits(t, tx, s, depth);
        if (!fits) continue;
        memcpy(memory_at(t, depth + 1), memory_at(t, depth), t->nkeys * sizeof(cell));
        leave_writes(t, tx, memory_at(t, BRUTE_MOST + 1), memory_at(t, depth + 1));
        t->at[depth] = tx;
        if (snapshots_exist(t, placed | 1u << tx, depth + 1)) return true;
    }
    return false;
}

// ---- all of it

static bool brute_try(trial *t) {
    uint32_t all = (1u << t->h->txs.len) - 1;
    t->asked = t->l == LEVEL_OPAQUE ? all : t->committed;
    start_memory(t);
    return level_is_snapshot(t->l) ? snapshots_exist(t, 0, 0) : order_exists(t, 0, 0);
}

static brute_answer brute_run(trial *t) {
    t->nkeys = names_count(&t->h->keys);
    t->memories = mem_zero((size_t)(BRUTE_MOST + 2) * (t->nkeys + 1), sizeof *t->memories);
    t->committed = brute_least_committed(t->h);
    bool holds;
    do holds = brute_try(t);
    while (!holds && brute_next_committed(t->h, &t->committed));
    free(t->memories);
    return holds ? BRUTE_YES : t->most_steps && t->steps > t->most_steps ? BRUTE_TOO_LARGE : BRUTE_NO;
}

brute_answer brute_check(const recorded *h, level l, uint64_t most_steps) {
    if (h->txs.len > BRUTE_MOST) return BRUTE_TOO_LARGE;
    if (level_is_weak(l)) return brute_weak(h, l, most_steps);
    return brute_run(&(trial){.h = h, .l = l, .most_steps = most_steps});
}

brute_answer brute_opaque(const recorded *h, uint64_t most_steps, uint32_t *order, uint8_t *committed) {
    if (h->txs.len > BRUTE_MOST) return BRUTE_TOO_LARGE;
    trial t = {.h = h, .l = LEVEL_OPAQUE, .most_steps = most_steps};
    brute_answer a = brute_run(&t);
    for (uint32_t i = 0; a == BRUTE_YES && i < h->txs.len; i++) {
        order[i] = t.at[i];
        committed[i] = t.committed >> i & 1;
    }
    return a;
}
