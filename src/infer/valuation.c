// SPDX-License-Identifier: Apache-2.0
// Values of shapes for tuples of elements: see valuation.h.
#include "infer/valuation.h"

static uint32_t valuation_sort_elements(const valuation *v, uint32_t sort) {
    return instance_type_size(v->s->in, v->p->sorts.data[sort]);
}

static uint32_t shape_tuples(const valuation *v, const shape *s) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < s->nformals; i++) n *= valuation_sort_elements(v, s->sorts[i]);
    return n;
}

valuation *valuation_new(const atom_pool *p, const sample *s) {
    valuation *v = mem_zero(1, sizeof *v);
    v->p = p;
    v->s = s;
    v->x = slicer_new(s);
    v->first = mem_zero(p->shapes.len + 1, sizeof *v->first);
    for (uint32_t i = 0; i < p->shapes.len; i++) v->first[i + 1] = v->first[i] + shape_tuples(v, &p->shapes.data[i]);
    v->columns = mem_zero(v->first[p->shapes.len] + 1, sizeof *v->columns);
    return v;
}

valuation *valuation_of_state(const atom_pool *p, const instance *in, const value *state) {
    sample *one = sample_new(in, 1);
    sample_add(one, state);
    valuation *v = valuation_new(p, one);
    v->own = one;
    return v;
}

void valuation_free(valuation *v) {
    if (!v) return;
    sample_free(v->own);
    for (uint32_t i = 0; i < v->first[v->p->shapes.len]; i++) free(v->columns[i]);
    free(v->columns);
    free(v->first);
    slicer_free(v->x);
    free(v);
}

const uint64_t *valuation_column(valuation *v, uint32_t number, const value *to) {
    const atom *a = &v->p->atoms.data[number];
    const shape *s = &v->p->shapes.data[a->shape];
    uint32_t index = 0;
    for (uint32_t i = 0; i < s->nformals; i++)
        index = index * valuation_sort_elements(v, s->sorts[i]) + (uint32_t)to[a->args[i]];
    uint64_t **column = &v->columns[v->first[a->shape] + index];
    if (*column) return *column;
    slicer_clear(v->x);
    for (uint32_t i = 0; i < s->nformals; i++) slicer_bind(v->x, s->formals[i], to[a->args[i]]);
    *column = mem_alloc(v->s->nwords * sizeof **column);
    sample_eval(v->x, s->body, *column);
    return *column;
}
