// SPDX-License-Identifier: Apache-2.0
// Representatives of states with zones. Elements get colours that do not depend on their names: first from the
// discrete state, refined until stable, then from the matrix too. Elements of one colour that can be swapped
// without changing anything may come in any order; of others, each is tried as the first, and the least result
// counts. With more than MOST_LEAVES results the least of those counts: still a member of the orbit, so answers
// stay right, but perhaps not the only representative.
#include "zone/orbit_int.h"

#include <assert.h>
#include <string.h>

enum { MOST_LEAVES = 720 };

struct orbit_room {
    arena *memory;
    const orbit *o;
    value *best_cells, *image_cells;
    bound *best, *image;
    bool has_best;
    orbit_perm best_perm;
    uint32_t leaves;
    bool was_cut;  // some search for the least stopped at MOST_LEAVES
    uint64_t colour[ORBIT_MOST_ELEMENTS], sum[ORBIT_MOST_ELEMENTS];
};

orbit_room *orbit_room_new(const orbit *o) {
    arena *memory = arena_new();
    orbit_room *w = arena_alloc(memory, sizeof *w);
    uint32_t cells = o->in->ncells + 1;
    w->memory = memory;
    w->o = o;
    w->best_cells = arena_alloc(memory, cells * sizeof *w->best_cells);
    w->image_cells = arena_alloc(memory, cells * sizeof *w->image_cells);
    w->best = arena_alloc(memory, dbm_bytes(o->n));
    w->image = arena_alloc(memory, dbm_bytes(o->n));
    return w;
}

void orbit_room_free(orbit_room *w) {
    if (w) arena_free(w->memory);
}

// ---- permutations

void orbit_identity(const orbit *o, uint8_t *p) {
    for (uint32_t i = 0; i < o->nelements; i++) p[i] = (uint8_t)i;
}

void orbit_invert(const orbit *o, const uint8_t *p, uint8_t *out) {
    for (uint32_t i = 0; i < o->nelements; i++) out[p[i]] = (uint8_t)i;
}

void orbit_compose(const orbit *o, const uint8_t *first, const uint8_t *then, uint8_t *out) {
    orbit_perm p;
    for (uint32_t i = 0; i < o->nelements; i++) p[i] = then[first[i]];
    memcpy(out, p, o->nelements);
}

static value value_image(const orbit *o, uint8_t class, const uint8_t *p, value v) {
    uint8_t e = class == ORBIT_NONE ? ORBIT_NONE : orbit_element(o, class, v);
    return e == ORBIT_NONE ? v : o->value_of[p[e]];
}

void orbit_apply_cells(const orbit *o, const uint8_t *p, const value *cells, value *out) {
    memcpy(out, cells, o->in->ncells * sizeof *cells);
    for (uint32_t i = 0; i < o->cells.len; i++) {
        const orbit_place *at = &o->cells.data[i];
        out[orbit_target(o, at, p)] = value_image(o, at->result, p, cells[at->number]);
    }
}

uint32_t orbit_clock(const orbit *o, const uint8_t *p, uint32_t clock) { return orbit_target(o, &o->clocks[clock], p); }

void orbit_apply_zone(const orbit *o, const uint8_t *p, const bound *d, bound *out) {
    uint32_t to[DBM_MOST_CLOCKS + 1], n = o->n;
    for (uint32_t i = 0; i < n; i++) to[i] = orbit_clock(o, p, i);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) out[to[i] * n + to[j]] = d[i * n + j];
}

// ---- colours

static uint64_t mix_colours(uint64_t a, uint64_t b) {
    uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u + (a >> 29));
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 29;
}

static uint64_t mix_place(const orbit_room *w, const orbit_place *at, uint64_t h) {
    for (uint32_t i = 0; i < at->nelements; i++) h = mix_colours(h, w->colour[at->elements[i]]);
    return h;
}

static void tell_elements(orbit_room *w, const orbit_place *at, uint64_t h, uint32_t role) {
    for (uint32_t i = 0; i < at->nelements; i++) w->sum[at->elements[i]] += mix_colours(h, role + i);
}

static void colour_cells(orbit_room *w, const value *cells) {
    const orbit *o = w->o;
    for (uint32_t i = 0; i < o->cells.len; i++) {
        const orbit_place *at = &o->cells.data[i];
        value v = cells[at->number];
        uint8_t e = at->result == ORBIT_NONE ? ORBIT_NONE : orbit_element(o, at->result, v);
        uint64_t h = mix_colours(at->tag, e == ORBIT_NONE ? (uint64_t)(uint32_t)v : w->colour[e]);
        for (uint32_t k = 0; e != ORBIT_NONE && k < at->nelements; k++) h = mix_colours(h, at->elements[k] == e);
        h = mix_place(w, at, h);
        tell_elements(w, at, h, 1);
        if (e != ORBIT_NONE) w->sum[e] += mix_colours(h, 100);
    }
}

static void colour_bound(orbit_room *w, const orbit_place *a, const orbit_place *b, bound is) {
    uint64_t h = mix_colours(mix_colours(a->tag, b->tag), (uint64_t)(uint32_t)is);
    for (uint32_t i = 0; i < a->nelements; i++)
        for (uint32_t j = 0; j < b->nelements; j++) h = mix_colours(h, a->elements[i] == b->elements[j]);
    h = mix_place(w, b, mix_place(w, a, h));
    tell_elements(w, a, h, 1);
    tell_elements(w, b, h, 50);
}

static void colour_zone(orbit_room *w, const bound *d) {
    uint32_t n = w->o->n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            const orbit_place *a = &w->o->clocks[i], *b = &w->o->clocks[j];
            if (i != j && d[i * n + j] != BOUND_INF && (a->nelements || b->nelements))
                colour_bound(w, a, b, d[i * n + j]);
        }
}

static uint32_t orbit_colours(const orbit_room *w) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->o->nelements; i++) {
        uint32_t k = 0;
        while (k < i && w->colour[k] != w->colour[i]) k++;
        count += k == i;
    }
    return count;
}

// Until no colour is split any more.
static uint32_t refine_colours(orbit_room *w, const value *cells, const bound *d, uint32_t count) {
    for (;;) {
        if (count == w->o->nelements) return count;
        memset(w->sum, 0, w->o->nelements * sizeof *w->sum);
        colour_cells(w, cells);
        if (d) colour_zone(w, d);
        for (uint32_t i = 0; i < w->o->nelements; i++) w->colour[i] = mix_colours(w->colour[i], w->sum[i]);
        uint32_t now = orbit_colours(w);
        if (now <= count) return now;
        count = now;
    }
}

// ---- the least

// Elements of each block in the order of their colours.
static void perm_of(const orbit_room *w, uint8_t *p) {
    const orbit *o = w->o;
    for (uint32_t b = 0; b < o->blocks.len; b++) {
        uint8_t first = o->blocks.data[b].first, count = o->blocks.data[b].count;
        for (uint32_t i = first; i < (uint32_t)first + count; i++) {
            uint32_t rank = 0;
            for (uint32_t k = first; k < (uint32_t)first + count; k++)
                rank += w->colour[k] < w->colour[i] || (w->colour[k] == w->colour[i] && k < i);
            p[i] = (uint8_t)(first + rank);
        }
    }
}

static int compare_with_best(const orbit_room *w, const value *cells, const bound *d) {
    int c = memcmp(cells, w->best_cells, w->o->in->ncells * sizeof *cells);
    return c ? c : memcmp(d, w->best, dbm_bytes(w->o->n));
}

static void leaf(orbit_room *w, const value *cells, const bound *d) {
    const orbit *o = w->o;
    orbit_perm p;
    perm_of(w, p);
    w->leaves++;
    orbit_apply_cells(o, p, cells, w->image_cells);
    orbit_apply_zone(o, p, d, w->image);
    if (w->has_best && compare_with_best(w, w->image_cells, w->image) >= 0) return;
    w->has_best = true;
    memcpy(w->best_perm, p, o->nelements);
    memcpy(w->best_cells, w->image_cells, o->in->ncells * sizeof *cells);
    memcpy(w->best, w->image, dbm_bytes(o->n));
}

static bool swap_changes_nothing(orbit_room *w, const value *cells, const bound *d, uint8_t a, uint8_t b) {
    const orbit *o = w->o;
    orbit_perm p;
    orbit_identity(o, p);
    p[a] = b;
    p[b] = a;
    orbit_apply_cells(o, p, cells, w->image_cells);
    if (memcmp(cells, w->image_cells, o->in->ncells * sizeof *cells) != 0) return false;
    orbit_apply_zone(o, p, d, w->image);
    return memcmp(d, w->image, dbm_bytes(o->n)) == 0;
}

// Can the elements of element i's colour be swapped with it?
static bool is_uniform(orbit_room *w, const value *cells, const bound *d, uint32_t i) {
    for (uint32_t k = 0; k < w->o->nelements; k++)
        if (k != i && w->colour[k] == w->colour[i] && !swap_changes_nothing(w, cells, d, (uint8_t)i, (uint8_t)k))
            return false;
    return true;
}

// An element of the least colour whose elements cannot all be swapped; ORBIT_NONE: there is none.
static uint8_t find_split(orbit_room *w, const value *cells, const bound *d) {
    uint8_t least = ORBIT_NONE;
    for (uint32_t i = 0; i < w->o->nelements; i++) {
        uint32_t k = 0;
        while (k < i && w->colour[k] != w->colour[i]) k++;
        bool lesser = k == i && (least == ORBIT_NONE || w->colour[i] < w->colour[least]);
        if (lesser && !is_uniform(w, cells, d, i)) least = (uint8_t)i;
    }
    return least;
}

static void try_orders(orbit_room *w, const value *cells, const bound *d) {
    uint64_t before[ORBIT_MOST_ELEMENTS];
    uint32_t n = w->o->nelements;
    uint8_t split = find_split(w, cells, d);
    if (split == ORBIT_NONE) {
        leaf(w, cells, d);
        return;
    }
    memcpy(before, w->colour, n * sizeof *before);
    for (uint32_t i = 0; i < n; i++) {
        if (before[i] != before[split]) continue;
        w->was_cut |= w->leaves >= MOST_LEAVES;
        if (w->leaves >= MOST_LEAVES) return;
        memcpy(w->colour, before, n * sizeof *before);
        w->colour[i] = mix_colours(before[i], 1);
        refine_colours(w, cells, d, orbit_colours(w));
        try_orders(w, cells, d);
    }
}

bool orbit_was_cut(const orbit_room *w) { return w->was_cut; }

static void start_colours(orbit_room *w) {
    for (uint32_t i = 0; i < w->o->nelements; i++) w->colour[i] = mix_colours(w->o->block[i], 7);
}

bool orbit_canonical(orbit_room *w, value *cells, bound *d, uint8_t *p) {
    const orbit *o = w->o;
    start_colours(w);
    uint32_t count = refine_colours(w, cells, NULL, o->blocks.len);
    count = refine_colours(w, cells, d, count);
    w->has_best = false;
    w->leaves = 0;
    if (count == o->nelements) leaf(w, cells, d);
    else try_orders(w, cells, d);
    memcpy(p, w->best_perm, o->nelements);
    bool moved = false;
    for (uint32_t i = 0; i < o->nelements; i++) moved |= p[i] != i;
    if (!moved) return false;
    memcpy(cells, w->best_cells, o->in->ncells * sizeof *cells);
    memcpy(d, w->best, dbm_bytes(o->n));
    return true;
}
