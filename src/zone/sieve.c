// SPDX-License-Identifier: Apache-2.0
// Outcomes of a broadcast that clocks exclude. Each receiver with clock guards is able or not, so that N of them have
// 2^N outcomes and more, of which a zone often allows a few. Successors are put together receiver by receiver
// (space/compose.h); the zone is cut in the same order by what is known to hold so far, and where nothing is left of it
// no outcome that begins like this is looked at. What is left out fails its guard in net_guard(), so nothing else
// depends on whether it is.
#include "zone/net.h"

#include <string.h>

// What the outcomes begin with, as long as something is left of the zone: one entry for each beginning of the present
// one that has conditions of its own.
struct net_sieve {
    const net *x;
    const value *cells;
    const bound *d;
    uint32_t depth;
    uint32_t *known;  // by depth: how many parameters
    bound *zones;     // by depth: what is left
};

net_sieve *net_sieve_new(const net *x, arena *memory) {
    uint32_t most = model_most_params(x->m) + 1;
    if (!space_rules_apart(x->s)) return NULL;
    net_sieve *v = arena_alloc(memory, sizeof *v);
    *v = (net_sieve){.x = x};
    v->known = arena_alloc(memory, most * sizeof *v->known);
    v->zones = arena_alloc(memory, most * dbm_bytes(x->n));
    return v;
}

static bound *sieve_zone(const net_sieve *v, uint32_t depth) { return v->zones + (size_t)depth * v->x->n * v->x->n; }

// Cuts what is left by the bounds that need at least `from` parameters and no more than are known.
static bool sieve_cut(const net_sieve *v, const net_label *l, uint32_t from, uint32_t known, bound *d) {
    const net *x = v->x;
    for (uint32_t i = 0; i < l->nbounds; i++) {
        const net_bound *b = &x->bounds.data[l->first_bound + i];
        if (b->known < from || b->known > known) continue;
        bound is = net_label_bound(x, l, b, v->cells);
        if (is != BOUND_INF && !dbm_constrain(d, x->n, b->left, b->right, is)) return false;
    }
    return true;
}

static sieve_answer sieve_ask(void *context, uint32_t label, uint32_t known) {
    net_sieve *v = context;
    const net_label *l = &v->x->labels.data[label];
    while (v->depth && v->known[v->depth - 1] >= known) v->depth--;
    uint32_t from = v->depth ? v->known[v->depth - 1] + 1 : 0;
    if (l->can_fault || from > l->known) return SIEVE_KEEPS_ALL;
    bound *d = sieve_zone(v, v->depth);
    memcpy(d, v->depth ? sieve_zone(v, v->depth - 1) : v->d, dbm_bytes(v->x->n));
    if (!sieve_cut(v, l, from, known, d)) return SIEVE_DROPS;
    v->known[v->depth++] = known;
    return known < l->known ? SIEVE_KEEPS : SIEVE_KEEPS_ALL;
}

void net_steps_within(net_steps *s, net_room *w, const uint64_t *state, const bound *d) {
    if (!s->sieve) {
        net_steps_find(s, w, state);
        return;
    }
    net_steps_look(s, state);
    *s->sieve = (net_sieve){s->x, s->cells, d, 0, s->sieve->known, s->sieve->zones};
    space_sieve by = {sieve_ask, s->sieve};
    s->count = space_next_sifted(w->run, s->state, &by, s->next, s->labels);
}
