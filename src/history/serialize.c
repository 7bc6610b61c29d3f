// SPDX-License-Identifier: Apache-2.0
// Serializability with respect to pairs: see serialize.h.
//
// Events of one client and commits keep their order, so the atomic sequence can only have the transactions
// in the order of their commits. Every two events that are the other way round there have to be swapped
// once, and no others; any order of swaps will do (bubble sort). So: no rule forbids such a pair, and
// reading in that order finds the values. A rule is checked in one pass: at `last`, has an event `previous`
// been met (with the same address) whose transaction commits later? The latest such transaction is all that
// has to be remembered.
#include "history/serialize.h"

#include "base/order.h"

enum { NONE = UINT32_MAX };

typedef struct {
    const history *h;
    const diag *messages;
    const purified *p;
    uint32_t *next;    // by event: the transaction's event before it, or NONE
    uint32_t *latest;  // by address, or [0]: `previous` of the transaction that commits last
} pairing;

// ---- forbidden pairs

static const pure_event *serialize_at(const pairing *g, uint32_t i) { return &g->p->events.data[i]; }

static void link_transactions(pairing *g) {
    uint32_t n = g->p->events.len, *newest = mem_alloc((g->p->transactions + 1) * sizeof *newest);
    for (uint32_t t = 0; t < g->p->transactions; t++) newest[t] = NONE;
    for (uint32_t i = 0; i < n; i++) {
        g->next[i] = newest[serialize_at(g, i)->rank];
        newest[serialize_at(g, i)->rank] = i;
    }
    free(newest);
}

static bool serialize_is_blocked(const pairing *g, uint32_t i, uint32_t key, uint32_t *by) {
    *by = g->latest[key];
    return *by != NONE && serialize_at(g, *by)->rank > serialize_at(g, i)->rank;
}

// Does the rule keep event i, as `last`, behind an event of a transaction that commits later?
static bool last_is_blocked(const pairing *g, const shape *s, uint32_t i, uint32_t *by) {
    const event *e = &serialize_at(g, i)->e;
    if (!(s->last >> e->kind & 1)) return false;
    if (!s->inside) return serialize_is_blocked(g, i, s->by_address ? e->address : 0, by);
    for (uint32_t k = g->next[i]; k != NONE; k = g->next[k])
        if ((s->inside >> serialize_at(g, k)->e.kind & 1) &&
            serialize_is_blocked(g, i, serialize_at(g, k)->e.address, by))
            return true;
    return false;
}

static void note_previous(pairing *g, const shape *s, uint32_t i) {
    const event *e = &serialize_at(g, i)->e;
    if (!(s->previous >> e->kind & 1)) return;
    uint32_t *place = &g->latest[s->by_address ? e->address : 0];
    if (*place == NONE || serialize_at(g, *place)->rank < serialize_at(g, i)->rank) *place = i;
}

static bool rule_blocks(pairing *g, const shape *s, uint32_t *last, uint32_t *previous) {
    uint32_t keys = map_count(g->h->addresses) + 1;
    for (uint32_t k = 0; k < keys; k++) g->latest[k] = NONE;
    for (uint32_t i = 0; i < g->p->events.len; i++) {
        if (last_is_blocked(g, s, i, previous)) return *last = i, true;
        note_previous(g, s, i);
    }
    return false;
}

static void say_blocked(const pairing *g, const forbidden *r, uint32_t last, uint32_t previous, str *out) {
    history_event_place(g->h, g->messages, &serialize_at(g, last)->e, out);
    str_add(out, " may not move before ");
    history_event_place(g->h, g->messages, &serialize_at(g, previous)->e, out);
    str_printf(out, ", by rule %s, but its transaction commits first", r->name);
}

static bool some_rule_blocks(pairing *g, const interchange *x, str *why) {
    uint32_t last, previous;
    for (uint32_t i = 0; i < x->rules.len; i++) {
        shape s = shape_of(&x->rules.data[i]->formula);
        if (s.kind != SHAPE_PAIR || !rule_blocks(g, &s, &last, &previous)) continue;
        say_blocked(g, x->rules.data[i], last, previous, why);
        return true;
    }
    return false;
}

// ---- values, in the order of commits

static void say_value(const pairing *g, const event *e, const event *writer, str *why) {
    size_t size;
    history_event_place(g->h, g->messages, e, why);
    str_add(why, ": in the order of commits the value there is ");
    const char *name = map_key(g->h->values, writer ? writer->value : history_initial(g->h, e->address), &size);
    str_addn(why, name, size);
    str_add(why, writer ? ", by " : ", the initial one");
    if (writer) history_event_place(g->h, g->messages, writer, why);
}

// written[x]: the last write of x so far in the order. Transactions do not overlap, so it does not matter
// whether it is the transaction's own.
static bool values_agree(const pairing *g, const uint32_t *order, str *why) {
    uint32_t n = map_count(g->h->addresses), *written = mem_alloc((n + 1) * sizeof *written);
    bool good = true;
    for (uint32_t x = 0; x < n; x++) written[x] = NONE;
    for (uint32_t i = 0; good && i < g->p->events.len; i++) {
        const event *e = &serialize_at(g, order[i])->e;
        if (e->kind == EVENT_WRITE) written[e->address] = order[i];
        if (e->kind != EVENT_READ) continue;
        const event *w = written[e->address] == NONE ? NULL : &serialize_at(g, written[e->address])->e;
        good = e->value == (w ? w->value : history_initial(g->h, e->address));
        if (!good) say_value(g, e, w, why);
    }
    free(written);
    return good;
}

// ---- swaps

// Pairs that stand the other way round: place[i] is where event i of the history goes. Seen from the end, with a
// Fenwick tree of the places so far, each event counts those that go before it.
static uint64_t count_inversions(const uint32_t *place, uint32_t n) {
    uint32_t *tree = mem_zero((size_t)n + 1, sizeof *tree);
    uint64_t count = 0;
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = place[i]; k; k &= k - 1) count += tree[k];
        for (uint32_t k = place[i] + 1; k <= n; k += k & -k) tree[k]++;
    }
    free(tree);
    return count;
}

static void list_swaps(uint32_t *place, uint32_t n, serialization *out) {
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && place[k - 1] > place[k]; k--) {
            uint32_t moved = place[k];
            place[k] = place[k - 1];
            place[k - 1] = moved;
            vec_push(&out->swaps, k);
        }
}

static void find_swaps(const purified *p, const uint32_t *order, uint32_t most, serialization *out) {
    uint32_t n = p->events.len, *place = mem_alloc((n + 1) * sizeof *place);
    for (uint32_t i = 0; i < n; i++) place[order[i]] = i;
    out->nswaps = count_inversions(place, n);
    if (out->nswaps <= most) list_swaps(place, n, out);
    free(place);
}

// ---- all of it

static void succeed(const purified *p, const uint32_t *order, const serialize_limits *allowed, serialization *out) {
    out->verdict = SERIALIZE_HOLDS;
    vec_reserve(&out->sequence, p->events.len + 1);
    for (uint32_t i = 0; i < p->events.len; i++) vec_push(&out->sequence, p->events.data[order[i]]);
    find_swaps(p, order, allowed->most_swaps, out);
}

void serialize_by_pairs(const history *h, const diag *messages, const interchange *x, const purified *p,
                        const serialize_limits *allowed, serialization *out) {
    pairing g = {.h = h, .messages = messages, .p = p};
    g.next = mem_alloc((p->events.len + 1) * sizeof *g.next);
    g.latest = mem_alloc((map_count(h->addresses) + 1) * sizeof *g.latest);
    // Its `at` is the atomic sequence, as places in the purified one.
    order_groups order = order_group_by(&p->events, rank, p->transactions);
    link_transactions(&g);
    out->by_pairs = true;
    out->verdict = SERIALIZE_VIOLATED;
    if (!some_rule_blocks(&g, x, &out->why) && values_agree(&g, order.at, &out->why))
        succeed(p, order.at, allowed, out);
    order_groups_free(&order);
    free(g.next);
    free(g.latest);
}

void serialize(const history *h, const diag *messages, const interchange *x, const serialize_limits *allowed,
               serialization *out) {
    purified p;
    *out = (serialization){0};
    history_purify(h, &p);
    if (shape_all_pairs(x)) serialize_by_pairs(h, messages, x, &p, allowed, out);
    else serialize_by_search(h, x, &p, allowed, out);
    vec_free(&p.events);
}

void serialization_free(serialization *s) {
    str_free(&s->why);
    vec_free(&s->sequence);
    vec_free(&s->swaps);
}
