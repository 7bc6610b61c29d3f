// SPDX-License-Identifier: Apache-2.0
// A countermodel as an instance: elements alive become elements 0, 1, … in order, cells become values.
#include "logic/logic_int.h"

#include <string.h>

void witness_clear(logic *l) {
    instance_free(l->in);
    free(l->before);
    free(l->after);
    l->in = NULL;
    l->before = l->after = NULL;
    l->has_witness = false;
}

static instance *make_instance(logic *l, const ground *g) {
    VEC(sort_size) sizes = {0};
    bool fits = true;
    for (uint32_t i = 1; i < g->ndomains; i++) {
        if (!ground_is_unbounded(l->m, (type){i})) continue;
        vec_push(&sizes, (sort_size){{i}, g->domains[i].members.len});
        fits &= g->domains[i].members.len <= INSTANCE_LARGEST_SORT;
    }
    uint64_t cells = 0;
    for (uint32_t i = 0; i < g->ntables; i++) {
        uint64_t n = g->tables[i].f.id != 0;
        for (uint32_t k = 0; k < g->tables[i].nargs && n <= INSTANCE_MOST_CELLS; k++) {
            type t = g->tables[i].args[k];
            n *= ground_is_unbounded(l->m, t) ? g->domains[t.id].members.len : type_known_size(l->m, t);
        }
        cells += n;
    }
    instance *in =
        fits && cells <= INSTANCE_MOST_CELLS ? instance_new(l->m, l->system, sizes.data, sizes.len) : NULL;
    vec_free(&sizes);
    return in;
}

// An element of the instance as one of the ground model, and back.
static value element(const ground *g, type t, value v) {
    return ground_is_unbounded(g->m, t) ? g->domains[t.id].members.data[v] : v;
}

static value position(const ground *g, type t, value v) {
    return ground_is_unbounded(g->m, t) ? (value)g->domains[t.id].rank.data[v] : v;
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
    witness_clear(l);
    l->in = make_instance(l, g);
    if (!l->in) return;
    l->before = copy_state(l, g, is_start);
    if (is_step && !is_start) l->after = copy_state(l, g, true);
    rule_info info = s->r.id && !is_start ? *rule_of(l->m, s->r) : (rule_info){0};
    for (uint32_t i = 0; i < info.nparams; i++)
        l->args[i] = position(g, var_of(l->m, info.params[i])->ty, s->args[i]);
    l->last = (logic_witness){l->in, l->before, l->after, is_start ? (rule){0} : s->r, l->args};
    l->has_witness = true;
}
