// SPDX-License-Identifier: Apache-2.0
// Sets of forbidden interchanges and the shapes of their rules: see interchange.h. A formula is taken apart into its
// conjuncts; what does not fit is "other", which costs time, never an answer.
//
// Why a pair does not depend on where it stands: q's transaction stands in its order before `last`, so that
// "(not commit(q)) since E(q, x)" asks for an E of q's transaction before `last`, and no interchange moves
// those.
#include "history/interchange.h"

void interchange_begin(interchange *x, arena *memory) {
    *x = (interchange){.memory = memory, .name = "", .names = map_new()};
}

void interchange_free(interchange *x) {
    vec_free(&x->rules);
    vec_free(&x->texts);
    map_free(x->names);
}

// ---- shapes

typedef struct {
    const past *f;
    uint32_t last, previous, inside;  // nodes of events; NONE
    bool differs;                     // p != q is said…
    uint8_t differs_a, differs_b;     // …of these
    bool ok;
} parts;

enum { NONE = UINT32_MAX };

static void take_once(parts *s, uint32_t *place, uint32_t node) {
    s->ok &= *place == NONE;
    *place = node;
}

static void take_differs(parts *s, const past_node *n) {
    const past_node *same = &s->f->nodes[n->left];
    bool fits = same->kind == PAST_SAME && s->f->sorts[same->var[0]] == PAST_CLIENT && !s->differs;
    s->ok &= fits;
    s->differs = true;
    s->differs_a = same->var[0];
    s->differs_b = same->var[1];
}

// (not commit(q)) since E(q, …)
static void take_since(parts *s, const past_node *n) {
    const past_node *left = &s->f->nodes[n->left], *right = &s->f->nodes[n->right];
    const past_node *stop = left->kind == PAST_NOT ? &s->f->nodes[left->left] : left;
    uint8_t close = 1 << EVENT_COMMIT | 1 << EVENT_ABORT;
    s->ok &= left->kind == PAST_NOT && stop->kind == PAST_EVENT && right->kind == PAST_EVENT &&
             (stop->kinds & 1 << EVENT_COMMIT) && !(stop->kinds & ~close) &&
             stop->var[PAST_CLIENT] == right->var[PAST_CLIENT];
    take_once(s, &s->inside, n->right);
}

static void shape_take(parts *s, uint32_t i, bool is_before) {
    const past_node *n = &s->f->nodes[i];
    if (n->kind == PAST_AND) {
        shape_take(s, n->left, is_before);
        shape_take(s, n->right, is_before);
    } else if (n->kind == PAST_EVENT) take_once(s, is_before ? &s->previous : &s->last, i);
    else if (n->kind == PAST_NOT) take_differs(s, n);
    else if (n->kind == PAST_PREVIOUSLY && !is_before) shape_take(s, n->left, true);
    else if (n->kind == PAST_SINCE && is_before) take_since(s, n);
    else s->ok = false;
}

static uint8_t part_var(const parts *s, uint32_t node, past_sort sort) {
    return node == NONE ? PAST_ANY : s->f->nodes[node].var[sort];
}

// No values; each address that is named is the same.
static bool addresses_agree(const parts *s, shape *out) {
    uint8_t last = part_var(s, s->last, PAST_ADDRESS), previous = part_var(s, s->previous, PAST_ADDRESS);
    uint8_t inside = part_var(s, s->inside, PAST_ADDRESS);
    uint32_t nodes[] = {s->last, s->previous, s->inside};
    for (uint32_t i = 0; i < 3; i++)
        if (part_var(s, nodes[i], PAST_VALUE) != PAST_ANY) return false;
    out->by_address = previous != PAST_ANY;
    if (s->inside != NONE) return last == PAST_ANY && inside == previous && inside != PAST_ANY;
    return last == previous;
}

static bool clients_fit(const parts *s) {
    uint8_t q = part_var(s, s->last, PAST_CLIENT), p = part_var(s, s->previous, PAST_CLIENT);
    bool named = (s->differs_a == p && s->differs_b == q) || (s->differs_a == q && s->differs_b == p);
    bool inside = s->inside == NONE || part_var(s, s->inside, PAST_CLIENT) == q;
    return s->differs && named && p != q && p != PAST_ANY && q != PAST_ANY && inside;
}

static bool is_same_client(const parts *s) {
    uint8_t all = (1 << EVENT_NT_READ) - 1, p = part_var(s, s->last, PAST_CLIENT);
    return !s->differs && s->inside == NONE && p != PAST_ANY && part_var(s, s->previous, PAST_CLIENT) == p &&
           s->f->nodes[s->last].kinds == all && s->f->nodes[s->previous].kinds == all;
}

static bool only_closes(uint8_t kinds) {
    return (kinds >> EVENT_COMMIT & 1) && !(kinds & ~(1 << EVENT_COMMIT | 1 << EVENT_ABORT));
}

shape shape_of(const past *f) {
    parts s = {.f = f, .last = NONE, .previous = NONE, .inside = NONE, .ok = true};
    shape out = {.kind = SHAPE_OTHER};
    shape_take(&s, f->nnodes - 1, false);
    if (!s.ok || s.last == NONE || s.previous == NONE) return out;
    if (is_same_client(&s)) return (shape){.kind = SHAPE_SAME_CLIENT};
    if (!clients_fit(&s) || !addresses_agree(&s, &out)) return out;
    out.last = f->nodes[s.last].kinds;
    out.previous = f->nodes[s.previous].kinds;
    out.inside = s.inside == NONE ? 0 : f->nodes[s.inside].kinds;
    if (out.inside && !only_closes(out.last)) return (shape){.kind = SHAPE_OTHER};
    bool closes = only_closes(out.last) && only_closes(out.previous);
    out.kind = closes && !out.inside ? SHAPE_STRICT_ORDER : SHAPE_PAIR;
    return out;
}

bool shape_all_pairs(const interchange *x) {
    bool keeps_clients = false, keeps_commits = false;
    for (uint32_t i = 0; i < x->rules.len; i++) {
        shape s = shape_of(&x->rules.data[i]->formula);
        if (s.kind == SHAPE_OTHER) return false;
        keeps_clients |= s.kind == SHAPE_SAME_CLIENT;
        keeps_commits |= s.kind == SHAPE_STRICT_ORDER;
    }
    return keeps_clients && keeps_commits;
}
