// SPDX-License-Identifier: Apache-2.0
// See views.h.
//
// Views are found by their shared cells; of those that hold elements only whether they have a value counts for that, as
// a view calls elements by its own numbers. A *slot* is a cell that every element has of its own.
#include "cmp/lemmas/views.h"

#include "base/tuples.h"
#include "cmp/abstract/project.h"
#include "model/expr.h"
#include "space/space.h"

#include <string.h>

enum { MOST_ELEMENTS = PROJECT_MOST_KEPT + ABSTRACT_MOST_PARAMS };

#define NOT_KNOWN  (VALUE_UNDEFINED + 1)
#define SOME_VALUE (VALUE_UNDEFINED + 2)

typedef struct {
    uint32_t cells[PROJECT_MOST_KEPT];  // by kept element; of a shared cell only the first counts
    bool is_id;
} slot;

struct views {
    survey *s;
    const abstraction *a;
    VEC(slot) shared, slots;
    map *sites;                  // shared cells -> number
    VEC(uint32_t) newest;        // by site: a view
    VEC(uint32_t) older;         // by view: the next of its site; UINT32_MAX: none
    value *cells, *key, *known;  // known: by element and slot
};

// ---- cells

static uint32_t count_kept_args(const views *v, const func_info *f, uint32_t *where) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->nargs; i++)
        if (type_same(f->args[i], v->a->kept)) *where = i, n++;
    return n;
}

// What a view says of elements that it does not show is not shared.
static bool is_ghost(const views *v, func f) {
    for (uint32_t i = 0; i < v->a->ghosts.len; i++)
        if (v->a->ghosts.data[i].f.id == f.id) return true;
    return false;
}

static void views_add_cell(views *v, uint32_t cell) {
    value args[MODEL_MOST_ARGS];
    func f = instance_cell_func(v->s->view_in, cell, args);
    const func_info *info = func_of(v->a->m, f);
    uint32_t where = 0, n = count_kept_args(v, info, &where);
    slot s = {.cells = {cell}, .is_id = type_same(info->result, v->a->id)};
    if (info->is_scratch || is_ghost(v, f)) return;
    if (!n) vec_push(&v->shared, s);
    if (n != 1 || args[where] != 0) return;
    for (uint32_t k = 0; k < v->a->kept_count; k++) {
        args[where] = (value)k;
        s.cells[k] = instance_cell(v->s->view_in, f, args);
    }
    vec_push(&v->slots, s);
}

views *views_new(survey *s) {
    views *v = mem_zero(1, sizeof *v);
    *v = (views){.s = s, .a = s->a, .sites = map_new()};
    for (uint32_t c = 0; c < s->view_in->ncells; c++) views_add_cell(v, c);
    v->cells = arena_alloc(s->a->m->memory, s->view_in->ncells * sizeof *v->cells);
    v->key = arena_alloc(s->a->m->memory, v->shared.len * sizeof *v->key);
    v->known = arena_alloc(s->a->m->memory, MOST_ELEMENTS * v->slots.len * sizeof *v->known);
    return v;
}

void views_free(views *v) {
    if (!v) return;
    vec_free(&v->shared);
    vec_free(&v->slots);
    vec_free(&v->newest);
    vec_free(&v->older);
    map_free(v->sites);
    free(v);
}

// ---- sites

const value *views_shared(views *v, const value *cells, size_t *size) {
    for (uint32_t i = 0; i < v->shared.len; i++) {
        value x = cells[v->shared.data[i].cells[0]];
        v->key[i] = v->shared.data[i].is_id && x != VALUE_UNDEFINED ? 0 : x;
    }
    *size = v->shared.len * sizeof *v->key;
    return v->key;
}

uint32_t views_site(views *v, const value *cells) {
    size_t size;
    const value *key = views_shared(v, cells, &size);
    return map_get(v->sites, key, size, UINT32_MAX);
}

static void views_load(views *v, uint32_t view) {
    space_unpack(v->s->view_space, tuples_get(v->s->views, view), v->cells);
}

void views_catch_up(views *v, uint32_t count) {
    for (uint32_t i = v->older.len; i < count; i++) {
        views_load(v, i);
        size_t size;
        const value *key = views_shared(v, v->cells, &size);
        uint32_t site = map_intern(v->sites, key, size, v->newest.len);
        if (site == v->newest.len) vec_push(&v->newest, UINT32_MAX);
        vec_push(&v->older, v->newest.data[site]);
        v->newest.data[site] = i;
    }
}

uint32_t views_newest(const views *v, uint32_t site) { return v->newest.data[site]; }
uint32_t views_older(const views *v, uint32_t view) { return v->older.data[view]; }

uint64_t views_held(const views *v, const value *cells) {
    uint64_t held = 0;
    for (uint32_t i = 0, k = 0; i < v->shared.len; i++) {
        if (!v->shared.data[i].is_id) continue;
        if (k < 64 && cells[v->shared.data[i].cells[0]] == 0) held |= UINT64_C(1) << k;
        k++;
    }
    return held;
}

// ---- what is known of the elements

static value *views_known_of(const views *v, uint32_t element) { return v->known + (size_t)element * v->slots.len; }

uint32_t views_cell(const views *v, expr key, uint32_t *other) {
    const model *m = v->a->m;
    const expr_info *x = expr_of(m, key);
    value args[MODEL_MOST_ARGS];
    uint32_t nothers = 0;
    if (x->kind != E_APP || x->nargs > MODEL_MOST_ARGS) return UINT32_MAX;
    for (uint32_t i = 0; i < x->nargs; i++) {
        const expr_info *arg = expr_of(m, x->args[i]);
        for (uint32_t k = 0; arg->kind == E_VAR && k < v->a->others.len; k++)
            if (v->a->others.data[k].id == arg->ref) *other = k, nothers++;
        if (arg->kind != E_VAR && arg->kind != E_CONST) return UINT32_MAX;
        args[i] = arg->kind == E_CONST ? (value)arg->ref : 0;
    }
    return nothers == 1 ? instance_cell(v->s->view_in, v->a->funcs[x->ref], args) : UINT32_MAX;
}

static bool find_slot(const views *v, expr key, uint32_t *other, uint32_t *number) {
    uint32_t cell = views_cell(v, key, other);
    for (*number = 0; *number < v->slots.len; ++*number)
        if (v->slots.data[*number].cells[0] == cell) return true;
    return false;
}

static void learn_unknown(views *v, const unknown *u, value x) {
    uint32_t other, number;
    bool is_cell = u->kind == UNKNOWN_VALUE || u->kind == UNKNOWN_DEFINED;
    if (!is_cell || !u->key.id || !find_slot(v, u->key, &other, &number)) return;
    value *known = &views_known_of(v, v->a->kept_count + other)[number];
    if (u->kind == UNKNOWN_VALUE) *known = *known == VALUE_UNDEFINED ? *known : x;
    else if (!x) *known = VALUE_UNDEFINED;
    else if (*known == NOT_KNOWN) *known = SOME_VALUE;
}

static void learn(views *v, const abstract_case *c, const value *before, eval *ev, const bits *bound) {
    uint32_t kept = v->a->kept_count;
    for (uint32_t e = 0; e < kept + c->nothers; e++)
        for (uint32_t i = 0; i < v->slots.len; i++)
            views_known_of(v, e)[i] = e < kept ? before[v->slots.data[i].cells[e]] : NOT_KNOWN;
    for (uint32_t i = 0; i < c->unknowns.len; i++) {
        const unknown *u = &c->unknowns.data[i];
        if (bits_has(bound, u->v.id)) learn_unknown(v, u, eval_expr(ev, before, expr_var(v->a->m, u->v)));
    }
}

// ---- fitting

// Elements that a view is to show: `who` by the view's own number.
typedef struct {
    views *v;
    const value *before;
    uint32_t who[PROJECT_MOST_KEPT];
    uint32_t set;  // the same as bits
} choice;

// May an element that the view calls `seen` be called `x` where kept elements and Other are told apart?
static bool views_same_element(const choice *c, value x, value seen) {
    uint32_t kept = c->v->a->kept_count;
    if (x == VALUE_UNDEFINED || seen == VALUE_UNDEFINED) return x == seen;
    if ((uint32_t)seen >= kept) return (uint32_t)x >= kept || !(c->set >> x & 1);
    uint32_t e = c->who[seen];
    return e < kept ? (uint32_t)x == e : (uint32_t)x >= kept;
}

static bool shows(const choice *c) {
    const views *v = c->v;
    for (uint32_t i = 0; i < v->shared.len; i++) {
        uint32_t cell = v->shared.data[i].cells[0];
        if (v->shared.data[i].is_id && !views_same_element(c, c->before[cell], v->cells[cell])) return false;
    }
    for (uint32_t k = 0; k < v->a->kept_count; k++)
        for (uint32_t i = 0; i < v->slots.len; i++) {
            value x = views_known_of(v, c->who[k])[i], seen = v->cells[v->slots.data[i].cells[k]];
            bool is_free = x == NOT_KNOWN || (x == SOME_VALUE && seen != VALUE_UNDEFINED);
            if (!is_free && !(v->slots.data[i].is_id ? views_same_element(c, x, seen) : x == seen)) return false;
        }
    return true;
}

// Tries all orders of the set's elements from number k on.
static bool shows_in_some_order(choice *c, uint32_t k, uint32_t rest) {
    if (k == c->v->a->kept_count) return shows(c);
    for (uint32_t e = 0; rest >> e; e++) {
        if (!(rest >> e & 1)) continue;
        c->who[k] = e;
        if (shows_in_some_order(c, k + 1, rest & ~(1u << e))) return true;
    }
    return false;
}

static bool views_is_shown(views *v, const value *before, uint32_t site, uint32_t set) {
    choice c = {.v = v, .before = before, .set = set};
    for (uint32_t i = v->newest.data[site]; i != UINT32_MAX; i = v->older.data[i]) {
        views_load(v, i);
        if (shows_in_some_order(&c, 0, set)) return true;
    }
    return false;
}

bool views_allow(views *v, const abstract_case *c, const value *before, eval *ev, const bits *bound) {
    uint32_t kept = v->a->kept_count, n = kept + c->nothers;
    views_catch_up(v, tuples_count(v->s->views));
    uint32_t site = views_site(v, before);
    if (site == UINT32_MAX) return false;
    learn(v, c, before, ev, bound);
    for (uint32_t set = 1; set < 1u << n; set++)
        if ((uint32_t)__builtin_popcount(set) == kept && set >> kept && !views_is_shown(v, before, site, set))
            return false;
    return true;
}
