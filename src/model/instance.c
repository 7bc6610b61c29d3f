// SPDX-License-Identifier: Apache-2.0
// Instances: sizes for sorts, cells for functions. See instance.h.
#include "model/instance.h"

#include "model/real.h"
#include "model/walk.h"

#include <assert.h>
#include <string.h>

enum { SIZE_UNLESS_SAID = 2 };

static bool set_size(instance *in, type t, uint32_t asked) {
    const type_info *info = type_of(in->m, t);
    if (info->fixed_size && asked && asked != info->fixed_size) {
        diag_error(in->m->messages, info->at, "sort '%s' has the fixed size %u, not %u", info->name, info->fixed_size,
                   asked);
        return false;
    }
    uint32_t size = asked ? asked : info->fixed_size ? info->fixed_size : info->default_size;
    if (!size) size = SIZE_UNLESS_SAID;
    if (size > INSTANCE_LARGEST_SORT) {
        diag_error(in->m->messages, info->at, "size %u of sort '%s' exceeds the limit of %u", size, info->name,
                   INSTANCE_LARGEST_SORT);
        return false;
    }
    in->sort_size[t.id] = size;
    return true;
}

static bool set_sizes(instance *in, const sort_size *sizes, uint32_t nsizes) {
    bool ok = true;
    uint32_t *asked = mem_zero(in->m->types.len, sizeof *asked);
    for (uint32_t i = nsizes; i-- > 0;) asked[sizes[i].sort.id] = sizes[i].size;  // the first counts
    for (uint32_t i = 1; i < in->m->types.len; i++)
        if (in->m->types.data[i].kind == TYPE_SORT) ok &= set_size(in, (type){i}, asked[i]);
    free(asked);
    return ok;
}

static uint32_t count_values(const instance *in, type t) {
    const type_info *info = type_of(in->m, t);
    assert(info->kind != TYPE_SORT || t.id < in->ntypes);
    if (info->kind == TYPE_SORT) return in->sort_size[t.id];
    if (info->kind != TYPE_UNION) return type_known_size(in->m, t);
    uint32_t size = 0;
    for (uint32_t i = 0; i < info->nmembers; i++) size += count_values(in, info->members[i]);
    return size;
}

instance_values instance_values_later(const instance *in, type t) {
    return (instance_values){count_values(in, t), type_first(in->m, t)};
}

static bool find_values(instance *in) {
    in->values_of = mem_zero(in->ntypes, sizeof *in->values_of);
    for (uint32_t i = 1; i < in->ntypes; i++) in->values_of[i] = instance_values_later(in, (type){i});
    return true;
}

uint32_t instance_member_start(const instance *in, type u, type member) {
    const type_info *info = type_of(in->m, u);
    uint32_t start = 0;
    for (uint32_t i = 0; i < info->nmembers; i++) {
        if (type_same(info->members[i], member)) return start;
        start += instance_type_size(in, info->members[i]);
    }
    return UINT32_MAX;
}

type instance_member_of(const instance *in, type u, value v, value *own) {
    const type_info *info = type_of(in->m, u);
    for (uint32_t i = 0; i < info->nmembers; i++) {
        value size = (value)instance_type_size(in, info->members[i]);
        *own = v + instance_type_first(in, info->members[i]);
        if (v < size) return info->members[i];
        v -= size;
    }
    return (type){0};
}

// UINT64_MAX-free: the product is cut off as soon as it passes the limit.
static uint64_t count_cells(const instance *in, func f) {
    const func_info *info = func_of(in->m, f);
    uint64_t n = 1;
    for (uint32_t i = 0; i < info->nargs && n <= INSTANCE_MOST_CELLS; i++) n *= instance_type_size(in, info->args[i]);
    return n;
}

uint32_t instance_func_cells(const instance *in, func f) { return (uint32_t)count_cells(in, f); }

static bool instance_lay_out(instance *in) {
    const sys_info *s = sys_of(in->m, in->system);
    uint64_t next = 0;
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        func f = s->funcs.data[i];
        in->first_cell[f.id] = (uint32_t)next;
        next += count_cells(in, f);
        if (next > INSTANCE_MOST_CELLS) {
            diag_error(in->m->messages, func_of(in->m, f)->at, "a state of '%s' at these sizes has more than %u cells",
                       s->name, INSTANCE_MOST_CELLS);
            return false;
        }
    }
    in->ncells = (uint32_t)next;
    return true;
}

instance *instance_new(model *m, sys s, const sort_size *sizes, uint32_t nsizes) {
    instance *in = mem_zero(1, sizeof *in);
    in->m = m;
    in->system = s;
    in->ntypes = m->types.len;
    in->sort_size = mem_zero(m->types.len, sizeof *in->sort_size);
    in->first_cell = mem_alloc(m->funcs.len * sizeof *in->first_cell);
    memset(in->first_cell, 0xff, m->funcs.len * sizeof *in->first_cell);
    if (set_sizes(in, sizes, nsizes) && find_values(in) && instance_lay_out(in)) return in;
    instance_free(in);
    return NULL;
}

instance *instance_try(model *m, sys s, const sort_size *sizes, uint32_t nsizes) {
    diag_silence(m->messages);
    instance *in = instance_new(m, s, sizes, nsizes);
    diag_speak(m->messages);
    return in;
}

void instance_free(instance *in) {
    if (!in) return;
    free(in->sort_size);
    free(in->values_of);
    free(in->first_cell);
    free(in);
}

uint32_t instance_cell(const instance *in, func f, const value *args) {
    const func_info *info = func_of(in->m, f);
    uint32_t offset = 0;
    for (uint32_t i = 0; i < info->nargs; i++) {
        int64_t index = (int64_t)args[i] - instance_type_first(in, info->args[i]);
        uint32_t size = instance_type_size(in, info->args[i]);
        if (index < 0 || index >= size) return UINT32_MAX;
        offset = offset * size + (uint32_t)index;
    }
    return in->first_cell[f.id] + offset;
}

func instance_cell_func(const instance *in, uint32_t cell, value *args) {
    const sys_info *s = sys_of(in->m, in->system);
    uint32_t k = 0, end = s->funcs.len;
    while (k + 1 < end) {
        uint32_t middle = k + (end - k) / 2;
        if (in->first_cell[s->funcs.data[middle].id] <= cell) k = middle;
        else end = middle;
    }
    func f = s->funcs.data[k];
    const func_info *info = func_of(in->m, f);
    uint32_t offset = cell - in->first_cell[f.id];
    for (uint32_t i = info->nargs; i-- > 0;) {
        uint32_t size = instance_type_size(in, info->args[i]);
        args[i] = instance_type_first(in, info->args[i]) + (value)(offset % size);
        offset /= size;
    }
    return f;
}

// ---- which sorts a system mentions

static void mark_type(const model *m, uint8_t *used, type t) {
    used[t.id] = 1;
    for (uint32_t i = 0; i < type_of(m, t)->nmembers; i++) mark_type(m, used, type_of(m, t)->members[i]);
}

static void mark_vars(const model *m, uint8_t *used, const var *vars, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) mark_type(m, used, var_of(m, vars[i])->ty);
}

static void mark_rule(walk *w, uint8_t *used, rule r) {
    const rule_info *info = rule_of(w->m, r);
    mark_vars(w->m, used, info->params, info->nparams);
    walk_add_rule(w, r);
}

static void mark_system(walk *w, uint8_t *used, const sys_info *s) {
    for (uint32_t i = 0; i < s->funcs.len; i++) {
        const func_info *f = func_of(w->m, s->funcs.data[i]);
        mark_type(w->m, used, f->result);
        for (uint32_t k = 0; k < f->nargs; k++) mark_type(w->m, used, f->args[k]);
    }
    for (uint32_t i = 0; i < s->rules.len; i++) mark_rule(w, used, s->rules.data[i]);
    for (uint32_t i = 0; i < s->inits.len; i++) mark_rule(w, used, s->inits.data[i]);
    for (uint32_t i = 0; i < s->assumes.len; i++) walk_add(w, s->assumes.data[i].cond, 0);
    for (uint32_t i = 0; i < s->axioms.len; i++) walk_add(w, s->axioms.data[i].cond, 0);
}

void instance_sorts(const model *m, sys s, type_list *out) {
    uint8_t *used = mem_zero(m->types.len, 1);
    walk w = walk_expr(m, (expr){0}, WALK_CALLS);
    mark_system(&w, used, sys_of(m, s));
    for (uint32_t i = 1; i < m->props.len; i++)
        if (m->props.data[i].system.id == s.id) walk_add(&w, m->props.data[i].cond, 0);
    while (walk_next(&w)) {
        if (w.s) mark_vars(m, used, w.s->vars, w.s->nvars);
        else mark_type(m, used, w.x->ty);
        if (w.x && expr_kind_binds(w.x->kind)) mark_vars(m, used, &(var){w.x->ref}, 1);
    }
    for (uint32_t i = 1; i < m->types.len; i++)
        if (used[i] && m->types.data[i].kind == TYPE_SORT && !m->types.data[i].is_slot) vec_push(out, (type){i});
    free(used);
}

void instance_sizes_text(const instance *in, str *out) {
    type_list sorts = {0};
    instance_sorts(in->m, in->system, &sorts);
    for (uint32_t i = 0; i < sorts.len; i++)
        str_printf(out, "%s%s=%u", i ? ", " : "", type_of(in->m, sorts.data[i])->name, in->sort_size[sorts.data[i].id]);
    vec_free(&sorts);
}

void instance_value_text(const instance *in, type t, value v, str *out) {
    const type_info *info = type_of(in->m, t);
    if (v == VALUE_UNDEFINED) {
        str_add(out, "undefined");
        return;
    }
    switch (info->kind) {
    case TYPE_BOOL: str_add(out, v ? "true" : "false"); return;
    case TYPE_ENUM: str_add(out, info->literals[v]); return;
    case TYPE_RANGE: str_printf(out, "%d", v); return;
    case TYPE_REAL: real_text(info, v, out); return;
    case TYPE_SORT: str_printf(out, "%d", v + 1); return;
    case TYPE_UNION: {
        value own = 0;
        type member = instance_member_of(in, t, v, &own);
        if (type_of(in->m, member)->kind == TYPE_SORT) str_printf(out, "%s_", type_of(in->m, member)->name);
        instance_value_text(in, member, own, out);
    }
    }
}
