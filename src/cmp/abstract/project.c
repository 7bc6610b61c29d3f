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

// A union's values are those of its members, one member after the other: kept elements and Other are where the
// sort is.
static value seen_as(const projection *p, type ty, value v) {
    const abstraction *a = p->a;
    if (v == VALUE_UNDEFINED) return v;
    if (type_same(ty, a->sort)) return seen_element(p, v);
    uint32_t first = instance_member_start(p->from, ty, a->sort);
    if (type_of(a->m, ty)->kind != TYPE_UNION || first == UINT32_MAX || v < (value)first) return v;
    value size = (value)p->from->sort_size[a->sort.id], own = v - (value)first;
    return own < size ? (value)first + seen_element(p, own) : v - size + (value)a->kept_count + 1;
}

static func origin_of(const abstraction *a, func abstract) {
    const sys_info *s = sys_of(a->m, a->origin);
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (a->funcs[s->funcs.data[i].id].id == abstract.id) return s->funcs.data[i];
    return (func){0};
}

// Of an array over the sort, or over a union with it.
static value source_arg(const abstraction *a, const instance *from, const value *elements, type ty, value v) {
    if (type_same(ty, a->sort)) return elements[v];
    uint32_t first = instance_member_start(from, ty, a->sort);
    if (type_of(a->m, ty)->kind != TYPE_UNION || first == UINT32_MAX || v < (value)first) return v;
    value own = v - (value)first, kept = (value)a->kept_count;
    return own < kept ? (value)first + elements[own] : v - kept + (value)from->sort_size[a->sort.id];
}

// Where the value of an abstract cell comes from; locals have none between steps.
static uint32_t source_cell(const abstraction *a, const instance *from, const value *elements, func origin,
                            const value *args) {
    value own[MODEL_MOST_ARGS];
    if (!origin.id || func_of(a->m, origin)->is_scratch) return UINT32_MAX;
    const func_info *f = func_of(a->m, origin);
    for (uint32_t i = 0; i < f->nargs; i++) own[i] = source_arg(a, from, elements, f->args[i], args[i]);
    return instance_cell(from, origin, own);
}

projection *project_new(const abstraction *a, const instance *from, const value *elements, const instance *to) {
    projection *p = mem_zero(1, sizeof *p);
    *p = (projection){.a = a, .from = from, .to = to, .ncells = to->ncells};
    sort_size size = {a->sort, from->sort_size[a->sort.id]};
    p->own = a->ghosts.len ? instance_try(a->m, a->origin, &size, 1) : NULL;
    assert(!p->own || p->own->ncells == from->ncells);
    p->ev = p->own ? eval_new(p->own) : NULL;
    p->source = mem_zero(to->ncells + 1, sizeof *p->source);
    p->types = mem_zero(to->ncells + 1, sizeof *p->types);
    for (uint32_t i = 0; i < a->kept_count; i++) p->elements[i] = elements[i];
    for (uint32_t i = 0; i < a->state.len; i++) {
        func f = a->state.data[i], origin = origin_of(a, f);
        uint32_t first = to->first_cell[f.id], n = instance_func_cells(to, f);
        for (uint32_t c = first; c < first + n; c++) {
            value args[MODEL_MOST_ARGS];
            instance_cell_func(to, c, args);
            p->source[c] = source_cell(a, from, elements, origin, args);
            if (origin.id) p->types[c] = func_of(a->m, origin)->result;
        }
    }
    return p;
}

void project_free(projection *p) {
    if (!p) return;
    free(p->source);
    free(p->types);
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
    for (uint32_t c = 0; c < p->ncells; c++) {
        bool is_seen = p->source[c] != UINT32_MAX;
        out[c] = is_seen ? seen_as(p, p->types[c], cells[p->source[c]]) : VALUE_UNDEFINED;
    }
    for (uint32_t i = 0; i < p->a->ghosts.len; i++) {
        const ghost *w = &p->a->ghosts.data[i];
        out[p->to->first_cell[w->f.id]] = is_some_other(p, w, cells);
    }
}

void project_state(const abstraction *a, const instance *from, const value *cells, const value *elements,
                   const instance *to, value *out) {
    projection *p = project_new(a, from, elements, to);
    project_cells(p, cells, out);
    project_free(p);
}

static bool are_different(const abstraction *a, const value *elements) {
    for (uint32_t i = 0; i < a->kept_count; i++)
        for (uint32_t k = i + 1; k < a->kept_count; k++)
            if (elements[i] == elements[k]) return false;
    return true;
}

static bool count_up(const abstraction *a, uint32_t size, value *elements) {
    for (uint32_t i = a->kept_count; i-- > 0;) {
        if ((uint32_t)++elements[i] < size) return true;
        elements[i] = 0;
    }
    return false;
}

bool project_next(const abstraction *a, uint32_t size, value *elements, bool *first) {
    if (*first)
        for (uint32_t i = 0; i < a->kept_count; i++) elements[i] = 0;
    bool more = *first || count_up(a, size, elements);
    *first = false;
    while (more && !are_different(a, elements)) more = count_up(a, size, elements);
    return more;
}
