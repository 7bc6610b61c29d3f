// SPDX-License-Identifier: Apache-2.0
// naive_history: see naive_history.h. Every question looks at the whole sequence again.
#include "oracle/naive_history.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"

// ---- past temporal logic

typedef struct {
    const past *f;
    const event *events;
    uint32_t choice[PAST_MOST_VARS];
} judge;

static bool names(const judge *j, uint8_t var, uint32_t actual) { return var == PAST_ANY || j->choice[var] == actual; }

static bool matches(const judge *j, const past_node *n, event e) {
    bool has_address = e.kind == EVENT_READ || e.kind == EVENT_WRITE;
    if (!(n->kinds & 1 << e.kind) || !names(j, n->var[0], e.client)) return false;
    if (!has_address) return n->var[1] == PAST_ANY && n->var[2] == PAST_ANY;
    return names(j, n->var[1], e.address) && names(j, n->var[2], e.value);
}

// (events, i) |= node, as the textbooks define it.
static bool holds(const judge *j, uint32_t node, int i) {
    const past_node *n = &j->f->nodes[node];
    bool found = false;
    switch (n->kind) {
    case PAST_TRUE: return true;
    case PAST_EVENT: return matches(j, n, j->events[i]);
    case PAST_SAME: return j->choice[n->var[0]] == j->choice[n->var[1]];
    case PAST_NOT: return !holds(j, n->left, i);
    case PAST_AND: return holds(j, n->left, i) && holds(j, n->right, i);
    case PAST_OR: return holds(j, n->left, i) || holds(j, n->right, i);
    case PAST_PREVIOUSLY: return i > 0 && holds(j, n->left, i - 1);
    case PAST_ONCE:
        for (int k = 0; k <= i; k++) found |= holds(j, n->left, k);
        return found;
    case PAST_HISTORICALLY:
        for (int k = 0; k <= i; k++) found |= !holds(j, n->left, k);
        return !found;
    case PAST_SINCE:
        for (int k = 0; k <= i && !found; k++) {
            found = holds(j, n->right, k);
            for (int l = k + 1; l <= i; l++) found = found && holds(j, n->left, l);
        }
        return found;
    }
    return false;
}

static bool some_choice(judge *j, const uint32_t *sizes, uint32_t var, int i) {
    if (var == j->f->nvars) return holds(j, j->f->nnodes - 1, i);
    for (j->choice[var] = 0; j->choice[var] < sizes[j->f->sorts[var]]; j->choice[var]++)
        if (some_choice(j, sizes, var + 1, i)) return true;
    return false;
}

bool naive_past_holds(const past *f, const uint32_t sizes[PAST_SORTS], const event *events, uint32_t len) {
    judge j = {.f = f, .events = events};
    return some_choice(&j, sizes, 0, (int)len - 1);
}

// ---- purified sequences

static bool is_outside(event e) { return e.kind == EVENT_NT_READ || e.kind == EVENT_NT_WRITE; }

// How the transaction of event i ends: EVENT_COMMIT, EVENT_ABORT or EVENT_KINDS.
static event_kind ending(const event *events, uint32_t len, uint32_t i) {
    for (uint32_t k = i; k < len; k++)
        if (events[k].client == events[i].client && (events[k].kind == EVENT_COMMIT || events[k].kind == EVENT_ABORT))
            return events[k].kind;
    return EVENT_KINDS;
}

static bool reads_own(const event *events, uint32_t i) {
    if (events[i].kind != EVENT_READ) return false;
    for (uint32_t k = i; k-- > 0 && !(events[k].client == events[i].client && events[k].kind == EVENT_OPEN);)
        if (events[k].client == events[i].client && events[k].kind == EVENT_WRITE &&
            events[k].address == events[i].address)
            return true;
    return false;
}

static void push(naive_sequence *s, event e, event_kind k) {
    e.kind = k;
    s->at[s->len++] = e;
}

void naive_purify(const event *events, uint32_t len, naive_sequence *out) {
    out->len = 0;
    for (uint32_t i = 0; i < len; i++) {
        event e = events[i];
        if (is_outside(e)) {
            push(out, e, EVENT_OPEN);
            push(out, e, e.kind == EVENT_NT_READ ? EVENT_READ : EVENT_WRITE);
            push(out, e, EVENT_COMMIT);
        } else if (ending(events, len, i) == EVENT_COMMIT && !reads_own(events, i)) push(out, e, e.kind);
    }
}

// ---- serializability

bool naive_is_atomic(const naive_sequence *s) {
    uint32_t memory[NAIVE_LONGEST] = {0};
    bool is_open = false;
    for (uint32_t i = 0; i < s->len; i++) {
        event e = s->at[i];
        if (is_open == (e.kind == EVENT_OPEN)) return false;
        if (i && e.kind != EVENT_OPEN && s->at[i - 1].client != e.client) return false;
        is_open = e.kind != EVENT_COMMIT;
        if (e.kind == EVENT_WRITE) memory[e.address] = e.value;
        if (e.kind == EVENT_READ && memory[e.address] != e.value) return false;
    }
    return !is_open;
}

bool naive_may_swap(const interchange *x, const uint32_t sizes[PAST_SORTS], const naive_sequence *s, uint32_t i) {
    for (uint32_t r = 0; r < x->rules.len; r++)
        if (naive_past_holds(&x->rules.data[r]->formula, sizes, s->at, i + 1)) return false;
    return true;
}

typedef VEC(naive_sequence) work_list;

static void add_new(map *seen, work_list *work, const naive_sequence *s) {
    if (map_put(seen, s->at, s->len * sizeof *s->at, 1)) vec_push(work, *s);
}

static void add_derived(const interchange *x, const uint32_t *sizes, map *seen, work_list *work, naive_sequence s) {
    for (uint32_t i = 1; i < s.len; i++) {
        if (!naive_may_swap(x, sizes, &s, i)) continue;
        naive_sequence t = s;
        t.at[i] = s.at[i - 1];
        t.at[i - 1] = s.at[i];
        add_new(seen, work, &t);
    }
}

bool naive_is_serializable(const interchange *x, const uint32_t sizes[PAST_SORTS], const naive_sequence *s) {
    map *seen = map_new();
    work_list work = {0};
    bool found = false;
    add_new(seen, &work, s);
    while (work.len && !found) {
        naive_sequence t = vec_pop(&work);
        found = naive_is_atomic(&t);
        if (!found) add_derived(x, sizes, seen, &work, t);
    }
    map_free(seen);
    vec_free(&work);
    return found;
}

// ---- random histories

static uint32_t own_value(const naive_sequence *s, event e) {
    uint32_t value = UINT32_MAX;
    for (uint32_t i = 0; i < s->len; i++) {
        if (s->at[i].client != e.client) continue;
        if (s->at[i].kind == EVENT_OPEN) value = UINT32_MAX;
        if (s->at[i].kind == EVENT_WRITE && s->at[i].address == e.address) value = s->at[i].value;
    }
    return value;
}

static bool in_transaction(const naive_sequence *s, uint32_t client) {
    for (uint32_t i = s->len; i-- > 0;)
        if (s->at[i].client == client) return s->at[i].kind < EVENT_COMMIT;
    return false;
}

static event random_event(rng *r, const uint32_t *sizes, const naive_sequence *s) {
    static const event_kind inside[] = {EVENT_READ,   EVENT_READ,   EVENT_WRITE, EVENT_WRITE,
                                        EVENT_COMMIT, EVENT_COMMIT, EVENT_ABORT};
    static const event_kind outside[] = {EVENT_OPEN, EVENT_OPEN, EVENT_OPEN, EVENT_NT_READ, EVENT_NT_WRITE};
    event e = {.client = rng_below(r, sizes[PAST_CLIENT])};
    e.kind = in_transaction(s, e.client) ? inside[rng_below(r, 7)] : outside[rng_below(r, 5)];
    if (e.kind != EVENT_READ && e.kind != EVENT_WRITE && !is_outside(e)) return e;
    e.address = rng_below(r, sizes[PAST_ADDRESS]);
    e.value = rng_below(r, sizes[PAST_VALUE]);
    uint32_t own = e.kind == EVENT_READ ? own_value(s, e) : UINT32_MAX;
    if (own != UINT32_MAX) e.value = own;
    return e;
}

void naive_history_random(uint64_t seed, const uint32_t sizes[PAST_SORTS], uint32_t len, naive_sequence *out) {
    rng r = {seed};
    out->len = 0;
    while (out->len < len) {
        event e = random_event(&r, sizes, out);
        out->at[out->len++] = e;
    }
}

static void number_names(map *names, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        char text[16];
        int size = snprintf(text, sizeof text, "%u", i);
        history_intern(names, text, (size_t)size);
    }
}

void naive_as_history(const naive_sequence *s, const uint32_t sizes[PAST_SORTS], history *h) {
    history_begin(h);
    number_names(h->clients, sizes[PAST_CLIENT]);
    number_names(h->addresses, sizes[PAST_ADDRESS]);
    number_names(h->values, sizes[PAST_VALUE]);
    for (uint32_t i = 0; i < s->len; i++) vec_push(&h->events, s->at[i]);
}
