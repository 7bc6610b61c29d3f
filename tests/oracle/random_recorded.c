// SPDX-License-Identifier: Apache-2.0
// Random small recorded histories: see random_recorded.h. Every transaction has a place in a hidden order; its interval
// of time is around that place, more or less.
#include "oracle/random_recorded.h"

#include "history/format.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_TXS = 64, MOST_OPS = 16, MOST_KEYS = 8, MOST_WRITES = 512 };

typedef struct {
    char kind;  // r w a R
    uint32_t key, value;
    uint32_t list[MOST_WRITES];
    uint32_t n;
} made_op;

typedef struct {
    uint32_t session, outcome, nops, begin, end;
    made_op *ops;
} made_tx;

typedef struct {
    rng *r;
    const random_recorded_shape *s;
    made_tx txs[MOST_TXS];
    uint32_t ntxs;
    uint32_t memory[MOST_KEYS], before[MOST_TXS][MOST_KEYS], lists[MOST_KEYS][MOST_WRITES], sizes[MOST_KEYS];
    uint32_t written[MOST_KEYS][MOST_WRITES], nwritten[MOST_KEYS];
    uint32_t next;
} making;

random_recorded_shape random_recorded_pick(rng *r) {
    random_recorded_shape s = {
        .txs = 2 + rng_below(r, 5), .sessions = 1 + rng_below(r, 5), .keys = 1 + rng_below(r, 3)};
    s.ops = 1 + rng_below(r, 4);
    s.has_repeats = rng_below(r, 3) == 0;
    s.has_lists = rng_below(r, 5) == 0;
    s.has_times = rng_below(r, 4) != 0;
    s.has_instants = s.has_times && rng_below(r, 2);
    s.has_unfinished = rng_below(r, 2);
    s.has_snapshots = rng_below(r, 3) == 0;
    s.faults = rng_below(r, 4) * 16;
    return s;
}

static uint32_t new_value(making *m) { return m->s->has_repeats ? rng_below(m->r, 3) : ++m->next; }

static bool is_list(const making *m, uint32_t key) { return m->s->has_lists && key % 2 == 0; }

// A wrong value: an older one, a newer one, one of nobody.
static void spoil_read(making *m, made_op *o) {
    if (rng_below(m->r, 100) >= m->s->faults) return;
    if (o->kind == 'R') {
        if (o->n && rng_below(m->r, 2)) o->n--;
        else if (o->n > 1) o->list[0] = o->list[o->n - 1];
        return;
    }
    uint32_t n = m->nwritten[o->key];
    o->value = n && rng_below(m->r, 4) ? m->written[o->key][rng_below(m->r, n)] : 0;
}

static void make_op(making *m, made_op *o, uint32_t *memory, uint32_t (*lists)[MOST_WRITES], uint32_t *sizes) {
    o->key = rng_below(m->r, m->s->keys);
    bool writes = rng_below(m->r, 2), list = is_list(m, o->key);
    o->kind = list ? (writes ? 'a' : 'R') : writes ? 'w' : 'r';
    if (writes) o->value = list && !m->s->has_repeats ? ++m->next : new_value(m);
    if (writes && list) lists[o->key][sizes[o->key]++] = o->value;
    if (writes && !list) {
        memory[o->key] = o->value;
        m->written[o->key][m->nwritten[o->key]++] = o->value;
    }
    if (!writes && list) {
        o->n = sizes[o->key];
        for (uint32_t i = 0; i < o->n; i++) o->list[i] = lists[o->key][i];
    }
    if (!writes && !list) o->value = memory[o->key];
    if (!writes) spoil_read(m, o);
}

static void make_tx(making *m, made_tx *t) {
    uint32_t memory[MOST_KEYS], (*lists)[MOST_WRITES] = malloc(sizeof m->lists), sizes[MOST_KEYS];
    for (uint32_t k = 0; k < MOST_KEYS; k++) {
        memory[k] = m->memory[k];
        sizes[k] = m->sizes[k];
        for (uint32_t i = 0; i < sizes[k]; i++) lists[k][i] = m->lists[k][i];
    }
    // Some see the memory as it was a little earlier, as under snapshot isolation.
    uint32_t now = (uint32_t)(t - m->txs), ago = m->s->has_snapshots && now ? rng_below(m->r, 3) : 0;
    for (uint32_t k = 0; k < MOST_KEYS; k++) {
        m->before[now][k] = m->memory[k];
        if (ago && ago <= now) memory[k] = m->before[now - ago][k];
    }
    t->session = rng_below(m->r, m->s->sessions);
    t->nops = 1 + rng_below(m->r, m->s->ops);
    t->ops = calloc(t->nops, sizeof *t->ops);
    t->outcome = m->s->has_unfinished && rng_below(m->r, 2) ? 1 + rng_below(m->r, 3) : 0;
    for (uint32_t i = 0; i < t->nops; i++) make_op(m, &t->ops[i], memory, lists, sizes);
    bool counts = t->outcome == TX_COMMITTED || (t->outcome == TX_PENDING && rng_below(m->r, 2));
    for (uint32_t i = 0; counts && i < t->nops; i++)
        if (t->ops[i].kind == 'w') m->memory[t->ops[i].key] = t->ops[i].value;
    for (uint32_t k = 0; counts && k < MOST_KEYS; k++) {
        m->sizes[k] = sizes[k];
        for (uint32_t i = 0; i < sizes[k]; i++) m->lists[k][i] = lists[k][i];
    }
    free(lists);
}

// Times around the place in the hidden order; sessions one after the other.
static void give_times(making *m) {
    uint32_t ends[MOST_TXS] = {0}, spread = 1 + rng_below(m->r, 40);
    for (uint32_t i = 0; i < m->ntxs; i++) {
        made_tx *t = &m->txs[i];
        uint32_t at = 100 + 10 * i, early = rng_below(m->r, spread), late = rng_below(m->r, spread);
        t->begin = at - early > ends[t->session] ? at - early : ends[t->session] + 1;
        t->end = (at + late > t->begin ? at + late : t->begin) + t->nops + 2;
        ends[t->session] = t->end;
    }
}

static void add_op(const made_tx *t, const made_op *o, str *text) {
    str_printf(text, "%s(s%u,k%u,", o->kind == 'w' ? "write" : o->kind == 'a' ? "append" : "read", t->session, o->key);
    if (o->kind != 'R') {
        str_printf(text, "%u)", o->value);
        return;
    }
    str_char(text, '[');
    for (uint32_t i = 0; i < o->n; i++) str_printf(text, "%s%u", i ? " " : "", o->list[i]);
    str_add(text, "])");
}

static const char *const endings[] = {"commit(s%u)", "abort(s%u)", "commit_call(s%u)", "left(s%u)"};

static void add_tx(making *m, const made_tx *t, str *text) {
    uint32_t now = t->begin, room = t->end - t->begin;
    str_printf(text, "open(s%u)", t->session);
    if (m->s->has_times) str_printf(text, "@%u", now);
    for (uint32_t i = 0; i < t->nops; i++) {
        uint32_t call = t->begin + room * i / (t->nops + 1), answer = t->begin + room * (i + 1) / (t->nops + 1);
        str_char(text, ' ');
        add_op(t, &t->ops[i], text);
        if (m->s->has_times) str_printf(text, "@%u..%u", call, answer);
    }
    uint32_t call = t->begin + room * t->nops / (t->nops + 1);
    str_char(text, ' ');
    str_printf(text, endings[t->outcome], t->session);
    if (m->s->has_times) str_printf(text, t->outcome == TX_COMMITTED ? "@%u..%u" : "@%u", call, t->end);
    if (t->outcome == TX_PENDING) {
        str_printf(text, " left(s%u)", t->session);
        if (m->s->has_times) str_printf(text, "@%u", call);
    }
    str_char(text, '\n');
}

// All events in one sequence: a session's transactions one after the other, anyone may be next.
static void add_instants(making *m, str *text) {
    uint32_t at[MOST_TXS] = {0}, step[MOST_TXS] = {0}, left = m->ntxs, late = rng_below(m->r, 3);
    bool is_over[MOST_TXS] = {false};
    (void)at;
    while (left) {
        uint32_t k = 0;
        for (uint32_t tries = rng_below(m->r, late + 2); k < m->ntxs; k++) {
            if (is_over[k]) continue;
            bool is_next = true;
            for (uint32_t i = 0; i < k; i++) is_next &= is_over[i] || m->txs[i].session != m->txs[k].session;
            if (is_next && !tries--) break;
        }
        if (k == m->ntxs) continue;
        made_tx *t = &m->txs[k];
        if (step[k] == 0) str_printf(text, "open(s%u) ", t->session);
        else if (step[k] <= t->nops) add_op(t, &t->ops[step[k] - 1], text), str_char(text, ' ');
        else {
            str_printf(text, endings[t->outcome], t->session);
            if (t->outcome == TX_PENDING) str_printf(text, " left(s%u)", t->session);
            str_char(text, '\n');
            is_over[k] = true;
            left--;
        }
        step[k]++;
    }
}

void random_recorded(rng *r, const random_recorded_shape *shape, str *text) {
    making *m = calloc(1, sizeof *m);
    m->r = r;
    m->s = shape;
    m->ntxs = shape->txs;
    assert(m->ntxs <= MOST_TXS && shape->keys <= MOST_KEYS && shape->ops <= MOST_OPS);
    for (uint32_t i = 0; i < m->ntxs; i++) make_tx(m, &m->txs[i]);
    if (!shape->has_times) str_add(text, "untimed\n");
    give_times(m);
    if (shape->has_instants) add_instants(m, text);
    for (uint32_t i = 0; !shape->has_instants && i < m->ntxs; i++) add_tx(m, &m->txs[i], text);
    for (uint32_t i = 0; i < m->ntxs; i++) free(m->txs[i].ops);
    free(m);
}

void random_recorded_read(const char *text, size_t size, recorded *h) {
    diag *messages = diag_new();
    format_source from = {"random", text, size};
    recorded_begin(h);
    recording *r = recording_begin(h, messages);
    bool good = text_read_recorded(r, &from);
    good = recording_end(r) && good;
    if (!good) {
        str all = {0};
        diag_print(messages, &all, false);
        fprintf(stderr, "%s\n%s\n", text, str_get(&all));
        abort();
    }
    diag_free(messages);
}
