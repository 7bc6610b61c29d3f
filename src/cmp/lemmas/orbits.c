// SPDX-License-Identifier: Apache-2.0
// See orbits.h. Of all permutations those count that give the least shared state; for each shared state that is met
// they are found once.
#include "cmp/lemmas/orbits.h"

#include "base/map.h"

#include <string.h>

enum { MOST_PERMUTATIONS = 720 };

// What one permutation does: where cells go, and what elements become.
typedef struct {
    uint32_t *cell;
    value *image;  // by sort and element, as in orbits.sorts
} permutation;

// A cell whose value may be an element of a sort: these are its values from `first` on. Size 0: it may not.
typedef struct {
    value first, size;
    uint32_t images;  // in permutation.image
} named_cell;

typedef struct {
    uint32_t first, n;  // in orbits.chosen
} choice_list;

struct orbits {
    survey *s;
    views *v;
    type_list sorts;
    bool is_small;
    named_cell *named;
    VEC(permutation) all;
    map *known;  // a shared state -> which permutations make it the least
    VEC(choice_list) choices;
    VEC(uint32_t) chosen;
    value *cells, *to, *least;
    uint64_t *packed;
};

// ---- permutations

static uint32_t images_of(const orbits *o, type t) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < o->sorts.len; i++) {
        if (type_same(o->sorts.data[i], t)) return first;
        first += instance_type_size(o->s->view_in, o->sorts.data[i]);
    }
    return UINT32_MAX;
}

static named_cell names_in(const orbits *o, type t) {
    for (uint32_t i = 0; i < o->sorts.len; i++) {
        type s = o->sorts.data[i];
        bool is_member = type_of(o->s->a->m, t)->kind == TYPE_UNION && type_contains(o->s->a->m, t, s);
        uint32_t start = type_same(s, t) ? 0 : is_member ? instance_member_start(o->s->view_in, t, s) : UINT32_MAX;
        if (start != UINT32_MAX)
            return (named_cell){(value)start, (value)instance_type_size(o->s->view_in, s), images_of(o, s)};
    }
    return (named_cell){0};
}

static value orbits_rename(named_cell c, const value *image, value x) {
    bool is_name = x != VALUE_UNDEFINED && x >= c.first && x < c.first + c.size;
    return is_name ? c.first + image[c.images + (uint32_t)(x - c.first)] : x;
}

static void orbits_add_permutation(orbits *o, const value *image, uint32_t nimages) {
    const instance *in = o->s->view_in;
    arena *memory = o->s->a->m->memory;
    permutation p = {arena_alloc(memory, in->ncells * sizeof *p.cell),
                     arena_copy(memory, image, nimages * sizeof *image)};
    for (uint32_t c = 0; c < in->ncells; c++) {
        value args[MODEL_MOST_ARGS];
        func f = instance_cell_func(in, c, args);
        const func_info *info = func_of(o->s->a->m, f);
        for (uint32_t i = 0; i < info->nargs; i++) args[i] = orbits_rename(names_in(o, info->args[i]), image, args[i]);
        p.cell[c] = instance_cell(in, f, args);
    }
    vec_push(&o->all, p);
}

// Of the elements of all sorts one after the other: image[0..at) is chosen, in a sort that begins at `first`.
static void permute_from(orbits *o, value *image, uint32_t sort, uint32_t first, uint32_t at) {
    uint32_t size = sort < o->sorts.len ? instance_type_size(o->s->view_in, o->sorts.data[sort]) : 0;
    if (!size) orbits_add_permutation(o, image, at);
    else if (at == first + size) permute_from(o, image, sort + 1, at, at);
    for (value x = 0; at < first + size && x < (value)size; x++) {
        bool is_free = true;
        for (uint32_t i = first; i < at; i++) is_free &= image[i] != x;
        image[at] = x;
        if (is_free) permute_from(o, image, sort, first, at + 1);
    }
}

static void find_permutations(orbits *o) {
    uint64_t n = 1, nimages = 0;
    if (space_is_reduced(o->s->view_space)) space_permuted(o->s->view_space, &o->sorts);
    for (uint32_t i = 0; i < o->sorts.len; i++) {
        uint32_t size = instance_type_size(o->s->view_in, o->sorts.data[i]);
        nimages += size;
        for (uint32_t k = 2; k <= size && n <= MOST_PERMUTATIONS; k++) n *= k;
    }
    o->is_small = n <= MOST_PERMUTATIONS;
    if (!o->is_small || !nimages) return;
    value image[MOST_PERMUTATIONS + 64];
    permute_from(o, image, 0, 0, 0);
    for (uint32_t c = 0; c < o->s->view_in->ncells; c++) {
        value args[MODEL_MOST_ARGS];
        o->named[c] = names_in(o, func_of(o->s->a->m, instance_cell_func(o->s->view_in, c, args))->result);
    }
}

static void orbits_permute(const orbits *o, const permutation *p, const value *cells, value *to) {
    for (uint32_t c = 0; c < o->s->view_in->ncells; c++)
        to[p->cell[c]] = orbits_rename(o->named[c], p->image, cells[c]);
}

// ---- shared states

// The permutations that give the least shared state.
static choice_list find_least(orbits *o, const value *cells) {
    choice_list found = {o->chosen.len, 0};
    size_t size = 0;
    for (uint32_t i = 0; i < o->all.len; i++) {
        orbits_permute(o, &o->all.data[i], cells, o->to);
        const value *key = views_shared(o->v, o->to, &size);
        int order = found.n ? memcmp(key, o->least, size) : -1;
        if (order > 0) continue;
        if (order < 0) o->chosen.len = found.first;
        memcpy(o->least, key, size);
        vec_push(&o->chosen, i);
        found.n = o->chosen.len - found.first;
    }
    return found;
}

static choice_list orbits_least(orbits *o, const value *cells) {
    size_t size;
    const value *key = views_shared(o->v, cells, &size);
    uint32_t number = map_intern(o->known, key, size, o->choices.len);
    if (number == o->choices.len) {
        choice_list found = find_least(o, cells);
        vec_push(&o->choices, found);
    }
    return o->choices.data[number];
}

void orbits_add(orbits *o, const uint64_t *view) {
    survey *s = o->s;
    if (!o->all.len || tuples_find(s->views, view) != TUPLES_NONE) {
        tuples_put(s->views, view);
        return;
    }
    space_unpack(s->view_space, view, o->cells);
    choice_list least = orbits_least(o, o->cells);
    for (uint32_t i = 0; i < least.n; i++) {
        orbits_permute(o, &o->all.data[o->chosen.data[least.first + i]], o->cells, o->to);
        space_pack(s->view_space, o->to, o->packed);
        tuples_put(s->views, o->packed);
    }
}

// ---- making

// The survey's views become others.
static void orbits_replace(orbits *o, void (*add)(orbits *o, const uint64_t *view)) {
    tuples *old = o->s->views;
    if (!o->all.len) return;
    o->s->views = tuples_new(space_words(o->s->view_space));
    for (uint32_t i = 0; i < tuples_count(old); i++) add(o, tuples_get(old, i));
    tuples_free(old);
}

static void add_representative(orbits *o, const uint64_t *view) {
    memcpy(o->packed, view, space_words(o->s->view_space) * sizeof *view);
    space_canonical(o->s->view_run, o->packed);
    tuples_put(o->s->views, o->packed);
}

orbits *orbits_new(survey *s, views *v) {
    orbits *o = mem_zero(1, sizeof *o);
    arena *memory = s->a->m->memory;
    uint32_t n = s->view_in->ncells;
    *o = (orbits){.s = s, .v = v, .known = map_new()};
    o->named = arena_alloc(memory, n * sizeof *o->named);
    o->cells = arena_alloc(memory, n * sizeof *o->cells);
    o->to = arena_alloc(memory, n * sizeof *o->to);
    o->least = arena_alloc(memory, n * sizeof *o->least);
    o->packed = arena_alloc(memory, (space_words(s->view_space) + 1) * sizeof *o->packed);
    find_permutations(o);
    orbits_replace(o, orbits_add);
    return o;
}

bool orbits_are_few(const orbits *o) { return o->is_small; }

void orbits_free(orbits *o) {
    orbits_replace(o, add_representative);
    vec_free(&o->sorts);
    vec_free(&o->all);
    vec_free(&o->choices);
    vec_free(&o->chosen);
    map_free(o->known);
    free(o);
}
