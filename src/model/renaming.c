// SPDX-License-Identifier: Apache-2.0
// Permutations of elements: see renaming.h.
#include "model/renaming.h"

#include "model/bag.h"

renaming *renaming_new(const instance *in) {
    renaming *r = mem_zero(1, sizeof *r);
    r->in = in;
    r->to = mem_zero(in->m->types.len, sizeof *r->to);
    return r;
}

void renaming_free(renaming *r) {
    if (!r) return;
    for (uint32_t i = 0; i < r->in->m->types.len; i++) free(r->to[i]);
    free(r->to);
    free(r->cell_to);
    free(r);
}

value *renaming_open(renaming *r, type sort) {
    uint32_t n = instance_type_size(r->in, sort);
    if (r->to[sort.id]) return r->to[sort.id];
    value *to = r->to[sort.id] = mem_alloc((n + 1) * sizeof *to);
    for (uint32_t i = 0; i < n; i++) to[i] = (value)i;
    return to;
}

value renaming_value(const renaming *r, type t, value v) {
    if (v == VALUE_UNDEFINED) return v;
    if (r->to[t.id]) return r->to[t.id][v];
    const type_info *info = type_of(r->in->m, t);
    value start = 0;
    for (uint32_t i = 0; i < info->nmembers; i++) {
        type member = info->members[i];
        value size = (value)instance_type_size(r->in, member), first = instance_type_first(r->in, member);
        if (v < start + size) return start + renaming_value(r, member, v - start + first) - first;
        start += size;
    }
    return v;
}

void renaming_args(const renaming *r, rule of, const value *from, value *to) {
    const rule_info *info = rule_of(r->in->m, of);
    for (uint32_t i = 0; i < info->nparams; i++)
        to[i] = renaming_value(r, var_of(r->in->m, info->params[i])->ty, from[i]);
}

// ---- states

// The cells of a function whose first i arguments are chosen: from `from` on before, from `to` on after renaming.
static void map_cells(renaming *r, const func_info *f, uint32_t i, uint32_t from, uint32_t to, uint32_t cells) {
    if (i == f->nargs) {
        r->cell_to[from] = to;
        return;
    }
    type t = f->args[i];
    uint32_t n = instance_type_size(r->in, t), part = cells / n;
    value first = instance_type_first(r->in, t);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t image = (uint32_t)(renaming_value(r, t, first + (value)k) - first);
        map_cells(r, f, i + 1, from + k * part, to + image * part, part);
    }
}

void renaming_close(renaming *r) {
    const instance *in = r->in;
    const sys_info *system = sys_of(in->m, in->system);
    if (!r->cell_to) r->cell_to = mem_zero(in->ncells + 1, sizeof *r->cell_to);
    for (uint32_t i = 0; i < system->funcs.len; i++) {
        func f = system->funcs.data[i];
        uint32_t first = in->first_cell[f.id];
        map_cells(r, func_of(in->m, f), 0, first, first, instance_func_cells(in, f));
    }
}

static bool has_names(const renaming *r, type t) {
    const type_info *info = type_of(r->in->m, t);
    for (uint32_t i = 0; i < info->nmembers; i++)
        if (has_names(r, info->members[i])) return true;
    return r->to[t.id] != NULL;
}

void renaming_state(const renaming *r, const value *from, value *to) {
    const instance *in = r->in;
    const sys_info *system = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < system->funcs.len; i++) {
        func f = system->funcs.data[i];
        type t = func_of(in->m, f)->result;
        uint32_t first = in->first_cell[f.id], end = first + instance_func_cells(in, f);
        bool is_renamed = has_names(r, t);
        for (uint32_t c = first; c < end; c++) to[r->cell_to[c]] = is_renamed ? renaming_value(r, t, from[c]) : from[c];
    }
    bag_order(in, to);
}

// ---- text

static uint32_t count_moved(const value *to, uint32_t n) {
    uint32_t moved = 0;
    for (uint32_t i = 0; i < n; i++) moved += to[i] != (value)i;
    return moved;
}

static void list_moved(const value *to, uint32_t n, bool is_name_after, const char *last, str *out) {
    uint32_t left = count_moved(to, n);
    for (uint32_t i = 0; i < n; i++) {
        if (to[i] == (value)i) continue;
        str_printf(out, "%d%s", (is_name_after ? to[i] : (value)i) + 1, --left > 1 ? ", " : left ? last : "");
    }
}

void renaming_text(const renaming *r, str *out) {
    const char *separator = "";
    for (uint32_t t = 1; t < r->in->m->types.len; t++) {
        uint32_t n = r->to[t] ? instance_type_size(r->in, (type){t}) : 0;
        uint32_t moved = n ? count_moved(r->to[t], n) : 0;
        if (!moved) continue;
        str_printf(out, "%s%s ", separator, type_of(r->in->m, (type){t})->name);
        list_moved(r->to[t], n, false, moved == 2 ? " and " : ", ", out);
        if (moved == 2) str_add(out, " exchanged");
        else str_add(out, " named "), list_moved(r->to[t], n, true, ", ", out);
        separator = "; ";
    }
}
