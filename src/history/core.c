// SPDX-License-Identifier: Apache-2.0
// Cores: see core.h. From the transactions that the checker suspects, with all that may have written what they read,
// ever smaller parts are left out, as long as the rest still shows it (Zeller's ddmin); then single operations. Every
// try is a question to the checker about a small history; the last one goes to brute force.
#include "history/core.h"

#include "base/map.h"
#include "base/order.h"
#include "history/brute.h"
#include "history/format.h"

#include <string.h>

enum { MOST_GROWN = 20000, MOST_TRIES = 20000, BRUTE_STEPS = 20000000 };

typedef VEC(uint32_t) tx_set;  // in order

typedef struct {
    const recorded *h;
    level l;
    const limits *stop;
    map *writers;  // (key, value) to index of lists: who may have written it
    VEC(tx_set) lists;
    map *dropped;  // operations
    uint32_t tries;
} shrinking;

// ---- who wrote what

static void note_pair(shrinking *s, uint32_t key, uint32_t value) {
    const uint32_t pair[] = {key, value};
    if (map_intern(s->writers, pair, sizeof pair, s->lists.len) == s->lists.len) vec_push(&s->lists, (tx_set){0});
}

// What the reads of these transactions returned; of lists every element.
static void core_note_reads(shrinking *s, uint32_t tx) {
    const recorded *h = s->h;
    const recorded_tx *x = &h->txs.data[tx];
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        uint32_t key = recorded_key(h, i), value = h->op_value.data[i];
        if (recorded_kind(h, i) == OP_READ) note_pair(s, key, value);
        if (recorded_kind(h, i) != OP_READ_LIST) continue;
        for (uint32_t list = value; list; list = h->links.data[list].before)
            note_pair(s, key, h->links.data[list].element);
    }
}

// One pass over everything finds the writers of all pairs that were noted. Any write counts, also those that do not
// last: they belong to the picture.
static void find_pair_writers(shrinking *s, bool only_lasting) {
    const recorded *h = s->h;
    for (uint32_t t = 0; t < h->txs.len; t++) {
        const recorded_tx *x = &h->txs.data[t];
        if (only_lasting && x->outcome != TX_COMMITTED && x->outcome != TX_PENDING) continue;
        for (uint32_t i = x->first; i < x->first + x->count; i++) {
            if (!recorded_is_write(h, i)) continue;
            const uint32_t pair[] = {recorded_key(h, i), h->op_value.data[i]};
            uint32_t at = map_get(s->writers, pair, sizeof pair, UINT32_MAX);
            if (at == UINT32_MAX) continue;
            tx_set *l = &s->lists.data[at];
            if (!l->len || vec_last(l) != t) vec_push(l, t);
        }
    }
}

static bool core_has(const tx_set *set, uint32_t tx) {
    return set->len && bsearch(&tx, set->data, set->len, sizeof tx, order_u32);
}

static bool writers_are_in(const shrinking *s, const tx_set *set, uint32_t reader, uint32_t key, uint32_t value) {
    const uint32_t pair[] = {key, value};
    uint32_t at = map_get(s->writers, pair, sizeof pair, UINT32_MAX);
    if (at == UINT32_MAX) return false;
    for (uint32_t i = 0; i < s->lists.data[at].len; i++) {
        uint32_t w = s->lists.data[at].data[i];
        if (w != reader && !core_has(set, w)) return false;
    }
    return true;
}

static bool keeps_op(const shrinking *s, const tx_set *set, uint32_t tx, uint32_t op) {
    const recorded *h = s->h;
    if (map_get(s->dropped, &op, sizeof op, 0)) return false;
    uint32_t key = recorded_key(h, op), value = h->op_value.data[op];
    if (recorded_is_write(h, op)) return true;
    if (recorded_kind(h, op) == OP_READ) return writers_are_in(s, set, tx, key, value);
    for (uint32_t list = value; list; list = h->links.data[list].before)
        if (!writers_are_in(s, set, tx, key, h->links.data[list].element)) return false;
    return true;
}

// ---- a part as a history

static uint32_t renamed(const names *from, uint32_t name, names *to) {
    str text = {0};
    names_add(from, name, &text);
    uint32_t n = names_text(to, str_get(&text), text.len);
    str_free(&text);
    return n;
}

static void copy_op(const recorded *h, recording *r, recording_tx t, const recorded_op *o) {
    uint32_t key = renamed(&h->keys, o->key, recording_keys(r)), value = 0;
    if (o->kind == OP_READ_LIST) {
        uint32_t *elements, n;
        recorded_list_elements(h, o->value, &elements, &n);
        for (uint32_t i = 0; i < n; i++)
            value = recording_list(r, value, renamed(&h->values, elements[i], recording_values(r)));
        free(elements);
    } else {
        value = renamed(&h->values, o->value, recording_values(r));
        uint32_t initial = recorded_initial(h, o->key);
        recording_initial(r, key, renamed(&h->values, initial, recording_values(r)));
    }
    recording_op(r, t, o->kind, key, value, o->call, o->answer, o->place);
}

static void copy_tx(const shrinking *s, const tx_set *set, uint32_t tx, recording *r) {
    const recorded *h = s->h;
    const recorded_tx *x = &h->txs.data[tx];
    recording_tx t = recording_open(r, renamed(&h->sessions, x->session, recording_sessions(r)), x->begins, x->place);
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        if (!keeps_op(s, set, tx, i)) continue;
        recorded_op o = recorded_get(h, i);
        copy_op(h, r, t, &o);
    }
    if (x->outcome == TX_COMMITTED) recording_committed(r, t, x->commits, x->ends);
    else if (x->outcome == TX_ABORTED) recording_aborted(r, t, x->ends);
    else {
        if (x->outcome == TX_PENDING) recording_commit_called(r, t, x->commits);
        recording_left(r, t);
    }
}

static bool part_make(const shrinking *s, const tx_set *set, recorded *out) {
    diag *quiet = diag_new();
    recorded_begin(out);
    recording *r = recording_begin(out, quiet);
    if (!s->h->has_times) recording_times(r, TIMES_NONE);
    recording_initial_of_all(r, renamed(&s->h->values, s->h->common, recording_values(r)));
    for (uint32_t i = 0; i < set->len; i++) copy_tx(s, set, set->data[i], r);
    bool good = recording_end(r);
    diag_free(quiet);
    return good;
}

// The part still shows it.
static bool part_fails(shrinking *s, const tx_set *set) {
    recorded part;
    level_answer a;
    bool fails = part_make(s, set, &part);
    if (fails) {
        level_check(&part, s->l, s->stop, &a);
        fails = a.verdict == ORDER_NO;
        level_answer_free(&a);
    }
    recorded_free(&part);
    s->tries++;
    return fails;
}

static bool is_over(const shrinking *s) { return s->tries > MOST_TRIES || limits_met(s->stop); }

// ---- shrinking

static void core_without(const tx_set *set, uint32_t from, uint32_t count, tx_set *out) {
    vec_clear(out);
    for (uint32_t i = 0; i < set->len; i++)
        if (i < from || i >= from + count) vec_push(out, set->data[i]);
}

static void shrink_txs(shrinking *s, tx_set *set) {
    tx_set less = {0};
    for (uint32_t size = (set->len + 1) / 2; size && !is_over(s); size = size > 1 ? (size + 1) / 2 : 0) {
        bool again = true;
        while (again && !is_over(s)) {
            again = false;
            for (uint32_t at = 0; at < set->len && !is_over(s);) {
                core_without(set, at, size, &less);
                if (less.len && less.len < set->len && part_fails(s, &less)) {
                    tx_set swap = *set;
                    *set = less;
                    less = swap;
                    again = size == 1;
                } else {
                    at += size;
                }
            }
        }
    }
    vec_free(&less);
}

// Nobody of the part reads this write: it may be left out without changing what reads say.
static bool is_unread(const shrinking *s, const tx_set *set, uint32_t op) {
    const recorded *h = s->h;
    for (uint32_t k = 0; k < set->len; k++) {
        const recorded_tx *x = &h->txs.data[set->data[k]];
        for (uint32_t i = x->first; i < x->first + x->count; i++)
            if (!recorded_is_write(h, i) && recorded_key(h, i) == recorded_key(h, op) &&
                keeps_op(s, set, set->data[k], i) &&
                (recorded_kind(h, i) == OP_READ_LIST || h->op_value.data[i] == h->op_value.data[op]))
                return false;
    }
    return true;
}

static void shrink_ops(shrinking *s, const tx_set *set, bool writes) {
    const recorded *h = s->h;
    for (uint32_t k = 0; k < set->len; k++) {
        const recorded_tx *x = &h->txs.data[set->data[k]];
        for (uint32_t i = x->first; i < x->first + x->count && !is_over(s); i++) {
            if (recorded_is_write(h, i) != writes || !keeps_op(s, set, set->data[k], i)) continue;
            if (writes && !is_unread(s, set, i)) continue;
            map_put(s->dropped, &i, sizeof i, 1);
            if (!part_fails(s, set)) map_put(s->dropped, &i, sizeof i, 0);
        }
    }
}

// ---- all of it

static void core_add(tx_set *set, map *seen, uint32_t tx) {
    if (map_put(seen, &tx, sizeof tx, 1)) vec_push(set, tx);
}

static void core_sort(tx_set *set) {
    if (set->len) qsort(set->data, set->len, sizeof *set->data, order_u32);
}

// The suspects, with all that wrote what they read.
static void first_set(shrinking *s, const level_answer *a, tx_set *set) {
    map *seen = map_new();
    for (uint32_t i = 0; i < a->suspects.len; i++) core_add(set, seen, a->suspects.data[i]);
    if (a->wrong.kind != MISFIT_NONE) core_add(set, seen, a->wrong.tx);
    for (uint32_t t = 0; a->wrong.kind == MISFIT_LISTS && a->wrong.other != UINT32_MAX && t < s->h->txs.len; t++) {
        const recorded_tx *x = &s->h->txs.data[t];
        if (a->wrong.other >= x->first && a->wrong.other < x->first + x->count) core_add(set, seen, t);
    }
    uint32_t n = set->len;
    for (uint32_t i = 0; i < n; i++) core_note_reads(s, set->data[i]);
    find_pair_writers(s, false);
    for (uint32_t i = 0; i < s->lists.len; i++)
        for (uint32_t k = 0; k < s->lists.data[i].len && s->lists.data[i].len < 1000; k++)
            core_add(set, seen, s->lists.data[i].data[k]);
    for (uint32_t i = n; i < set->len; i++) core_note_reads(s, set->data[i]);
    for (uint32_t i = 0; i < s->lists.len; i++) vec_clear(&s->lists.data[i]);
    find_pair_writers(s, false);
    map_free(seen);
    core_sort(set);
}

static void whole_set(shrinking *s, tx_set *set) {
    vec_clear(set);
    for (uint32_t t = 0; t < s->h->txs.len; t++) {
        vec_push(set, t);
        core_note_reads(s, t);
    }
    for (uint32_t i = 0; i < s->lists.len; i++) vec_clear(&s->lists.data[i]);
    find_pair_writers(s, false);
}

static bool start_set(shrinking *s, const level_answer *a, tx_set *set) {
    first_set(s, a, set);
    if (set->len && part_fails(s, set)) return true;
    if (s->h->txs.len > MOST_GROWN) return false;
    whole_set(s, set);
    return part_fails(s, set);
}

void core_find(const recorded *h, const level_answer *a, const limits *stop, core *c) {
    *c = (core){.kind = CORE_NONE};
    shrinking s = {.h = h, .l = a->level, .stop = stop, .writers = map_new(), .dropped = map_new()};
    tx_set set = {0};
    if (start_set(&s, a, &set)) {
        shrink_txs(&s, &set);
        shrink_ops(&s, &set, false);
        shrink_ops(&s, &set, true);
        shrink_txs(&s, &set);
        part_make(&s, &set, &c->h);
        brute_answer b = brute_check(&c->h, a->level, BRUTE_STEPS);
        c->kind = b == BRUTE_NO ? CORE_CONFIRMED : b == BRUTE_YES ? CORE_REFUTED : CORE_LARGE;
        for (uint32_t i = 0; i < set.len; i++) vec_push(&c->txs, set.data[i]);
    }
    for (uint32_t i = 0; i < s.lists.len; i++) vec_free(&s.lists.data[i]);
    vec_free(&s.lists);
    vec_free(&set);
    map_free(s.writers);
    map_free(s.dropped);
}

void core_free(core *c) {
    recorded_free(&c->h);
    vec_free(&c->txs);
}
