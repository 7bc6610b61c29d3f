// SPDX-License-Identifier: Apache-2.0
// See project.h.
#include "cmp/abstract/project.h"

#include <assert.h>
#include <stdlib.h>

static value seen_element(const projection *p, value v) {
    for (uint32_t i = 0; i < p->a->kept_count; i++)
        if (p->elements[i] == v) return (value)i;
    return (value)p->a->kept_count;
}

// Where elements begin among a type's values; UINT32_MAX: it has none.
static uint32_t elements_from(const projection *p, type ty) {
    if (type_same(ty, p->a->sort)) return 0;
    bool is_union = type_of(p->a->m, ty)->kind == TYPE_UNION;
    return is_union ? instance_member_start(p->from, ty, p->a->sort) : UINT32_MAX;
}

// A union's values are those of its members, one member after the other: kept elements and Other are where the
// sort is.
static value seen_as(const projection *p, uint32_t first, value v) {
    if (v == VALUE_UNDEFINED || first == UINT32_MAX || v < (value)first) return v;
    value size = (value)p->from->sort_size[p->a->sort.id], own = v - (value)first;
    return own < size ? (value)first + seen_element(p, own) : v - size + (value)p->a->kept_count + 1;
}

// An index of an array over the sort, or over a union with it.
static value source_arg(const projection *p, type ty, value v) {
    uint32_t first = elements_from(p, ty);
    if (first == UINT32_MAX || v < (value)first) return v;
    value own = v - (value)first, kept = (value)p->a->kept_count;
    return own < kept ? (value)first + p->elements[own] : v - kept + (value)p->from->sort_size[p->a->sort.id];
}

// Where the values of a function's cells come from.
static void find_sources(projection *p, func origin) {
    const func_info *f = func_of(p->a->m, origin);
    const func seen = p->a->funcs[origin.id];
    uint32_t first = p->to->first_cell[seen.id], n = instance_func_cells(p->to, seen);
    for (uint32_t c = first; c < first + n; c++) {
        value args[MODEL_MOST_ARGS];
        instance_cell_func(p->to, c, args);
        for (uint32_t i = 0; i < f->nargs; i++) args[i] = source_arg(p, f->args[i], args[i]);
        p->source[c] = instance_cell(p->from, origin, args);
        p->first[c] = elements_from(p, f->result);
    }
}

projection *project_new(const abstraction *a, const instance *from, const value *elements, const instance *to) {
    projection *p = mem_zero(1, sizeof *p);
    const sys_info *s = sys_of(a->m, a->origin);
    *p = (projection){.a = a, .from = from, .to = to};
    sort_size size = {a->sort, from->sort_size[a->sort.id]};
    p->own = a->ghosts.len ? instance_try(a->m, a->origin, &size, 1) : NULL;
    assert(!p->own || p->own->ncells == from->ncells);
    p->ev = p->own ? eval_new(p->own) : NULL;
    p->source = mem_zero(to->ncells + 1, sizeof *p->source);
    p->first = mem_zero(to->ncells + 1, sizeof *p->first);
    for (uint32_t i = 0; i < a->kept_count; i++) p->elements[i] = elements[i];
    for (uint32_t c = 0; c < to->ncells; c++) p->source[c] = UINT32_MAX;  // locals have no value between steps
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (!func_of(a->m, s->funcs.data[i])->is_scratch) find_sources(p, s->funcs.data[i]);
    return p;
}

void project_free(projection *p) {
    if (!p) return;
    free(p->source);
    free(p->first);
    if (p->ev) eval_free(p->ev);
    instance_free(p->own);
    free(p);
}

static value is_some_other(const projection *p, const ghost *w, const value *cells) {
    for (value v = 0; v < (value)p->from->sort_size[p->a->sort.id]; v++) {
        if (seen_element(p, v) < (value)p->a->kept_count) continue;
        eval_bind(p->ev, p->a->someone, v);
        if (eval_expr(p->ev, cells, w->holds)) return 1;
    }
    return 0;
}

void project_cells(const projection *p, const value *cells, value *out) {
    for (uint32_t c = 0; c < p->to->ncells; c++) {
        bool is_seen = p->source[c] != UINT32_MAX;
        out[c] = is_seen ? seen_as(p, p->first[c], cells[p->source[c]]) : VALUE_UNDEFINED;
    }
    for (uint32_t i = 0; i < p->a->ghosts.len; i++) {
        const ghost *w = &p->a->ghosts.data[i];
        out[p->to->first_cell[w->f.id]] = is_some_other(p, w, cells);
    }
}

bool project_next(const abstraction *a, uint32_t size, value *elements, bool *first) {
    uint32_t n = a->kept_count, i = n;  // of those before i, as many as can be stay
    while (!*first && i > 0 && (uint32_t)elements[i - 1] == size - n + i - 1) i--;
    if (!*first && i == 0) return false;
    if (*first) elements[0] = 0, i = 1;
    else elements[i - 1]++;
    *first = false;
    for (; i < n; i++) elements[i] = elements[i - 1] + 1;
    return (uint32_t)elements[n - 1] < size;
}
