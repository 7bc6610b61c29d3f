// SPDX-License-Identifier: Apache-2.0
// A countermodel as an instance: elements alive become elements 0, 1, … in order, cells become values.
#include "logic/logic_int.h"

#include "model/eval.h"

#include <string.h>

void witness_clear(logic *l) {
    instance_free(l->in);
    free(l->before);
    free(l->after);
    l->in = NULL;
    l->before = l->after = NULL;
    l->has_witness = false;
}

static uint64_t witness_cells_of(const logic *l, func f, const uint32_t *sizes) {
    const func_info *info = func_of(l->m, f);
    uint64_t n = 1;
    for (uint32_t k = 0; k < info->nargs && n <= INSTANCE_MOST_CELLS; k++)
        n *= type_is_unbounded(l->m, info->args[k]) ? sizes[info->args[k].id] : type_known_size(l->m, info->args[k]);
    return n;
}

bool witness_instance(logic *l, const uint32_t *sizes) {
    VEC(sort_size) list = {0};
    bool fits = true;
    for (uint32_t i = 1; i < l->m->types.len; i++) {
        if (!type_is_unbounded(l->m, (type){i})) continue;
        vec_push(&list, (sort_size){{i}, sizes[i]});
        fits &= sizes[i] <= INSTANCE_LARGEST_SORT;
    }
    uint64_t cells = 0;
    for (uint32_t i = 0; i < sys_of(l->m, l->system)->funcs.len; i++)
        cells += witness_cells_of(l, sys_of(l->m, l->system)->funcs.data[i], sizes);
    witness_clear(l);
    if (fits && cells <= INSTANCE_MOST_CELLS) l->in = instance_new(l->m, l->system, list.data, list.len);
    vec_free(&list);
    return l->in;
}

static bool witness_make_instance(logic *l, const ground *g) {
    uint32_t *sizes = mem_zero(l->m->types.len, sizeof *sizes);
    for (uint32_t i = 1; i < g->ndomains; i++) sizes[i] = g->domains[i].members.len;
    bool made = witness_instance(l, sizes);
    free(sizes);
    return made;
}

// An element of the instance as one of the ground model, and back.
static value element(const ground *g, type t, value v) {
    return type_is_unbounded(g->m, t) ? g->domains[t.id].members.data[v] : v;
}

static value position(const ground *g, type t, value v) {
    return type_is_unbounded(g->m, t) ? (value)g->domains[t.id].rank.data[v] : v;
}

static value *copy_state(const logic *l, const ground *g, bool after) {
    value args[MATRIX_MOST_ARGS], *state = mem_zero(l->in->ncells + 1, sizeof *state);
    for (uint32_t c = 0; c < l->in->ncells; c++) {
        func f = instance_cell_func(l->in, c, args);
        const table *t = &g->tables[f.id];
        for (uint32_t i = 0; i < t->nargs; i++) args[i] = element(g, t->args[i], args[i]);
        state[c] = position(g, t->result, t->val[after][cells_index(g, t, args)]);
    }
    return state;
}

void witness_keep(logic *l, setting *s, bool is_start, bool is_step) {
    const ground *g = &s->g;
    if (!witness_make_instance(l, g)) return;
    l->before = copy_state(l, g, is_start);
    if (is_step && !is_start) l->after = copy_state(l, g, true);
    rule_info info = s->r.id && !is_start ? *rule_of(l->m, s->r) : (rule_info){0};
    for (uint32_t i = 0; i < info.nparams; i++) l->args[i] = position(g, var_of(l->m, info.params[i])->ty, s->args[i]);
    l->last = (logic_witness){l->in, l->before, l->after, is_start ? (rule){0} : s->r, l->args};
    l->has_witness = true;
}

bool witness_falsifies(const logic *l, expr e) {
    eval *ev = eval_new(l->in);
    bool is_false = !eval_expr(ev, l->last.after ? l->last.after : l->last.before, e);
    eval_free(ev);
    return is_false;
}
