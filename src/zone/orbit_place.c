// SPDX-License-Identifier: Apache-2.0
// What a permutation of elements moves: every cell and clock with the elements that its place names, and for
// cells whether their values are elements. Those whose indices differ only in elements form a group, whose
// table says which of them is where.
#include "zone/orbit_int.h"

#include <string.h>
#include <xxhash.h>

typedef struct {
    orbit *o;
    const slots *s;
    const found_classes *found;
    uint8_t *param_class;  // by family and parameter
    uint8_t *slot_class;   // by slot
    map *groups;
} placer;

// ---- elements

static void orbit_add_block(orbit *o, const found_class *x, orbit_class *c, uint32_t block) {
    uint32_t n = (uint32_t)(x->c.hi - x->c.lo) + 1, count = 0;
    for (uint32_t v = 0; v < n; v++) count += x->block_of[v] == block;
    if (count < 2) return;
    orbit_block b = {(uint8_t)o->nelements, (uint8_t)count};
    for (uint32_t v = 0; v < n; v++) {
        if (x->block_of[v] != block) continue;
        uint8_t e = (uint8_t)o->nelements++;
        c->elements[v] = e;
        o->block[e] = (uint8_t)o->blocks.len;
        o->rank[e] = (uint8_t)(e - b.first);
        o->value_of[e] = x->c.lo + (int32_t)v;
    }
    vec_push(&o->blocks, b);
}

static void add_class(placer *k, const found_class *x) {
    uint32_t n = (uint32_t)(x->c.hi - x->c.lo) + 1;
    uint8_t number = (uint8_t)k->o->classes.len;
    orbit_class c = {x->c.lo, x->c.hi, arena_alloc(k->o->memory, n)};
    memset(c.elements, ORBIT_NONE, n);
    for (uint32_t b = 0; b < n; b++) orbit_add_block(k->o, x, &c, b);
    vec_push(&k->o->classes, c);
    for (uint32_t i = 0; i < members_groups(k->s->all); i++)
        for (uint32_t p = 0; p < MEMBER_MOST_ARGS; p++)
            if (x->c.params[i] >> p & 1) k->param_class[i * MEMBER_MOST_ARGS + p] = number;
    for (uint32_t i = 0; i < k->s->up.len; i++)
        if (x->c.slots[slots_root(k->s, i)]) k->slot_class[i] = number;
}

// ---- places

typedef struct {
    uint32_t kind, group, n;  // kind 0: cell, 1: clock
    int32_t args[2 * MEMBER_MOST_ARGS];
} place_key;

// One index of a place: an element, or a number that stays.
static void add_index(const placer *k, uint8_t class, int32_t v, orbit_place *at, place_key *key) {
    uint8_t e = class == ORBIT_NONE ? ORBIT_NONE : orbit_element(k->o, class, v);
    if (e != ORBIT_NONE) {
        at->elements[at->nelements++] = e;
        key->args[key->n++] = INT32_MIN + k->o->block[e];
    } else {
        key->args[key->n++] = v;
    }
}

static void add_params(const placer *k, const member *p, orbit_place *at, place_key *key) {
    for (uint32_t i = 0; i < p->nparams; i++) {
        bool moves = p->family != UINT32_MAX;
        add_index(k, moves ? k->param_class[p->family * MEMBER_MOST_ARGS + i] : ORBIT_NONE, p->args[i], at, key);
    }
}

static uint32_t orbit_group_of(placer *k, const orbit_place *at, const place_key *key) {
    uint32_t size = 1, fresh = k->o->groups.len, g = map_intern(k->groups, key, sizeof *key, fresh);
    if (g != fresh) return g;
    orbit_group group = {.first = k->o->table.len, .nelements = at->nelements};
    for (uint32_t i = 0; i < at->nelements; i++) {
        group.blocks[i] = k->o->block[at->elements[i]];
        size *= k->o->blocks.data[group.blocks[i]].count;
    }
    vec_push(&k->o->groups, group);
    for (uint32_t i = 0; i < size; i++) vec_push(&k->o->table, UINT32_MAX);
    return g;
}

static void orbit_put_place(placer *k, orbit_place *at, const place_key *key) {
    uint64_t same = 0;
    uint32_t index = 0;
    at->group = orbit_group_of(k, at, key);
    for (uint32_t i = 0; i < at->nelements; i++)
        for (uint32_t j = 0; j < i; j++) same = same << 1 | (at->elements[i] == at->elements[j]);
    uint64_t tag[3] = {at->group, same, key->kind};
    at->tag = XXH3_64bits(tag, sizeof tag);
    const orbit_group *g = &k->o->groups.data[at->group];
    for (uint32_t i = 0; i < at->nelements; i++)
        index = index * k->o->blocks.data[g->blocks[i]].count + k->o->rank[at->elements[i]];
    k->o->table.data[g->first + index] = at->number;
}

static void place_cell(placer *k, uint32_t cell) {
    value args[MEMBER_MOST_ARGS];
    func f = instance_cell_func(k->o->in, cell, args);
    const func_info *info = func_of(k->o->in->m, f);
    const member *p = &k->s->all->of[MEMBER_FUNC][f.id];
    orbit_place at = {.number = cell, .result = k->slot_class[k->s->func_slot[f.id]]};
    place_key key = {.kind = 0, .group = p->group};
    if (info->is_scratch) return;
    add_params(k, p, &at, &key);
    for (uint32_t i = p->nparams; i < p->nargs; i++) key.args[key.n++] = p->args[i];
    for (uint32_t i = 0; i < info->nargs; i++)
        add_index(k, k->slot_class[k->s->func_slot[f.id] + 1 + i], args[i], &at, &key);
    if (!at.nelements && at.result == ORBIT_NONE) return;
    orbit_put_place(k, &at, &key);
    vec_push(&k->o->cells, at);
}

static void place_clock(placer *k, uint32_t clock) {
    const member *p = &k->s->all->of[MEMBER_CLOCK][clock];
    orbit_place at = {.number = clock, .result = ORBIT_NONE};
    place_key key = {.kind = 1, .group = clock ? p->group : UINT32_MAX};
    if (clock) add_params(k, p, &at, &key);
    for (uint32_t i = p->nparams; clock && i < p->nargs; i++)
        add_index(k, k->slot_class[k->s->clock_slot[p->group] + i], p->args[i], &at, &key);
    orbit_put_place(k, &at, &key);
    k->o->clocks[clock] = at;
}

void orbit_place_all(orbit *o, const slots *s, const found_classes *list) {
    size_t params = (size_t)(members_groups(s->all) + 1) * MEMBER_MOST_ARGS;
    placer k = {.o = o, .s = s, .found = list, .groups = map_new()};
    k.param_class = mem_alloc(params);
    k.slot_class = mem_alloc(s->up.len + 1);
    memset(k.param_class, ORBIT_NONE, params);
    memset(k.slot_class, ORBIT_NONE, s->up.len + 1);
    for (uint32_t i = 0; i < list->len; i++) add_class(&k, &list->data[i]);
    for (uint32_t i = 0; i < o->in->ncells; i++) place_cell(&k, i);
    o->clocks = arena_alloc(o->memory, o->n * sizeof *o->clocks);
    for (uint32_t i = 0; i < o->n; i++) place_clock(&k, i);
    map_free(k.groups);
    free(k.param_class);
    free(k.slot_class);
}

// ---- the swaps of two neighbours of a block, which generate all permutations

uint32_t orbit_swaps(const orbit *o) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->blocks.len; i++) count += o->blocks.data[i].count - 1u;
    return count;
}

void orbit_swap(const orbit *o, uint32_t number, uint8_t *p) {
    orbit_identity(o, p);
    for (uint32_t i = 0; i < o->blocks.len; i++) {
        const orbit_block *b = &o->blocks.data[i];
        if (number < b->count - 1u) {
            p[b->first + number] = (uint8_t)(b->first + number + 1);
            p[b->first + number + 1] = (uint8_t)(b->first + number);
            return;
        }
        number -= b->count - 1u;
    }
}

void orbit_swap_cells(const orbit *o, const uint8_t *p, uint32_t *cell_to, value *a, value *b) {
    for (uint32_t i = 0; i < o->cells.len; i++) {
        const orbit_place *at = &o->cells.data[i];
        cell_to[at->number] = orbit_target(o, at, p);
        if (at->result == ORBIT_NONE) continue;
        const orbit_class *c = &o->classes.data[at->result];
        for (int32_t v = c->lo; v <= c->hi; v++) {
            uint8_t e = c->elements[v - c->lo];
            if (e == ORBIT_NONE || p[e] == e) continue;
            a[at->number] = v;
            b[at->number] = o->value_of[p[e]];
        }
    }
}
