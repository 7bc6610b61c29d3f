// SPDX-License-Identifier: Apache-2.0
// value_words: see value_words.h.
#include "oracle/value_words.h"

#include <assert.h>
#include <string.h>

// ---- transactions

typedef struct {
    uint32_t thread, begin, end;  // positions; end: UINT32_MAX while it runs
    bool is_committed;
} value_tx;

typedef struct {
    const value_word *w;
    uint32_t len;  // of the prefix in question
    value_tx txs[VALUE_MOST_TXS];
    uint32_t ntxs;
    bool counts[VALUE_MOST_TXS];  // is to have a place in the order
} value_case;

static value_case case_of(const value_word *w, uint32_t len) {
    value_case c = {.w = w, .len = len};
    for (uint32_t i = 0; i < len; i++) {
        const value_event *e = &w->at[i];
        if (e->kind == VALUE_BEGIN) {
            assert(c.ntxs < VALUE_MOST_TXS);
            c.txs[c.ntxs++] = (value_tx){e->thread, i, UINT32_MAX, false};
        }
        if (e->kind != VALUE_COMMIT && e->kind != VALUE_ABORT) continue;
        for (uint32_t k = 0; k < c.ntxs; k++)
            if (c.txs[k].thread == e->thread && c.txs[k].end == UINT32_MAX) {
                c.txs[k].end = i;
                c.txs[k].is_committed = e->kind == VALUE_COMMIT;
            }
    }
    return c;
}

uint32_t value_word_txs(const value_word *w) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->len; i++) n += w->at[i].kind == VALUE_BEGIN;
    return n;
}

bool value_word_is_formed(const value_word *w) {
    bool is_live[VALUE_MOST_THREADS] = {0};
    for (uint32_t i = 0; i < w->len; i++) {
        const value_event *e = &w->at[i];
        if (is_live[e->thread] == (e->kind == VALUE_BEGIN)) return false;
        is_live[e->thread] = e->kind != VALUE_COMMIT && e->kind != VALUE_ABORT;
    }
    return true;
}

bool value_word_is_unique(const value_word *w) {
    for (uint32_t i = 0; i < w->len; i++) {
        if (w->at[i].kind != VALUE_WRITE) continue;
        if (w->at[i].value == 0) return false;
        for (uint32_t k = 0; k < i; k++)
            if (w->at[k].kind == VALUE_WRITE && w->at[k].loc == w->at[i].loc && w->at[k].value == w->at[i].value)
                return false;
    }
    return true;
}

static bool is_of(const value_case *c, uint32_t tx, uint32_t i) {
    const value_tx *t = &c->txs[tx];
    return c->w->at[i].thread == t->thread && i >= t->begin && i <= t->end;
}

static bool is_before(const value_case *c, uint32_t a, uint32_t b) { return c->txs[a].end < c->txs[b].begin; }

// Are its reads legal on this memory? Then `after` is the memory with its writes.
static bool runs_on(const value_case *c, uint32_t tx, const uint32_t *memory, uint32_t *after) {
    memcpy(after, memory, VALUE_MOST_LOCS * sizeof *after);
    for (uint32_t i = c->txs[tx].begin; i < c->len && i <= c->txs[tx].end; i++) {
        const value_event *e = &c->w->at[i];
        if (!is_of(c, tx, i)) continue;
        if (e->kind == VALUE_READ && after[e->loc] != e->value) return false;
        if (e->kind == VALUE_WRITE) after[e->loc] = e->value;
    }
    return true;
}

// ---- orders

static bool order_exists(const value_case *c, uint32_t placed, const uint32_t *memory) {
    bool is_complete = true;
    for (uint32_t t = 0; t < c->ntxs; t++) {
        uint32_t after[VALUE_MOST_LOCS];
        if (!c->counts[t] || placed >> t & 1) continue;
        is_complete = false;
        bool is_next = true;
        for (uint32_t u = 0; u < c->ntxs; u++) is_next &= !(c->counts[u] && !(placed >> u & 1) && is_before(c, u, t));
        if (!is_next || !runs_on(c, t, memory, after)) continue;
        if (order_exists(c, placed | 1u << t, c->txs[t].is_committed ? after : memory)) return true;
    }
    return is_complete;
}

static bool has_order(const value_word *w, uint32_t len, bool of_all) {
    value_case c = case_of(w, len);
    for (uint32_t t = 0; t < c.ntxs; t++) c.counts[t] = of_all || c.txs[t].is_committed;
    return order_exists(&c, 0, (uint32_t[VALUE_MOST_LOCS]){0});
}

// ---- snapshots

typedef struct {
    uint32_t snapped, committed;       // sets
    uint32_t memory[VALUE_MOST_LOCS];  // now
    uint32_t writer[VALUE_MOST_LOCS];  // number of the last commit that wrote it
    uint32_t seen[VALUE_MOST_TXS];     // number of commits at its snapshot
    uint32_t ncommits;
} snapshot_state;

static bool snapshots_exist(const value_case *c, const snapshot_state *s);

static bool snap_next(const value_case *c, const snapshot_state *s, uint32_t t) {
    uint32_t after[VALUE_MOST_LOCS];
    for (uint32_t u = 0; u < c->ntxs; u++)
        if (c->counts[u] && is_before(c, u, t) && !(s->committed >> u & 1)) return false;
    if (!runs_on(c, t, s->memory, after)) return false;
    snapshot_state next = *s;
    next.snapped |= 1u << t;
    next.seen[t] = s->ncommits;
    return snapshots_exist(c, &next);
}

static bool commit_next(const value_case *c, const snapshot_state *s, uint32_t t) {
    snapshot_state next = *s;
    next.committed |= 1u << t;
    next.ncommits++;
    for (uint32_t i = c->txs[t].begin; i <= c->txs[t].end && i < c->len; i++) {
        const value_event *e = &c->w->at[i];
        if (!is_of(c, t, i) || e->kind != VALUE_WRITE) continue;
        if (s->writer[e->loc] > s->seen[t]) return false;  // somebody else was first
        next.memory[e->loc] = e->value;
        next.writer[e->loc] = next.ncommits;
    }
    return snapshots_exist(c, &next);
}

static bool snapshots_exist(const value_case *c, const snapshot_state *s) {
    bool is_complete = true;
    for (uint32_t t = 0; t < c->ntxs; t++) {
        if (!c->counts[t] || s->committed >> t & 1) continue;
        is_complete = false;
        if (s->snapped >> t & 1 ? commit_next(c, s, t) : snap_next(c, s, t)) return true;
    }
    return is_complete;
}

static bool has_snapshots(const value_word *w) {
    value_case c = case_of(w, w->len);
    for (uint32_t t = 0; t < c.ntxs; t++) c.counts[t] = c.txs[t].is_committed;
    return snapshots_exist(&c, &(snapshot_state){0});
}

bool value_word_has(const value_word *w, value_level l) {
    if (l == VALUE_STRICT) return has_order(w, w->len, false);
    if (l == VALUE_SNAPSHOT) return has_snapshots(w);
    for (uint32_t len = 1; len <= w->len; len++)
        if (!has_order(w, len, true)) return false;
    return true;
}

// ---- words

void value_word_print(const value_word *w, str *out) {
    for (uint32_t i = 0; i < w->len; i++) {
        const value_event *e = &w->at[i];
        str_printf(out, "%s%c", i ? " " : "", "brwca"[e->kind]);
        if (e->kind == VALUE_READ || e->kind == VALUE_WRITE) str_printf(out, "%u", e->loc + 1);
        str_printf(out, "_%u", e->thread + 1);
        if (e->kind == VALUE_READ || e->kind == VALUE_WRITE) str_printf(out, "=%u", e->value);
    }
}

// What a thread sees while a random word is made: a copy of memory, with its own writes.
typedef struct {
    uint32_t memory[VALUE_MOST_LOCS], view[VALUE_MOST_THREADS][VALUE_MOST_LOCS];
    uint32_t written[VALUE_MOST_LOCS][3];  // the last ones, by anybody
    bool is_live[VALUE_MOST_THREADS];
} word_maker;

static value_event random_event(rng *r, word_maker *m, uint32_t t, uint32_t locs, uint32_t values) {
    value_event e = {VALUE_BEGIN, t, 0, 0};
    uint32_t what = rng_below(r, 20);
    if (!m->is_live[t]) return e;
    e.kind = what < 9 ? VALUE_READ : what < 14 ? VALUE_WRITE : what < 19 ? VALUE_COMMIT : VALUE_ABORT;
    if (e.kind != VALUE_READ && e.kind != VALUE_WRITE) return e;
    e.loc = rng_below(r, locs);
    e.value = rng_below(r, values);
    uint32_t source = rng_below(r, 20);
    if (e.kind == VALUE_READ)
        e.value = source < 12 ? m->view[t][e.loc] : source < 16 ? m->memory[e.loc] : m->written[e.loc][source % 3];
    return e;
}

static void make_event(rng *r, word_maker *m, const value_event *e) {
    uint32_t *view = m->view[e->thread];
    bool is_new = e->kind == VALUE_BEGIN || rng_below(r, 8) == 0;  // a new view, rightly or wrongly
    if (e->kind == VALUE_BEGIN) m->is_live[e->thread] = true;
    if (e->kind == VALUE_COMMIT) memcpy(m->memory, view, sizeof m->memory);
    if (e->kind == VALUE_COMMIT || e->kind == VALUE_ABORT) m->is_live[e->thread] = false;
    if (is_new) memcpy(view, m->memory, sizeof m->memory);
    if (e->kind != VALUE_WRITE) return;
    view[e->loc] = e->value;
    m->written[e->loc][rng_below(r, 3)] = e->value;
}

void value_word_random(rng *r, uint32_t threads, uint32_t locs, uint32_t values, uint32_t len, value_word *w) {
    word_maker m = {0};
    uint32_t begun = 0;
    *w = (value_word){0};
    while (w->len < len) {
        value_event e = random_event(r, &m, rng_below(r, threads), locs, values);
        if (e.kind == VALUE_BEGIN && begun++ == VALUE_MOST_TXS) return;
        make_event(r, &m, &e);
        w->at[w->len++] = e;
    }
}
