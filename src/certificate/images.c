// SPDX-License-Identifier: Apache-2.0
// Images of states: see images.h. For every exchange there is a table of where each cell goes; values are exchanged by
// their cell's type.
#include "certificate/images.h"

typedef struct {
    type sort;
    value a, b;       // the elements
    uint32_t *place;  // by cell: where its value goes
} exchange;

struct images {
    const instance *in;
    type *result;  // by cell: its type
    VEC(exchange) exchanges;
};

// A value of type t with a and b exchanged where it is an element of the sort.
static value images_exchanged(const instance *in, const exchange *x, type t, value v) {
    const type_info *info = type_of(in->m, t);
    if (v == VALUE_UNDEFINED) return v;
    if (type_same(t, x->sort)) return v == x->a ? x->b : v == x->b ? x->a : v;
    for (uint32_t i = 0; i < info->nmembers; i++) {
        value start = (value)instance_member_start(in, t, info->members[i]);
        value size = (value)instance_type_size(in, info->members[i]);
        value first = instance_type_first(in, info->members[i]);
        if (v >= start && v < start + size)
            return images_exchanged(in, x, info->members[i], v - start + first) - first + start;
    }
    return v;
}

static void place_cells(images *y, exchange *x, func f) {
    const func_info *info = func_of(y->in->m, f);
    uint32_t first = y->in->first_cell[f.id], n = instance_func_cells(y->in, f);
    value *args = mem_zero(info->nargs + 1, sizeof *args);
    for (uint32_t c = first; c < first + n; c++) {
        y->result[c] = info->result;
        instance_cell_func(y->in, c, args);
        for (uint32_t i = 0; i < info->nargs; i++) args[i] = images_exchanged(y->in, x, info->args[i], args[i]);
        x->place[c] = instance_cell(y->in, f, args);
    }
    free(args);
}

static void images_add_exchange(images *y, type sort, value a) {
    exchange x = {.sort = sort, .a = a, .b = a + 1};
    const sys_info *s = sys_of(y->in->m, y->in->system);
    x.place = mem_zero(y->in->ncells + 1, sizeof *x.place);
    for (uint32_t i = 0; i < s->funcs.len; i++) place_cells(y, &x, s->funcs.data[i]);
    vec_push(&y->exchanges, x);
}

images *images_new(const instance *in, const type *sorts, uint32_t nsorts) {
    images *y = mem_zero(1, sizeof *y);
    y->in = in;
    y->result = mem_zero(in->ncells + 1, sizeof *y->result);
    for (uint32_t i = 0; i < nsorts; i++) {
        uint32_t size = instance_type_size(in, sorts[i]);
        for (uint32_t a = 0; a + 1 < size; a++) images_add_exchange(y, sorts[i], (value)a);
    }
    return y;
}

void images_free(images *y) {
    if (!y) return;
    for (uint32_t i = 0; i < y->exchanges.len; i++) free(y->exchanges.data[i].place);
    vec_free(&y->exchanges);
    free(y->result);
    free(y);
}

uint32_t images_count(const images *y) { return y->exchanges.len; }

void images_make(const images *y, uint32_t number, const value *from, value *to) {
    const exchange *x = &y->exchanges.data[number];
    for (uint32_t c = 0; c < y->in->ncells; c++) to[x->place[c]] = images_exchanged(y->in, x, y->result[c], from[c]);
}
