// SPDX-License-Identifier: Apache-2.0
// Answers about levels: see level_check.h. Nothing is answered with yes but what the interpreter has replayed.
#include "history/level_check.h"

#include "base/clock.h"
#include "history/apart.h"
#include "history/brute.h"
#include "history/deferred.h"
#include "history/weak.h"

#include <string.h>

enum {
    MOST_RELAXED = 20000,  // transactions: a replay by value may look at all places for each read
    BRUTE_STEPS = 1000000
};

// Points of transactions that have a place in the witness.
static void take_order(const recorded *h, const order_answer *found, level_answer *a) {
    uint32_t shift = level_is_snapshot(a->level), n = 0;
    for (uint32_t i = 0; i < found->norder; i++) {
        uint32_t tx = found->order[i] >> shift;
        if (tx < h->txs.len && (a->level == LEVEL_OPAQUE || found->committed[tx])) found->order[n++] = found->order[i];
    }
    a->witness = (witness){found->order, n, found->committed, found->writers};
}

static void replay_answer(const recorded *h, bool is_by_value, level_answer *a) {
    if (replay_witness(h, a->level, &a->witness, &a->trouble)) return;
    str text = {0};
    const char *what = is_by_value ? "values repeat, and in the order that was found"
                                   : "internal error: the order that was found is not one:";
    str_printf(&text, "%s %s", what, str_get(&a->trouble));
    str_free(&a->trouble);
    a->trouble = text;
    a->verdict = ORDER_UNKNOWN;
    a->why = str_get(&a->trouble);
    witness_free(&a->witness);
}

// Few transactions: all orders are tried. What is found is replayed, too; if there is none, all of them show it.
static void try_all_orders(const recorded *h, level_answer *a) {
    witness w = {.order = mem_zero((size_t)h->txs.len + 1, sizeof *w.order), .norder = h->txs.len};
    w.committed = mem_zero((size_t)h->txs.len + 1, 1);
    str why = {0};
    brute_answer found = brute_opaque(h, BRUTE_STEPS, w.order, w.committed);
    bool holds = found == BRUTE_YES && replay_witness(h, a->level, &w, &why);
    str_free(&why);
    if (holds) a->witness = w;
    else witness_free(&w);
    if (!holds && found != BRUTE_NO) return;
    a->verdict = holds ? ORDER_YES : ORDER_NO;
    a->why = NULL;
    str_free(&a->trouble);
    for (uint32_t t = 0; !holds && t < h->txs.len; t++) vec_push(&a->suspects, t);
}

static void check_level(const recorded *h, level l, const limits *stop, order_answer *found) {
    if (level_is_weak(l)) weak_check(h, l, stop, found);
    else order_check(h, l, stop, found);
}

// ---- elements that were appended twice

typedef struct {
    level l;
    const limits *stop;
    order_answer yes;  // the first that holds
    bool has_yes;
    const char *why;    // one was not decided
    uint8_t *suspects;  // by transaction: of those that do not hold
} apart_asking;

static void suspect_misfit(const recorded *h, const misfit *wrong, uint8_t *suspects) {
    suspects[wrong->tx] = 1;
    for (uint32_t t = 0; t < h->txs.len; t++)
        for (uint32_t i = h->txs.data[t].first; i < h->txs.data[t].first + h->txs.data[t].count; i++)
            suspects[t] |= recorded_key(h, i) == recorded_key(h, wrong->op);
}

static bool ask_apart(void *context, const recorded *renamed) {
    apart_asking *x = context;
    order_answer found;
    check_level(renamed, x->l, x->stop, &found);
    x->has_yes = found.verdict == ORDER_YES;
    if (x->has_yes) return x->yes = found, true;
    if (found.verdict == ORDER_UNKNOWN) x->why = found.why;
    if (found.wrong.kind != MISFIT_NONE) suspect_misfit(renamed, &found.wrong, x->suspects);
    for (uint32_t i = 0; i < found.suspects.len; i++) x->suspects[found.suspects.data[i]] = 1;
    order_answer_free(&found);
    return limits_met(x->stop);
}

static void check_apart(const recorded *h, level l, const limits *stop, order_answer *found) {
    apart_asking x = {.l = l, .stop = stop, .suspects = mem_zero((size_t)h->txs.len + 1, 1)};
    apart_answer answer = apart_each(h, l, ask_apart, &x);
    *found = (order_answer){.verdict = ORDER_UNKNOWN};
    if (x.has_yes) *found = x.yes;
    else if (limits_met(stop)) found->why = limits_why(stop);
    else if (x.why) found->why = x.why;
    else if (answer == APART_TOO_MANY)
        found->why = "elements are appended twice to one list, and there are too many ways to tell them apart";
    else found->verdict = ORDER_NO;
    for (uint32_t t = 0; found->verdict == ORDER_NO && t < h->txs.len; t++)
        if (x.suspects[t]) vec_push(&found->suspects, t);
    free(x.suspects);
}

static void check_any(const recorded *h, level l, const limits *stop, order_answer *found) {
    if (apart_is_needed(h)) check_apart(h, l, stop, found);
    else check_level(h, l, stop, found);
}

// The checker takes deferred update by the writer: what is read was written by one that had called commit. The level
// asks for the value: it is there without those that had not, ever since. They differ where a value was there twice. So
// if there is no order by the writer, one without deferred update is looked for on these keys: if there is none, the
// level does not hold; if there is one, the replay decides whether it is good enough. True: that is how the answer was
// found.
static bool check_by_value(const recorded *h, const limits *stop, order_answer *found) {
    recorded relaxed;
    if (found->verdict != ORDER_NO || !deferred_relax(h, &relaxed)) return false;
    order_answer_free(found);
    if (h->txs.len <= MOST_RELAXED) check_any(&relaxed, LEVEL_OPAQUE, stop, found);
    else *found = (order_answer){.verdict = ORDER_UNKNOWN, .why = "values repeat, and there are too many transactions"};
    deferred_done(&relaxed);
    return true;
}

void level_check(const recorded *h, level l, const limits *stop, level_answer *a) {
    double started = clock_seconds();
    order_answer found;
    *a = (level_answer){.level = l};
    check_any(h, l, stop, &found);
    bool is_by_value = l == LEVEL_OPAQUE && check_by_value(h, stop, &found);
    a->verdict = found.verdict;
    a->wrong = found.wrong;
    a->suspects = found.suspects;
    if (found.why) str_add(&a->trouble, found.why), a->why = str_get(&a->trouble);
    found.suspects = (point_list){0};
    if (a->verdict == ORDER_YES) {
        take_order(h, &found, a);
        found.order = NULL;
        found.committed = NULL;
        found.writers = NULL;
        replay_answer(h, is_by_value, a);
        if (is_by_value && a->verdict == ORDER_UNKNOWN) try_all_orders(h, a);
    }
    order_answer_free(&found);
    a->seconds = clock_seconds() - started;
}

static level level_faster(const recorded *h, level l) {
    bool orders = l == LEVEL_SESSION || l == LEVEL_SERIALIZABLE;
    if (h->has_times && orders) return LEVEL_STRICT;
    if (h->has_times && !level_needs_times(l)) return LEVEL_STRONG_SI;
    if (l == LEVEL_SERIALIZABLE) return LEVEL_SESSION;
    return l == LEVEL_SI ? LEVEL_SESSION_SI : l;
}

void level_decide(const recorded *h, level l, const limits *stop, level_answer *a) {
    level first = level_faster(h, l);
    bool is_decided = false;
    if (first != l) {
        level_answer stronger;
        level_check(h, first, stop, &stronger);
        is_decided = stronger.verdict == ORDER_YES && level_from_stronger(h, l, &stronger, a);
        if (is_decided) a->seconds += stronger.seconds;
        level_answer_free(&stronger);
    }
    if (!is_decided) level_check(h, l, stop, a);
}

// ---- from a stronger level

static void *copied(const void *data, size_t size) { return memcpy(mem_alloc(size + 1), data, size); }

// An order of transactions as one of snapshots and commits, and the reverse: commits.
static void convert_order(const witness *from, level was, level is, bool all_count, witness *to) {
    bool had_points = level_is_snapshot(was), has_points = level_is_snapshot(is);
    to->order = mem_alloc(((size_t)from->norder * 2 + 1) * sizeof *to->order);
    for (uint32_t i = 0; i < from->norder; i++) {
        uint32_t v = from->order[i], tx = had_points ? v / 2 : v;
        if (!all_count && !from->committed[tx]) continue;
        if (had_points == has_points) to->order[to->norder++] = v;
        else if (has_points) to->order[to->norder++] = 2 * tx, to->order[to->norder++] = 2 * tx + 1;
        else if (v & 1) to->order[to->norder++] = tx;
    }
}

// Who wrote what was read, in an order in which all reads are legal.
typedef struct {
    const recorded *h;
    uint32_t *last;  // by key: last writer + 1
    uint32_t *own;   // by key: transaction + 1 that wrote it itself
    witness *w;
} sourcing;

static void source_reads(sourcing *s, uint32_t tx) {
    const recorded *h = s->h;
    const recorded_tx *x = &h->txs.data[tx];
    for (uint32_t i = x->first; i < x->first + x->count; i++) {
        uint32_t key = recorded_key(h, i);
        if (recorded_is_write(h, i)) s->own[key] = tx + 1;
        else if (s->own[key] != tx + 1 || recorded_kind(h, i) == OP_READ_LIST) s->w->writers[i] = s->last[key];
    }
}

static void source_writes(sourcing *s, uint32_t tx) {
    const recorded_tx *x = &s->h->txs.data[tx];
    for (uint32_t i = x->first; i < x->first + x->count; i++)
        if (recorded_is_write(s->h, i)) s->last[recorded_key(s->h, i)] = tx + 1;
}

static void level_find_sources(const recorded *h, const witness *from, level was, witness *to) {
    sourcing s = {.h = h, .w = to};
    size_t nkeys = (size_t)names_count(&h->keys) + 1;
    to->writers = mem_zero((size_t)h->op_key.len + 1, sizeof *to->writers);
    s.last = mem_zero(nkeys, sizeof *s.last);
    s.own = mem_zero(nkeys, sizeof *s.own);
    for (uint32_t i = 0; i < from->norder; i++) {
        bool has_points = level_is_snapshot(was);
        uint32_t v = from->order[i], tx = has_points ? v / 2 : v;
        if (!from->committed[tx]) continue;
        if (!has_points || !(v & 1)) source_reads(&s, tx);
        if (!has_points || v & 1) source_writes(&s, tx);
    }
    free(s.last);
    free(s.own);
}

bool level_from_stronger(const recorded *h, level l, const level_answer *stronger, level_answer *a) {
    double started = clock_seconds();
    const witness *from = &stronger->witness;
    *a = (level_answer){.level = l, .verdict = ORDER_YES};
    if (stronger->verdict != ORDER_YES || !level_implies(stronger->level, l)) return false;
    convert_order(from, stronger->level, l, l == LEVEL_OPAQUE, &a->witness);
    a->witness.committed = copied(from->committed, h->txs.len);
    if (level_is_weak(l) && from->writers)
        a->witness.writers = copied(from->writers, (size_t)h->op_key.len * sizeof(uint32_t));
    else if (level_is_weak(l)) level_find_sources(h, from, stronger->level, &a->witness);
    bool good = replay_witness(h, l, &a->witness, &a->trouble);
    if (!good) level_answer_free(a);
    a->seconds = clock_seconds() - started;
    return good;
}

void level_answer_free(level_answer *a) {
    witness_free(&a->witness);
    vec_free(&a->suspects);
    str_free(&a->trouble);
}
