// SPDX-License-Identifier: Apache-2.0
// Sets of pairs (discrete state, zone) read from a file, and all their images under swaps: see zones_int.h.
//
// Of a zone only the part that satisfies the invariants of its state counts: the rest is not part of the system.
#include "certificate/zones_int.h"

#include <string.h>

void zones_set_free(zones_set *s) {
    for (uint32_t i = 0; i < s->places.len; i++) {
        vec_free(&s->places.data[i].zones);
        vec_free(&s->places.data[i].ranks);
    }
    vec_free(&s->places);
}

const zones_at *zones_of(const zones_set *s, uint32_t place) {
    return place < s->places.len && s->places.data[place].zones.len ? &s->places.data[place] : NULL;
}

bool zones_is_over(zones_work *w) {
    w->is_stopped |= limits_met_lately(w->limits, &w->asked) != LIMIT_NONE;
    return w->is_stopped;
}

// ---- adding

typedef struct {
    uint32_t place, zone;  // zone: its number among those of the place
} pair;

typedef VEC(pair) pair_list;

static bool zones_set_has(const zones_work *w, const zones_at *at, const int32_t *d, uint32_t rank) {
    for (uint32_t i = 0; i < at->ranks.len; i++)
        if (at->ranks.data[i] == rank && memcmp(zones_get(w, at, i), d, plain_bytes(w->n)) == 0) return true;
    return false;
}

// Adds a pair that is not there yet, and notes it.
static void zones_set_add(zones_work *w, zones_set *s, const value *cells, int32_t *d, uint32_t rank,
                          pair_list *fresh) {
    uint32_t place = timedstep_place(w->t, cells);
    if (!plain_close(d, w->n) || !timedstep_within(w->t, place, d)) return;
    while (s->places.len <= place) vec_push(&s->places, (zones_at){0});
    zones_at *at = &s->places.data[place];
    if (zones_set_has(w, at, d, rank)) return;
    vec_push(fresh, (pair){place, at->ranks.len});
    plain_add(&at->zones, d, w->n);
    vec_push(&at->ranks, rank);
    w->is_stopped |= ++s->count > w->limit;
}

// ---- images

static void zones_set_image_of(const zones_work *w, const zones_swap *g, const value *cells, const int32_t *d,
                               value *cells_out, int32_t *out) {
    memcpy(cells_out, cells, w->in->ncells * sizeof *cells);
    for (uint32_t i = 0; i < w->in->ncells; i++) {
        if (w->cells[i].is_local) continue;
        value v = cells[i] == g->a[i] ? g->b[i] : cells[i] == g->b[i] ? g->a[i] : cells[i];
        cells_out[g->cell_to[i]] = v;
    }
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t j = 0; j < w->n; j++) out[g->clock_to[i] * w->n + g->clock_to[j]] = d[i * w->n + j];
}

static bool is_in_range(const zones_work *w, const value *cells) {
    for (uint32_t i = 0; i < w->in->ncells; i++)
        if (!w->cells[i].is_local && cells[i] != VALUE_UNDEFINED &&
            (cells[i] < w->cells[i].first || cells[i] - w->cells[i].first >= (int64_t)w->cells[i].size))
            return false;
    return true;
}

// All images of the pairs in the list, which grows while it is gone through.
static void close_images(zones_work *w, zones_set *s, pair_list *todo) {
    value *cells = mem_zero(w->in->ncells + 1, sizeof *cells), *from = mem_zero(w->in->ncells + 1, sizeof *from);
    int32_t *d = mem_alloc(plain_bytes(w->n) + 1), *zone = mem_alloc(plain_bytes(w->n) + 1);
    for (uint32_t i = 0; i < todo->len && !w->is_stopped; i++)
        for (uint32_t k = 0; k < w->swaps.len && !zones_is_over(w); k++) {
            pair p = todo->data[i];
            const zones_at *at = &s->places.data[p.place];
            uint32_t rank = at->ranks.data[p.zone];
            memcpy(zone, zones_get(w, at, p.zone), plain_bytes(w->n));
            memcpy(from, timedstep_at(w->t, p.place)->cells, w->in->ncells * sizeof *from);
            zones_set_image_of(w, &w->swaps.data[k], from, zone, cells, d);
            if (is_in_range(w, cells)) zones_set_add(w, s, cells, d, rank, todo);
        }
    free(cells);
    free(from);
    free(d);
    free(zone);
}

// ---- reading

static bool zones_set_read_state(certfile *file, zones_work *w, bool is_ranked, zones_set *s, value *cells,
                                 pair_list *fresh, uint64_t *given) {
    uint64_t nzones, rank = 0;
    int32_t *d = mem_alloc(plain_bytes(w->n) + 1);
    bool ok = true;
    for (uint32_t i = 0; i < w->in->ncells && ok; i++)
        ok = w->cells[i].is_local || zones_read_value(file, &w->cells[i], &cells[i]);
    ok = ok && certfile_get_number(file, UINT32_MAX, &nzones);
    for (uint64_t i = 0; ok && i < nzones && !zones_is_over(w); i++) {
        ok = (!is_ranked || certfile_get_number(file, UINT32_MAX, &rank)) && zones_read_zone(file, w->n, d);
        if (ok) zones_set_add(w, s, cells, d, (uint32_t)rank, fresh);
        ++*given;
    }
    free(d);
    return ok;
}

bool zones_read_set(certfile *file, zones_work *w, uint64_t states, bool is_ranked, zones_set *out, uint64_t *given) {
    pair_list fresh = {0};
    value *cells = mem_zero(w->in->ncells + 1, sizeof *cells);
    bool ok = true;
    for (uint64_t i = 0; ok && i < states && !zones_is_over(w); i++)
        ok = zones_set_read_state(file, w, is_ranked, out, cells, &fresh, given);
    if (ok) close_images(w, out, &fresh);
    vec_free(&fresh);
    free(cells);
    return ok;
}

static bool is_permutation(const uint32_t *to, uint32_t n) {
    bool *met = mem_zero(n + 1, sizeof *met), ok = true;
    for (uint32_t i = 0; i < n; i++) {
        ok &= !met[to[i]];
        met[to[i]] = true;
    }
    free(met);
    return ok;
}

static bool read_swap(certfile *file, zones_work *w, zones_swap *g) {
    uint64_t to;
    uint32_t ncells = w->in->ncells;
    bool ok = true;
    for (uint32_t i = 0; i < ncells; i++) g->cell_to[i] = i;
    for (uint32_t i = 0; i < ncells && ok; i++) {
        if (w->cells[i].is_local) continue;
        ok = certfile_get_number(file, ncells - 1, &to) && zones_read_value(file, &w->cells[i], &g->a[i]) &&
             zones_read_value(file, &w->cells[i], &g->b[i]);
        if (ok) g->cell_to[i] = (uint32_t)to;
    }
    for (uint32_t i = 0; i < w->n && ok; i++) {
        ok = certfile_get_number(file, w->n - 1, &to);
        if (ok) g->clock_to[i] = (uint32_t)to;
    }
    if (!ok) return false;
    if (is_permutation(g->cell_to, ncells) && is_permutation(g->clock_to, w->n) && !g->clock_to[0]) return true;
    certfile_complain(file, "a swap is not one to one");
    return false;
}

bool zones_read_swaps(certfile *file, const json_t *claim, zones_work *w) {
    uint64_t count;
    bool ok = certfile_member(file, claim, "swaps", 100000, &count);
    for (uint64_t i = 0; ok && i < count; i++) {
        uint32_t n = w->in->ncells + 1;
        zones_swap g = {arena_alloc(w->memory, n * sizeof *g.cell_to),
                        arena_alloc(w->memory, w->n * sizeof *g.clock_to), arena_alloc(w->memory, n * sizeof *g.a),
                        arena_alloc(w->memory, n * sizeof *g.b)};
        vec_push(&w->swaps, g);
        ok = read_swap(file, w, &g);
    }
    return ok;
}
