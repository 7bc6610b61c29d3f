// SPDX-License-Identifier: Apache-2.0
// Is one state a renaming of another? See sameorbit.h.
//
// Elements of both states get colours that do not depend on names: hashes of the cells they occur in and of the
// colours of the elements next to them there, refined until they tell no more elements apart. Only elements of
// equal colours can correspond. Where a colour has several, one of the first state is matched with each of the
// second in turn, and colours are refined again. In the end the permutation is applied, cell by cell: an answer
// ORBIT_SAME never rests on a hash; ORBIT_OTHER rests only on equal things having equal hashes.
#include "explore/sameorbit.h"

#include "model/bag.h"

#include <string.h>

// What a cell says: a hash of everything that is not an element, and the elements at its places.
typedef struct {
    uint64_t hash;
    uint32_t n, element[MODEL_MOST_ARGS + 1], place[MODEL_MOST_ARGS + 1];
} fact;

typedef struct {
    const instance *in;
    const type_list *sorts;
    const value *states[2];
    uint32_t *first;  // by type id: its elements are numbered from here; UINT32_MAX: they keep their names
    uint32_t nelements;
    uint64_t *sums;
    value *renamed;
    uint64_t *steps;
} matcher;

static uint64_t sameorbit_mix(uint64_t x) {
    x = (x ^ (x >> 31)) * UINT64_C(0x9E3779B97F4A7C15);
    return x ^ (x >> 29);
}

// The element that a value of type t is, or UINT32_MAX.
static uint32_t sameorbit_element_of(const matcher *m, type t, value v) {
    if (v == VALUE_UNDEFINED) return UINT32_MAX;
    if (type_of(m->in->m, t)->nmembers) {
        type member = instance_member_of(m->in, t, v, &v);
        return sameorbit_element_of(m, member, v);
    }
    return m->first[t.id] == UINT32_MAX ? UINT32_MAX : m->first[t.id] + (uint32_t)v;
}

// ---- colours

// Slots of multisets lie in an order that depends on names, so it says nothing which one it is.
static void fact_add(const matcher *m, fact *f, uint32_t place, type t, value v) {
    if (bag_orders(m->in->m, m->in->system, t)) return;
    uint32_t e = sameorbit_element_of(m, t, v);
    if (e == UINT32_MAX) {
        f->hash = sameorbit_mix(f->hash ^ ((uint64_t)(uint32_t)v << 8 | place));
        return;
    }
    f->element[f->n] = e;
    f->place[f->n++] = place;
}

static void add_fact(const matcher *m, const fact *f, const uint64_t *colour) {
    for (uint32_t i = 0; i < f->n; i++) {
        uint64_t h = sameorbit_mix(f->hash + f->place[i]);
        for (uint32_t k = 0; k < f->n; k++)
            if (k != i) h = sameorbit_mix(h ^ (colour[f->element[k]] + f->place[k]) ^ (f->element[k] == f->element[i]));
        m->sums[f->element[i]] += sameorbit_mix(h);
    }
}

static void sameorbit_next_args(const instance *in, const func_info *f, value *args) {
    for (uint32_t i = f->nargs; i-- > 0;) {
        value first = instance_type_first(in, f->args[i]);
        if (++args[i] < first + (value)instance_type_size(in, f->args[i])) return;
        args[i] = first;
    }
}

static void sameorbit_add_function(const matcher *m, func id, const value *state, const uint64_t *colour) {
    const instance *in = m->in;
    const func_info *info = func_of(in->m, id);
    value args[MODEL_MOST_ARGS];
    for (uint32_t i = 0; i < info->nargs; i++) args[i] = instance_type_first(in, info->args[i]);
    uint32_t first = in->first_cell[id.id], n = instance_func_cells(in, id);
    for (uint32_t c = first; c < first + n; c++, sameorbit_next_args(in, info, args)) {
        fact f;
        f.hash = sameorbit_mix(id.id);
        f.n = 0;
        for (uint32_t i = 0; i < info->nargs; i++) fact_add(m, &f, i + 1, info->args[i], args[i]);
        fact_add(m, &f, 0, info->result, state[c]);
        add_fact(m, &f, colour);
    }
}

static bool sameorbit_refine_once(matcher *m, const value *state, uint64_t *colour) {
    const sys_info *system = sys_of(m->in->m, m->in->system);
    if (*m->steps < 3 * m->in->ncells) return false;
    *m->steps -= 3 * m->in->ncells;
    memset(m->sums, 0, m->nelements * sizeof *m->sums);
    for (uint32_t i = 0; i < system->funcs.len; i++) sameorbit_add_function(m, system->funcs.data[i], state, colour);
    for (uint32_t i = 0; i < m->nelements; i++) colour[i] = sameorbit_mix(colour[i] + m->sums[i]);
    return true;
}

static uint32_t sameorbit_count_colours(const matcher *m, const uint64_t *colour) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->nelements; i++) {
        bool is_new = true;
        for (uint32_t k = 0; k < i && is_new; k++) is_new = colour[k] != colour[i];
        n += is_new;
    }
    return n;
}

// The same number of rounds for both states, so that colours can be compared.
static bool sameorbit_refine(matcher *m, uint64_t *a, uint64_t *b) {
    for (uint32_t before = 0, now = sameorbit_count_colours(m, a); now > before; now = sameorbit_count_colours(m, a)) {
        before = now;
        if (!sameorbit_refine_once(m, m->states[0], a) || !sameorbit_refine_once(m, m->states[1], b)) return false;
    }
    return true;
}

static uint32_t count_equal(const matcher *m, const uint64_t *colour, uint64_t wanted) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->nelements; i++) n += colour[i] == wanted;
    return n;
}

static bool is_same_colouring(const matcher *m, const uint64_t *a, const uint64_t *b) {
    for (uint32_t i = 0; i < m->nelements; i++)
        if (count_equal(m, a, a[i]) != count_equal(m, b, a[i])) return false;
    return true;
}

// ---- matching

static sameorbit_answer sameorbit_apply(matcher *m, const uint64_t *a, const uint64_t *b) {
    renaming *r = renaming_new(m->in);
    for (uint32_t k = 0; k < m->sorts->len; k++) {
        type t = m->sorts->data[k];
        value *to = renaming_open(r, t);
        for (uint32_t i = 0; i < instance_type_size(m->in, t); i++)
            for (uint32_t j = 0; j < instance_type_size(m->in, t); j++)
                if (a[m->first[t.id] + i] == b[m->first[t.id] + j]) to[i] = (value)j;
    }
    renaming_close(r);
    renaming_state(r, m->states[0], m->renamed);
    renaming_free(r);
    bool is_same = !memcmp(m->renamed, m->states[1], m->in->ncells * sizeof *m->renamed);
    return is_same ? ORBIT_SAME : ORBIT_OTHER;
}

static sameorbit_answer sameorbit_match(matcher *m, uint64_t *a, uint64_t *b, uint32_t depth);

// Element e of the first state is matched with each of the second that has its colour.
static sameorbit_answer sameorbit_branch(matcher *m, const uint64_t *a, const uint64_t *b, uint32_t e, uint32_t depth) {
    uint32_t n = m->nelements;
    uint64_t next[2][n + 1];
    for (uint32_t f = 0; f < n; f++) {
        if (b[f] != a[e]) continue;
        memcpy(next[0], a, n * sizeof *a);
        memcpy(next[1], b, n * sizeof *b);
        next[0][e] = next[1][f] = sameorbit_mix(a[e] + depth + 1);
        sameorbit_answer answer = sameorbit_match(m, next[0], next[1], depth + 1);
        if (answer != ORBIT_OTHER) return answer;
    }
    return ORBIT_OTHER;
}

static sameorbit_answer sameorbit_match(matcher *m, uint64_t *a, uint64_t *b, uint32_t depth) {
    if (!sameorbit_refine(m, a, b)) return ORBIT_TOO_HARD;
    if (!is_same_colouring(m, a, b)) return ORBIT_OTHER;
    for (uint32_t e = 0; e < m->nelements; e++)
        if (count_equal(m, a, a[e]) > 1) return sameorbit_branch(m, a, b, e, depth);
    return sameorbit_apply(m, a, b);
}

static void number_elements(matcher *m, arena *memory) {
    uint32_t ntypes = m->in->m->types.len;
    m->first = arena_alloc(memory, ntypes * sizeof *m->first);
    memset(m->first, 0xff, ntypes * sizeof *m->first);
    for (uint32_t k = 0; k < m->sorts->len; k++) {
        m->first[m->sorts->data[k].id] = m->nelements;
        m->nelements += instance_type_size(m->in, m->sorts->data[k]);
    }
}

sameorbit_answer sameorbit(const instance *in, const type_list *sorts, const value *a, const value *b,
                           uint64_t *steps) {
    arena *memory = arena_new();
    matcher m = {.in = in, .sorts = sorts, .states = {a, b}, .steps = steps};
    number_elements(&m, memory);
    m.sums = arena_alloc(memory, m.nelements * sizeof *m.sums);
    m.renamed = arena_alloc(memory, in->ncells * sizeof *m.renamed);
    uint64_t *colours = arena_alloc(memory, 2 * m.nelements * sizeof *colours);
    for (uint32_t k = 0, e = 0; k < sorts->len; k++)
        for (uint32_t i = 0; i < instance_type_size(in, sorts->data[k]); i++, e++)
            colours[e] = colours[m.nelements + e] = sameorbit_mix(k + 1);
    sameorbit_answer answer = sameorbit_match(&m, colours, colours + m.nelements, 0);
    arena_free(memory);
    return answer;
}
