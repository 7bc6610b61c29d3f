// SPDX-License-Identifier: Apache-2.0
// Serializability by derivation: see serialize.h. A sequence is an array of places in the purified
// sequence; each is kept once, with the one it came from and the swap, so that the swaps that lead to an atomic one can
// be shown. One pass of the rules' monitors over a sequence tells which of its neighbours may be swapped.
#include "history/serialize.h"

#include <string.h>

typedef struct {
    uint32_t parent;
    uint32_t swap;
} step_of;

typedef struct {
    const history *h;
    const interchange *x;
    const purified *p;
    uint32_t n;
    map *seen;  // sequences as bytes, in the order in which they came
    VEC(step_of) steps;
    past_run *monitors;
    uint32_t nmonitors;  // that could be made
    uint32_t *memory;    // of the judge of atomicity
} derivation;

static bool begin_monitors(derivation *d) {
    const uint32_t sizes[PAST_SORTS] = {map_count(d->h->clients), map_count(d->h->addresses), map_count(d->h->values)};
    d->monitors = mem_zero(d->x->rules.len + 1, sizeof *d->monitors);
    for (uint32_t i = 0; i < d->x->rules.len; i++, d->nmonitors++)
        if (!past_begin(&d->monitors[i], &d->x->rules.data[i]->formula, sizes)) return false;
    return true;
}

static const uint32_t *sequence(const derivation *d, uint32_t number) {
    size_t size;
    return map_key(d->seen, number, &size);
}

static const pure_event *derive_at(const derivation *d, const uint32_t *s, uint32_t i) {
    return &d->p->events.data[s[i]];
}

// ---- atomic: transactions one after the other, reads find the values

static bool is_contiguous(const derivation *d, const uint32_t *s) {
    for (uint32_t i = 0; i < d->n; i++) {
        const event *e = &derive_at(d, s, i)->e, *before = i ? &derive_at(d, s, i - 1)->e : NULL;
        bool starts = !before || before->kind == EVENT_COMMIT;
        if (starts != (e->kind == EVENT_OPEN) || (!starts && before->client != e->client)) return false;
    }
    return true;
}

static bool reads_agree(const derivation *d, const uint32_t *s) {
    for (uint32_t x = 0; x < map_count(d->h->addresses); x++) d->memory[x] = history_initial(d->h, x);
    for (uint32_t i = 0; i < d->n; i++) {
        const event *e = &derive_at(d, s, i)->e;
        if (e->kind == EVENT_WRITE) d->memory[e->address] = e->value;
        if (e->kind == EVENT_READ && d->memory[e->address] != e->value) return false;
    }
    return true;
}

static bool is_atomic(const derivation *d, const uint32_t *s) { return is_contiguous(d, s) && reads_agree(d, s); }

// ---- the search

static void try_swap(derivation *d, uint32_t from, uint32_t i, uint32_t *copy) {
    memcpy(copy, sequence(d, from), d->n * sizeof *copy);
    uint32_t moved = copy[i];
    copy[i] = copy[i - 1];
    copy[i - 1] = moved;
    uint32_t number = map_count(d->seen);
    if (map_intern(d->seen, copy, d->n * sizeof *copy, number) == number) vec_push(&d->steps, (step_of){from, i});
}

static bool is_forbidden(derivation *d, const event *e) {
    bool found = false;
    for (uint32_t r = 0; r < d->x->rules.len; r++) found |= past_step(&d->monitors[r], e);
    return found;
}

static void derive_extend(derivation *d, uint32_t number, uint32_t *copy) {
    for (uint32_t r = 0; r < d->x->rules.len; r++) past_restart(&d->monitors[r]);
    for (uint32_t i = 0; i < d->n; i++) {
        bool forbidden_here = is_forbidden(d, &derive_at(d, sequence(d, number), i)->e);
        if (i && !forbidden_here) try_swap(d, number, i, copy);
    }
}

static void tell_way(const derivation *d, uint32_t number, serialization *out) {
    const uint32_t *s = sequence(d, number);
    out->verdict = SERIALIZE_HOLDS;
    for (uint32_t i = 0; i < d->n; i++) vec_push(&out->sequence, *derive_at(d, s, i));
    for (uint32_t k = number; k; k = d->steps.data[k].parent) vec_push(&out->swaps, d->steps.data[k].swap);
    for (uint32_t a = 0, b = out->swaps.len; a + 1 < b; a++) {
        uint32_t swap = out->swaps.data[a];
        out->swaps.data[a] = out->swaps.data[--b];
        out->swaps.data[b] = swap;
    }
    out->nswaps = out->swaps.len;
}

static const char *exhausted(const derivation *d, const serialize_limits *l) {
    if (limits_met(&l->limits)) return limits_why(&l->limits);
    if (l->most_sequences && map_count(d->seen) > l->most_sequences) return "too many sequences can be derived";
    return NULL;
}

static void derive_search(derivation *d, const serialize_limits *allowed, serialization *out) {
    uint32_t *copy = mem_alloc((d->n + 1) * sizeof *copy);
    const char *reason = NULL;
    for (uint32_t i = 0; i < d->n; i++) copy[i] = i;
    map_put(d->seen, copy, d->n * sizeof *copy, 0);
    vec_push(&d->steps, (step_of){0, 0});
    out->verdict = SERIALIZE_VIOLATED;
    for (uint32_t k = 0; k < map_count(d->seen) && !reason; k++) {
        if (is_atomic(d, sequence(d, k))) {
            tell_way(d, k, out);
            break;
        }
        derive_extend(d, k, copy);
        reason = exhausted(d, allowed);
    }
    out->sequences = map_count(d->seen);
    if (reason) out->verdict = SERIALIZE_UNKNOWN, str_add(&out->why, reason);
    else if (out->verdict == SERIALIZE_VIOLATED) str_add(&out->why, "no sequence that can be derived is atomic");
    free(copy);
}

void serialize_by_search(const history *h, const interchange *x, const purified *p, const serialize_limits *allowed,
                         serialization *out) {
    derivation d = {.h = h, .x = x, .p = p, .n = p->events.len, .seen = map_new()};
    d.memory = mem_alloc((map_count(h->addresses) + 1) * sizeof *d.memory);
    if (begin_monitors(&d)) derive_search(&d, allowed, out);
    else {
        out->verdict = SERIALIZE_UNKNOWN;
        str_add(&out->why, "a rule has too many choices of its variables in this history");
    }
    for (uint32_t i = 0; i < d.nmonitors; i++) past_end(&d.monitors[i]);
    free(d.monitors);
    free(d.memory);
    vec_free(&d.steps);
    map_free(d.seen);
}
