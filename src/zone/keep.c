// SPDX-License-Identifier: Apache-2.0
// Passing on what a search kept: see keep.h.
#include "zone/keep.h"

#include "zone/expand.h"
#include "zone/orbit.h"
#include "zone/passed.h"
#include "zone/search.h"

#include <string.h>

typedef struct {
    zone_search *s;
    const zone_keeper *k;
    value *cells;
} teller;

// ---- symmetry

static void tell_swap(teller *t, uint32_t number) {
    const orbit *o = t->s->y;
    uint32_t ncells = t->s->in->ncells, n = t->s->x->n, clock_to[DBM_MOST_CLOCKS + 1];
    uint32_t *cell_to = mem_zero(ncells + 1, sizeof *cell_to);
    value *a = mem_zero(ncells + 1, sizeof *a), *b = mem_zero(ncells + 1, sizeof *b);
    orbit_perm p;
    orbit_swap(o, number, p);
    for (uint32_t i = 0; i < ncells; i++) cell_to[i] = i, a[i] = b[i] = VALUE_UNDEFINED;
    orbit_swap_cells(o, p, cell_to, a, b);
    for (uint32_t i = 0; i < n; i++) clock_to[i] = orbit_clock(o, p, i);
    t->k->swap(cell_to, a, b, clock_to, t->k->context);
    free(cell_to);
    free(a);
    free(b);
}

// ---- states

static void tell_states(teller *t, const passed *p, const uint32_t *ranks) {
    matrix d;
    for (uint32_t i = 0; i < p->heads.len; i++) {
        uint32_t count = 0;
        for (uint32_t k = p->heads.data[i]; k != UINT32_MAX; k = p->nodes.data[k].next) count++;
        space_unpack(t->s->x->s, tuples_get(p->states, i), t->cells);
        t->k->state(t->cells, count, t->k->context);
        for (uint32_t k = p->heads.data[i]; k != UINT32_MAX; k = p->nodes.data[k].next) {
            passed_zone(p, k, d.d);
            t->k->zone(d.d, ranks ? &ranks[k] : NULL, t->k->context);
        }
    }
}

// ---- all

// Was the query decided by there being no such state or run?
static bool is_told(const zone_search *s, const zone_ask *a, const zone_lasso *l) {
    bool is_number = !a->is_beyond && !(a->has_extreme && a->extreme == INT64_MAX);
    return (!zone_is_measure(a) || is_number) && !a->is_found && !a->what.kind && !l->is_unknown && !l->has_parts &&
           !s->stopped && !s->trouble.is_trouble && s->p->nodes.len;
}

void zone_keep(zone_search *s, const zone_keeper *k, const zone_lasso *lassos) {
    VEC(zone_kept_query) queries = {0};
    VEC(const zone_lasso *) told = {0};
    for (uint32_t i = 0; i < s->asks.len; i++) {
        const zone_ask *a = &s->asks.data[i];
        if (!is_told(s, a, &lassos[i])) continue;
        bool is_ranked = !zone_is_reachability(a);
        uint32_t states = is_ranked && lassos[i].seen ? lassos[i].seen->heads.len : 0;
        vec_push(&queries, (zone_kept_query){a->p, is_ranked, states, zone_is_measure(a), a->has_extreme,
                                             a->extreme_strict, a->extreme});
        if (states) vec_push(&told, &lassos[i]);
    }
    if (queries.len) {
        teller t = {s, k, mem_zero(s->in->ncells + 1, sizeof *t.cells)};
        uint32_t swaps = s->y ? orbit_swaps(s->y) : 0;
        k->begin(&(zone_kept){s->x->n, swaps, s->p->heads.len, queries.data, queries.len}, k->context);
        for (uint32_t i = 0; i < swaps; i++) tell_swap(&t, i);
        tell_states(&t, s->p, NULL);
        for (uint32_t i = 0; i < told.len; i++) tell_states(&t, told.data[i]->seen, told.data[i]->ranks.data);
        free(t.cells);
    }
    vec_free(&queries);
    vec_free(&told);
}
